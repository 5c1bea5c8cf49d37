/* mcp.h - the Model Context Protocol: predictions as tools of AI agents, over pipes and
 * over HTTP.
 *
 * Both eras of the protocol: with a handshake (2024-11-05 to 2025-11-25), and stateless
 * (2026-07-28), told apart by each request's own `_meta`. No state depends on a
 * connection but the calls that run on it. */
#ifndef WW_SERVE_MCP_H
#define WW_SERVE_MCP_H

#include "api.h"
#include "http.h"

typedef struct {
  ww_query *w;  /* both outlive it */
  ww_api *api;  /* reads arguments as it reads requests, under the same limits */
  bool measure; /* clients may run their kernels on this machine */
  /* names with commas, where a client names none; NULL: h200, as assumed */
  const char *gpu;
  const char *device; /* to measure on where a client names none; NULL: the first */
  double slow_s;      /* that measuring and evaluating may take; 0: 1800 */
  /* calls at a time over pipes, processes of an evaluation; 0: one per core */
  uint32_t jobs;
  size_t max_message; /* bytes, over pipes; 0: 4 MiB */
  /* What the option of a command means, in the words of its --help; NULL: there is no
   * such option.
   */
  const char *(*help)(const char *command, const char *option);
} ww_mcp_options;

typedef struct ww_mcp ww_mcp;
ww_mcp *ww_mcp_new(const ww_mcp_options *o);
void ww_mcp_free(ww_mcp *m); /* accepts NULL; nobody may be asking */
void ww_mcp_stop(ww_mcp *m); /* what runs ends soon; before ww_http_stop */

/* Serves one client until it closes: a JSON value a line. */
ww_status ww_mcp_serve(ww_mcp *m, int in, int out, ww_err *e);
/* Handler of a route: ctx is the ww_mcp. */
void ww_mcp_http(void *ctx, ww_http_call *x);

#endif
