/* lsp_documents.c - the documents that the editor has open: texts, versions, their
 * settings and flags.
 *
 * These handlers run on the reading thread, in the order of the messages: a request
 * that follows a change sees it. They only note what changed; everything that takes
 * time is the analysis' business. */
#include "lsp_int.h"

#include <math.h>

#include "../front/compile_commands.h"

#define TEXT_MAX ((size_t)32 << 20) /* bytes; larger documents are left alone */

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

void ww_lsp_again(ww_lsp *s, bool settings) {
  pthread_mutex_lock(&s->lock);
  for (ww_lsp_document *d = s->documents; d; d = d->next) {
    if (settings)
      ww_lsp_configure(s, d);
    d->refresh = true;
    ww_lsp_due(s, d, 0);
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

static void
take_text(ww_lsp *s, ww_lsp_document *d, char *text, size_t n, const cJSON *version) {
  if (text != d->text)
    free(d->text);
  d->text = text;
  d->n = n;
  if (cJSON_IsNumber(version) && fabs(version->valuedouble) < 1e15)
    d->version = version->valuedouble;
  s->generation = d->generation = ww_query_change(s->w, d->path, text);
}

static void forget(ww_lsp *s, ww_lsp_document *d) {
  ww_unlink(s->documents, d);
  ww_query_close(s->w, d->path);
  ww_lsp_retire(d->current);
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
  ww_lsp_due(s, d, 0);
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
      ww_lsp_due(s, d, d->config->settings.debounce * 1e-3);
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
      ww_lsp_due(s, d, 0);
    }
  pthread_mutex_unlock(&s->lock);
  if (settings)
    ww_lsp_again(s, true);
}

void ww_lsp_watched(void *server, ww_rpc_call *c) {
  (void)c;
  ww_lsp_again(server, true);
}
