/* query.c - the workspace: GPUs, models, the root that paths lie below. */
#include "query_int.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#define UNITS 64 /* kept: 0.2 to 2 MB each */
#define UNIT_BYTES (256 << 20)
#define ANSWERS 4096 /* kept: 4 KB each */
#define ANSWER_BYTES (64 << 20)

/* ---- the workspace ---- */

/* Those of the user's files first: a name is looked for from the front. */
static ww_status load_gpus(ww_query *w, const ww_query_options *o, ww_err *e) {
  const char **names;
  uint32_t n = ww_gpu_names(w->arena, &names);
  ww_status st = WW_OK;
  if (!n)
    return ww_fail(
        e, WW_EDATA,
        "no GPU descriptions in %s/gpus; install them, or set WARPWISE_DATA to the "
        "folder that has gpus/",
        ww_data_dir(w->arena));
  w->gpus = WW_NEWN(w->arena, ww_gpu, n + o->ngpu_files);
  for (uint32_t k = 0; !st && k < o->ngpu_files + n; k++) {
    const char *which = k < o->ngpu_files ? o->gpu_files[k] : names[k - o->ngpu_files];
    ww_gpu *g = &w->gpus[w->ngpus];
    if (k < o->ngpu_files && !strchr(which, '/'))
      which = ww_fmt(w->arena, "./%s", which); /* a file, no name */
    st = ww_gpu_load(which, w->arena, g, e);
    bool twice = false;
    for (uint32_t i = 0; !st && i < w->ngpus; i++)
      twice |= !strcmp(w->gpus[i].name, g->name);
    w->ngpus += !st && !twice;
  }
  return st;
}

static ww_status load_models(ww_query *w, const ww_query_options *o, ww_err *e) {
  if (!o->models) {
    ww_status st = ww_params_load(w->arena, &w->params, e);
    return st ? st : ww_correction_load(w->arena, &w->correction, e);
  }
  const char *machine = ww_path_join(w->arena, o->models, "machine.json");
  const char *learned = ww_path_join(w->arena, o->models, "correction.json.zst");
  ww_correction *c = NULL;
  char *text;
  size_t n;
  ww_status st = ww_read_file(w->arena, machine, 1 << 20, &text, &n, e);
  if (!st)
    st = ww_params_parse(text, n, &w->params, e);
  if (!st && ww_file_exists(learned))
    st = ww_correction_read(learned, w->arena, &c, e);
  w->correction = c;
  return st;
}

/* All that is kept begins with the arena that it lies in. */
static void drop(void *thing) {
  ww_arena_free(*(ww_arena **)thing);
}

ww_query *ww_query_new(const ww_query_options *o, ww_err *e) {
  ww_query *w = ww_xcalloc(1, sizeof *w);
  char real[PATH_MAX];
  w->arena = ww_arena_new();
  w->bytes = o->bytes;
  w->children = o->children;
  w->units = ww_memo_new(o->units ? o->units : UNITS, UNIT_BYTES, drop);
  w->hosts = ww_memo_new(o->units ? o->units : UNITS, UNIT_BYTES, drop);
  w->answers = ww_memo_new(o->answers ? o->answers : ANSWERS, ANSWER_BYTES, drop);
  w->precompiled = ww_memo_new(64, 64, free);
  w->background = ww_pool_new(1, 8);
  ww_status st =
      w->background ? load_gpus(w, o, e) : ww_fail(e, WW_EIO, "cannot start threads");
  if (!st)
    st = load_models(w, o, e);
  if (!st && o->root && !realpath(o->root, real))
    st =
        ww_fail(e, WW_EIO, "cannot open the folder '%s': %s", o->root, strerror(errno));
  if (!st && o->root)
    w->root = ww_strdup(w->arena, real);
  if (!st)
    return w;
  if (e && e->file) { /* it lies in what is freed here */
    ww_err whole = *e;
    snprintf(e->msg, sizeof e->msg, "%.200s: %.300s", whole.file, whole.msg);
    e->file = NULL;
  }
  ww_query_free(w);
  return NULL;
}

void ww_query_free(ww_query *w) {
  if (!w)
    return;
  atomic_store(&w->ending, true);
  ww_pool_free(w->background);
  ww_memo_free(w->precompiled);
  ww_memo_free(w->units);
  ww_memo_free(w->hosts);
  ww_memo_free(w->answers);
  ww_arena_free(w->arena);
  free(w);
}

uint32_t ww_query_gpus(const ww_query *w, const ww_gpu **gpus) {
  *gpus = w->gpus;
  return w->ngpus;
}

ww_query_stats ww_query_count(ww_query *w) {
  return (ww_query_stats){ww_memo_count(w->units), ww_memo_count(w->hosts),
                          ww_memo_count(w->answers)};
}

/* ---- paths ---- */

ww_status ww_query_path(const ww_query *w,
                        const char *path,
                        bool exists,
                        ww_arena *a,
                        const char **out,
                        ww_err *e) {
  return ww_path_inside(w->root, path, exists, a, out, e);
}

ww_status ww_query_text(const ww_query *w,
                        const char *path,
                        size_t max,
                        ww_arena *a,
                        char **text,
                        size_t *n,
                        ww_err *e) {
  return ww_read_below(a, w->root, path, max, text, n, e);
}

const char *ww_query_root(const ww_query *w) {
  return w->root;
}
