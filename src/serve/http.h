/* http.h - handlers over HTTP/1.1 (libmicrohttpd): who may ask, how much at a time,
 * whole answers and streams.
 *
 * The same rules for everything that is served: Host and Origin are checked, then the
 * token, then the size of the body. */
#ifndef WW_SERVE_HTTP_H
#define WW_SERVE_HTTP_H

#include "../base/base.h"

struct ww_api; /* api.h */

typedef struct {
  const char *bind; /* numeric address; NULL: 127.0.0.1 */
  uint16_t port;    /* 0: any that is free */
  /* asked of every request but /healthz and what is `open`; NULL: none, which only the
   * loopback address allows */
  const char *token;
  size_t max_body;  /* bytes; 0: 4 MiB */
  uint32_t workers; /* requests computed at a time; 0: one per core, and one more */
  uint32_t queue;   /* requests that may wait; 0: 64 */
} ww_http_options;

/* One request that a route answers, on a worker. */
typedef struct ww_http_call ww_http_call;
const char *ww_http_method(const ww_http_call *x);
const char *ww_http_path(const ww_http_call *x);
/* NULL: not there; not once a stream began */
const char *ww_http_header(const ww_http_call *x, const char *name);
const char *ww_http_body(const ww_http_call *x, size_t *n); /* NUL-terminated */
/* Either one whole answer ... */
void ww_http_reply(
    ww_http_call *x, int status, const char *type, const char *body, size_t n);
void ww_http_json(ww_http_call *x,
                  int status,
                  ww_json *body); /* the same of JSON, which it frees */
/* Before the answer begins; takes the place of what every answer has (Cache-Control:
 * no-store, the Content-Security-Policy ...). */
void ww_http_reply_header(ww_http_call *x, const char *name, const char *value);
/* ... or a stream (Server-Sent Events): what is written is sent at once, and waits
 * while the client is slow to read. False: the client is gone, or the server ends. That
 * it is gone shows in writing alone: who computes for long writes a comment now and
 * then. */
void ww_http_stream(ww_http_call *x, int status, const char *type);
bool ww_http_write(ww_http_call *x, const char *data, size_t n);

typedef struct {
  /* exact, or with a / at its end: all below it; NULL ends the table */
  const char *path;
  /* on a worker; what it has not answered by its return is a 500 */
  void (*handle)(void *ctx, ww_http_call *x);
  void *ctx;
  /* needs no token: a page's own files, which a browser fetches before there is one */
  bool open;
} ww_http_route;

typedef struct ww_http ww_http;
/* Serves from now on: the routes (which outlive it) first (NULL: none), else the API
 * (NULL: none). Where a name of the Host header is not this server's, or an Origin is
 * another site's, the answer is 403: pages of other sites, also those whose name was
 * made to mean this address, get nothing.
 */
ww_status ww_http_start(const ww_http_options *o,
                        const ww_http_route *routes,
                        struct ww_api *api,
                        ww_http **out,
                        ww_err *e);
uint16_t ww_http_port(const ww_http *h);
/* Takes no more requests, ends those that run (ww_api_stop; writing to a stream fails),
 * frees. Handlers that compute for long without writing must be told by who wrote them,
 * before. Accepts NULL. */
void ww_http_stop(ww_http *h);

#endif
