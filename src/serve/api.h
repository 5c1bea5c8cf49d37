/* api.h - the REST interface without HTTP: a method, a path and a body in, a status and
 * a body out.
 *
 * One table of routes and one of request members (api.c) serve the parser,
 * /openapi.json and docs/serve.md. */
#ifndef WW_SERVE_API_H
#define WW_SERVE_API_H

#include "../query/query.h"

typedef struct {
  double seconds;   /* that one request may take; 0: no limit */
  uint32_t reports; /* reports that one answer may have; 0: 1000 */
} ww_api_options;

typedef struct ww_api ww_api;
/* the workspace must outlive it */
ww_api *ww_api_new(ww_query *w, const ww_api_options *o);
void ww_api_free(ww_api *api); /* accepts NULL */
void ww_api_stop(ww_api *api); /* what is being computed ends soon, with an error */

typedef struct {
  const char *method, *path, *body; /* body NUL-terminated, NULL: none */
  size_t n;
  double arrived; /* ww_now's clock */
} ww_api_request;
typedef struct {
  int status;       /* HTTP's */
  const char *type; /* of the body */
  ww_buf body;      /* the caller frees it */
} ww_api_reply;
/* Any number of threads at a time. */
void ww_api_handle(ww_api *api, const ww_api_request *q, ww_api_reply *out);
/* Whether the path is known, and answered without computing: such requests need no
 * worker. */
bool ww_api_is_quick(const char *method, const char *path);
/* {"error":{"code","message"}} */
void ww_api_error(int status, const ww_err *e, ww_api_reply *out);
void ww_api_openapi(ww_buf *out); /* openapi.c */

#endif
