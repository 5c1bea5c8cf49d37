/* query.c - documents, and answers about their kernels; read.c has the sources. */
#include "query_int.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "../base/child.h"
#include "../predict/advice/advice.h"
#include "../predict/show/show.h"
#include "code.h"

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
  pthread_mutex_init(&w->lock, NULL);
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

static void remove_document(document **d) {
  document *gone = *d;
  *d = gone->next;
  free(gone->path);
  free(gone->text);
  free(gone);
}

void ww_query_free(ww_query *w) {
  if (!w)
    return;
  while (w->documents)
    remove_document(&w->documents);
  atomic_store(&w->ending, true);
  ww_pool_free(w->background);
  ww_memo_free(w->precompiled);
  ww_memo_free(w->units);
  ww_memo_free(w->hosts);
  ww_memo_free(w->answers);
  pthread_mutex_destroy(&w->lock);
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

/* ---- documents ---- */

static document **find(ww_query *w, const char *path) {
  document **d = &w->documents;
  while (*d && strcmp((*d)->path, path))
    d = &(*d)->next;
  return d;
}

static char *copy(const char *s) {
  return strcpy(ww_xmalloc(strlen(s) + 1), s);
}

uint64_t ww_query_change(ww_query *w, const char *path, const char *text) {
  pthread_mutex_lock(&w->lock);
  document **d = find(w, path);
  if (!*d) {
    *d = ww_xcalloc(1, sizeof **d);
    (*d)->path = copy(path);
  }
  free((*d)->text);
  (*d)->text = copy(text);
  uint64_t generation = (*d)->generation = ++w->generations;
  pthread_mutex_unlock(&w->lock);
  return generation;
}

void ww_query_close(ww_query *w, const char *path) {
  pthread_mutex_lock(&w->lock);
  document **d = find(w, path);
  if (*d)
    remove_document(d);
  pthread_mutex_unlock(&w->lock);
}

uint64_t ww_query_generation(ww_query *w, const char *path) {
  pthread_mutex_lock(&w->lock);
  const document *d = *find(w, path);
  uint64_t generation = d ? d->generation : 0;
  pthread_mutex_unlock(&w->lock);
  return generation;
}

/* ---- answers ---- */

typedef struct {
  ww_query *w;
  const ww_query_request *q;
  ww_arena *a;
  ww_query_result *out;
  ww_query_unit read;
  ww_gpu *gpus; /* those asked for */
  uint32_t ngpus;
  const ww_correction *correction;
} asking;

static bool is_over(void *ctx) {
  const asking *x = ctx;
  const ww_query_request *q = x->q;
  return (q->deadline > 0 && ww_now() > q->deadline) ||
         (q->cancelled && q->cancelled(q->ctx)) || ww_source_stale(x->w, &q->source);
}

/* Why it is over, in words. fn: the kernel it was at; NULL: none. */
static ww_status over(const asking *x, const ww_fn *fn, ww_err *e) {
  if (ww_source_stale(x->w, &x->q->source))
    return ww_fail(e, WW_ECANCEL, "the document has changed since it was asked about");
  if (x->q->deadline > 0 && ww_now() > x->q->deadline)
    return ww_fail(
        e, WW_ELIMIT,
        "%s%.100s%s took longer than a request may; --seconds raises the limit",
        fn ? "kernel `" : "", fn ? fn->name : "the prediction", fn ? "`" : "");
  return ww_fail(e, WW_ECANCEL, "cancelled");
}

static ww_status choose_gpus(asking *x, ww_err *e) {
  const ww_query *w = x->w;
  x->ngpus = x->q->ngpus ? x->q->ngpus : 1;
  x->gpus = WW_NEWN(x->a, ww_gpu, x->ngpus);
  for (uint32_t k = 0; k < x->ngpus; k++) {
    const char *name = x->q->ngpus ? x->q->gpus[k] : "h200";
    const char *known = "";
    uint32_t g = 0;
    for (; g < w->ngpus && strcmp(w->gpus[g].name, name); g++)
      known = ww_fmt(x->a, "%s%s%s", known, g ? ", " : "", w->gpus[g].name);
    if (g == w->ngpus)
      return ww_fail(e, WW_EUSAGE, "there is no GPU '%.40s'; known are %s", name,
                     known);
    x->gpus[k] = w->gpus[g];
  }
  return WW_OK;
}

static ww_status choose_model(asking *x, ww_err *e) {
  const char *by = x->q->by;
  const char *cache = x->q->cache;
  if (!by || !strcmp(by, "grounded"))
    x->correction = x->w->correction;
  else if (strcmp(by, "machine"))
    return ww_fail(e, WW_EUSAGE, "by: expected machine or grounded, not '%.40s'", by);
  if (cache && strcmp(cache, "warm") && strcmp(cache, "cold"))
    return ww_fail(e, WW_EUSAGE, "cache: expected warm or cold, not '%.40s'", cache);
  return WW_OK;
}

static const char *shown(const asking *x) {
  return ww_query_shown(x->w, x->q->source.path);
}

/* What is known of the kernel's launch, weaker sources under what was asked. */
static ww_status launch_of(asking *x, ww_query_kernel *k, ww_err *e) {
  k->launch = x->q->launch ? *x->q->launch : (ww_launch){0};
  k->launch.file = shown(x);
  ww_status st = ww_query_launch(x->w, &x->read, x->q->deadline, x->a, k, e);
  if (x->q->cache)
    k->launch.warm = !strcmp(x->q->cache, "warm");
  return st;
}

/* Everything that the answer is made of. */
static ww_key answer_key(const asking *x,
                         ww_key code,
                         const ww_launch *l,
                         const ww_assumptions *said,
                         const ww_gpu *g) {
  ww_buf b = {0};
  ww_launch_write(l, &(ww_json){.out = &b});
  ww_key k = ww_key_with(code, b.s, b.n);
  ww_buf_free(&b);
  uint64_t rest[4] = {x->q->budget, x->q->explain, x->correction != NULL, l->warm};
  k = ww_key_with(k, rest, sizeof rest);
  for (uint32_t i = 0; i < said->n; i++)
    k = ww_key_str(k, said->v[i].kind == WW_ASSUME_HOST_LAUNCH
                          ? "host"
                          : ww_assumption_text(&said->v[i], x->a));
  if (!x->q->ngpus)
    k = ww_key_str(k, "assumed");
  return ww_key_str(k, g->name);
}

/* What is kept of an answer. */
typedef struct {
  ww_arena *arena;
  ww_report report;
  uint32_t line; /* where the kernel stood */
} kept_answer;

static void
keep_answer(const asking *x, ww_key key, const ww_fn *fn, const ww_report *r) {
  ww_arena *a = ww_arena_new();
  kept_answer *k = WW_NEW(a, kept_answer);
  k->arena = a;
  k->line = fn->line;
  ww_report_copy(r, a, &k->report);
  ww_memo_put(x->w->answers, key, k, ww_arena_bytes(a));
  ww_memo_release(x->w->answers, key, k);
}

/* Of a kernel that may have moved within its file since, as may its launch in the host
 * code. */
static void known_answer(const asking *x,
                         const ww_fn *fn,
                         const ww_assumptions *said,
                         const kept_answer *k,
                         ww_report *out) {
  ww_report_copy(&k->report, x->a, out);
  ww_code_move(fn->file, (int64_t)fn->line - k->line, x->a, out);
  const ww_assumption *now = ww_assumptions_find(said, WW_ASSUME_HOST_LAUNCH);
  for (uint32_t i = 0; now && i < out->assumed.n; i++)
    if (out->assumed.v[i].kind == WW_ASSUME_HOST_LAUNCH)
      out->assumed.v[i] = *now;
}

/* A kernel and the GPUs of `list`, which nobody has an answer for yet. */
typedef struct {
  asking *x;
  const ww_fn *fn;
  const ww_launch *launch;
  const ww_assumptions *said;
  const uint32_t *list;
  uint32_t n;
} computing;

static bool never(void *ctx) {
  (void)ctx;
  return false;
}

/* out[i] is the report of the list's GPU i. */
static void predict(const computing *c, ww_report *out) {
  const asking *x = c->x;
  const ww_module *m = &x->read.unit->module;
  ww_gpu *gpus = WW_NEWN(x->a, ww_gpu, c->n);
  ww_prediction *p = WW_NEWN(x->a, ww_prediction, c->n);
  ww_err e = {0};
  for (uint32_t i = 0; i < c->n; i++)
    gpus[i] = x->gpus[c->list[i]];
  ww_query_targets q = {.gpus = gpus,
                        .n = c->n,
                        .assumed = !x->q->ngpus,
                        .params = &x->w->params,
                        .correction = x->correction,
                        .budget = x->q->budget,
                        .max_bytes = x->w->bytes,
                        /* a child's parent looks at the clock */
                        .cancelled = x->w->children ? never : is_over,
                        .cancelled_ctx = (void *)(uintptr_t)x};
  ww_query_predict(x->read.unit, c->fn, c->launch, &q, c->said, x->a, p, &e);
  for (uint32_t i = 0; i < c->n; i++) {
    ww_err *why = &p[i].report.error;
    if (why->code == WW_ECANCEL)
      over(x, c->fn, why);
    if (x->q->explain && !why->code) {
      ww_advice advice;
      ww_advise(m, c->fn, &gpus[i], &x->w->params, &p[i], x->a, &advice);
      ww_advice_report(&advice, x->a, &p[i].report);
    }
    ww_report_copy(&p[i].report, x->a, &out[i]); /* some of it lies in the unit */
  }
}

/* In a child: the reports as text, each with its NUL. */
static void predict_in_child(void *ctx, ww_buf *out) {
  const computing *c = ctx;
  ww_report *r = WW_NEWN(c->x->a, ww_report, c->n);
  predict(c, r);
  for (uint32_t i = 0; i < c->n; i++) {
    ww_report_write(&r[i], &(ww_json){.out = out}, NULL, NULL);
    ww_buf_add(out, "", 1);
  }
}

static ww_status run_child(computing *c, ww_buf *out, ww_err *e) {
  asking *x = c->x;
  ww_err why = {0};
  ww_child child = {.work = predict_in_child,
                    .ctx = c,
                    .deadline = x->q->deadline,
                    /* what keeps account of the buffers comes on top of them */
                    .bytes = x->w->bytes + x->w->bytes / 4,
                    .cancelled = is_over,
                    .cancelled_ctx = x};
  ww_status st = ww_child_run(&child, out, &why);
  if (!st)
    return WW_OK;
  if (is_over(x))
    return over(x, c->fn, e);
  if (st == WW_ELIMIT)
    return ww_fail(
        e, st,
        "kernel `%.100s` took more than %llu MB of memory; --memory raises the limit",
        c->fn->name, (unsigned long long)x->w->bytes >> 20);
  if (st == WW_EUNSUPPORTED)
    return ww_fail(
        e, st,
        "kernel `%.100s` cannot be predicted: the process that did it failed, %s",
        c->fn->name, why.msg);
  return ww_fail(e, st, "kernel `%.100s`: %s", c->fn->name, why.msg);
}

static ww_report
error_report(const asking *x, const ww_fn *fn, const ww_gpu *g, const ww_err *why) {
  return (ww_report){.file = shown(x),
                     .kernel = ww_strdup(x->a, fn->name),
                     .gpu = g->name,
                     .error = *why};
}

/* predict in a child: what it wrote is read, what it did not write is an error. */
static void predict_apart(computing *c, ww_report *out) {
  asking *x = c->x;
  ww_buf text = {0};
  ww_err why = {0};
  run_child(c, &text, &why);
  size_t at = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    if (!why.code && at >= text.n)
      ww_fail(&why, WW_EUNSUPPORTED, "kernel `%.100s` has no prediction", c->fn->name);
    if (!why.code && !ww_report_parse(text.s + at, x->a, &out[i], &why))
      at += strlen(text.s + at) + 1;
    if (why.code)
      out[i] = error_report(x, c->fn, &x->gpus[c->list[i]], &why);
  }
  ww_buf_free(&text);
}

/* told[k] is GPU k's. */
static void compute(computing *c, const ww_key *keys, ww_query_answer *told) {
  asking *x = c->x;
  ww_report *r = WW_NEWN(x->a, ww_report, c->n);
  if (x->w->children)
    predict_apart(c, r);
  else
    predict(c, r);
  for (uint32_t i = 0; i < c->n; i++) {
    uint32_t g = c->list[i];
    told[g].report = r[i];
    told[g].code = r[i].error.code;
    told[g].done = true;
    if (told[g].code)
      ww_memo_give_up(x->w->answers, keys[g]);
    else
      keep_answer(x, keys[g], c->fn, &r[i]);
  }
}

/* Two askers may want the same GPUs in another order: claiming them in the order of
 * their keys, nobody waits in a circle. */
static void sort_by_key(const ww_key *keys, uint32_t *order, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    order[i] = i;
  for (uint32_t i = 1; i < n; i++)
    for (uint32_t k = i; k && keys[order[k]].a < keys[order[k - 1]].a; k--) {
      uint32_t t = order[k];
      order[k] = order[k - 1];
      order[k - 1] = t;
    }
}

static ww_status
one_kernel(asking *x, const ww_fn *fn, ww_query_answer *told, ww_err *e) {
  ww_query_kernel one = {.fn = fn};
  ww_status st = launch_of(x, &one, e);
  if (st)
    return st;
  ww_key code = ww_code_key(&x->read.unit->module, fn, x->q->explain);
  ww_key *keys = WW_NEWN(x->a, ww_key, x->ngpus);
  uint32_t *missing = WW_NEWN(x->a, uint32_t, x->ngpus);
  uint32_t *order = WW_NEWN(x->a, uint32_t, x->ngpus);
  uint32_t n = 0;
  for (uint32_t g = 0; g < x->ngpus; g++)
    keys[g] = answer_key(x, code, &one.launch, &one.said, &x->gpus[g]);
  sort_by_key(keys, order, x->ngpus);
  for (uint32_t i = 0; i < x->ngpus; i++) {
    uint32_t g = order[i];
    void *kept;
    bool twice =
        i && keys[g].a == keys[order[i - 1]].a && keys[g].b == keys[order[i - 1]].b;
    ww_memo_answer answer =
        twice ? WW_MEMO_LATE
              : ww_memo_get(x->w->answers, keys[g], x->q->deadline, &kept);
    if (answer == WW_MEMO_HIT) {
      known_answer(x, fn, &one.said, kept, &told[g].report);
      told[g].known = told[g].done = true;
      ww_memo_release(x->w->answers, keys[g], kept);
    } else if (answer == WW_MEMO_MAKE)
      missing[n++] = g;
    else if (!twice)
      told[g].code = over(x, fn, e);
  }
  double t = ww_now();
  if (n) {
    compute(&(computing){x, fn, &one.launch, &one.said, missing, n}, keys, told);
    x->out->predict_ms += 1e3 * (ww_now() - t);
  }
  for (uint32_t i = 1; i < x->ngpus; i++) /* a GPU that was named twice */
    if (!told[order[i]].done && !told[order[i]].code)
      told[order[i]] = told[order[i - 1]];
  for (uint32_t g = 0; g < x->ngpus; g++)
    if (told[g].code && !told[g].done)
      return told[g].code;
  return WW_OK;
}

static void begin_answers(const asking *x, const ww_fn *fn, ww_query_answer *told) {
  for (uint32_t g = 0; g < x->ngpus; g++)
    told[g] = (ww_query_answer){
        .kernel = ww_strdup(x->a, fn->name), .gpu = x->gpus[g].name, .line = fn->line};
}

static ww_status all_kernels(asking *x, ww_err *e) {
  const ww_module *m = &x->read.unit->module;
  const ww_fn *only = NULL;
  uint32_t kernels = 0;
  for (uint32_t k = 0; k < m->nfns; k++)
    kernels += m->fns[k].kernel;
  if (x->q->kernel || kernels < 2) {
    ww_status st = ww_kernel_find(x->read.unit, shown(x), x->q->kernel, &only, e);
    if (st)
      return st;
    kernels = 1;
  }
  x->out->v = WW_NEWN(x->a, ww_query_answer, (size_t)kernels * x->ngpus);
  for (uint32_t k = 0; k < m->nfns; k++) {
    const ww_fn *fn = &m->fns[k];
    if (only ? fn != only : !fn->kernel)
      continue;
    ww_err why = {0};
    ww_query_answer *told = x->out->v + x->out->n;
    if (is_over(x))
      return over(x, fn, e);
    begin_answers(x, fn, told);
    ww_status st = one_kernel(x, fn, told, &why);
    if (st == WW_ECANCEL || (st && only)) {
      if (e)
        *e = why;
      return st;
    }
    if (st)
      begin_answers(x, fn, told);
    /* a launch that could not be understood */
    for (uint32_t g = 0; st && g < x->ngpus; g++) {
      told[g].report = error_report(x, fn, &x->gpus[g], &why);
      told[g].code = st;
    }
    x->out->n += x->ngpus;
  }
  return ww_source_stale(x->w, &x->q->source) ? over(x, NULL, e) : WW_OK;
}

ww_status ww_query_ask(ww_query *w,
                       const ww_query_request *q,
                       ww_arena *a,
                       ww_query_result *out,
                       ww_err *e) {
  asking x = {.w = w, .q = q, .a = a, .out = out};
  *out = (ww_query_result){0};
  ww_status st = choose_gpus(&x, e);
  if (!st)
    st = choose_model(&x, e);
  if (!st)
    st = ww_query_read(w, &q->source, q->deadline, a, &x.read, e);
  if (st)
    return st;
  out->read_ms = x.read.read_ms;
  out->clang_ms = x.read.clang_ms;
  st = all_kernels(&x, e);
  if (e && e->file)
    e->file = ww_strdup(a, e->file); /* it may lie in the unit */
  out->host_ms = x.read.host_ms;
  ww_query_release(w, &x.read);
  return st;
}
