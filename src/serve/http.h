/* http.h - the API over HTTP/1.1 (libmicrohttpd): who may ask, how much at a time. */
#ifndef WW_SERVE_HTTP_H
#define WW_SERVE_HTTP_H

#include "api.h"

typedef struct {
  const char *bind;   /* numeric address; NULL: 127.0.0.1 */
  uint16_t port;      /* 0: any that is free */
  const char *token;  /* asked of every request but /healthz; NULL: none, which only the loopback address allows */
  size_t max_body;    /* bytes; 0: 4 MiB */
  uint32_t workers;   /* requests computed at a time; 0: one per core */
  uint32_t queue;     /* requests that may wait; 0: 64 */
} ww_http_options;

typedef struct ww_http ww_http;
/* Serves from now on. Where a name of the Host header is not this server's, or an Origin is another site's, the answer is 403: pages of
 * other sites, also those whose name was made to mean this address, get nothing. */
ww_status ww_http_start(const ww_http_options *o, ww_api *api, ww_http **out, ww_err *e);
uint16_t ww_http_port(const ww_http *h);
/* Takes no more requests, ends those that run (ww_api_stop), frees. Accepts NULL. */
void ww_http_stop(ww_http *h);

#endif
