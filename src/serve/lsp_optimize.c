/* lsp_optimize.c - a kernel of a document made faster: `warpwise optimize` as a child,
 * which takes minutes and all cores. */
#include <inttypes.h>

#include "lsp_int.h"

#define MOST_S 900.0

typedef struct {
  const ww_lsp_optimizing *how;
  ww_rpc_call *c;
} watching;

static bool is_cancelled(void *ctx) {
  return ww_rpc_cancelled(((watching *)ctx)->c);
}

static void on_line(void *ctx, const char *line) {
  const watching *w = ctx;
  char what[64];
  char words[128];
  uint64_t done;
  uint64_t total;
  if (!w->how->report ||
      sscanf(line, "progress: %63s %" SCNu64 "/%" SCNu64, what, &done, &total) != 3)
    return;
  snprintf(words, sizeof words, "%s %" PRIu64 " of %" PRIu64, what, done, total);
  w->how->report(w->how->ctx, words);
}

static const char *count(const char *name, uint64_t n, ww_arena *a) {
  return ww_fmt(a, "--%s=%" PRIu64, name, n);
}

static ww_status
read_result(const ww_run_result *r, ww_arena *a, cJSON **out, ww_err *e) {
  size_t n = r->out.n ? strcspn(r->out.s, "\n") : 0;
  if (r->timed_out)
    return ww_fail(e, WW_ELIMIT, "optimising took longer than %.0f s and was ended",
                   MOST_S);
  *out = n ? ww_json_read(ww_strndup(a, r->out.s, n), n, e) : NULL;
  if (*out && !ww_member_text(*out, "source")) {
    ww_fail(e, WW_EDATA, "%s", r->err.n ? r->err.s : "it cannot be optimised");
    cJSON_Delete(*out);
    *out = NULL;
  } else if (!*out) {
    const char *said = r->err.n ? r->err.s : "nothing";
    ww_fail(e, WW_EDATA, "`warpwise optimize` ended with code %d and said: %.*s",
            r->exit_code, (int)strcspn(said, "\n"), said);
  }
  return *out ? WW_OK : e->code;
}

ww_status ww_lsp_optimize(const ww_lsp_analysis *a,
                          const ww_lsp_kernel *k,
                          const ww_lsp_optimizing *how,
                          ww_rpc_call *c,
                          cJSON **out,
                          ww_err *e) {
  ww_run_result r = {0};
  watching w = {how, c};
  const char *argv[8] = {"optimize", "--json",
                         ww_fmt(c->arena, "--kernel=%s", k->mangled),
                         ww_fmt(c->arena, "--gpu=%s", a->gpu->name)};
  uint32_t n = 4;
  if (how->seconds)
    argv[n++] = count("seconds", how->seconds, c->arena);
  if (how->rounds)
    argv[n++] = count("rounds", how->rounds, c->arena);
  if (how->seed)
    argv[n++] = count("seed", how->seed, c->arena);
  ww_lsp_program p = {.words = argv,
                      .launch = ww_lsp_launch(a, k),
                      .seconds = MOST_S,
                      .line = on_line,
                      .cancelled = is_cancelled,
                      .ctx = &w};
  *out = NULL;
  ww_status st = ww_lsp_program_run(a, &p, c, &r, e);
  if (!st)
    st = read_result(&r, c->arena, out, e);
  ww_run_free(&r);
  return st;
}
