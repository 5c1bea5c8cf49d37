/* lsp_verify.c - the document as the editor has it against what is on disk, or in the
 * last commit: does the kernel still do the same? */
#include "../opt/verify_ask.h"
#include "lsp_int.h"

#define MOST_S 120.0
#define MOST_TEXT (32u << 20)
#define GIT_S 10.0

/* The file as the last commit has it: by plumbing, which runs nothing of the
 * repository's own. */
static ww_status committed(const char *path, ww_rpc_call *c, char **text, ww_err *e) {
  ww_arena *a = c->arena;
  const char *what = ww_fmt(a, "HEAD:./%s", ww_path_base(path));
  const char *argv[] = {"git", "-C", ww_path_dir(a, path), "cat-file", "blob",
                        what,  NULL};
  ww_run_watch watch = {
      .cancelled = ww_rpc_cancelled,
      .ctx = c,
  };
  ww_run_result r = {0};
  ww_status st = ww_run_watched(argv, NULL, 0, GIT_S, &watch, &r, e);
  if (!st && (r.exit_code || r.timed_out))
    st = ww_fail(e, WW_EDATA, "%s is in no commit of a git repository",
                 ww_path_base(path));
  if (!st)
    *text = ww_strdup(a, r.out.s ? r.out.s : "");
  ww_run_free(&r);
  return st;
}

static ww_status saved(const ww_lsp *s,
                       const ww_lsp_analysis *a,
                       const char *against,
                       ww_rpc_call *c,
                       char **text,
                       ww_err *e) {
  size_t n;
  if (against && !strcmp(against, "HEAD"))
    return committed(a->path, c, text, e);
  if (against && strcmp(against, "disk") != 0)
    return ww_fail(e, WW_EUSAGE, "against: disk or HEAD is expected");
  return ww_query_text(s->w, a->path, MOST_TEXT, c->arena, text, &n, e);
}

ww_status ww_lsp_verify(ww_lsp *s,
                        const ww_lsp_analysis *a,
                        const ww_lsp_kernel *k,
                        const char *against,
                        ww_rpc_call *c,
                        const char **json,
                        ww_err *e) {
  char *text;
  ww_status st = saved(s, a, against, c, &text, e);
  if (st)
    return st;
  const ww_launch *launch = ww_lsp_launch(a, k);
  ww_verify_request q = {.source = {a->source, a->source},
                         .kernel = {k->name, k->name},
                         .launch = {launch, launch},
                         .deadline = ww_now() + MOST_S,
                         .how = {.seed = 1, .cancelled = ww_rpc_cancelled, .ctx = c}};
  q.source[0].text = text;
  q.source[1].text = a->text;
  return ww_verify_ask(s->w, &q, c->arena, json, e);
}
