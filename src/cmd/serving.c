/* serving.c - from options to a server that listens until Ctrl-C. */
#include "../front/isolate.h"
#include "serving.h"

#include <pthread.h>
#include <stdlib.h>

#define CLANG_BYTES \
  ((uint64_t)1 << 30) /* address space that it takes before it has read anything */

static ww_status token(ww_cmd *c, const ww_serving_options *o, const char **out) {
  char *text;
  size_t n;
  *out = getenv("WARPWISE_TOKEN");
  if (*out && !**out)
    *out = NULL;
  if (!o->token_file)
    return WW_OK;
  ww_status st = ww_read_input(c->arena, o->token_file, 4096, &text, &n, &c->err);
  if (st)
    return st;
  while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
    text[--n] = 0;
  *out = text;
  return WW_OK;
}

static void end_signals(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGHUP);
}

/* The server's threads inherit the mask: the signals come here. What runs then is given
 * up, and a second signal ends the program at once, as main.c's handler does. */
void ww_serving_wait(void) {
  sigset_t end;
  int which;
  end_signals(&end);
  sigwait(&end, &which);
  ww_run_stop();
  /* who cannot wait for an orderly end sends another */
  pthread_sigmask(SIG_UNBLOCK, &end, NULL);
}

static ww_status port_of(const char *text, uint16_t *out, ww_err *e) {
  char *end = NULL;
  unsigned long v = strtoul(text, &end, 10);
  *out = (uint16_t)v;
  if (*text >= '0' && *text <= '9' && !*end && v <= 65535)
    return WW_OK;
  return ww_fail(e, WW_EUSAGE, "--port: expected 0 to 65535, not '%.40s'", text);
}

/* From now on clang and LLVM run in processes of their own, with so much memory each.
 */
static void run_apart(uint64_t bytes) {
  ww_run_memory(bytes + CLANG_BYTES);
#ifndef __SANITIZE_ADDRESS__ /* its shadow memory alone is beyond any limit */
  ww_isolate_by("/proc/self/exe");
#endif
  ww_isolate_fork(bytes + CLANG_BYTES);
}

ww_status ww_serving_begin(ww_cmd *c, const ww_serving_options *o, ww_serving *out) {
  sigset_t set;
  *out = (ww_serving){0};
  end_signals(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, &out->before);
  if (o->workers > 256 || o->queue > 100000 || o->max_body > (1 << 20) ||
      o->memory > (1 << 24))
    return ww_usage(c, "--workers, --queue, --max-body or --memory is too large");
  uint64_t bytes = (o->memory ? o->memory : 2048) << 20;
  out->w = ww_query_new(&(ww_query_options){.root = o->root ? o->root : ".",
                                            .bytes = bytes,
                                            .children = true},
                        &c->err);
  if (!out->w)
    return c->err.code;
  run_apart(bytes);
  out->api =
      ww_api_new(out->w, &(ww_api_options){.seconds = o->seconds ? o->seconds : 30});
  return WW_OK;
}

void ww_serving_end(ww_serving *s) {
  ww_api_free(s->api);
  ww_query_free(s->w);
  pthread_sigmask(SIG_SETMASK, &s->before, NULL);
}

ww_status ww_serving_http(ww_cmd *c,
                          const ww_serving_options *o,
                          const char *port,
                          const ww_http_route *routes,
                          ww_api *api,
                          const char *path,
                          void (*stop)(void *ctx),
                          void *ctx) {
  ww_http *h = NULL;
  ww_http_options ho = {.bind = o->bind,
                        .max_body = o->max_body << 10,
                        .workers = o->workers,
                        .queue = o->queue};
  bool failed = port_of(o->port ? o->port : port, &ho.port, &c->err) ||
                token(c, o, &ho.token) || ww_http_start(&ho, routes, api, &h, &c->err);
  if (!failed) {
    const char *host = o->bind ? o->bind : "127.0.0.1";
    printf(strchr(host, ':') ? "http://[%s]:%u%s\n" : "http://%s:%u%s\n", host,
           ww_http_port(h), path);
    fflush(stdout);
    ww_serving_wait();
    if (!c->quiet)
      fputs("warpwise: ends\n", stderr);
  }
  if (stop)
    stop(ctx);
  ww_http_stop(h);
  return failed ? c->err.code : WW_OK;
}

static const char *help_of(const ww_option *o, const char *name) {
  while (o && o->name && strcmp(o->name, name))
    o++;
  return o ? o->help : NULL;
}

const char *ww_serving_help(const char *command, const char *option) {
  ww_command_list cmd = ww_commands;
  while (*cmd && strcmp((*cmd)->name, command))
    cmd++;
  const char *help = *cmd ? help_of((*cmd)->options, option) : NULL;
  return help ? help : help_of(ww_global_options, option);
}
