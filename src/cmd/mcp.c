/* mcp.c - `warpwise mcp`: predictions as tools of AI agents, over standard input and
 * output or over HTTP. */
#include "../serve/mcp.h"

#include <pthread.h>
#include <unistd.h>

#include "serving.h"

typedef struct {
  ww_serving_options serving;
  bool http, measure;
  uint64_t slow;
} options;

static const ww_option table[] = {
    WW_OPTION(http, NULL, "serve HTTP instead of standard input and output"),
    WW_OPTION(measure,
              NULL,
              "with --http: clients may measure, which runs their kernels on this "
              "machine (else only a "
              "client on the pipe may)"),
    WW_OPTION_AS(slow,
                 "slow-seconds",
                 "N",
                 "time that measuring and evaluating may take (default 1800)"),
    WW_SERVING_OPTIONS(options, "7421"),
    {0},
};

static void stop(void *mcp) {
  ww_mcp_stop(mcp);
}

static void *wait_for_signal(void *mcp) {
  ww_serving_wait();
  ww_mcp_stop(mcp);
  return NULL;
}

/* A client that goes closes the pipe, or sends SIGTERM: either way children end too. */
static ww_status serve_pipe(ww_cmd *c, ww_mcp *mcp) {
  pthread_t waiter;
  if (pthread_create(&waiter, NULL, wait_for_signal, mcp))
    return ww_fail(&c->err, WW_EIO, "cannot start threads");
  ww_status st = ww_mcp_serve(mcp, STDIN_FILENO, STDOUT_FILENO, &c->err);
  pthread_kill(waiter, SIGTERM);
  pthread_join(waiter, NULL);
  return st;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  ww_serving s;
  if (c->noperands)
    return ww_usage(c, "mcp takes no files; --root names the folder");
  if (o->measure && !o->http)
    return ww_usage(c, "--measure goes with --http");
  ww_status st = ww_serving_begin(c, &o->serving, &s);
  if (!st) {
    ww_mcp_options mo = {.w = s.w,
                         .api = s.api,
                         .measure = !o->http || o->measure,
                         .gpu = c->gpu,
                         .device = c->device,
                         .slow_s = o->slow,
                         .jobs = o->serving.workers,
                         .max_message = o->serving.max_body << 10,
                         .help = ww_serving_help};
    ww_mcp *mcp = ww_mcp_new(&mo);
    ww_http_route routes[] = {{.path = "/mcp", .handle = ww_mcp_http, .ctx = mcp}, {0}};
    st = o->http
             ? ww_serving_http(c, &o->serving, "7421", routes, NULL, "/mcp", stop, mcp)
             : serve_pipe(c, mcp);
    ww_mcp_free(mcp);
  }
  ww_serving_end(&s);
  return st;
}

const ww_command ww_cmd_mcp = {
    "mcp",
    "predictions as tools of AI agents: a Model Context Protocol server",
    "[options]",
    .details = "Speaks over standard input and output, as agents start it, or with "
               "--http over "
               "HTTP at /mcp. Tools: list_kernels, predict,\n"
               "explain, roofline, compare, measure, evaluate. Files are read below "
               "--root alone. "
               "docs/mcp.md has the setup of agents.",
    .examples = "  claude mcp add warpwise -- warpwise mcp\n"
                "  codex mcp add warpwise -- warpwise mcp --root ~/project --gpu a100\n"
                "  warpwise mcp --http --port 7421\n",
    WW_OPTIONS,
    .run = run,
};
