/* serve.c - `warpwise serve`: predictions over HTTP, for pages, scripts and agents on this machine. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../serve/http.h"
#include "cmd.h"

typedef struct {
  const char *root, *bind, *token_file, *port;
  uint64_t seconds, memory, max_body, workers, queue;
} options;

#define PORT 7420
#define CLANG_BYTES ((uint64_t)1 << 30) /* address space that it takes before it has read anything */

static const ww_option table[] = {
    {"port", 0, WW_OPT_STR, "N", "port to listen on (default 7420; 0: any that is free)", offsetof(options, port)},
    {"bind", 0, WW_OPT_STR, "ADDRESS",
     "address to listen on (default 127.0.0.1); others than the loopback need a token", offsetof(options, bind)},
    {"token-file", 0, WW_OPT_STR, "FILE",
     "file with the token that clients must send; else the variable WARPWISE_TOKEN", offsetof(options, token_file)},
    {"root", 0, WW_OPT_STR, "DIR", "folder whose files may be read, by name or #include (default: the working folder)",
     offsetof(options, root)},
    {"seconds", 0, WW_OPT_UINT, "N", "time that one request may take (default 30)", offsetof(options, seconds)},
    {"memory", 0, WW_OPT_UINT, "MB", "memory that one request may take (default 2048)", offsetof(options, memory)},
    {"max-body", 0, WW_OPT_UINT, "KB", "size of a request (default 4096)", offsetof(options, max_body)},
    {"workers", 0, WW_OPT_UINT, "N", "requests computed at a time (default: one per core)", offsetof(options, workers)},
    {"queue", 0, WW_OPT_UINT, "N", "requests that may wait (default 64)", offsetof(options, queue)},
    {0},
};

static ww_status token(ww_cmd *c, const options *o, const char **out) {
  char *text;
  size_t n;
  *out = getenv("WARPWISE_TOKEN");
  if (*out && !**out) *out = NULL;
  if (!o->token_file) return WW_OK;
  ww_status st = ww_read_file(c->arena, o->token_file, 4096, &text, &n, &c->err);
  if (st) return st;
  while (n && (text[n - 1] == '\n' || text[n - 1] == '\r')) text[--n] = 0;
  *out = text;
  return WW_OK;
}

/* The server's threads inherit the mask: the signals come here. */
static void wait_for_end(void) {
  sigset_t end;
  int which;
  sigemptyset(&end);
  sigaddset(&end, SIGINT);
  sigaddset(&end, SIGTERM);
  sigwait(&end, &which);
}

static void block_signals(sigset_t *before) {
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGINT);
  sigaddset(&end, SIGTERM);
  sigaddset(&end, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &end, before);
}

static ww_status port_of(const char *text, uint16_t *out, ww_err *e) {
  char *end = NULL;
  unsigned long v = text ? strtoul(text, &end, 10) : PORT;
  *out = (uint16_t)v;
  if (!text || (*text >= '0' && *text <= '9' && !*end && v <= 65535)) return WW_OK;
  return ww_fail(e, WW_EUSAGE, "--port: expected 0 to 65535, not '%.40s'", text);
}

static ww_status serve(ww_cmd *c, const options *o, uint16_t port, ww_workspace *w) {
  ww_api *api = ww_api_new(w, &(ww_api_options){.seconds = o->seconds ? (double)o->seconds : 30});
  ww_http *h = NULL;
  ww_http_options ho = {.bind = o->bind,
                        .port = port,
                        .max_body = (size_t)o->max_body << 10,
                        .workers = (uint32_t)o->workers,
                        .queue = (uint32_t)o->queue};
  ww_status st = token(c, o, &ho.token);
  if (!st) st = ww_http_start(&ho, api, &h, &c->err);
  if (!st) {
    const char *host = o->bind ? o->bind : "127.0.0.1";
    printf(strchr(host, ':') ? "http://[%s]:%u/\n" : "http://%s:%u/\n", host, ww_http_port(h));
    fflush(stdout);
    wait_for_end();
    if (!c->global.quiet) fputs("warpwise: ends\n", stderr);
  }
  ww_http_stop(h);
  ww_api_free(api);
  return st;
}

static ww_status run(ww_cmd *c) {
  options o = *(const options *)c->opt;
  sigset_t before;
  if (c->noperands) return ww_fail(&c->err, WW_EUSAGE, "serve takes no files; --root names the folder");
  if (o.workers > 256 || o.queue > 100000 || o.max_body > (1 << 20) || o.memory > (1 << 24))
    return ww_fail(&c->err, WW_EUSAGE, "--workers, --queue, --max-body or --memory is too large");
  uint16_t port;
  if (port_of(o.port, &port, &c->err)) return c->err.code;
  uint64_t bytes = (o.memory ? o.memory : 2048) << 20;
  ww_workspace *w = ww_workspace_new(&(ww_workspace_options){.root = o.root ? o.root : ".", .bytes = bytes}, &c->err);
  if (!w) return c->err.code;
  ww_run_memory(bytes + CLANG_BYTES);
  block_signals(&before);
  ww_status st = serve(c, &o, port, w);
  ww_workspace_free(w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return st;
}

const ww_command ww_cmd_serve = {
    .name = "serve",
    .summary = "predictions over HTTP on this machine: REST with an OpenAPI document",
    .usage = "[options]",
    .details =
        "POST /v1/predict, /v1/explain, /v1/roofline.svg, /v1/kernels; GET /v1/gpus, /openapi.json, /healthz. What was read and\n"
        "predicted is kept: after an edit only kernels whose code changed are predicted again. Ctrl-C ends it.",
    .examples =
        "  warpwise serve --root ~/project\n"
        "  curl -H 'Content-Type: application/json' -d '{\"file\":\"saxpy.cu\",\"gpu\":\"h200\"}' http://127.0.0.1:7420/v1/predict\n",
    .options = table,
    .options_size = sizeof(options),
    .run = run,
};
