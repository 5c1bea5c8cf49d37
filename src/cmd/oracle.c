/* oracle.c - from a command line to predictions: GPUs by name, one launch on each of them. */
#include "oracle.h"

#include "../measure/compile.h"
#include "../measure/cubin.h"

ww_status ww_targets_load(ww_cmd *c, ww_targets *out) {
  const char *names = c->global.gpu ? c->global.gpu : "h200";
  *out = (ww_targets){.assumed = !c->global.gpu};
  ww_status st = ww_params_load(c->arena, &out->params, &c->err);
  uint32_t most = 1;
  for (const char *s = names; *s; s++) most += *s == ',';
  out->gpus = WW_NEWN(c->arena, ww_gpu, most);
  while (!st && *names) {
    size_t n = strcspn(names, ",");
    if (n) st = ww_gpu_load(ww_strndup(c->arena, names, n), c->arena, &out->gpus[out->n++], &c->err);
    names += n + (names[n] == ',');
  }
  if (!st && !out->n)
    st = ww_fail(&c->err, WW_EUSAGE, "--gpu: name one or more, h200,a100; `warpwise gpus` lists them");
  return st;
}

ww_status ww_cache_check(const char *mode, ww_err *e) {
  if (!mode || !strcmp(mode, "warm") || !strcmp(mode, "cold")) return WW_OK;
  return ww_fail(e, WW_EUSAGE, "--cache: expected warm or cold, not '%.40s'", mode);
}

/* OpenCL and OpenMP code takes the GPU's lanes; CUDA and HIP code is compiled for one vendor's. */
static ww_status fits(const ww_module *m, const ww_gpu *g, ww_err *e) {
  bool fixed = m->dialect == WW_CUDA || m->dialect == WW_HIP;
  if (!fixed || g->lanes == m->warp) return WW_OK;
  return ww_fail(e, WW_EUSAGE, "%s code is read for warps of %u lanes, %s has %u: name another GPU%s",
                 ww_dialect_names[m->dialect], m->warp, g->full_name, g->lanes,
                 m->dialect == WW_CUDA ? ", or read it with --lang hip" : "");
}

static void add_said(const ww_targets *t, const ww_strings *said, ww_arena *a, ww_report *r) {
  ww_strings all = {0};
  if (t->assumed) ww_push(a, &all, "gpu: h200, as none was named");
  for (uint32_t k = 0; k < said->n; k++) ww_push(a, &all, said->v[k]);
  for (uint32_t k = 0; k < r->nassumed; k++) ww_push(a, &all, r->assumed[k]);
  r->assumed = all.v;
  r->nassumed = all.n;
}

/* Registers as NVIDIA's assembler allocates them; 0 and a sentence where it cannot be asked. */
static double compiled_registers(const ww_answers *x, const ww_gpu *g, ww_strings *said) {
  ww_arena *a = x->arena;
  ww_compile_job job = {.file = x->launch.file,
                        .kernel = x->fn->mangled ? x->fn->mangled : x->fn->name,
                        .flags = x->launch.flags,
                        .nflags = x->launch.nflags};
  ww_err e = {0};
  char *image;
  size_t n;
  ww_status st = ww_compile(&job, 1, &(ww_compile_options){.architecture = g->architecture, .processes = 1}, a, &e);
  if (!st && job.error.code) st = job.error.code, e = job.error;
  if (!st) st = ww_read_file(a, job.binary, 1u << 28, &image, &n, &e);
  double registers = st ? 0 : ww_cubin_registers(image, n, job.entry);
  if (!registers)
    ww_push(a, said, ww_fmt(a, "registers: estimated; %s", st ? e.msg : "the compiled code does not tell"));
  return registers;
}

static ww_status one(ww_cmd *c, const ww_module *m, const ww_targets *t, const ww_strings *said, uint32_t k,
                     uint64_t budget, ww_answers *out) {
  ww_prediction *p = &out->p[k];
  const ww_gpu *g = &t->gpus[k];
  ww_predict_options o = {.gpu = g, .params = &t->params, .budget = budget};
  ww_status st = fits(m, g, &c->err);
  ww_strings all = {0};
  for (uint32_t i = 0; i < said->n; i++) ww_push(out->arena, &all, said->v[i]);
  if (!st && t->compile && m->dialect == WW_CUDA && !strcmp(g->vendor, "nvidia"))
    o.registers = compiled_registers(out, g, &all);
  if (!st) st = ww_predict(m, out->fn, &out->launch, &o, out->arena, p, &c->err);
  if (st) {
    *p =
        (ww_prediction){.report = {.file = out->launch.file, .kernel = out->fn->name, .gpu = g->name, .error = c->err}};
    return st;
  }
  p->trace.launch.file = out->launch.file;
  p->trace.launch.kernel = out->fn->name;
  p->report.launch = &p->trace.launch;
  p->report.file = out->launch.file;
  p->report.gpu = g->name;
  add_said(t, &all, out->arena, &p->report);
  return WW_OK;
}

/* A kernel that cannot run often misses a header: say so where it is known. */
static void blame_header(const ww_unit *u, ww_err *e) {
  for (uint32_t k = 0; k < u->ndiags; k++) {
    const ww_diag *d = &u->diags[k];
    size_t n = strlen(e->msg);
    if (!ww_starts(d->message, "header '")) continue;
    snprintf(e->msg + n, sizeof e->msg - n, "; %s:%u: %s", d->file ? ww_path_base(d->file) : "?", d->line, d->message);
    return;
  }
}

ww_status ww_answers_make(ww_cmd *c, const ww_source_options *o, ww_source_cache *cache, const ww_targets *t,
                          ww_launch *launch, const char *cache_mode, uint64_t budget, ww_answers *out) {
  ww_strings said = {0};
  *out = (ww_answers){0};
  ww_status st = ww_source_kernel(c, o, cache, launch, &out->fn, &said);
  if (st) return st;
  if (cache_mode) launch->warm = !strcmp(cache_mode, "warm");
  out->arena = ww_arena_new();
  out->launch = *launch;
  out->n = t->n;
  out->p = WW_NEWN(out->arena, ww_prediction, t->n);
  bool any = false;
  ww_err first = {0};
  for (uint32_t k = 0; k < t->n; k++) {
    st = one(c, &cache->unit.module, t, &said, k, budget, out);
    if (st == WW_EUNSUPPORTED) blame_header(&cache->unit, &c->err);
    if (st && !first.code) first = c->err;
    any |= !st;
  }
  if (any) return WW_OK;
  if (first.file) first.file = ww_strdup(c->arena, first.file);
  c->err = first;
  ww_answers_free(out);
  return first.code;
}

void ww_answers_free(ww_answers *a) {
  ww_arena_free(a->arena);
  *a = (ww_answers){0};
}

ww_status ww_write_text(const char *path, const ww_buf *b, ww_err *e) {
  if (strcmp(path, "-") != 0) return ww_write_file_atomic(path, b->s ? b->s : "", b->n, e);
  fwrite(b->s ? b->s : "", 1, b->n, stdout);
  return WW_OK;
}
