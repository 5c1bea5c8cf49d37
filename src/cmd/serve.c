/* serve.c - `warpwise serve`: predictions over HTTP, for pages, scripts and agents on
 * this machine.
 */
#include "../base/child.h"
#include "../serve/completions.h"
#include "../serve/mcp.h"
#include "../serve/page.h"
#include "serving.h"

#define MOST_ROUTES 64

typedef struct {
  ww_serving_options serving;
  const char *lm;
} options;

static const ww_option table[] = {
    WW_SERVING_OPTIONS(options, "7420"),
    WW_OPTION(lm,
              "MODEL",
              "a language model for /v1/chat/completions and /v1/completions: a folder "
              "or a .gguf"),
    {0},
};

typedef struct {
  ww_mcp *mcp;
  ww_completions *completions;
} doors;

static void stop(void *ctx) {
  const doors *d = ctx;
  ww_mcp_stop(d->mcp);
  ww_completions_stop(d->completions);
}

/* The page's, agents' and OpenAI's clients' door. */
static void all_routes(const doors *d, ww_http_route out[MOST_ROUTES + 6]) {
  uint32_t n = 0;
  for (const ww_http_route *r = ww_page_routes; r->path && n < MOST_ROUTES; r++)
    out[n++] = *r;
  out[n++] = (ww_http_route){.path = "/mcp", .handle = ww_mcp_http, .ctx = d->mcp};
  ww_http_route models[] = {
      {.path = "/v1/models", .handle = ww_completions_models},
      {.path = "/v1/models/", .handle = ww_completions_model},
      {.path = "/v1/completions", .handle = ww_completions_text},
      {.path = "/v1/chat/completions", .handle = ww_completions_chat}};
  for (int k = 0; k < 4; k++) {
    models[k].ctx = d->completions;
    out[n++] = models[k];
  }
  out[n] = (ww_http_route){0};
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  ww_http_route routes[MOST_ROUTES + 6];
  ww_serving s;
  doors d = {0};
  if (c->noperands)
    return ww_usage(c, "serve takes no files; --root names the folder");
  ww_child_for_many();
  ww_status st = ww_serving_begin(c, &o->serving, &s);
  if (!st)
    st = ww_completions_new(o->lm, 0, &d.completions, &c->err);
  if (!st) {
    d.mcp = ww_mcp_new(&(ww_mcp_options){
        .w = s.w, .api = s.api, .jobs = o->serving.workers, .help = ww_serving_help});
    all_routes(&d, routes);
    st = ww_serving_http(c, &o->serving, "7420", routes, s.api, "/", stop, &d);
    ww_mcp_free(d.mcp);
  }
  ww_completions_free(d.completions);
  ww_serving_end(&s);
  return st;
}

const ww_command ww_cmd_serve = {
    "serve",
    "predictions over HTTP on this machine: a page, REST with an OpenAPI document, a "
    "language model for OpenAI's clients",
    "[options]",
    .details =
        "The address that it prints is the page's; with a token, open it with "
        "#token=TOKEN "
        "behind. Programs: /openapi.json has what\n"
        "can be asked, POST /v1/predict, /v1/explain, /v1/sweep and more; agents: "
        "/mcp. "
        "What was read and predicted is kept: after an\n"
        "edit only kernels whose code changed are predicted again. Ctrl-C ends it.",
    .examples =
        "  warpwise serve --root ~/project\n"
        "  curl -H 'Content-Type: application/json' -d "
        "'{\"file\":\"saxpy.cu\",\"gpu\":\"h200\"}' http://127.0.0.1:7420/v1/predict\n",
    WW_OPTIONS,
    .run = run,
};
