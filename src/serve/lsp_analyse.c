/* lsp_analyse.c - one analysis of a document: its kernels, each with its report, its
 * launch and where that comes from.
 *
 * What the compiler cannot read is shown as far as the text alone goes. */
#include "lsp_int.h"

#include "../front/scan.h"

const char *const ww_lsp_origins[WW_NFROMS] = {"comment", "project", "host", "assumed"};

/* ---- one analysis ---- */

static bool is_over(void *ctx) {
  ww_lsp_job *j = ctx;
  return atomic_load(&j->cancelled) || (j->call && ww_rpc_cancelled(j->call));
}

const ww_gpu *ww_lsp_gpu(const ww_lsp *s, const char *name) {
  return ww_gpu_of(s->w, name);
}

/* CUDA and HIP code is compiled for one vendor's warps: where the chosen GPU has
 * others, one of the right vendor is taken and named. */
static void choose_gpu(const ww_lsp *s, const ww_module *m, ww_lsp_analysis *a) {
  const ww_gpu *all;
  const ww_gpu *other = NULL;
  uint32_t n = ww_query_gpus(s->w, &all);
  bool fixed = m->dialect == WW_CUDA || m->dialect == WW_HIP;
  if (!fixed || a->gpu->lanes == m->warp)
    return;
  for (uint32_t k = 0; !other && k < a->settings->ngpus; k++) {
    const ww_gpu *g = ww_lsp_gpu(s, a->settings->gpus[k]);
    if (g && g->lanes == m->warp)
      other = g;
  }
  if (!other)
    other = ww_lsp_gpu(s, m->warp == 64 ? "mi300x" : "h200");
  for (uint32_t k = 0; !other && k < n; k++)
    if (all[k].lanes == m->warp)
      other = &all[k];
  if (!other)
    return;
  a->gpu_note = ww_fmt(a->arena, "%s runs no %s code", ww_show_gpu(a->gpu),
                       m->dialect == WW_HIP ? "HIP" : "CUDA");
  a->gpu = other;
}

/* Where the kernel begins and ends, as far as the text shows it. */
static void find_extent(const ww_scan *scan, ww_lsp_kernel *k) {
  k->first = k->body = k->end = k->line;
  for (uint32_t i = 0; i < scan->ndecls; i++) {
    const ww_decl *d = &scan->decls[i];
    if (!d->body)
      continue;
    uint32_t first = ww_scan_line(scan, d->begin);
    uint32_t body = ww_scan_line(scan, d->body);
    uint32_t end = ww_scan_line(scan, d->body_end ? d->body_end - 1 : d->body);
    if (k->line < first || k->line > end)
      continue;
    /* of OpenMP: from the directive to where its function ends */
    bool region = k->line > body;
    k->first = region ? k->line : first;
    k->body = region ? k->line : body;
    k->end = end;
  }
}

static void read_lines(const ww_lsp_analysis *a, ww_lsp_kernel *k) {
  k->lines = WW_NEWN(a->arena, ww_report_line, k->report.nlines + 1);
  for (uint32_t i = 0; i < k->report.nlines; i++) {
    const ww_report_line *l = &k->report.lines[i];
    if (l->file && !strcmp(l->file, a->path))
      k->lines[k->nlines++] = *l;
  }
}

/* A report's launch has positions; the comment in the source has names. */
static void name_launch(const ww_fn *fn, ww_arena *a, ww_lsp_kernel *k) {
  k->ntypes = fn->nparams;
  k->types = WW_NEWN(a, const char *, fn->nparams + 1);
  for (uint32_t i = 0; i < fn->nparams; i++)
    k->types[i] = fn->params[i].ctype ? ww_strdup(a, fn->params[i].ctype) : "";
  if (!k->report.launch)
    return;
  k->launch = *k->report.launch;
  k->launch.args = WW_NEWN(a, ww_arg, k->launch.nargs + 1);
  for (uint32_t i = 0; i < k->launch.nargs; i++) {
    k->launch.args[i] = k->report.launch->args[i];
    if (i < fn->nparams)
      k->launch.args[i].name = ww_strdup(a, fn->params[i].name);
  }
}

static const ww_launch *launch_named(const ww_settings *s, const char *kernel) {
  for (uint32_t k = 0; k < s->nlaunches; k++)
    if (!strcmp(s->launches[k].kernel, kernel))
      return &s->launches[k].launch;
  return NULL;
}

const ww_launch *ww_lsp_launch(const ww_lsp_analysis *a, const ww_lsp_kernel *k) {
  const ww_launch *l = launch_named(a->settings, k->name);
  return l ? l : launch_named(a->settings, k->mangled);
}

static ww_launch_origin
origin_of(const ww_lsp_analysis *a, const ww_lsp_kernel *k, bool commented) {
  if (commented)
    return WW_FROM_COMMENT;
  if (ww_lsp_launch(a, k))
    return WW_FROM_PROJECT;
  const ww_assumptions *assumed = &k->report.assumed;
  bool host = ww_assumptions_find(assumed, WW_ASSUME_HOST_LAUNCH);
  bool block = !ww_assumptions_find(assumed, WW_ASSUME_BLOCK) &&
               !ww_assumptions_find(assumed, WW_ASSUME_CODE_BLOCK);
  return host && block ? WW_FROM_HOST : WW_FROM_NOBODY;
}

static double deadline(const ww_lsp *s) {
  return s->seconds > 0 ? ww_now() + s->seconds : 0;
}

ww_query_request
ww_lsp_request(const ww_lsp *s, const ww_lsp_analysis *a, const ww_lsp_kernel *k) {
  return (ww_query_request){.source = a->source,
                            .kernel = k->mangled,
                            .launch = ww_lsp_launch(a, k),
                            .under_comment = true,
                            .cache = a->settings->cache,
                            .by = a->settings->by,
                            .budget = a->settings->budget,
                            .explain = true,
                            .deadline = deadline(s)};
}

static ww_status one_kernel(ww_lsp_job *j,
                            ww_query_unit *read,
                            const ww_fn *fn,
                            const ww_scan *scan,
                            ww_lsp_kernel *k) {
  ww_lsp_analysis *a = j->a;
  ww_query_result told;
  ww_err e = {0};
  k->name = ww_strdup(a->arena, fn->name);
  k->mangled = ww_strdup(a->arena, fn->mangled);
  k->line = fn->line;
  k->here = !fn->file || !strcmp(fn->file, a->path);
  if (k->here)
    find_extent(scan, k);
  const char *gpu = a->gpu->name;
  ww_query_request q = ww_lsp_request(j->s, a, k);
  q.read = read;
  q.gpus = &gpu;
  q.ngpus = 1;
  q.cancelled = is_over;
  q.ctx = j;
  ww_status st = ww_query_ask(j->s->w, &q, a->arena, &told, &e);
  if (st == WW_ECANCEL)
    return st;
  if (st || !told.n) {
    k->report = (ww_report){.kernel = k->name, .gpu = gpu, .error = e};
    return WW_OK;
  }
  k->asked = true;
  k->report = told.v[0].report;
  a->computed += !told.v[0].known;
  if (told.v[0].code == WW_ECANCEL)
    return WW_ECANCEL;
  k->origin = origin_of(a, k, told.v[0].commented);
  name_launch(fn, a->arena, k);
  if (!k->report.error.code)
    read_lines(a, k);
  return WW_OK;
}

/* A kernel that the text alone shows, with the reason why there is no more to say. */
static ww_lsp_kernel *
add_declared(ww_lsp_analysis *a, const ww_scan *scan, const ww_decl *d) {
  ww_lsp_kernel *k = &a->v[a->nkernels++];
  *k = (ww_lsp_kernel){
      .name = d->name,
      .mangled = d->name,
      .line = d->line,
      .here = true,
      .origin = WW_FROM_NOBODY,
      .report = {.kernel = d->name, .gpu = a->gpu->name, .error = a->error}};
  find_extent(scan, k);
  return k;
}

void ww_lsp_declared(ww_lsp_analysis *a) {
  ww_scan scan;
  ww_scan_source(a->text, a->n, a->arena, &scan);
  a->v = WW_NEWN(a->arena, ww_lsp_kernel, scan.ndecls + 1);
  for (uint32_t i = 0; i < scan.ndecls; i++) {
    const ww_decl *d = &scan.decls[i];
    if (d->kernel && d->body && d->name)
      add_declared(a, &scan, d);
  }
}

/* Templates that nothing instantiates have no code to analyse: that is said where they
 * stand. */
static void bare_templates(ww_lsp_analysis *a, const ww_scan *scan) {
  uint32_t real = a->nkernels;
  for (uint32_t i = 0; i < scan->ndecls; i++) {
    const ww_decl *d = &scan->decls[i];
    bool covered = !d->kernel || !d->tmpl || !d->body || !d->name;
    for (uint32_t n = 0; n < real && !covered; n++) {
      uint32_t line = a->v[n].line;
      uint32_t first = ww_scan_line(scan, d->begin);
      uint32_t last = ww_scan_line(scan, d->body_end);
      covered = a->v[n].here && line >= first && line <= last;
    }
    if (!covered)
      ww_fail(&add_declared(a, scan, d)->report.error, WW_EDATA,
              "a template that nothing here instantiates; the setting `instantiate` "
              "may name "
              "%s<...>",
              d->name);
  }
}

static ww_status all_kernels(ww_lsp_job *j, ww_query_unit *r) {
  ww_lsp_analysis *a = j->a;
  const ww_module *m = &r->unit->module;
  ww_scan scan;
  uint32_t kernels = 0;
  for (uint32_t i = 0; i < m->nfns; i++)
    kernels += m->fns[i].kernel;
  a->dialect = m->dialect;
  ww_scan_source(a->text, a->n, a->arena, &scan);
  a->v = WW_NEWN(a->arena, ww_lsp_kernel, kernels + scan.ndecls + 1);
  choose_gpu(j->s, m, a);
  for (uint32_t i = 0; i < m->nfns; i++) {
    if (!m->fns[i].kernel)
      continue;
    ww_lsp_report_progress(j, m->fns[i].name, a->nkernels, kernels);
    ww_status st = one_kernel(j, r, &m->fns[i], &scan, &a->v[a->nkernels]);
    if (st)
      return st;
    a->nkernels++;
  }
  bare_templates(a, &scan);
  return WW_OK;
}

static bool has_kernels(const ww_lsp_analysis *a) {
  const char *path = a->path;
  ww_front_options o = {
      .files = &path, .nfiles = 1, .dialect = -1, .texts = (const char **)&a->text};
  return a->source.lang || ww_front_dialect_of(&o, a->arena) >= 0;
}

ww_status ww_lsp_analyse(ww_lsp_job *j) {
  ww_lsp_analysis *a = j->a;
  ww_query_unit read = {0};
  ww_err e = {0};
  if (!has_kernels(a))
    return WW_OK;
  ww_status st =
      ww_query_read(j->s->w, &a->source, deadline(j->s), a->arena, &read, &e);
  if (st == WW_ECANCEL)
    return st;
  if (st) {
    a->error = e;
    ww_lsp_declared(a);
    return WW_OK;
  }
  a->clang_ms = read.clang_ms;
  st = all_kernels(j, &read);
  ww_query_release(j->s->w, &read);
  return st;
}

/* ---- what it is of ---- */

/* The editor's word counts where the name of the file says nothing. */
static const char *language(const char *id, const char *path) {
  const char *dot = strrchr(path, '.');
  if (dot && ww_is_one_of(".clh|.ocl", dot))
    return "opencl";
  if (!id || (dot && ww_is_one_of(".cu|.cuh|.cl|.hip", dot)))
    return NULL;
  if (ww_starts(id, "cuda"))
    return "cuda";
  if (ww_starts(id, "opencl"))
    return "opencl";
  return !strcmp(id, "hip") ? "hip" : NULL;
}

ww_lsp_analysis *ww_lsp_analysis_new(const ww_lsp *s, const ww_lsp_document *d) {
  ww_arena *arena = ww_arena_new();
  ww_lsp_analysis *a = WW_NEW(arena, ww_lsp_analysis);
  const ww_settings *settings = &d->config->settings;
  atomic_fetch_add(&d->config->users, 1);
  a->arena = arena;
  a->serial = d->serial;
  a->version = d->version;
  a->uri = ww_strdup(arena, d->uri);
  a->path = ww_strdup(arena, d->path);
  a->text = ww_strndup(arena, d->text, d->n);
  a->n = d->n;
  a->config = d->config;
  a->settings = settings;
  a->gpu = ww_lsp_gpu(s, settings->gpu);
  if (!a->gpu)
    a->gpu = ww_lsp_gpu(s, "h200");
  if (!a->gpu)
    ww_query_gpus(s->w, &a->gpu);
  a->generation = d->generation;
  a->source = (ww_source){.path = a->path,
                          .text = a->text,
                          .lang = language(d->lang, d->path),
                          .flags = d->config->flags.v,
                          .nflags = d->config->flags.n,
                          .instantiate = settings->instantiate,
                          .ninstantiate = settings->ninstantiate};
  return a;
}

void ww_lsp_analysis_free(ww_lsp_analysis *a) {
  ww_lsp_config_drop(a->config);
  ww_arena_free(a->arena);
}
