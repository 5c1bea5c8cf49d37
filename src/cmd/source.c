/* source.c - the way from a command line into src/query: options are put over the
 * launch spec, src/query puts both over what the source says and predicts them on the
 * GPUs that were named. */
#include "source.h"

#include "../base/watchdog.h"
#include "../measure/compile.h"
#include "../measure/cubin.h"
#include "../predict/text/question.h"
#include "../query/library.h"

const ww_source_options ww_source_plain;

ww_status ww_source_over(ww_cmd *c, const ww_source_options *o, ww_launch *l) {
  ww_arena *a = c->arena;
  ww_err *e = &c->err;
  *l = (ww_launch){
      .kernel = o->kernel, .shared_expr = o->shared, .shared_given = o->shared};
  bool bad =
      (o->grid && ww_launch_shape(o->grid, "--grid", a, l->grid, l->grid_expr, e)) ||
      (o->block && ww_launch_shape(o->block, "--block", a, l->block, l->block_expr, e));
  for (uint32_t k = 0; !bad && k < o->args.n; k++)
    bad = ww_launch_arg(o->args.v[k], a, l, e);
  /* the command line's own words, not a file's */
  return bad ? e->code = WW_EUSAGE : WW_OK;
}

ww_status ww_source_launches(ww_cmd *c,
                             const ww_source_options *o,
                             ww_launch **out,
                             uint32_t *n) {
  ww_launch over;
  *n = 1;
  *out = WW_NEW(c->arena, ww_launch);
  if (ww_source_over(c, o, &over) ||
      (o->launch && ww_input_launches(c->arena, o->launch, out, n, &c->err)))
    return c->err.code;
  for (ww_launch *l = *out; l < *out + *n; l++) {
    ww_launch_merge(l, &over, c->arena);
    if (c->noperands && !l->library)
      l->file = c->operands[0];
    if (!l->file)
      l->file = l->binary; /* what was recorded: it may have PTX */
    if (!l->file && !l->library)
      return ww_usage(c, "name a source file, or a launch spec that has one");
  }
  return WW_OK;
}

/* ---- loading ---- */

static ww_status build_flags(ww_cmd *c, const char *file, const char *database) {
  if (c->build.file && !strcmp(c->build.file, file) && c->build.database == database)
    return WW_OK;
  c->build.file = file;
  c->build.database = database;
  c->build.flags = (ww_strings){0};
  ww_status st = ww_compile_flags(file, database, c->arena, &c->build.flags, &c->err);
  if (st)
    c->build.file = NULL;
  return st;
}

ww_status ww_source_of(ww_cmd *c,
                       const ww_source_options *o,
                       const char **files,
                       uint32_t n,
                       const ww_launch *l,
                       ww_source *out) {
  ww_strings flags = {0};
  const char **named = files;
  files = WW_NEWN(c->arena, const char *, n);
  for (uint32_t k = 0; k < n; k++) {
    files[k] = ww_input_file(named[k], c->arena);
    if (ww_input_check(files[k], &c->err))
      return c->err.code;
  }
  ww_status st = build_flags(c, files[0], o->database);
  ww_strings_add(c->arena, &flags, c->build.flags.v, c->build.flags.n);
  if (l)
    ww_strings_add(c->arena, &flags, l->flags, l->nflags);
  ww_strings_add(c->arena, &flags, c->rest, c->nrest);
  *out = (ww_source){.path = files[0],
                     .more = files + 1,
                     .nmore = n - 1,
                     .once = true,
                     .lang = o->lang,
                     .no_sdk = o->no_sdk,
                     .via = o->via,
                     .as_written = o->as_written,
                     .flags = flags.v,
                     .nflags = flags.n,
                     .instantiate = o->instantiate.v,
                     .ninstantiate = o->instantiate.n};
  return st;
}

void ww_source_free(ww_source_cache *cache) {
  ww_query_release(NULL, &cache->read);
  *cache = (ww_source_cache){0};
}

/* Within limits; k NULL: the source alone. */
static ww_status
read_source(ww_cmd *c, const ww_source *s, ww_source_cache *cache, ww_query_kernel *k) {
  const char *what = ww_fmt(c->arena, "reading %s", s->path);
  double deadline = c->limits.seconds > 0 ? ww_now() + c->limits.seconds : 0;
  ww_limits_begin(c, what);
  ww_status st =
      k ? ww_query_find(NULL, s, deadline, c->arena, &cache->read, k, &c->err)
        : ww_query_read(NULL, s, deadline, c->arena, &cache->read, &c->err);
  if (st == WW_ELIMIT && ww_watchdog_over(NULL))
    ww_limits_late(c, what, &c->err);
  ww_limits_end(c);
  cache->module = cache->read.unit ? &cache->read.unit->module : NULL;
  return st;
}

ww_status ww_source_read(ww_cmd *c, const ww_source *s, ww_source_cache *cache) {
  return read_source(c, s, cache, NULL);
}

static ww_status read_files(ww_cmd *c,
                            const ww_source_options *o,
                            ww_source_cache *cache,
                            const ww_launch *l,
                            ww_query_kernel *k) {
  ww_source s;
  ww_strings own = {0};
  ww_push(c->arena, &own, l->file);
  ww_strings_add(c->arena, &own, l->more, l->nmore);
  const char **files = c->noperands ? c->operands : own.v;
  c->file = l->file;
  ww_status st = ww_source_of(c, o, files, c->noperands ? c->noperands : own.n, l, &s);
  return st ? st : read_source(c, &s, cache, k);
}

/* *out, which is one launch, for each of the kernels where there are several. */
static void spread(ww_cmd *c, const ww_strings *kernels, ww_launch **out, uint32_t *n) {
  if (kernels->n < 2)
    return; /* none: the message of those who look for one says why */
  ww_launch *each = WW_NEWN(c->arena, ww_launch, kernels->n);
  for (uint32_t k = 0; k < kernels->n; k++) {
    each[k] = **out;
    each[k].kernel = kernels->v[k];
  }
  *out = each;
  *n = kernels->n;
}

ww_status ww_source_each(ww_cmd *c,
                         const ww_source_options *o,
                         ww_source_cache *cache,
                         ww_launch **out,
                         uint32_t *n) {
  ww_status st = ww_source_launches(c, o, out, n);
  if (st || o->launch || o->kernel || !c->noperands)
    return st;
  if ((st = read_files(c, o, cache, *out, NULL)))
    return st;
  const ww_module *m = cache->module;
  ww_strings kernels = {0};
  for (const ww_fn *fn = m->fns; fn && fn < m->fns + m->nfns; fn++)
    if (fn->kernel)
      ww_push(c->arena, &kernels, ww_strdup(c->arena, fn->mangled));
  spread(c, &kernels, out, n);
  return WW_OK;
}

/* The same without a compiler. */
static ww_status
each_of_text(ww_cmd *c, const ww_source_options *o, ww_launch **out, uint32_t *n) {
  const char *const *names;
  char *text;
  size_t size;
  ww_status st = ww_source_launches(c, o, out, n);
  if (st || o->launch || o->kernel || !c->noperands)
    return st;
  const char *file = (*out)->file;
  if (ww_input_check(file, &c->err) ||
      ww_read_file(c->arena, file, 64 << 20, &text, &size, &c->err))
    return c->err.code;
  ww_strings kernels = {0};
  uint32_t found = ww_question_kernels(text, size, c->arena, &names);
  ww_strings_add(c->arena, &kernels, names, found);
  spread(c, &kernels, out, n);
  return WW_OK;
}

ww_status ww_source_kernel(ww_cmd *c,
                           const ww_source_options *o,
                           ww_source_cache *cache,
                           ww_launch *launch) {
  ww_query_kernel k = {.launch = *launch};
  if (launch->library)
    return ww_fail(&c->err, WW_EUNSUPPORTED,
                   "%s is a call of a library, whose code is not known: predict tells "
                   "its time",
                   launch->kernel ? launch->kernel : launch->library->call);
  ww_status st = read_files(c, o, cache, launch, &k);
  cache->fn = k.fn;
  cache->said = k.said;
  *launch = k.launch;
  if (k.fn)
    c->kernel = ww_strdup(c->arena, k.fn->name); /* outlives the cache */
  return st;
}

/* ---- predictions ---- */

/* --gpu NAME[,NAME...]; without it the H200, which is then listed as assumed. */
static ww_status load_gpus(ww_cmd *c, ww_query_targets *out) {
  const char *names = c->gpu ? c->gpu : "h200";
  WW_VEC(ww_gpu) gpus = {0};
  out->assumed = !c->gpu;
  for (size_t n; *names; names += n + (names[n] == ',')) {
    ww_gpu one;
    n = strcspn(names, ",");
    if (!n)
      continue;
    if (ww_gpu_load(ww_strndup(c->arena, names, n), c->arena, &one, &c->err))
      return c->err.code;
    ww_push(c->arena, &gpus, one);
  }
  out->gpus = gpus.v;
  out->n = gpus.n;
  return gpus.n
             ? WW_OK
             : ww_usage(
                   c, "--gpu: name one or more, h200,a100; `warpwise gpus` lists them");
}

/* --by: "machine", "grounded" or NULL (grounded where it is known). */
static ww_status load_models(ww_cmd *c, const char *by, ww_query_targets *out) {
  ww_params *params = WW_NEW(c->arena, ww_params);
  out->params = params;
  if (ww_params_load(c->arena, params, &c->err) ||
      ww_word_option(c, "by", by, "machine grounded") < 0 ||
      (!ww_is(by, "machine") &&
       ww_correction_load(c->arena, &out->correction, &c->err)))
    return c->err.code;
  return WW_OK;
}

ww_built
ww_built_by_clang(void *ctx, const ww_gpu *g, ww_arena *a, ww_assumptions *said) {
  const ww_answers *x = ctx;
  return ww_query_built(x->read, x->fn, g, a, said);
}

ww_built
ww_built_by_ptxas(void *ctx, const ww_gpu *g, ww_arena *a, ww_assumptions *said) {
  const ww_answers *x = ctx;
  if (x->module->dialect != WW_CUDA || strcmp(g->vendor, "nvidia"))
    return ww_built_by_clang(ctx, g, a, said);
  ww_compile_job job = {.file = x->launch.file,
                        .kernel = x->fn->mangled ? x->fn->mangled : x->fn->name,
                        .flags = x->launch.flags,
                        .nflags = x->launch.nflags};
  ww_err e = {0};
  char *image;
  size_t n;
  ww_compile_options how = {
      .architecture = g->architecture,
      .processes = 1,
  };
  if (!ww_compile(&job, 1, &how, a, &e))
    e = job.error;
  bool failed = e.code || ww_read_file(a, job.binary, 1u << 28, &image, &n, &e);
  ww_cubin_resources r = {0};
  if (!failed)
    ww_cubin_resources_of(image, n, job.entry, &r);
  const char *why = failed ? ww_strdup(a, e.msg) : "the compiled code does not tell";
  if (!r.registers)
    ww_push(a, said, (ww_assumption){WW_ASSUME_REGISTERS, why, {0}});
  return (ww_built){.registers = r.registers};
}

ww_status ww_ask_targets(ww_cmd *c, const ww_ask_options *o, ww_ask *out) {
  *out = (ww_ask){
      .c = c, .o = o, .targets = {.cancelled = ww_watchdog_over, .budget = o->budget}};
  if (ww_word_option(c, "cache", o->cache,
                     o->program ? "warm cold program" : "warm cold") < 0 ||
      ww_limits_read(&o->limits, 60, 0, c) ||
      (!o->text && load_models(c, o->by, &out->targets)) || load_gpus(c, &out->targets))
    return c->err.code;
  return WW_OK;
}

ww_status ww_ask_open(ww_cmd *c, const ww_ask_options *o, ww_ask *out) {
  ww_status st = ww_ask_targets(c, o, out);
  if (st)
    return st;
  return o->text ? each_of_text(c, &o->source, &out->launches, &out->n)
                 : ww_source_each(c, &o->source, &out->cache, &out->launches, &out->n);
}

static ww_status answer_library(ww_ask *x, const ww_launch *launch, ww_answers *out) {
  ww_arena *a = ww_arena_new();
  ww_fn *fn = WW_NEW(a, ww_fn);
  uint32_t n = x->targets.n;
  const char *name = launch->kernel ? launch->kernel : launch->library->call;
  *fn = (ww_fn){.name = name, .mangled = name, .kernel = true};
  *out = (ww_answers){.arena = a,
                      .fn = fn,
                      .launch = *launch,
                      .p = WW_NEWN(a, ww_prediction, n),
                      .n = n};
  out->launch.kernel = name;
  ww_err e = {0};
  ww_status st = ww_query_library(&out->launch, &x->targets, a, out->p, &e);
  if (!st)
    return WW_OK;
  x->c->err = e;
  ww_answers_free(out);
  return st;
}

ww_status ww_answers_make(ww_ask *x, ww_launch *launch, ww_answers *out) {
  ww_cmd *c = x->c;
  ww_query_targets q = x->targets;
  ww_err why = {0};
  *out = (ww_answers){0};
  if (launch->library)
    return answer_library(x, launch, out);
  ww_status st = ww_source_kernel(c, &x->o->source, &x->cache, launch);
  if (st)
    return st;
  if (x->o->cache && strcmp(x->o->cache, "program"))
    launch->warm = !strcmp(x->o->cache, "warm");
  ww_arena *a = ww_arena_new();
  *out = (ww_answers){a,           &x->cache.read, x->cache.module,
                      x->cache.fn, *launch,        WW_NEWN(a, ww_prediction, q.n),
                      q.n};
  q.built = x->o->ptxas ? ww_built_by_ptxas : ww_built_by_clang;
  q.built_ctx = out;
  const char *what = ww_fmt(a, "kernel `%s`", out->fn->name);
  ww_limits_begin(c, what);
  st = ww_query_predict(x->cache.read.unit, out->fn, &out->launch, &q, &x->cache.said,
                        a, out->p, &why);
  ww_limits_end(c);
  if (!st)
    return WW_OK;
  if (why.file)
    why.file = ww_strdup(c->arena, why.file);
  if (st == WW_ECANCEL) /* nobody but the limit cancels here */
    st = ww_limits_late(c, what, &c->err);
  else
    c->err = why;
  ww_answers_free(out);
  return st;
}

void ww_answers_free(ww_answers *a) {
  ww_arena_free(a->arena);
  *a = (ww_answers){0};
}
