/* serving.h - what `warpwise serve` and `warpwise mcp` share: options, limits, the way
 * from start to Ctrl-C. */
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

/* Rows of the table of a command whose options struct T has a `ww_serving_options
 * serving`. */
/* clang-format off */
#define WW_SERVING_OPTIONS(T, PORT) \
  WW_OPTION_OF(T, serving.port, "port", "N", \
            "port to listen on (default " PORT "; 0: any that is free)"), \
  WW_OPTION_OF(T, serving.bind, "bind", "ADDRESS", \
            "address to listen on (default 127.0.0.1); others than the loopback need a token"), \
  WW_OPTION_OF(T, serving.token_file, "token-file", "FILE", \
            "file with the token that clients must send; else the variable WARPWISE_TOKEN"), \
  WW_OPTION_OF(T, serving.root, "root", "DIR", \
            "folder whose files may be read, by name or #include (default: the working folder)"), \
  WW_OPTION_OF(T, serving.seconds, "seconds", "N", \
            "time that one request may take (default 30)"), \
  WW_OPTION_OF(T, serving.memory, "memory", "MB", \
            "memory that one request may take (default 2048)"), \
  WW_OPTION_OF(T, serving.max_body, "max-body", "KB", \
            "size of a request (default 4096)"), \
  WW_OPTION_OF(T, serving.workers, "workers", "N", \
            "requests computed at a time (default: one per core and one more)"), \
  WW_OPTION_OF(T, serving.queue, "queue", "N", \
            "requests that may wait (default 64)")
/* clang-format on */

typedef struct {
  ww_query *w;
  ww_api *api;
  sigset_t before; /* signals that were blocked */
} ww_serving;
/* Checks the options, opens the folder, blocks SIGINT, SIGTERM and SIGPIPE: threads
 * made from now on do not get them. */
ww_status ww_serving_begin(ww_cmd *c, const ww_serving_options *o, ww_serving *out);
void ww_serving_end(ww_serving *s); /* after one that failed too */
void ww_serving_wait(void);         /* for Ctrl-C */
/* Listens, prints the address with `path` behind it, waits for Ctrl-C. `stop` is called
 * with ctx before the server ends; NULL: nothing to tell. */
ww_status ww_serving_http(ww_cmd *c,
                          const ww_serving_options *o,
                          const char *port,
                          const ww_http_route *routes,
                          ww_api *api,
                          const char *path,
                          void (*stop)(void *ctx),
                          void *ctx);

/* What an option of a command means; NULL: there is none. */
const char *ww_serving_help(const char *command, const char *option);

#endif
