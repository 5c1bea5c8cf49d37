/* lsp_measure.c - our own program as a child, for a kernel of a document: `warpwise
 * measure`, because a kernel may fault or hang, and what takes minutes
 * (lsp_optimize.c).
 *
 * It gets the text as the editor has it: one that was not saved goes through a file of
 * its own. */
#include "lsp_int.h"

#include <errno.h>

#define MOST_S 120.0

typedef struct {
  ww_arena *a;
  WW_VEC(const char *) argv;
  char dir[64]; /* "": the file on disk is the text */
  int slot;     /* of dir, for cleaning up */
  const char *file;
} child;

static void word(child *k, const char *w) {
  ww_push(k->a, &k->argv, w);
}

static void option(child *k, const char *name, const char *value) {
  if (!value)
    return;
  word(k, name);
  word(k, value);
}

static ww_status write_source(const ww_lsp_analysis *a, child *k, ww_err *e) {
  char *text;
  size_t n;
  k->file = a->path;
  bool there = ww_file_regular(a->path) &&
               !ww_read_file(k->a, a->path, 32 << 20, &text, &n, NULL);
  if (there && n == a->n && !memcmp(text, a->text, n))
    return WW_OK;
  if (!ww_rpc_folder(k->dir, &k->slot))
    return ww_fail(e, WW_EIO, "cannot make a folder for the unsaved text: %s",
                   strerror(errno));
  k->file = ww_path_join(k->a, k->dir, ww_path_base(a->path));
  return ww_write_file_atomic(k->file, a->text, a->n, e);
}

static void words(const ww_lsp_analysis *a, const ww_lsp_program *p, child *k) {
  word(k, ww_self_path(k->a));
  for (const char *const *w = p->words; *w; w++)
    word(k, *w);
  word(k, k->file);
  option(k, "--lang", a->source.lang);
  if (p->launch)
    option(k, "--launch", "/dev/stdin");
  for (uint32_t i = 0; i < a->source.ninstantiate; i++)
    option(k, "--instantiate", a->source.instantiate[i]);
  word(k, "--");
  if (k->dir[0])
    word(k, ww_fmt(k->a, "-I%s", ww_path_dir(k->a, a->path)));
  for (uint32_t i = 0; i < a->source.nflags; i++)
    word(k, a->source.flags[i]);
  word(k, NULL);
}

ww_status ww_lsp_program_run(const ww_lsp_analysis *a,
                             const ww_lsp_program *p,
                             ww_rpc_call *c,
                             ww_run_result *r,
                             ww_err *e) {
  child x = {
      .a = c->arena,
      .slot = -1,
  };
  ww_buf launch = {0};
  ww_status st = write_source(a, &x, e);
  if (p->launch)
    ww_launch_write(p->launch, &(ww_json){.out = &launch});
  if (!st) {
    words(a, p, &x);
    ww_run_watch watch = {.own_memory = true,
                          .env = "WARPWISE_PROGRESS=lines",
                          .line = p->line,
                          .cancelled = p->cancelled,
                          .ctx = p->ctx};
    st = ww_run_watched(x.argv.v, launch.s, launch.n, p->seconds, &watch, r, e);
  }
  if (x.dir[0])
    ww_remove_tree(x.dir);
  ww_cleanup_forget(x.slot);
  ww_buf_free(&launch);
  return st;
}

/* The child's line, or why there is none. */
static ww_status
read_line(const ww_run_result *r, ww_arena *a, const char **json, ww_err *e) {
  ww_report report = {0};
  ww_err bad = {0};
  if (r->timed_out)
    return ww_fail(e, WW_ELIMIT, "measuring took longer than %.0f s and was ended",
                   MOST_S);
  *json = ww_strndup(a, r->out.s, strcspn(r->out.s, "\n"));
  if (**json && !ww_report_parse(*json, a, &report, &bad)) {
    if (!report.error.code)
      return WW_OK;
    *e = report.error;
    e->file = NULL;
    return e->code;
  }
  const char *said = r->err.n ? r->err.s : "nothing";
  return ww_fail(e, WW_EDEVICE, "`warpwise measure` ended with code %d and said: %.*s",
                 r->exit_code, (int)strcspn(said, "\n"), said);
}

ww_status ww_lsp_measure(const ww_lsp_analysis *a,
                         const ww_lsp_kernel *k,
                         const char *device,
                         ww_rpc_call *c,
                         const char **json,
                         ww_err *e) {
  ww_run_result r = {0};
  if (device && device[0] == '-')
    return ww_fail(e, WW_EUSAGE, "device: a part of a device's name");
  if (k->report.error.code || !k->report.launch)
    return ww_fail(e, WW_EDATA, "%s cannot be launched: %.400s", k->name,
                   k->report.error.msg);
  const char *argv[] = {"measure", "--json",
                        ww_fmt(c->arena, "--kernel=%s", k->mangled),
                        device ? ww_fmt(c->arena, "--device=%s", device) : NULL, NULL};
  ww_lsp_program p = {.words = argv,
                      .launch = k->report.launch, /* the very one that was predicted */
                      .seconds = MOST_S,
                      .cancelled = ww_rpc_cancelled,
                      .ctx = c};
  ww_status st = ww_lsp_program_run(a, &p, c, &r, e);
  if (!st)
    st = read_line(&r, c->arena, json, e);
  ww_run_free(&r);
  return st;
}
