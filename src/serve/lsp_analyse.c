/* lsp_analyse.c - when documents are analysed, and how: a clock hands those that are
 * due to workers.
 *
 * An analysis is of one generation of one document. It becomes the document's when that
 * is still the generation; else nobody sees it. The workspace ends what is asked about
 * an older text, so a burst of typing costs little more than its last change. */
#include "lsp_int.h"

#include "../front/scan.h"

#define WORKERS                                                                    \
  4 /* analyses at a time: clang's run of an older text does not hold up the newer \
       one's */
#define PROGRESS_S 0.5 /* an analysis that takes longer shows its progress */

struct ww_lsp_job {
  ww_lsp *s;
  ww_lsp_analysis *a; /* what is being made */
  ww_rpc_call *call;  /* that it is made for; NULL: for whoever asks */
  atomic_bool cancelled;
  double began;
  uint64_t token; /* of its progress; 0: none is shown */
  char token_text[40];
  ww_lsp_job *next;
};

const char *const ww_lsp_origins[WW_NFROMS] = {"comment", "project", "host", "assumed"};

/* ---- progress; under the lock, on any thread: the analysis' arena is its worker's
 * ---- */

static void
progress(ww_lsp_job *j, const char *kind, const char *message, int percent) {
  ww_json w = {0};
  ww_json_put(&w, "{token:%s,value:{kind:%s", j->token_text, kind);
  if (!strcmp(kind, "begin"))
    ww_json_put(&w, "title:'Warpwise',cancellable:true");
  ww_json_put(&w, "message?:%s", message);
  if (percent >= 0)
    ww_json_kint(&w, "percentage", percent);
  ww_json_put(&w, "}}");
  ww_rpc_notify(j->s->rpc, "$/progress", &w);
}

static void begin_progress(ww_lsp_job *j) {
  char params[64];
  j->token = ++j->s->tokens;
  snprintf(j->token_text, sizeof j->token_text, "warpwise-%llu",
           (unsigned long long)j->token);
  snprintf(params, sizeof params, "{\"token\":\"%s\"}", j->token_text);
  ww_rpc_ask(j->s->rpc, "window/workDoneProgress/create", params, NULL, NULL);
  progress(j, "begin", ww_path_base(j->a->path), 0);
}

static void
report_progress(ww_lsp_job *j, const char *kernel, uint32_t done, uint32_t of) {
  pthread_mutex_lock(&j->s->lock);
  if (j->token)
    progress(j, "report", kernel, 100 * done / of);
  pthread_mutex_unlock(&j->s->lock);
}

void ww_lsp_cancel_progress(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  const char *token = ww_member_text(ww_rpc_params(c), "token");
  if (!token || !ww_starts(token, "warpwise-"))
    return;
  uint64_t which = strtoull(token + 9, NULL, 10);
  pthread_mutex_lock(&s->lock);
  for (ww_lsp_job *j = s->jobs; j; j = j->next)
    if (j->token == which)
      atomic_store(&j->cancelled, true);
  pthread_mutex_unlock(&s->lock);
}

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

static const ww_launch *project_launch(const ww_lsp_analysis *a,
                                       const ww_lsp_kernel *k) {
  const ww_launch *l = ww_settings_launch(a->settings, k->name);
  return l ? l : ww_settings_launch(a->settings, k->mangled);
}

static ww_launch_origin origin_of(const ww_lsp_analysis *a, const ww_lsp_kernel *k) {
  if (k->origin == WW_FROM_COMMENT)
    return WW_FROM_COMMENT;
  if (project_launch(a, k))
    return WW_FROM_PROJECT;
  const ww_assumptions *assumed = &k->report.assumed;
  bool host = ww_assumptions_find(assumed, WW_ASSUME_HOST_LAUNCH);
  return host && !ww_assumptions_find(assumed, WW_ASSUME_BLOCK) ? WW_FROM_HOST
                                                                : WW_FROM_NOBODY;
}

static double deadline(const ww_lsp *s) {
  return s->seconds > 0 ? ww_now() + s->seconds : 0;
}

ww_status ww_lsp_ask(ww_lsp *s,
                     const ww_lsp_analysis *a,
                     const ww_lsp_question *question,
                     ww_arena *arena,
                     ww_query_result *out,
                     ww_err *e) {
  const ww_lsp_kernel *k = question->kernel;
  ww_query_request q = {.source = a->source,
                        .kernel = k->mangled,
                        .launch =
                            k->origin == WW_FROM_COMMENT ? NULL : project_launch(a, k),
                        .gpus = question->gpus,
                        .ngpus = question->ngpus,
                        .cache = a->settings->cache,
                        .by = a->settings->by,
                        .budget = a->settings->budget,
                        .explain = true,
                        .deadline = deadline(s),
                        .cancelled = question->cancelled,
                        .ctx = question->ctx};
  return ww_query_ask(s->w, &q, arena, out, e);
}

static ww_status
one_kernel(ww_lsp_job *j, const ww_fn *fn, const ww_scan *scan, ww_lsp_kernel *k) {
  ww_lsp_analysis *a = j->a;
  ww_query_result told;
  ww_err e = {0};
  k->name = ww_strdup(a->arena, fn->name);
  k->mangled = ww_strdup(a->arena, fn->mangled);
  k->line = fn->line;
  k->here = !fn->file || !strcmp(fn->file, a->path);
  if (k->here)
    find_extent(scan, k);
  bool comment = k->here && ww_source_comment(a->text, a->n, k->line, a->arena);
  k->origin = comment ? WW_FROM_COMMENT : WW_FROM_NOBODY;
  const char *gpu = a->gpu->name;
  ww_lsp_question question = {k, &gpu, 1, is_over, j};
  ww_status st = ww_lsp_ask(j->s, a, &question, a->arena, &told, &e);
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
  k->origin = origin_of(a, k);
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

static void kernels_of_text(ww_lsp_analysis *a) {
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

static ww_status all_kernels(ww_lsp_job *j, const ww_query_unit *r) {
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
    report_progress(j, m->fns[i].name, a->nkernels, kernels);
    ww_status st = one_kernel(j, &m->fns[i], &scan, &a->v[a->nkernels]);
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

/* WW_ECANCEL: it is of no use any more. Everything else is in the analysis. */
static ww_status analyse(ww_lsp_job *j) {
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
    kernels_of_text(a);
    return WW_OK;
  }
  a->clang_ms = read.clang_ms;
  st = all_kernels(j, &read);
  ww_query_release(j->s->w, &read);
  return st;
}

/* ---- documents to analyses ---- */

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

/* Under the lock. */
static ww_lsp_analysis *new_analysis(const ww_lsp *s, const ww_lsp_document *d) {
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
  a->source = (ww_source){.path = a->path,
                          /* an open one is known there */
                          .text = d->generation ? NULL : a->text,
                          .generation = d->generation,
                          .lang = language(d->lang, d->path),
                          .flags = d->config->flags.v,
                          .nflags = d->config->flags.n,
                          .instantiate = settings->instantiate,
                          .ninstantiate = settings->ninstantiate};
  return a;
}

static void free_analysis(ww_lsp_analysis *a) {
  ww_lsp_config_drop(a->config);
  ww_arena_free(a->arena);
}

static void refresh(ww_lsp *s) {
  if (s->can.refresh_lens)
    ww_rpc_ask(s->rpc, "workspace/codeLens/refresh", NULL, NULL, NULL);
  if (s->can.refresh_hints)
    ww_rpc_ask(s->rpc, "workspace/inlayHint/refresh", NULL, NULL, NULL);
}

static void tell(ww_lsp *s, const ww_lsp_analysis *a) {
  ww_rpc_tell(
      s->rpc, "warpwise/answered",
      "{uri:%s,version:%ld,gpu:%s,ms:%g,clang_ms:%g,kernels:%u,computed:%u,error?:%s}",
      a->uri, a->version, a->gpu->name, a->ms, a->clang_ms, a->nkernels, a->computed,
      a->error.code ? a->error.msg : NULL);
}

void ww_lsp_retire(ww_lsp_analysis *a) {
  if (!a)
    return;
  a->replaced = true;
  if (!a->users)
    free_analysis(a);
}

void ww_lsp_let_go(ww_lsp *s, ww_lsp_analysis *a) {
  if (!a)
    return;
  pthread_mutex_lock(&s->lock);
  bool last = --a->users == 0 && a->replaced;
  pthread_mutex_unlock(&s->lock);
  if (last)
    free_analysis(a);
}

/* The finished analysis becomes the document's, unless that is another one by now; then
 * everybody is told. */
static void settle(ww_lsp_job *j, ww_status st) {
  ww_lsp *s = j->s;
  ww_lsp_analysis *a = j->a;
  pthread_mutex_lock(&s->lock);
  if (j->token)
    progress(j, "end", NULL, -1);
  ww_lsp_document *d = ww_lsp_find(s, a->uri);
  bool fresh = d && d->serial == a->serial && !s->ending;
  if (fresh && st) { /* given up by the user: the text alone, until it changes */
    a->nkernels = 0;
    ww_fail(&a->error, WW_ECANCEL,
            "the analysis was cancelled; it starts again with the next change");
    kernels_of_text(a);
  }
  bool again = fresh && d->refresh;
  if (fresh) {
    d->refresh = false;
    ww_lsp_retire(d->current);
    d->current = a;
    /* in order with the next change, which needs the lock */
    ww_lsp_publish(s, a->uri, a);
    tell(s, a);
  }
  ww_unlink(s->jobs, j);
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  if (again)
    refresh(s);
  if (!fresh)
    free_analysis(a);
  free(j);
}

static void work(void *ctx) {
  ww_lsp_job *j = ctx;
  ww_lsp *s = j->s;
  pthread_mutex_lock(&s->lock);
  ww_lsp_document *d = ww_lsp_find(s, j->a->uri);
  if (d)
    d->queued = false;
  bool stale = !d || d->serial != j->a->serial || s->ending;
  j->began = ww_now();
  pthread_mutex_unlock(&s->lock);
  ww_status st = stale ? WW_ECANCEL : analyse(j);
  j->a->ms = 1e3 * (ww_now() - j->began);
  settle(j, st);
}

/* ---- the clock ---- */

static void hand_out(ww_lsp *s, ww_lsp_document *d) {
  ww_lsp_job *j = ww_xcalloc(1, sizeof *j);
  j->s = s;
  j->a = new_analysis(s, d);
  j->began = ww_now();
  j->next = s->jobs;
  d->due = 0;
  d->queued = true;
  s->jobs = j;
  if (ww_pool_submit(s->pool, work, j))
    return;
  s->jobs = j->next;
  d->queued = false;
  d->due = ww_now() + 0.05; /* the workers are behind */
  free_analysis(j->a);
  free(j);
}

/* Hands out what is due; returns when to look again. */
static double look(ww_lsp *s, double now) {
  double next = now + 3600;
  for (ww_lsp_document *d = s->documents; d; d = d->next) {
    if (d->due > 0 && d->due <= now && !d->queued)
      hand_out(s, d);
    if (d->due > now && d->due < next)
      next = d->due;
    if (d->due > 0 && d->due <= now && next > now + 0.02)
      next = now + 0.02; /* an older one still waits for a worker */
  }
  for (ww_lsp_job *j = s->jobs; j; j = j->next) {
    if (j->token || j->call || !s->can.progress)
      continue;
    if (now - j->began >= PROGRESS_S)
      begin_progress(j);
    else if (j->began + PROGRESS_S < next)
      next = j->began + PROGRESS_S;
  }
  return next;
}

static void *tick(void *ctx) {
  ww_lsp *s = ctx;
  pthread_mutex_lock(&s->lock);
  while (!s->ending)
    ww_cond_wait(&s->changed, &s->lock, look(s, ww_now()));
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

void ww_lsp_due(ww_lsp *s, ww_lsp_document *d, double seconds) {
  d->due = ww_now() + seconds;
  d->serial = ++s->serials;
  pthread_cond_broadcast(&s->changed);
}

bool ww_lsp_start(ww_lsp *s, ww_err *e) {
  s->pool = ww_pool_new(WORKERS, 64);
  s->clock_runs = s->pool && !pthread_create(&s->clock, NULL, tick, s);
  if (!s->clock_runs)
    ww_fail(e, WW_EIO, "cannot start threads");
  return s->clock_runs;
}

void ww_lsp_stop(ww_lsp *s) {
  pthread_mutex_lock(&s->lock);
  s->ending = true;
  for (ww_lsp_job *j = s->jobs; j; j = j->next)
    atomic_store(&j->cancelled, true);
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  if (s->clock_runs)
    pthread_join(s->clock, NULL);
  ww_pool_free(s->pool);
}

/* ---- whoever wants an analysis ---- */

static ww_lsp_analysis *provisional(const ww_lsp *s, ww_lsp_document *d) {
  ww_lsp_analysis *a = new_analysis(s, d);
  a->provisional = a->replaced = true; /* the caller's alone */
  a->users = 1;
  ww_fail(&a->error, WW_ECANCEL, "analysing ...");
  kernels_of_text(a);
  d->refresh = true;
  return a;
}

ww_lsp_analysis *
ww_lsp_await(ww_lsp *s, ww_rpc_call *c, const char *uri, double patience) {
  ww_lsp_analysis *a = NULL;
  const char *why = NULL; /* there is none */
  double until = patience > 0 ? ww_now() + patience : 0;
  pthread_mutex_lock(&s->lock);
  while (!a && !why) {
    ww_lsp_document *d = ww_lsp_find(s, uri);
    if (!d)
      why = "the document is not open";
    else if (d->generation > c->mark)
      why = "the document has changed since it was asked about";
    else if (ww_rpc_cancelled(c) || s->ending)
      why = "cancelled";
    else if (d->current && d->current->serial == d->serial) {
      a = d->current;
      a->users++;
    } else if (until > 0 && ww_now() > until)
      a = provisional(s, d);
    else /* nobody tells of a cancellation */
      ww_cond_wait(&s->changed, &s->lock, ww_now() + 0.05);
  }
  pthread_mutex_unlock(&s->lock);
  if (why) {
    ww_err e = {0};
    ww_fail(&e, WW_ECANCEL, "%s", why);
    ww_rpc_fail(c, &e);
  }
  return a;
}

ww_lsp_analysis *ww_lsp_closed(ww_lsp *s, ww_rpc_call *c, const char *uri) {
  ww_arena *a = c->arena;
  ww_lsp_document d = {.uri = ww_strdup(a, uri)};
  ww_err e = {0};
  d.path = (char *)ww_uri_path(uri, NULL, a);
  if (!d.path)
    ww_fail(&e, WW_EUSAGE, "'%.200s' is no file: URI", uri);
  else if (!ww_file_regular(d.path))
    ww_fail(&e, WW_EIO, "there is no file '%.200s'", d.path);
  else
    ww_read_file(a, d.path, 32 << 20, &d.text, &d.n, &e);
  if (e.code) {
    ww_rpc_fail(c, &e);
    return NULL;
  }
  pthread_mutex_lock(&s->lock);
  ww_lsp_configure(s, &d);
  ww_lsp_job j = {.s = s, .a = new_analysis(s, &d), .call = c};
  pthread_mutex_unlock(&s->lock);
  ww_lsp_config_drop(d.config);
  j.a->replaced = true;
  j.a->users = 1;
  if (!analyse(&j))
    return j.a;
  ww_rpc_fail(c, &(ww_err){.code = WW_ECANCEL, .msg = "cancelled"});
  free_analysis(j.a);
  return NULL;
}
