/* lsp_documents.c - the documents that the editor has open: texts, versions, their
 * settings and flags; and when they are analysed: a clock hands those that are due to
 * workers.
 *
 * Handlers of changes run on the reading thread, in the order of the messages: a
 * request that follows a change sees it. They only note what changed; everything that
 * takes time is the analysis' business.
 *
 * An analysis is of one text of one document. It becomes the document's when that is
 * still its text; else nobody sees it. What is under way about an older text is
 * cancelled, so a burst of typing costs little more than its last change. */
#include "lsp_int.h"

#include <math.h>

#include "../front/compile_commands.h"

#define TEXT_MAX ((size_t)32 << 20) /* bytes; larger documents are left alone */
#define WORKERS                                                                    \
  4 /* analyses at a time: clang's run of an older text does not hold up the newer \
       one's */
#define PROGRESS_S 0.5 /* an analysis that takes longer shows its progress */

ww_lsp_document *ww_lsp_find(ww_lsp *s, const char *uri) {
  ww_lsp_document *d = s->documents;
  while (d && strcmp(d->uri, uri) != 0)
    d = d->next;
  return d;
}

bool ww_lsp_is_open(ww_lsp *s, const char *uri) {
  pthread_mutex_lock(&s->lock);
  bool open = ww_lsp_find(s, uri);
  pthread_mutex_unlock(&s->lock);
  return open;
}

void ww_lsp_log(ww_lsp *s, int type, const char *fmt, ...) {
  char text[2048];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  ww_rpc_tell(s->rpc, type <= 3 ? "window/showMessage" : "window/logMessage",
              "{type:%d,message:%s}", type, text);
}

/* ---- settings ---- */

static bool is_gpu(ww_lsp *s,
                   const char *name,
                   const char *where,
                   const char *setting,
                   ww_arena *a,
                   ww_problems *problems) {
  const ww_gpu *all;
  uint32_t n = ww_query_gpus(s->w, &all);
  if (ww_lsp_gpu(s, name))
    return true;
  ww_buf names = {0};
  for (uint32_t k = 0; k < n; k++)
    ww_buf_fmt(&names, "%s%s", k ? ", " : "", all[k].name);
  const char *text = ww_fmt(a, "%s: %s: there is no '%.60s'; known are %s", where,
                            setting, name, names.s);
  ww_push(a, problems, text);
  ww_buf_free(&names);
  return false;
}

static void check_gpus(ww_lsp *s, ww_settings *x, ww_arena *a, ww_problems *problems) {
  const char *where = x->project ? x->project : "settings";
  const char **good = WW_NEWN(a, const char *, x->ngpus + 1);
  uint32_t kept = 0;
  if (x->gpu && !is_gpu(s, x->gpu, where, "gpu", a, problems))
    x->gpu = NULL;
  for (uint32_t k = 0; k < x->ngpus; k++)
    if (is_gpu(s, x->gpus[k], where, "gpus", a, problems))
      good[kept++] = x->gpus[k];
  x->gpus = good;
  x->ngpus = kept;
}

/* Each problem once: files of a project share its settings. */
static void complain(ww_lsp *s, const ww_problems *p) {
  for (uint32_t k = 0; k < p->n; k++) {
    bool said = false;
    for (uint32_t i = 0; i < s->said.n; i++)
      said |= !strcmp(s->said.v[i], p->v[k]);
    if (said)
      continue;
    ww_push(s->arena, &s->said, ww_strdup(s->arena, p->v[k]));
    ww_lsp_log(s, 2, "%s", p->v[k]);
  }
}

void ww_lsp_config_drop(ww_lsp_config *c) {
  if (c && atomic_fetch_sub(&c->users, 1) == 1)
    ww_arena_free(c->arena);
}

void ww_lsp_configure(ww_lsp *s, ww_lsp_document *d) {
  ww_arena *a = ww_arena_new();
  ww_arena *scratch = ww_arena_new(); /* a compile_commands.json may be large */
  ww_lsp_config *c = WW_NEW(a, ww_lsp_config);
  ww_problems problems = {0};
  ww_strings build = {0};
  ww_err e = {0};
  *c = (ww_lsp_config){.users = 1, .arena = a, .settings = s->base};
  ww_settings_project(&c->settings, d->path, a, &problems);
  check_gpus(s, &c->settings, a, &problems);
  if (s->chosen)
    c->settings.gpu = s->chosen;
  if (ww_compile_flags(d->path, NULL, scratch, &build, &e))
    ww_push(a, &problems,
            ww_fmt(a, "%s: %s", e.file ? e.file : "compile_commands.json", e.msg));
  for (uint32_t k = 0; k < build.n; k++)
    ww_push(a, &c->flags, ww_strdup(a, build.v[k]));
  for (uint32_t k = 0; k < c->settings.nflags; k++)
    ww_push(a, &c->flags, c->settings.flags[k]);
  ww_arena_free(scratch);
  ww_lsp_config_drop(d->config);
  d->config = c;
  complain(s, &problems);
}

/* Under the lock. */
static void set_due(ww_lsp *s, ww_lsp_document *d, double seconds) {
  d->due = ww_now() + seconds;
  d->serial = ++s->serials;
  pthread_cond_broadcast(&s->changed);
}

void ww_lsp_again(ww_lsp *s, bool settings) {
  pthread_mutex_lock(&s->lock);
  for (ww_lsp_document *d = s->documents; d; d = d->next) {
    if (settings)
      ww_lsp_configure(s, d);
    d->refresh = true;
    set_due(s, d, 0);
  }
  pthread_mutex_unlock(&s->lock);
}

/* ---- open, change, close ---- */

static const cJSON *get(const cJSON *v, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(v, name);
}

const char *ww_lsp_uri(const ww_rpc_call *c) {
  return ww_member_text(get(ww_rpc_params(c), "textDocument"), "uri");
}

/* Nobody wants to know of its older texts. */
static void cancel_jobs(ww_lsp *s, const ww_lsp_document *d) {
  for (ww_lsp_job *j = s->jobs; j; j = j->next)
    if (!strcmp(j->a->uri, d->uri))
      atomic_store(&j->cancelled, true);
}

static void
take_text(ww_lsp *s, ww_lsp_document *d, char *text, size_t n, const cJSON *version) {
  if (text != d->text)
    free(d->text);
  d->text = text;
  d->n = n;
  if (cJSON_IsNumber(version) && fabs(version->valuedouble) < 1e15)
    d->version = version->valuedouble;
  d->generation = ++s->generation;
  cancel_jobs(s, d);
}

/* The document has another one now, or is gone; NULL: none. */
static void retire(ww_lsp_analysis *a) {
  if (!a)
    return;
  a->replaced = true;
  if (!a->users)
    ww_lsp_analysis_free(a);
}

static void forget(ww_lsp *s, ww_lsp_document *d) {
  ww_unlink(s->documents, d);
  cancel_jobs(s, d);
  retire(d->current);
  ww_lsp_config_drop(d->config);
  free(d->uri);
  free(d->path);
  free(d->lang);
  free(d->text);
  free(d);
}

void ww_lsp_documents_free(ww_lsp *s) {
  while (s->documents)
    forget(s, s->documents);
}

void ww_lsp_did_open(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  const cJSON *document = get(ww_rpc_params(c), "textDocument");
  const char *uri = ww_lsp_uri(c);
  const char *text = ww_member_text(document, "text");
  const char *lang = ww_member_text(document, "languageId");
  const char *path = uri ? ww_uri_path(uri, lang, c->arena) : NULL;
  if (!path || !text || strlen(text) > TEXT_MAX)
    return;
  pthread_mutex_lock(&s->lock);
  ww_lsp_document *d = ww_lsp_find(s, uri);
  if (!d) {
    d = ww_xcalloc(1, sizeof *d);
    d->uri = ww_xstrdup(uri);
    d->path = ww_xstrdup(path);
    d->lang = ww_xstrdup(lang ? lang : "");
    d->next = s->documents;
    s->documents = d;
  }
  take_text(s, d, ww_xstrdup(text), strlen(text), get(document, "version"));
  ww_lsp_configure(s, d);
  set_due(s, d, 0);
  pthread_mutex_unlock(&s->lock);
}

/* One change, of the whole text or of a range of what it is now. */
static bool edit(ww_lsp_document *d, const cJSON *change) {
  const char *text = ww_member_text(change, "text");
  ww_position from = {0};
  ww_position to = {UINT32_MAX, 0};
  if (!text || (get(change, "range") && !ww_range_read(change, &from, &to)))
    return false;
  size_t n = strlen(text);
  size_t begin = ww_text_offset(d->text, d->n, from);
  size_t end = ww_text_offset(d->text, d->n, to);
  if (end < begin)
    end = begin;
  size_t total = d->n - (end - begin) + n;
  if (total > TEXT_MAX)
    return false;
  char *next = ww_xmalloc(total + 1);
  memcpy(next, d->text, begin);
  memcpy(next + begin, text, n);
  memcpy(next + begin + n, d->text + end, d->n - end);
  next[total] = 0;
  free(d->text);
  d->text = next;
  d->n = total;
  return true;
}

/* A change that cannot be understood leaves us with another text than the editor has:
 * then nothing is said of the document. */
void ww_lsp_did_change(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  const cJSON *params = ww_rpc_params(c);
  const cJSON *document = get(params, "textDocument");
  const cJSON *change;
  const char *uri = ww_lsp_uri(c);
  bool good = true;
  pthread_mutex_lock(&s->lock);
  ww_lsp_document *d = uri ? ww_lsp_find(s, uri) : NULL;
  if (d) {
    cJSON_ArrayForEach(change, get(params, "contentChanges")) good =
        good && edit(d, change);
    if (good) {
      take_text(s, d, d->text, d->n, get(document, "version"));
      set_due(s, d, d->config->settings.debounce * 1e-3);
    } else {
      ww_lsp_log(s, 4,
                 "%s: a change that cannot be applied; close and open the document",
                 d->path);
      forget(s, d);
      ww_lsp_publish(s, uri, NULL);
    }
  }
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

void ww_lsp_did_close(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  const char *uri = ww_lsp_uri(c);
  pthread_mutex_lock(&s->lock);
  ww_lsp_document *d = uri ? ww_lsp_find(s, uri) : NULL;
  if (d) {
    forget(s, d);
    ww_lsp_publish(s, uri, NULL);
  }
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

/* What was saved may be a header of the others. */
void ww_lsp_did_save(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  const char *uri = ww_lsp_uri(c);
  bool settings = uri && strstr(uri, ".warpwise.json");
  pthread_mutex_lock(&s->lock);
  for (ww_lsp_document *d = s->documents; d && uri && !settings; d = d->next)
    if (strcmp(d->uri, uri) != 0) {
      d->refresh = true;
      set_due(s, d, 0);
    }
  pthread_mutex_unlock(&s->lock);
  if (settings)
    ww_lsp_again(s, true);
}

void ww_lsp_watched(void *server, ww_rpc_call *c) {
  (void)c;
  ww_lsp_again(server, true);
}

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

void ww_lsp_report_progress(ww_lsp_job *j,
                            const char *kernel,
                            uint32_t done,
                            uint32_t of) {
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

/* ---- analyses ---- */

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

void ww_lsp_let_go(ww_lsp *s, ww_lsp_analysis *a) {
  if (!a)
    return;
  pthread_mutex_lock(&s->lock);
  bool last = --a->users == 0 && a->replaced;
  pthread_mutex_unlock(&s->lock);
  if (last)
    ww_lsp_analysis_free(a);
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
    ww_lsp_declared(a);
  }
  bool again = fresh && d->refresh;
  if (fresh) {
    d->refresh = false;
    retire(d->current);
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
    ww_lsp_analysis_free(a);
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
  ww_status st = stale ? WW_ECANCEL : ww_lsp_analyse(j);
  j->a->ms = 1e3 * (ww_now() - j->began);
  settle(j, st);
}

/* ---- the clock ---- */

static void hand_out(ww_lsp *s, ww_lsp_document *d) {
  ww_lsp_job *j = ww_xcalloc(1, sizeof *j);
  j->s = s;
  j->a = ww_lsp_analysis_new(s, d);
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
  ww_lsp_analysis_free(j->a);
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
  ww_lsp_analysis *a = ww_lsp_analysis_new(s, d);
  a->provisional = a->replaced = true; /* the caller's alone */
  a->users = 1;
  ww_fail(&a->error, WW_ECANCEL, "analysing ...");
  ww_lsp_declared(a);
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
  ww_lsp_job j = {
      .s = s,
      .a = ww_lsp_analysis_new(s, &d),
      .call = c,
  };
  pthread_mutex_unlock(&s->lock);
  ww_lsp_config_drop(d.config);
  j.a->replaced = true;
  j.a->users = 1;
  if (!ww_lsp_analyse(&j))
    return j.a;
  ww_rpc_fail(c, &(ww_err){.code = WW_ECANCEL, .msg = "cancelled"});
  ww_lsp_analysis_free(j.a);
  return NULL;
}

ww_lsp_analysis *ww_lsp_asked(ww_lsp *s, ww_rpc_call *c, double patience) {
  const char *uri = ww_lsp_uri(c);
  if (uri && ww_lsp_is_open(s, uri))
    return ww_lsp_await(s, c, uri, patience);
  /* no document of ours: others have something to say about it */
  if (uri)
    ww_rpc_result(c, "null");
  else
    ww_rpc_fail(c, &(ww_err){.code = WW_EUSAGE, .msg = "textDocument.uri is missing"});
  return NULL;
}

/* ---- asking more about one ---- */

typedef struct {
  ww_lsp *s;
  const ww_lsp_analysis *a;
  ww_rpc_call *c;
} asking;

static bool has_changed(ww_lsp *s, const ww_lsp_analysis *a) {
  pthread_mutex_lock(&s->lock);
  const ww_lsp_document *d = ww_lsp_find(s, a->uri);
  bool changed = a->generation && (!d || d->generation != a->generation);
  pthread_mutex_unlock(&s->lock);
  return changed;
}

static bool is_over(void *ctx) {
  const asking *x = ctx;
  return ww_rpc_cancelled(x->c) || has_changed(x->s, x->a);
}

ww_status ww_lsp_ask(ww_lsp *s,
                     const ww_lsp_analysis *a,
                     ww_query_request *q,
                     ww_rpc_call *c,
                     ww_query_result *out,
                     ww_err *e) {
  q->cancelled = is_over;
  q->ctx = &(asking){s, a, c};
  ww_status st = ww_query_ask(s->w, q, c->arena, out, e);
  if (st && st != WW_ECANCEL)
    return st;
  return has_changed(s, a)
             ? ww_fail(e, WW_ECANCEL,
                       "the document has changed since it was asked about")
             : st;
}
