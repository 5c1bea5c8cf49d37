/* features.c - from measured launches to rows to learn from.
 *
 * Launches are grouped into jobs of the process pool: some dozen generated kernels in
 * one text, or one file of the corpus and its flags; a job is one run of the compiler.
 * So a launch that breaks the program or takes too long costs itself alone. Which
 * launches are taken follows from hashes: the same store gives the same rows. */
#include "features.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "../base/process_pool.h"
#include "../front/compile_commands.h"
#include "../query/query.h"
#include "generate.h"
#include "reports.h"
#include "split.h"

enum { TOGETHER = 32, ROWS = 24000, EACH = 2, LIMIT_S = 20 };

/* ---- what there is ---- */

typedef struct {
  uint32_t kernel, number;
  /* the launch of a report, or of a store as JSON; neither: made again */
  const ww_launch *launch;
  const char *spec;
  uint64_t hash;
  bool counters, taken;
  float measured[WW_NMETRICS];
} item;

typedef struct {
  ww_store_kernel k;           /* key and name: of the written ones */
  const char *path;            /* of a written one's source */
  uint32_t family, begin, end; /* its items */
  uint32_t sms;
  uint64_t l2_bytes, hash;
  uint32_t rank; /* among its family's, by hash */
  ww_split split;
} kernel;

typedef struct {
  uint32_t begin, end; /* in `order` */
} job;

enum { WAITING, DONE, FAILED };

typedef struct {
  const ww_feature_options *o;
  ww_arena *a;
  ww_gpu gpu;
  ww_params params;
  WW_VEC(item) items;
  WW_VEC(kernel) kernels;
  ww_strings families;
  WW_VEC(job) jobs;
  uint32_t *order;      /* items by job */
  uint32_t n;           /* of order */
  ww_correct_row *rows; /* [n], by order */
  uint8_t *state;       /* [n] */
  char why[256];        /* one reason why a launch failed */
  const char *folder;   /* for texts */
  uint32_t others;      /* rows of other GPUs and dialects */
} work;

static uint32_t family_of(work *w, const char *name) {
  for (uint32_t k = 0; k < w->families.n; k++)
    if (!strcmp(w->families.v[k], name))
      return k;
  ww_push(w->a, &w->families, ww_strdup(w->a, name));
  return w->families.n - 1;
}

static const char *copy(const work *w, const char *s) {
  return s ? ww_strdup(w->a, s) : NULL;
}

/* Rows of a kernel stand together in a store; files of reports may have them apart,
 * which makes several of it. */
static bool same_kernel(const kernel *x, const ww_store_kernel *k) {
  if (x->k.origin != k->origin)
    return false;
  if (k->origin == WW_ORIGIN_GENERATED)
    return x->k.version == k->version && x->k.seed == k->seed && x->k.index == k->index;
  return x->k.key && k->key && !strcmp(x->k.key, k->key);
}

static void add_kernel(work *w, const ww_store_row *r) {
  const ww_store_kernel *k = &r->kernel;
  bool made = k->origin == WW_ORIGIN_GENERATED;
  uint64_t id[3] = {k->version, k->seed, k->index};
  kernel x = {.k = *k,
              .begin = w->items.n,
              .sms = r->sms,
              .l2_bytes = r->l2_bytes,
              .split = ww_split_of(k)};
  x.hash = ww_hash(id, sizeof id, 7);
  x.family = family_of(w, k->family ? k->family : "other");
  x.k.family = w->families.v[x.family];
  x.k.key = made ? NULL : copy(w, k->key);
  x.k.name = made ? NULL : copy(w, k->name);
  x.k.file = copy(w, k->file);
  const char *corpus = w->o->corpus ? w->o->corpus : "corpus";
  if (!made && k->file)
    x.path = ww_path_join(
        w->a, k->origin == WW_ORIGIN_IMPORTED ? w->o->imported : corpus, k->file);
  x.k.dialect = "cuda";
  ww_push(w->a, &w->kernels, x);
}

/* Times through OpenCL are of another timer, with a floor of its own. */
static bool wanted(const work *w, const ww_store_row *r) {
  const ww_store_kernel *k = &r->kernel;
  return !r->status && r->gpu && !strcmp(r->gpu, w->gpu.name) &&
         (k->origin != WW_ORIGIN_IMPORTED || (w->o->imported && k->file)) &&
         (!k->dialect || !strcmp(k->dialect, "cuda")) && r->m[WW_M_time_us] > 0;
}

static ww_status add_row(void *ctx, const ww_store_row *r, ww_err *e) {
  work *w = ctx;
  (void)e;
  if (!wanted(w, r))
    return w->others++, WW_OK;
  if (!w->kernels.n || !same_kernel(&w->kernels.v[w->kernels.n - 1], &r->kernel))
    add_kernel(w, r);
  kernel *k = &w->kernels.v[w->kernels.n - 1];
  item x = {
      .kernel = w->kernels.n - 1,
      .number = r->number,
      .counters = r->passes > 0,
  };
  if (k->path && r->launch) {
    ww_launch *l = WW_NEW(w->a, ww_launch);
    ww_launch_locate(r->launch, ww_path_dir(w->a, k->path), w->a, l);
    x.launch = l;
  } else if (k->path)
    x.spec = copy(w, r->spec);
  x.hash = ww_hash(&x.number, sizeof x.number, k->hash);
  for (int m = 0; m < WW_NMETRICS; m++)
    x.measured[m] = r->m[m];
  x.counters |= r->m[WW_M_warp_instructions] > 0;
  ww_push(w->a, &w->items, x);
  k->end = w->items.n;
  return WW_OK;
}

static ww_status read_reports(work *w, const char *path, ww_err *e) {
  ww_reports *r;
  ww_store_row row;
  bool more;
  ww_status st = ww_reports_open(path, WW_ORIGIN_CORPUS, &r, e);
  while (!st && !(st = ww_reports_next(r, &row, &more, e)) && more)
    st = add_row(w, &row, e);
  ww_reports_close(r);
  return st;
}

static ww_status read_store(work *w, const char *path, ww_err *e) {
  ww_store *s;
  ww_store_filter f = {
      .gpu = w->gpu.name,
      .origin = -1,
  };
  ww_status st = ww_store_open(path, WW_STORE_READ, &s, e);
  if (st)
    return st;
  st = ww_store_each(s, &f, add_row, w, e);
  ww_store_close(s);
  return st;
}

/* ---- which are taken ---- */

/* All launches of written kernels; of a generated one the first `each` by hash, those
 * with counters before the others. */
static uint32_t take_items(work *w, kernel *k, uint32_t each, uint32_t left) {
  uint32_t taken = 0;
  if (k->k.origin != WW_ORIGIN_GENERATED)
    each = left = UINT32_MAX;
  while (taken < each && taken < left) {
    item *best = NULL;
    for (uint32_t i = k->begin; i < k->end; i++) {
      item *x = &w->items.v[i];
      if (x->taken)
        continue;
      if (!best || x->counters > best->counters ||
          (x->counters == best->counters && x->hash < best->hash))
        best = x;
    }
    if (!best)
      break;
    best->taken = true;
    taken++;
  }
  return taken;
}

static int by_hash(const void *a, const void *b) {
  const kernel *x = *(kernel *const *)a;
  const kernel *y = *(kernel *const *)b;
  return (x->hash > y->hash) - (x->hash < y->hash);
}

static int by_rank(const void *a, const void *b) {
  const kernel *x = *(kernel *const *)a;
  const kernel *y = *(kernel *const *)b;
  return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : by_hash(a, b);
}

/* Kernels in the order in which they are taken: of every family as many, drawn by hash.
 */
static kernel **in_turn(work *w) {
  uint32_t n = w->kernels.n;
  kernel **by = ww_xcalloc(n + 1, sizeof *by);
  uint32_t *seen = ww_xcalloc(w->families.n + 1, sizeof *seen);
  for (uint32_t k = 0; k < n; k++)
    by[k] = &w->kernels.v[k];
  qsort(by, n, sizeof *by, by_hash);
  for (uint32_t i = 0; i < n; i++)
    by[i]->rank = seen[by[i]->family]++;
  qsort(by, n, sizeof *by, by_rank);
  free(seen);
  return by;
}

static void take(work *w) {
  uint32_t rows = w->o->rows ? w->o->rows : ROWS;
  uint32_t each = w->o->each ? w->o->each : EACH;
  uint32_t left[WW_NSPLITS] = {rows - 2 * (rows * 3 / 20), rows * 3 / 20,
                               rows * 3 / 20};
  if (w->o->test)
    left[WW_SPLIT_TEST] = rows;
  kernel **by = in_turn(w);
  for (uint32_t i = 0; i < w->kernels.n; i++) {
    kernel *k = by[i];
    if (w->o->test && k->split != WW_SPLIT_TEST)
      continue;
    uint32_t n = take_items(w, k, each, left[k->split]);
    if (k->k.origin == WW_ORIGIN_GENERATED)
      left[k->split] -= n;
    w->n += n;
  }
  free(by);
}

/* ---- jobs ---- */

static bool joins(const kernel *x, const kernel *y, uint32_t kernels) {
  if (x->k.origin != y->k.origin)
    return false;
  if (x->k.origin == WW_ORIGIN_GENERATED)
    return kernels < TOGETHER;
  return x->k.file && y->k.file && !strcmp(x->k.file, y->k.file);
}

static void make_jobs(work *w) {
  w->order = WW_NEWN(w->a, uint32_t, w->n + 1);
  uint32_t n = 0;
  uint32_t kernels = 0;
  const kernel *last = NULL;
  for (uint32_t k = 0; k < w->kernels.n; k++) {
    const kernel *x = &w->kernels.v[k];
    uint32_t from = n;
    for (uint32_t i = x->begin; i < x->end; i++)
      if (w->items.v[i].taken)
        w->order[n++] = i;
    if (n == from)
      continue;
    if (!last || !joins(last, x, kernels)) {
      ww_push(w->a, &w->jobs, (job){from, from});
      kernels = 0;
    }
    w->jobs.v[w->jobs.n - 1].end = n;
    last = x;
    kernels++;
  }
}

/* ---- one job, in a worker ---- */

/* The i-th item of the jobs. */
static const item *item_at(const work *w, uint32_t i) {
  return &w->items.v[w->order[i]];
}

/* One launch of a kernel of the file, which `read` holds if it was read before. */
static ww_status predict(work *w,
                         const char *file,
                         ww_query_unit *read,
                         const ww_launch *l,
                         ww_arena *a,
                         ww_correct_row *out,
                         ww_err *e) {
  ww_strings flags = {0};
  if (w->o->imported && ww_compile_flags(file, NULL, a, &flags, e))
    return e->code;
  ww_strings_add(a, &flags, l->flags, l->nflags);
  ww_source s = {.path = file,
                 .lang = "cuda",
                 .via = "clang", /* the same rows with and without a toolkit */
                 .once = true,
                 .flags = flags.v,
                 .nflags = flags.n};
  ww_query_kernel k = {.launch = *l};
  ww_prediction *p = WW_NEW(a, ww_prediction);
  ww_query_targets q = {
      .gpus = &w->gpu,
      .n = 1,
      .params = &w->params,
      .budget = w->o->budget,
      .one_contents = true,
      .ran = true,
  };
  ww_status st = ww_query_find(NULL, &s, 0, a, read, &k, e);
  if (!st)
    st = ww_query_predict(read->unit, k.fn, &k.launch, &q, NULL, a, p, e);
  if (st)
    return st;
  out->x = p->features;
  out->bottleneck = p->timing.bottleneck;
  out->busiest = p->timing.busiest;
  out->limiter = p->work.occupancy.limiter;
  for (int m = 0; m < WW_NMETRICS; m++)
    out->machine[m] = p->report.m[m].known ? (float)p->report.m[m].value : NAN;
  return WW_OK;
}

static ww_status predict_written(work *w,
                                 const kernel *k,
                                 const item *x,
                                 ww_query_unit *read,
                                 ww_arena *a,
                                 ww_correct_row *out,
                                 ww_err *e) {
  ww_launch launch;
  if (!x->launch && !x->spec)
    return ww_fail(e, WW_EDATA, "%s: the row has no launch", k->k.key);
  ww_status st = WW_OK;
  if (x->launch)
    launch = *x->launch;
  else
    st = ww_launch_parse(x->spec, ww_path_dir(a, k->path), a, &launch, e);
  if (st)
    return st;
  launch.file = k->path;
  st = predict(w, k->path, read, &launch, a, out, e);
  if (st != WW_EUSAGE || !k->k.name)
    return st;
  launch.kernel = k->k.name; /* the device's compiler may call it otherwise */
  return predict(w, k->path, read, &launch, a, out, e);
}

/* A job's generated kernels, from the first on, and their text; NULL: it is of written
 * ones. */
typedef struct {
  ww_gen_kernel *made;
  const char *file;
  uint32_t first;
  ww_query_unit read;
  ww_status broken; /* and e says why */
  ww_err e;
} job_sources;

static ww_status predict_made(work *w,
                              const kernel *k,
                              const item *x,
                              job_sources *s,
                              ww_arena *a,
                              ww_correct_row *out) {
  const ww_gen_kernel *g = &s->made[x->kernel - s->first];
  ww_launch launch = {0};
  uint32_t sms = k->sms ? k->sms : w->gpu.sms;
  uint64_t l2 = k->l2_bytes ? k->l2_bytes : (uint64_t)w->gpu.l2_bytes;
  ww_status st = ww_gen_launch(g, x->number, sms, l2, a, &launch, NULL, &s->e);
  launch.kernel = g->name;
  return st ? st : predict(w, s->file, &s->read, &launch, a, out, &s->e);
}

/* Writes the text of a job's generated kernels. */
static ww_status print_made(work *w, const job *j, ww_arena *a, job_sources *s) {
  ww_buf text = {0};
  ww_status st = WW_OK;
  uint32_t last = UINT32_MAX;
  for (uint32_t i = j->begin; !st && i < j->end; i++) {
    uint32_t k = item_at(w, i)->kernel;
    const ww_store_kernel *x = &w->kernels.v[k].k;
    ww_gen_kernel *made = &s->made[k - s->first];
    if (k == last)
      continue;
    last = k;
    st = ww_gen_make(x->version, x->seed, x->index, a, made, &s->e);
    if (!st)
      ww_gen_print(made, WW_GEN_CUDA, 0, &text);
  }
  if (!st)
    st = ww_write_file_atomic(s->file, text.s, text.n, &s->e);
  ww_buf_free(&text);
  return st;
}

static void label(const work *w, const item *x, ww_correct_row *out) {
  const kernel *k = &w->kernels.v[x->kernel];
  memcpy(out->measured, x->measured, sizeof out->measured);
  out->family = k->family;
  out->kernel = x->kernel;
  out->number = x->number;
  out->split = k->split;
  out->origin = k->k.origin;
}

/* Sends the row, or the reason why there is none. */
static void run_item(work *w, const item *x, job_sources *s, ww_worker *to) {
  const kernel *k = &w->kernels.v[x->kernel];
  ww_arena *a = ww_arena_new();
  ww_correct_row row = {0};
  ww_status st = s->broken ? s->broken
                 : s->made ? predict_made(w, k, x, s, a, &row)
                           : predict_written(w, k, x, &s->read, a, &row, &s->e);
  if (st) {
    const char *name = s->made ? s->made[x->kernel - s->first].name : k->k.key;
    const char *why = ww_fmt(a, "%.60s: %.180s", name, s->e.msg);
    ww_worker_send(to, why, strlen(why));
  } else {
    label(w, x, &row);
    ww_worker_send(to, &row, sizeof row);
  }
  ww_arena_free(a);
}

static void run_job(void *ctx, uint32_t number, ww_worker *to) {
  work *w = ctx;
  const job *j = &w->jobs.v[number];
  ww_arena *a = ww_arena_new();
  uint32_t last = item_at(w, j->end - 1)->kernel;
  job_sources s = {.first = item_at(w, j->begin)->kernel};
  if (w->kernels.v[s.first].k.origin == WW_ORIGIN_GENERATED) {
    s.made = WW_NEWN(a, ww_gen_kernel, last - s.first + 1);
    s.file = ww_fmt(a, "%s/%u.cu", w->folder, j->begin);
    s.broken = print_made(w, j, a, &s);
  }
  for (uint32_t i = j->begin; i < j->end; i++) {
    if (w->state[i] != WAITING)
      continue; /* the child before this one died of it, or got it done */
    ww_worker_begin(to, i);
    run_item(w, item_at(w, i), &s, to);
    ww_worker_end(to);
  }
  ww_query_release(NULL, &s.read);
  if (s.file)
    unlink(s.file);
  ww_arena_free(a);
}

/* ---- all jobs ---- */

static void
take_row(void *ctx, uint32_t i, char *bytes, size_t n, const ww_worker_death *death) {
  work *w = ctx;
  bool row = !death && n == sizeof *w->rows;
  w->state[i] = row ? DONE : FAILED;
  if (row)
    memcpy(&w->rows[i], bytes, n);
  else if (death)
    snprintf(w->why, sizeof w->why,
             "a launch took too long or ended the program (signal %d)", death->signal);
  else
    snprintf(w->why, sizeof w->why, "%s", bytes);
}

static ww_status run_jobs(work *w, ww_err *e) {
  const char *tmp = getenv("TMPDIR");
  char *folder =
      ww_fmt(w->a, "%s/warpwise-features-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  int slot;
  if (!ww_temp_folder(folder, &slot))
    return ww_fail(e, WW_EIO, "cannot make a folder '%s': %s: set TMPDIR", folder,
                   strerror(errno));
  w->folder = folder;
  w->rows = WW_NEWN(w->a, ww_correct_row, w->n + 1);
  w->state = WW_NEWN(w->a, uint8_t, w->n + 1);
  ww_process_pool pool = {.ctx = w,
                          .work = run_job,
                          .done = take_row,
                          .processes = w->o->processes,
                          .limit_s = LIMIT_S,
                          .resume = true,
                          .items = w->n,
                          .what = "predicting"};
  ww_status st = ww_process_pool_run(&pool, w->jobs.n, e);
  ww_remove_tree(folder);
  ww_cleanup_forget(slot);
  return st;
}

static void results(work *w, ww_feature_table *out) {
  out->rows = w->rows;
  for (uint32_t i = 0; i < w->n; i++)
    if (w->state[i] == DONE)
      out->rows[out->n++] = w->rows[i];
  out->failed = w->n - out->n;
  out->why = ww_strdup(w->a, w->why);
  out->families = w->families.v;
  out->nfamilies = w->families.n;
  out->nkernels = w->kernels.n;
  out->kernels = WW_NEWN(w->a, const char *, w->kernels.n + 1);
  for (uint32_t k = 0; k < w->kernels.n; k++) {
    const ww_store_kernel *x = &w->kernels.v[k].k;
    out->kernels[k] =
        x->key ? x->key
               : ww_fmt(w->a, "g%u/%" PRIu64 "/%u", x->version, x->seed, x->index);
  }
}

static ww_status
make(const ww_feature_options *o, ww_arena *a, ww_feature_table *out, ww_err *e) {
  double begin = ww_now();
  work w = {
      .o = o,
      .a = a,
  };
  ww_buf words = {0};
  *out = (ww_feature_table){0};
  ww_status st = ww_gpu_load(o->gpu ? o->gpu : "h200", a, &w.gpu, e);
  if (!st)
    st = ww_params_load(a, &w.params, e);
  for (uint32_t k = 0; !st && k < o->ninputs; k++) {
    st = strstr(o->inputs[k], ".jsonl") ? read_reports(&w, o->inputs[k], e)
                                        : read_store(&w, o->inputs[k], e);
    ww_buf_fmt(&words, "%s%s", k ? ", " : "", ww_path_base(o->inputs[k]));
  }
  out->gpu = w.gpu.name;
  out->data = words.s ? ww_strdup(a, words.s) : "";
  ww_buf_free(&words);
  if (st)
    return st;
  if (!w.items.n)
    return ww_fail(e, WW_EDATA,
                   "%s has no launches of CUDA kernels measured on %s (%u others)",
                   out->data, w.gpu.name, w.others);
  take(&w);
  make_jobs(&w);
  st = run_jobs(&w, e);
  if (!st)
    results(&w, out);
  out->seconds = ww_now() - begin;
  return st;
}

/* ---- the file: one line of JSON, then the rows as they are in memory ---- */

enum { SCHEMA = 2 };

/* Of schema 1, up to 0.2.0: which launch it is of is not known, nor the words. */
typedef struct {
  ww_features x;
  float machine[WW_NMETRICS], measured[WW_NMETRICS];
  uint32_t family, kernel;
  uint8_t split, origin;
} old_row;

static ww_status write_kept(const ww_feature_table *t, const char *path, ww_err *e) {
  ww_buf b = {0};
  ww_json j = {.out = &b};
  ww_json_put(&j, "{schema_version:%u,row_bytes:%lu,rows:%u,failed:%u,gpu:%s,data:%s",
              SCHEMA, sizeof(ww_correct_row), t->n, t->failed, t->gpu, t->data);
  ww_json_strings(&j, "features", ww_feature_names, WW_NFEATURES);
  ww_json_strings(&j, "families", t->families, t->nfamilies);
  ww_json_strings(&j, "kernels", t->kernels, t->nkernels);
  ww_json_end_obj(&j);
  ww_buf_puts(&b, "\n");
  ww_buf_add(&b, t->rows, t->n * sizeof *t->rows);
  ww_status st = ww_write_packed(path, b.s, b.n, 3, e);
  ww_buf_free(&b);
  return st;
}

static const char **
read_names(const cJSON *root, const char *key, ww_arena *a, uint32_t *n) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, key);
  const cJSON *x;
  ww_strings v = {0};
  cJSON_ArrayForEach(x, list)
      ww_push(a, &v, cJSON_IsString(x) ? ww_strdup(a, x->valuestring) : "");
  *n = v.n;
  return v.v;
}

/* The rows must be of this program's features: a change of them makes the file useless.
 */
static bool fits(const cJSON *root, size_t left, bool *old, ww_arena *a) {
  uint32_t n;
  const char **names = read_names(root, "features", a, &n);
  uint64_t schema = ww_json_whole(root, "schema_version");
  *old = schema == 1;
  size_t size = *old ? sizeof(old_row) : sizeof(ww_correct_row);
  bool same = (*old || schema == SCHEMA) && n == WW_NFEATURES &&
              ww_json_whole(root, "row_bytes") == size;
  for (uint32_t k = 0; same && k < n; k++)
    same = !strcmp(names[k], ww_feature_names[k]);
  return same && left % size == 0 && ww_json_whole(root, "rows") == left / size;
}

static void take_rows(const char *bytes, bool old, ww_feature_table *t) {
  if (!old) {
    memcpy(t->rows, bytes, t->n * sizeof *t->rows);
    return;
  }
  for (uint32_t k = 0; k < t->n; k++) {
    ww_correct_row *r = &t->rows[k];
    old_row o;
    memcpy(&o, bytes + k * sizeof o, sizeof o);
    *r = (ww_correct_row){.x = o.x,
                          .family = o.family,
                          .kernel = o.kernel,
                          .number = UINT32_MAX,
                          .split = o.split,
                          .origin = o.origin};
    memcpy(r->machine, o.machine, sizeof r->machine);
    memcpy(r->measured, o.measured, sizeof r->measured);
  }
}

/* What is looked up by a row's numbers is there. */
static bool rows_whole(const ww_feature_table *t) {
  for (uint32_t k = 0; k < t->n; k++) {
    const ww_correct_row *r = &t->rows[k];
    if (r->kernel >= t->nkernels || r->family >= t->nfamilies ||
        r->split >= WW_NSPLITS || r->origin >= WW_NORIGINS ||
        r->bottleneck >= WW_NTERMS || r->busiest >= WW_NPIPES ||
        r->limiter >= WW_NLIMITS)
      return false;
  }
  return true;
}

ww_status
ww_features_read(const char *path, ww_arena *a, ww_feature_table *out, ww_err *e) {
  char *data;
  size_t n;
  bool old;
  *out = (ww_feature_table){0};
  ww_status st = ww_read_packed(a, path, (size_t)1 << 32, &data, &n, e);
  if (st)
    return st;
  size_t head = strcspn(data, "\n");
  size_t left = head < n ? n - head - 1 : 0;
  data[head] = 0;
  cJSON *root = ww_json_read(data, head, e);
  if (!root)
    return e->code;
  if (!fits(root, left, &old, a)) {
    cJSON_Delete(root);
    return ww_fail(e, WW_EDATA,
                   "%s was made for other features: remove it and make it again", path);
  }
  out->n = ww_json_whole(root, "rows");
  out->failed = ww_json_whole(root, "failed");
  out->rows = WW_NEWN(a, ww_correct_row, out->n + 1);
  take_rows(data + head + 1, old, out);
  out->families = read_names(root, "families", a, &out->nfamilies);
  out->kernels = read_names(root, "kernels", a, &out->nkernels);
  out->gpu = ww_json_text(root, "gpu", a);
  out->data = ww_json_text(root, "data", a);
  cJSON_Delete(root);
  return rows_whole(out)
             ? WW_OK
             : ww_fail(e, WW_EDATA, "%s is damaged: remove it and make it again", path);
}

/* ---- several tables as one ---- */

static uint32_t name_in(ww_strings *names, const char *name, ww_arena *a) {
  uint32_t k = 0;
  while (k < names->n && strcmp(names->v[k], name))
    k++;
  if (k == names->n)
    ww_push(a, names, name);
  return k;
}

/* Kernels of two tables are different ones: rows of one launch stand in one table. */
static void append(ww_feature_table *t, const ww_feature_table *more, ww_arena *a) {
  ww_correct_row *rows = WW_NEWN(a, ww_correct_row, t->n + more->n + 1);
  uint32_t *family = WW_NEWN(a, uint32_t, more->nfamilies + 1);
  ww_strings families = {0};
  ww_strings kernels = {0};
  ww_strings_add(a, &families, t->families, t->nfamilies);
  for (uint32_t k = 0; k < more->nfamilies; k++)
    family[k] = name_in(&families, more->families[k], a);
  ww_strings_add(a, &kernels, t->kernels, t->nkernels);
  ww_strings_add(a, &kernels, more->kernels, more->nkernels);
  if (t->n)
    memcpy(rows, t->rows, t->n * sizeof *rows);
  for (uint32_t i = 0; i < more->n; i++) {
    ww_correct_row *r = &rows[t->n + i];
    *r = more->rows[i];
    r->kernel += t->nkernels;
    r->family = family[r->family];
  }
  t->rows = rows;
  t->n += more->n;
  t->families = families.v;
  t->nfamilies = families.n;
  t->kernels = kernels.v;
  t->nkernels = kernels.n;
  t->failed += more->failed;
  t->seconds += more->seconds;
  if (more->why && *more->why)
    t->why = more->why;
  t->gpu = more->gpu;
  t->data = t->data && *t->data ? ww_fmt(a, "%s, %s", t->data, more->data) : more->data;
}

static ww_status make_and_keep(const ww_feature_options *o,
                               const char *path,
                               ww_arena *a,
                               ww_feature_table *all,
                               ww_err *e) {
  ww_feature_table made;
  if (!o->ninputs)
    return ww_fail(e, WW_EUSAGE,
                   "name what to learn from: stores of `warpwise dataset collect`, "
                   "files of measured reports");
  ww_status st = make(o, a, &made, e);
  if (!st && path)
    st = write_kept(&made, path, e);
  if (!st)
    append(all, &made, a);
  return st;
}

ww_status ww_features_make(const ww_feature_options *o,
                           ww_arena *a,
                           ww_feature_table *out,
                           ww_err *e) {
  const char *missing = NULL;
  ww_status st = WW_OK;
  *out = (ww_feature_table){.why = ""};
  for (uint32_t k = 0; k < o->nkept && !st; k++) {
    ww_feature_table t;
    if (!ww_file_exists(o->kept[k])) {
      if (missing)
        return ww_fail(e, WW_EUSAGE, "neither %s nor %s is there: make one at a time",
                       missing, o->kept[k]);
      missing = o->kept[k];
    } else if (!(st = ww_features_read(o->kept[k], a, &t, e)))
      append(out, &t, a);
  }
  if (!st && (missing || !o->nkept))
    st = make_and_keep(o, missing, a, out, e);
  return st;
}
