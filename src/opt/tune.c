/* tune.c - predictions of many variants: one run of clang for those that differ in
 * their launch alone, in as many processes as there are cores; what cannot run is
 * refused.
 *
 * A variant is predicted in a child, so that one that crashes the compiler or never
 * ends costs itself alone. */
#include "tune.h"

#include <math.h>

#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "../base/process_pool.h"
#include "../measure/compile.h"
#include "../measure/cubin.h"
#include "../trace/inputs.h"

#define LIMIT_S 60
#define MOST_OF_A_JOB 32    /* variants that one child predicts */
#define STATIC_SHARED 49152 /* NVIDIA's limit of what a kernel declares */
#define BEST_PART 10        /* ptxas is asked about one in so many */
#define MOST_GRID_YZ 65535
#define ROUNDS 4 /* of asking ptxas */
#define NEAR 1.6 /* of the estimated registers: what ptxas may give instead */

/* ---- one variant ---- */

static bool value_of(void *ctx, const char *name, size_t n, double *value) {
  const ww_tune *t = ((const void **)ctx)[0];
  const ww_tuned *v = ((const void **)ctx)[1];
  for (uint32_t k = 0; k < t->space->n; k++)
    if (!strncmp(t->space->axes[k].name, name, n) && !t->space->axes[k].name[n]) {
      *value = t->space->axes[k].v[v->c[k]];
      return true;
    }
  return false;
}

/* Threads that its launch bounds are for: as far as axes and numbers tell. */
static uint64_t threads_before(const ww_tune *t, const ww_tuned *v, ww_arena *a) {
  ww_launch l = t->written;
  uint64_t n = 1;
  ww_space_launch(t->space, v->c, a, &l);
  for (int k = 0; k < 3; k++) {
    ww_number x;
    ww_err ignored;
    if (l.block_expr[k] && !ww_expr_number(l.block_expr[k], NULL, NULL, &x, &ignored))
      l.block[k] = x.i;
  }
  ww_space_shape(t->space, v->c, &l);
  for (int k = 0; k < 3; k++)
    n *= l.block[k] ? l.block[k] : 1;
  return l.block[0] ? n : 256;
}

/* The source as the compiler gets it. */
void ww_tune_source(const ww_tune *t, const ww_tuned *v, ww_arena *a, ww_source *out) {
  ww_variant x;
  ww_strings flags = {0};
  *out = t->source;
  ww_space_variant(t->space, v->c, t->text, a, &x);
  ww_strings_add(a, &flags, t->source.flags, t->source.nflags);
  ww_strings_add(a, &flags, x.flags.v, x.flags.n);
  if (ww_space_find(t->space, "launch_bounds") >= 0)
    ww_push(a, &flags, ww_fmt(a, "-DWW_BLOCK_THREADS=%lu", threads_before(t, v, a)));
  out->flags = flags.v;
  out->nflags = flags.n;
  out->text = x.text;
  out->as_written = true;
  if (x.kernel) {
    out->instantiate = WW_NEW(a, const char *);
    *out->instantiate = x.kernel;
    out->ninstantiate = 1;
  }
}

/* The launch of a variant whose source was read. */
static ww_status launch_of(const ww_tune *t,
                           const ww_tuned *v,
                           const ww_query_unit *u,
                           const ww_query_kernel *k,
                           ww_arena *a,
                           ww_launch *out,
                           ww_err *e) {
  ww_launch_params params = ww_kernel_params(&u->unit->module, k->fn, a);
  *out = k->launch;
  ww_space_launch(t->space, v->c, a, out);
  ww_status st = ww_launch_resolve(out, &params, a, e);
  if (!st)
    ww_space_shape(t->space, v->c, out);
  return st;
}

typedef struct {
  const ww_tuned *v;
  const ww_query_unit *unit;
  const ww_fn *fn;
} built_of;

/* NVIDIA's assembler has been asked before, or not. */
static ww_built built(void *ctx, const ww_gpu *g, ww_arena *a, ww_assumptions *said) {
  const built_of *x = ctx;
  if (x->v->compiled)
    return (ww_built){.registers = x->v->compiled};
  return ww_query_built(x->unit, x->fn, g, a, said);
}

/* k->fn and k->launch belong to a source that is read already, or are filled. */
ww_status ww_tune_read(const ww_tune *t,
                       const ww_tuned *v,
                       ww_arena *a,
                       ww_query_unit *unit,
                       ww_query_kernel *k,
                       ww_err *e) {
  ww_source s;
  ww_variant x;
  ww_tune_source(t, v, a, &s);
  ww_space_variant(t->space, v->c, t->text, a, &x);
  *k = (ww_query_kernel){.launch = t->over};
  if (x.kernel)
    k->launch.kernel = x.kernel;
  return ww_query_find(NULL, &s, 0, a, unit, k, e);
}

static ww_status predict_read(const ww_tune *t,
                              const ww_tuned *v,
                              ww_arena *a,
                              const ww_query_unit *unit,
                              ww_query_kernel *k,
                              ww_prediction *p,
                              ww_err *e) {
  ww_launch l;
  ww_query_targets q = *t->targets;
  q.one_contents = true; /* variants are compared under the same contents */
  ww_status st = launch_of(t, v, unit, k, a, &l, e);
  built_of of = {v, unit, k->fn};
  q.built = built;
  q.built_ctx = &of;
  if (!st)
    st = ww_query_predict(unit->unit, k->fn, &l, &q, &k->said, a, p, e);
  return st;
}

ww_status ww_tune_one(const ww_tune *t,
                      const ww_tuned *v,
                      ww_arena *a,
                      ww_query_unit *unit,
                      ww_query_kernel *k,
                      ww_prediction *p,
                      ww_err *e) {
  ww_status st = ww_tune_read(t, v, a, unit, k, e);
  return st ? st : predict_read(t, v, a, unit, k, p, e);
}

/* ---- in children ---- */

typedef struct {
  ww_tune *t;
  uint32_t *order; /* variants, those of one code together */
  uint64_t *codes; /* of each of them */
  uint32_t *first; /* per job: index into order; one more at the end */
  bool *done;      /* per variant of the space */
} batch;

static void write_answer(const ww_prediction *p, const ww_query_kernel *k, ww_json *j) {
  const ww_launch *l = &p->trace.launch;
  ww_job_needs n;
  ww_job_needs_of(p, &n);
  ww_json_put(j,
              "{us:%g,low:%g,high:%g,registers:%g,spill_bytes:%g,shared_bytes:%g,"
              "threads:%lu,bounded:%i,grid_yz:%lu,",
              p->timing.us, p->timing.low, p->timing.high, p->work.occupancy.registers,
              p->spill_bytes, p->work.occupancy.shared_bytes - l->shared,
              l->block[0] * l->block[1] * l->block[2], k->fn->max_threads > 0,
              ww_most(l->grid[1], l->grid[2]));
  ww_json_put(j,
              "read_bytes:%g,written_bytes:%g,flops_fp64:%g,flops_fp32:%g,"
              "flops_fp16:%g,flops_tensor:%g}",
              n.read_bytes, n.written_bytes, n.flops64, n.flops32, n.flops16,
              n.flops_tensor);
}

static void send_error(ww_worker *w, const ww_err *why) {
  ww_json j = {0};
  const char *file = why->file ? ww_path_base(why->file) : NULL;
  ww_json_put(&j, "{error:%s,line?:%u,file?:%s,message:%s}", ww_status_name(why->code),
              why->line, file, why->msg);
  ww_worker_send(w, j.own.s, j.own.n);
  ww_buf_free(&j.own);
}

static void predict_group(void *ctx, uint32_t job, ww_worker *w) {
  const batch *b = ctx;
  const ww_tune *t = b->t;
  ww_arena *a = ww_arena_new();
  ww_query_unit unit = {0};
  ww_query_kernel k = {0};
  ww_err why = {0};
  ww_status read = WW_ECANCEL;
  uint64_t code = 0;
  bool any = false;
  for (uint32_t i = b->first[job]; i < b->first[job + 1]; i++) {
    const ww_tuned *v = &t->v[b->order[i]];
    if (b->done[b->order[i]])
      continue; /* the child before this one died of it, or got it done */
    ww_arena *one = ww_arena_new();
    ww_prediction p;
    ww_worker_begin(w, b->order[i]);
    if (!any || code != b->codes[i]) {
      why = (ww_err){0};
      read = ww_tune_read(t, v, a, &unit, &k, &why);
    }
    any = true;
    code = b->codes[i];
    ww_err e = why;
    ww_query_kernel own = k;
    if (read || predict_read(t, v, one, &unit, &own, &p, &e))
      send_error(w, &e);
    else {
      ww_json j = {0};
      write_answer(&p, &own, &j);
      ww_worker_send(w, j.own.s, j.own.n);
      ww_buf_free(&j.own);
    }
    ww_worker_end(w);
    ww_arena_free(one);
  }
  ww_query_release(NULL, &unit);
  ww_arena_free(a);
}

/* ---- answers ---- */

static double number(const cJSON *o, const char *key) {
  const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, key);
  return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

/* A source that clang rejects and an access out of range are faults of the variant;
 * what the predictor lacks is not. */
static void take_error(ww_tune *t, ww_tuned *v, const cJSON *o) {
  const char *code = ww_json_text(o, "error", t->a);
  const char *message = ww_json_text(o, "message", t->a);
  const char *file = ww_json_text(o, "file", t->a);
  uint64_t line = ww_json_whole(o, "line");
  const char *text =
      file && line ? ww_fmt(t->a, "%s:%lu: %s", file, line, message) : message;
  bool fault = !strcmp(code, ww_status_name(WW_EPARSE)) ||
               !strcmp(code, ww_status_name(WW_EUSAGE)) ||
               !strcmp(code, ww_status_name(WW_EDATA));
  if (fault)
    v->refused = text;
  else
    v->error = text;
}

/* What the numbers say of whether it can be launched at all. */
static void look_at_limits(ww_tune *t, ww_tuned *v, uint64_t grid_yz) {
  const ww_gpu *g = &t->targets->gpus[0];
  bool nvidia = !strcmp(g->vendor, "nvidia");
  double most = g->max_block_threads > 0 ? g->max_block_threads : 1024;
  double shared = nvidia ? STATIC_SHARED : WW_FIGURE(g, shared_block_max);
  if (v->threads > most)
    v->refused = ww_fmt(t->a, "%lu threads a block; %s takes %g", v->threads,
                        g->full_name, most);
  else if (shared > 0 && v->shared_bytes > shared)
    v->refused =
        ww_fmt(t->a, "%g bytes of static shared memory a block; the limit is %g",
               v->shared_bytes, shared);
  else if (nvidia && grid_yz > MOST_GRID_YZ)
    v->refused =
        ww_fmt(t->a, "%lu blocks in y or z; the limit is %d", grid_yz, MOST_GRID_YZ);
}

static void take_answer(ww_tune *t, ww_tuned *v, const cJSON *o) {
  v->asked = true;
  v->known = false;
  v->refused = v->error = NULL;
  if (cJSON_GetObjectItemCaseSensitive(o, "error")) {
    take_error(t, v, o);
    return;
  }
  v->known = true;
  v->us = number(o, "us");
  v->low = number(o, "low");
  v->high = number(o, "high");
  v->registers = number(o, "registers");
  v->spill_bytes = number(o, "spill_bytes");
  v->shared_bytes = number(o, "shared_bytes");
  v->threads = number(o, "threads");
  v->bounded = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "bounded"));
  v->needs = (ww_job_needs){number(o, "read_bytes"), number(o, "written_bytes"),
                            number(o, "flops_fp64"), number(o, "flops_fp32"),
                            number(o, "flops_fp16"), number(o, "flops_tensor")};
  look_at_limits(t, v, number(o, "grid_yz"));
}

/* All values, so that a note is found again: "32,4,1". */
static const char *key_of(const ww_tune *t, const ww_tuned *v, ww_arena *a) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < t->space->n; k++)
    ww_buf_fmt(&b, "%s%.15g", k ? "," : "", t->space->axes[k].v[v->c[k]]);
  ww_buf_puts(&b, "");
  return ww_buf_text(&b, a);
}

static void keep(ww_tune *t, const ww_tuned *v, const char *answer) {
  if (!t->job || t->unkept.code)
    return;
  ww_json j = {0};
  ww_json_put(&j, "{prediction:%s,compiled?:%u,answer:", key_of(t, v, t->a),
              v->compiled);
  ww_json_raw(&j, answer);
  ww_json_put(&j, "}");
  ww_job_note(t->job, j.own.s, &t->unkept);
  ww_buf_free(&j.own);
}

static void
on_done(void *ctx, uint32_t item, char *bytes, size_t n, const ww_worker_death *death) {
  ww_tune *t = ((batch *)ctx)->t;
  ww_tuned *v = &t->v[item];
  ww_err e;
  ((batch *)ctx)->done[item] = true;
  if (death || !n) {
    v->asked = true;
    v->error = death ? ww_strdup(t->a, death->why) : "no answer came";
    return;
  }
  cJSON *o = ww_json_read(bytes, n, &e);
  if (o) {
    take_answer(t, v, o);
    keep(t, v, bytes);
  }
  cJSON_Delete(o);
}

/* ---- many ---- */

typedef struct {
  uint64_t key;
  uint32_t v;
} keyed;

static int by_key(const void *x, const void *y) {
  const keyed *a = x;
  const keyed *b = y;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return a->v < b->v ? -1 : a->v > b->v;
}

/* A child reads several codes one after the other: what LLVM sets up and what memory is
 * paged in serves all of them. But every process gets several jobs, and none has many
 * variants. */
static ww_status
predict(ww_tune *t, const uint32_t *which, uint32_t n, const char *what, ww_err *e) {
  ww_arena *a = ww_arena_new();
  keyed *k = WW_NEWN(a, keyed, n + 1);
  batch b = {.t = t,
             .order = WW_NEWN(a, uint32_t, n + 1),
             .codes = WW_NEWN(a, uint64_t, n + 1),
             .first = WW_NEWN(a, uint32_t, n + 2),
             .done = WW_NEWN(a, bool, t->n + 1)};
  uint32_t enough = 1 + n / 16 < MOST_OF_A_JOB ? 1 + n / 16 : MOST_OF_A_JOB;
  uint32_t jobs = 0;
  for (uint32_t i = 0; i < n; i++)
    k[i] = (keyed){ww_space_code_key(t->space, t->v[which[i]].c), which[i]};
  qsort(k, n, sizeof *k, by_key);
  for (uint32_t i = 0; i < n; i++) {
    b.order[i] = k[i].v;
    b.codes[i] = k[i].key;
    uint32_t has = jobs ? i - b.first[jobs - 1] : 0;
    bool other = !i || k[i].key != k[i - 1].key;
    if (!i || has >= MOST_OF_A_JOB || (has >= enough && other))
      b.first[jobs++] = i;
  }
  b.first[jobs] = n;
  ww_process_pool pool = {.ctx = &b,
                          .work = predict_group,
                          .done = on_done,
                          .processes = t->processes,
                          .limit_s = t->limit_s > 0 ? t->limit_s : LIMIT_S,
                          .resume = true,
                          .items = n,
                          .what = what};
  ww_status st = n ? ww_process_pool_run(&pool, jobs, e) : WW_OK;
  ww_arena_free(a);
  if (!st && t->unkept.code) {
    *e = t->unkept;
    st = e->code;
  }
  return st;
}

static void take_note(ww_tune *t, const char *line) {
  ww_err ignored;
  cJSON *o = ww_json_read(line, strlen(line), &ignored);
  const char *key = o ? ww_json_text(o, "prediction", t->a) : NULL;
  const cJSON *answer = o ? cJSON_GetObjectItemCaseSensitive(o, "answer") : NULL;
  for (uint32_t k = 0; key && answer && k < t->n; k++)
    if (!strcmp(key_of(t, &t->v[k], t->a), key)) {
      t->v[k].compiled = ww_json_whole(o, "compiled");
      take_answer(t, &t->v[k], answer);
      break;
    }
  cJSON_Delete(o);
}

ww_status ww_tune_begin(ww_tune *t, ww_config *configs, uint32_t n, ww_err *e) {
  t->v = WW_NEWN(t->a, ww_tuned, n + 1);
  t->n = n;
  for (uint32_t k = 0; k < n; k++) {
    ww_tuned *v = &t->v[k];
    ww_number work = {.f = 1};
    const void *ctx[2] = {t, v};
    memcpy(v->c, configs[k], sizeof v->c);
    v->label = ww_space_label(t->space, v->c, t->a);
    v->candidate = WW_NOT_PROPOSED;
    v->measured_us = NAN;
    if (t->work && ww_expr_number(t->work, value_of, ctx, &work, e))
      return e->code = WW_EUSAGE;
    v->work = work.f > 0 ? work.f : 1;
  }
  for (uint32_t k = 0; t->job && k < t->job->notes.n; k++)
    take_note(t, t->job->notes.v[k]);
  return WW_OK;
}

/* ---- ptxas ---- */

static void compile_job(ww_tune *t, const ww_tuned *v, ww_compile_job *out) {
  ww_source s;
  ww_variant x;
  ww_tune_source(t, v, t->a, &s);
  ww_space_variant(t->space, v->c, t->text, t->a, &x);
  *out = (ww_compile_job){.file = t->source.path,
                          .text = s.text,
                          .kernel = x.kernel ? x.kernel : t->over.kernel,
                          .flags = s.flags,
                          .nflags = s.nflags};
}

/* Registers times threads, as the hardware gives them out. */
static bool fits(const ww_tune *t, const ww_tuned *v, double registers) {
  const ww_gpu *g = &t->targets->gpus[0];
  double granule = g->register_granule > 0 ? g->register_granule : 256;
  double warps = ceil((double)v->threads / g->lanes);
  return ceil(registers * g->lanes / granule) * granule * warps <=
         WW_FIGURE(g, registers);
}

static void take_registers(ww_tune *t, ww_tuned *v, const ww_compile_job *job) {
  ww_cubin_resources r = {0};
  ww_err e;
  char *image;
  size_t n;
  if (job->error.code == WW_EDATA || job->error.code == WW_EPARSE) {
    v->refused = ww_fmt(t->a, "does not compile: %.300s", job->error.msg);
    v->compile_failed = true;
  }
  if (job->error.code || ww_read_file(t->a, job->binary, 1u << 28, &image, &n, &e) ||
      !ww_cubin_resources_of(image, n, job->entry, &r))
    return;
  v->compiled = r.registers;
}

static void refuse_by_registers(ww_tune *t, ww_tuned *v) {
  const ww_gpu *g = &t->targets->gpus[0];
  if (v->compiled && !v->refused && !fits(t, v, v->compiled))
    v->refused =
        ww_fmt(t->a, "%u registers for each of %lu threads; a block of %s has %g",
               v->compiled, v->threads, g->full_name, WW_FIGURE(g, registers));
}

/* Without launch bounds the compiler does not know the block: what would have to be
 * spilled to fit may stay in registers, and the launch fails. Where an estimate has
 * spills, how far the compiler moves loads ahead decides, and no estimate of the space
 * is to be relied on (`unsure`). */
static bool suspect(const ww_tune *t, const ww_tuned *v, bool unsure) {
  double most = WW_FIGURE(&t->targets->gpus[0], max_thread_registers);
  double need = fmin(most, NEAR * (v->registers + v->spill_bytes / 4));
  bool may_fail = !v->bounded && !fits(t, v, unsure ? most : need);
  return v->known && !v->refused && (v->spill_bytes > 0 || may_fail);
}

static bool has_spills(const ww_tune *t) {
  for (uint32_t k = 0; k < t->n; k++)
    if (t->v[k].known && t->v[k].spill_bytes > 0)
      return true;
  return false;
}

static ww_status ask_ptxas(ww_tune *t, const uint32_t *which, uint32_t n, ww_err *e) {
  ww_compile_job *jobs = WW_NEWN(t->a, ww_compile_job, n + 1);
  for (uint32_t k = 0; k < n; k++)
    compile_job(t, &t->v[which[k]], &jobs[k]);
  ww_compile_options o = {.architecture = t->targets->gpus[0].architecture,
                          .processes = t->processes,
                          .self = t->self};
  ww_status st = n ? ww_compile(jobs, n, &o, t->a, e) : WW_OK;
  for (uint32_t k = 0; !st && k < n; k++)
    take_registers(t, &t->v[which[k]], &jobs[k]);
  return st;
}

/* ---- ranking ---- */

static const ww_tune *sorting; /* qsort has no context */

static double rank_of(const ww_tuned *v) {
  return v->known ? v->us / v->work : INFINITY;
}

static int by_rank(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x;
  uint32_t b = *(const uint32_t *)y;
  double p = rank_of(&sorting->v[a]);
  double q = rank_of(&sorting->v[b]);
  return p < q ? -1 : p > q ? 1 : a < b ? -1 : a > b;
}

uint32_t *ww_tune_order(const ww_tune *t, uint32_t *n) {
  uint32_t *order = WW_NEWN(t->a, uint32_t, t->n + 1);
  *n = 0;
  for (uint32_t k = 0; k < t->n; k++)
    if (!t->v[k].refused)
      order[(*n)++] = k;
  sorting = t;
  qsort(order, *n, sizeof *order, by_rank);
  return order;
}

/* The best tenth and the suspects that were not compiled yet. */
static uint32_t *to_compile(ww_tune *t, uint32_t *n) {
  uint32_t all;
  uint32_t *order = ww_tune_order(t, &all);
  uint32_t best = (all + BEST_PART - 1) / BEST_PART;
  bool unsure = has_spills(t);
  *n = 0;
  for (uint32_t k = 0; k < all; k++) {
    const ww_tuned *v = &t->v[order[k]];
    bool wanted = k < best || suspect(t, v, unsure);
    if (wanted && !v->compiled && !v->compile_failed && v->known)
      order[(*n)++] = order[k];
  }
  return order;
}

/* ptxas about some, and these predicted again. *none: there is nobody to ask. */
static ww_status
compile_some(ww_tune *t, uint32_t *which, uint32_t n, bool *none, ww_err *e) {
  ww_err why = {0};
  uint32_t again = 0;
  if (ask_ptxas(t, which, n, &why)) {
    *none = why.code == WW_EDEVICE;
    if (!*none)
      *e = why;
    return *none ? WW_OK : why.code;
  }
  for (uint32_t k = 0; k < n; k++) {
    ww_tuned *v = &t->v[which[k]];
    refuse_by_registers(t, v);
    v->compile_failed = !v->compiled;
    /* one that is refused, or that has the registers it was predicted with, is known */
    if (v->compiled && !v->refused &&
        (v->compiled != v->registers || v->spill_bytes > 0))
      which[again++] = which[k];
  }
  return predict(t, which, again, "predicting with ptxas' registers", e);
}

ww_status ww_tune_rank(ww_tune *t, ww_err *e) {
  uint32_t *left = WW_NEWN(t->a, uint32_t, t->n + 1);
  uint32_t n = 0;
  bool none = false;
  for (uint32_t k = 0; k < t->n; k++)
    if (!t->v[k].asked)
      left[n++] = k;
  ww_status st = predict(t, left, n, "predicting", e);
  for (uint32_t k = 0; k < t->n; k++)
    refuse_by_registers(t, &t->v[k]); /* of a run before */
  bool nvidia = !strcmp(t->targets->gpus[0].vendor, "nvidia");
  bool cuda = !ww_ends(t->source.path, ".cl");
  /* the best tenth is another one when some of it turn out slower */
  for (int round = 0; !st && !none && round < ROUNDS; round++) {
    if (!t->ptxas || !nvidia || !cuda)
      break;
    uint32_t *which = to_compile(t, &n);
    if (!n)
      break;
    st = compile_some(t, which, n, &none, e);
  }
  return st;
}
