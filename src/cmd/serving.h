/* serving.h - what `warpwise serve` and `warpwise mcp` share: options, limits, the way from start
 * to Ctrl-C. */
#ifndef WW_SERVING_H
#define WW_SERVING_H

#include <signal.h>

#include "../serve/api.h"
#include "../serve/http.h"
#include "cmd.h"

typedef struct {
  const char *root, *bind, *token_file, *port;
  uint64_t seconds, memory, max_body, workers, queue;
} ww_serving_options;

/* Rows of the table of a command whose options struct T has a `ww_serving_options serving`. */
/* clang-format off */
#define WW_SERVING_OPTIONS(T, PORT) \
  {"port", 0, WW_OPT_STR, "N", \
   "port to listen on (default " PORT "; 0: any that is free)", offsetof(T, serving.port)}, \
  {"bind", 0, WW_OPT_STR, "ADDRESS", \
   "address to listen on (default 127.0.0.1); others than the loopback need a token", \
   offsetof(T, serving.bind)}, \
  {"token-file", 0, WW_OPT_STR, "FILE", \
   "file with the token that clients must send; else the variable WARPWISE_TOKEN", \
   offsetof(T, serving.token_file)}, \
  {"root", 0, WW_OPT_STR, "DIR", \
   "folder whose files may be read, by name or #include (default: the working folder)", \
   offsetof(T, serving.root)}, \
  {"seconds", 0, WW_OPT_UINT, "N", \
   "time that one request may take (default 30)", offsetof(T, serving.seconds)}, \
  {"memory", 0, WW_OPT_UINT, "MB", \
   "memory that one request may take (default 2048)", offsetof(T, serving.memory)}, \
  {"max-body", 0, WW_OPT_UINT, "KB", \
   "size of a request (default 4096)", offsetof(T, serving.max_body)}, \
  {"workers", 0, WW_OPT_UINT, "N", \
   "requests computed at a time (default: one per core and one more)", \
   offsetof(T, serving.workers)}, \
  {"queue", 0, WW_OPT_UINT, "N", \
   "requests that may wait (default 64)", offsetof(T, serving.queue)}
/* clang-format on */

typedef struct {
  ww_query *w;
  ww_api *api;
  sigset_t before; /* signals that were blocked */
} ww_serving;
/* Checks the options, opens the folder, blocks SIGINT, SIGTERM and SIGPIPE: threads made from now
 * on do not get them. */
ww_status ww_serving_begin(ww_cmd *c, const ww_serving_options *o, ww_serving *out);
/* From now on clang and LLVM run in processes of their own, with so much memory each. */
void ww_serving_apart(uint64_t bytes);
void ww_serving_end(ww_serving *s); /* after one that failed too */
void ww_serving_wait(void);         /* for Ctrl-C */
/* Listens, prints the address with `path` behind it, waits for Ctrl-C. `stop` is called with ctx
 * before the server ends; NULL: nothing to tell. */
ww_status ww_serving_http(ww_cmd *c, const ww_serving_options *o, const char *port,
                          const ww_http_route *routes, ww_api *api, const char *path,
                          void (*stop)(void *ctx), void *ctx);

/* What an option of a command means; NULL: there is none. */
const char *ww_serving_help(const char *command, const char *option);

#endif
