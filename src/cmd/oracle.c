/* oracle.c - from a command line to predictions: GPUs by name, one launch on each of them. */
#include "oracle.h"

#include "../base/watchdog.h"
#include "../measure/compile.h"
#include "../measure/cubin.h"
#include "limits.h"

ww_status ww_correction_asked(const char *by, ww_arena *a, const ww_correction **out, ww_err *e) {
  *out = NULL;
  if (by && !strcmp(by, "machine"))
    return WW_OK;
  if (!by || !strcmp(by, "grounded"))
    return ww_correction_load(a, out, e);
  return ww_fail(e, WW_EUSAGE, "--by: expected machine or grounded, not '%.40s'", by);
}

ww_status ww_targets_load(ww_cmd *c, const char *by, ww_targets *out) {
  const char *names = c->gpu ? c->gpu : "h200";
  *out = (ww_targets){.assumed = !c->gpu};
  ww_status st = ww_params_load(c->arena, &out->params, &c->err);
  if (!st)
    st = ww_correction_asked(by, c->arena, &out->correction, &c->err);
  uint32_t most = 1;
  for (const char *s = names; *s; s++)
    most += *s == ',';
  out->gpus = WW_NEWN(c->arena, ww_gpu, most);
  while (!st && *names) {
    size_t n = strcspn(names, ",");
    if (n)
      st = ww_gpu_load(ww_strndup(c->arena, names, n), c->arena, &out->gpus[out->n++], &c->err);
    names += n + (names[n] == ',');
  }
  if (!st && !out->n)
    st = ww_usage(c, "--gpu: name one or more, h200,a100; `warpwise gpus` lists them");
  return st;
}

ww_status ww_cache_check(const char *mode, ww_err *e) {
  if (!mode || !strcmp(mode, "warm") || !strcmp(mode, "cold"))
    return WW_OK;
  return ww_fail(e, WW_EUSAGE, "--cache: expected warm or cold, not '%.40s'", mode);
}

/* Registers as NVIDIA's assembler allocates them; 0 and a sentence where it cannot be asked. */
static double compiled_registers(void *ctx, const ww_gpu *g, ww_arena *a, ww_assumptions *said) {
  const ww_answers *x = ctx;
  if (strcmp(g->vendor, "nvidia"))
    return 0;
  ww_compile_job job = {.file = x->launch.file,
                        .kernel = x->fn->mangled ? x->fn->mangled : x->fn->name,
                        .flags = x->launch.flags,
                        .nflags = x->launch.nflags};
  ww_err e = {0};
  char *image;
  size_t n;
  ww_status st = ww_compile(
      &job, 1, &(ww_compile_options){.architecture = g->architecture, .processes = 1}, a, &e);
  if (!st && job.error.code) {
    st = job.error.code;
    e = job.error;
  }
  if (!st)
    st = ww_read_file(a, job.binary, 1u << 28, &image, &n, &e);
  double registers = st ? 0 : ww_cubin_registers(image, n, job.entry);
  if (!registers)
    ww_push(a, said,
            (ww_assumption){WW_ASSUME_REGISTERS,
                            st ? ww_strdup(a, e.msg) : "the compiled code does not tell",
                            {0}});
  return registers;
}

ww_status ww_answers_make(ww_cmd *c, const ww_source_options *o, ww_source_cache *cache,
                          const ww_targets *t, ww_launch *launch, const char *cache_mode,
                          uint64_t budget, ww_answers *out) {
  ww_assumptions said = {0};
  *out = (ww_answers){0};
  ww_status st = ww_source_kernel(c, o, cache, launch, &out->fn, &said);
  if (st)
    return st;
  if (cache_mode)
    launch->warm = !strcmp(cache_mode, "warm");
  out->arena = ww_arena_new();
  out->launch = *launch;
  out->n = t->n;
  out->p = WW_NEWN(out->arena, ww_prediction, t->n);
  ww_query_targets q = {.gpus = t->gpus,
                        .n = t->n,
                        .assumed = t->assumed,
                        .params = &t->params,
                        .correction = t->correction,
                        .budget = budget,
                        .cancelled = ww_watchdog_over};
  if (t->compile && cache->read.unit->module.dialect == WW_CUDA) {
    q.registers = compiled_registers;
    q.registers_ctx = out;
  }
  ww_err first = {0};
  const char *what = ww_fmt(out->arena, "kernel `%s`", out->fn->name);
  ww_limits_begin(c, what);
  st = ww_query_predict(cache->read.unit, out->fn, &out->launch, &q, &said, out->arena, out->p,
                        &first);
  ww_limits_end(c);
  if (!st)
    return WW_OK;
  if (st == WW_ECANCEL) { /* nobody but the limit cancels here */
    ww_limits_late(c, what);
    ww_answers_free(out);
    return c->err.code;
  }
  if (first.file)
    first.file = ww_strdup(c->arena, first.file);
  c->err = first;
  ww_answers_free(out);
  return st;
}

void ww_answers_free(ww_answers *a) {
  ww_arena_free(a->arena);
  *a = (ww_answers){0};
}

ww_status ww_write_text(const char *path, const ww_buf *b, ww_err *e) {
  if (strcmp(path, "-"))
    return ww_write_file_atomic(path, b->s ? b->s : "", b->n, e);
  fwrite(b->s ? b->s : "", 1, b->n, stdout);
  return WW_OK;
}
