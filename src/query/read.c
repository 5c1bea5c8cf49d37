/* read.c - texts to IR, once for each text: what the workspace keeps of sources.
 *
 * A unit is found by its text and flags. The headers that it included are looked at
 * each time (size, time): a unit with a changed one is forgotten. The host half is
 * found by the text without the bodies of kernels, which the launches around them do
 * not depend on. */
#include "../front/scan.h"
#include "query_int.h"

#include <sys/stat.h>

typedef struct {
  const char *path;
  int64_t size, seconds, nanoseconds;
} header;

/* Launches of the host code, shared between texts that differ inside kernels alone. */
typedef struct {
  ww_arena *arena;   /* first, as in all that is kept */
  ww_host_launch *v; /* at the lines they had if kernels had no lines inside */
  uint32_t n;
} hosts;

typedef struct {
  ww_arena *arena;
  ww_unit unit;
  char *text;
  header *headers;
  uint32_t nheaders;
} kept_unit;

/* ---- headers ---- */

static header look_at(const char *path) {
  struct stat st;
  if (stat(path, &st))
    return (header){.path = path, .size = -1};
  return (header){path, st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
}

static bool is_fresh(const kept_unit *u) {
  for (uint32_t k = 0; k < u->nheaders; k++) {
    header then = u->headers[k];
    header now = look_at(then.path);
    if (memcmp(&now, &then, sizeof now))
      return false;
  }
  return true;
}

/* The source itself is the text we have, whatever the disk says; so is memory that the
 * compiler read it from. */
static void note_headers(const ww_source *s, kept_unit *u) {
  u->headers = WW_NEWN(u->arena, header, u->unit.nheaders);
  for (uint32_t k = 0; k < u->unit.nheaders; k++)
    if (strcmp(u->unit.headers[k], s->path) && !ww_starts(u->unit.headers[k], "/proc/"))
      u->headers[u->nheaders++] = look_at(u->unit.headers[k]);
}

/* ---- front end ---- */

ww_status
ww_query_front(const ww_source *s, ww_arena *a, ww_front_options *out, ww_err *e) {
  const char **paths = WW_NEWN(a, const char *, s->nmore + 1);
  paths[0] = s->path;
  for (uint32_t k = 0; k < s->nmore; k++)
    paths[k + 1] = s->more[k];
  *out = (ww_front_options){.files = paths,
                            .nfiles = s->nmore + 1,
                            .dialect = -1,
                            .no_sdk = s->no_sdk,
                            .flags = s->flags,
                            .nflags = s->nflags,
                            .instantiate = s->instantiate,
                            .ninstantiate = s->ninstantiate};
  for (int i = 0; s->lang && i < WW_NDIALECTS; i++)
    if (!strcmp(ww_dialect_names[i], s->lang))
      out->dialect = i;
  if (s->lang && out->dialect < 0)
    return ww_fail(e, WW_EUSAGE,
                   "%s: expected cuda, opencl, hip or openmp, not '%.40s'",
                   s->once ? "--lang" : "lang", s->lang);
  return WW_OK;
}

static ww_status options_of(ww_query *w,
                            const ww_source *s,
                            const char *text,
                            double deadline,
                            ww_arena *a,
                            ww_front_options *o,
                            ww_err *e) {
  ww_status st = ww_query_front(s, a, o, e);
  if (!s->once) {
    o->texts = WW_NEW(a, const char *);
    *o->texts = text;
    o->headers_later = o->list_headers = true;
  }
  if (w->root) {
    o->visible = &w->root;
    o->nvisible = 1;
    o->no_sdk = true;
  }
  o->deadline = deadline;
  if (!st && deadline > 0 && ww_now() >= deadline)
    st = ww_fail(e, WW_ELIMIT,
                 "the time for this request was over before its source was read");
  return st;
}

static ww_key with_all(ww_key k, const char **v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    k = ww_key_str(k, v[i]);
  return k;
}

static ww_key source_key(const ww_source *s, const char *text, size_t n) {
  ww_key k = ww_key_with(ww_key_of("unit", 4), text, n);
  k = ww_key_str(ww_key_str(k, s->path), s->lang);
  k = ww_key_with(k, &s->nflags, sizeof s->nflags);
  k = with_all(k, s->flags, s->nflags);
  k = with_all(k, s->instantiate, s->ninstantiate);
  return with_all(k, s->more, s->nmore);
}

/* Below the root, paths are told as seen from there: so clients name them. */
const char *ww_query_shown(const ww_query *w, const char *path) {
  size_t n = w->root ? strlen(w->root) : 0;
  return n && path && !strncmp(path, w->root, n) && path[n] == '/' ? path + n + 1
                                                                   : path;
}

static void shorten_all(const ww_query *w, ww_unit *u) {
  ww_module *m = &u->module;
  for (uint32_t k = 0; k < m->nfiles; k++)
    m->files[k] = ww_query_shown(w, m->files[k]);
  for (uint32_t k = 0; k < m->nfns; k++)
    m->fns[k].file = ww_query_shown(w, m->fns[k].file);
  for (uint32_t k = 0; k < u->ndiags; k++)
    u->diags[k].file = ww_query_shown(w, u->diags[k].file);
}

static ww_status load(ww_query *w,
                      const ww_source *s,
                      char *text,
                      ww_arena *a,
                      double deadline,
                      kept_unit **out,
                      ww_err *e) {
  kept_unit *u = WW_NEW(a, kept_unit);
  ww_front_options o;
  ww_source kept = *s;
  /* functions of the unit point to it: it outlives the asker */
  kept.path = ww_strdup(a, s->path);
  *u = (kept_unit){.arena = a, .text = text};
  ww_status st = options_of(w, &kept, text, deadline, a, &o, e);
  if (!st)
    st = ww_front_load(&o, a, &u->unit, e);
  if (st == WW_ELIMIT && deadline > 0 && ww_now() > deadline - 0.1)
    return ww_fail(
        e, st,
        "reading %.200s took longer than a request may; --seconds raises the limit",
        ww_query_shown(w, s->path));
  if (st)
    return st;
  note_headers(s, u);
  shorten_all(w, &u->unit);
  *out = u;
  return WW_OK;
}

/* ---- headers, precompiled beside ---- */

typedef struct {
  ww_arena *arena;
  ww_query *w;
  ww_source source;
} warming;

static void precompile(void *ctx) {
  warming *x = ctx;
  ww_front_options o;
  bool ending = atomic_load(&x->w->ending);
  if (!ending && !options_of(x->w, &x->source, x->source.text, 0, x->arena, &o, NULL))
    ww_front_precompile(&o);
  ww_arena_free(x->arena);
}

/* Once for each set of #include lines: clang parses standard headers several times as
 * long as a file of kernels. */
static void warm_up(ww_query *w, const ww_source *s, const char *text) {
  ww_key key = ww_key_str(ww_key_of("headers", 7), s->lang);
  bool any = false;
  void *known;
  for (const char *p = text; (p = strstr(p, "#include")); p++) {
    key = ww_key_with(key, p, strcspn(p, "\n"));
    any |= p[8 + strspn(p + 8, " \t")] == '<';
  }
  key = with_all(key, s->flags, s->nflags);
  if (!any)
    return;
  if (ww_memo_get(w->precompiled, key, 0, &known) == WW_MEMO_HIT) {
    ww_memo_release(w->precompiled, key, known);
    return;
  }
  ww_arena *a = ww_arena_new();
  warming *x = WW_NEW(a, warming);
  *x = (warming){
      a,
      w,
      {.path = ww_strdup(a, s->path), .text = ww_strdup(a, text), .nflags = s->nflags}};
  x->source.lang = ww_strdup(a, s->lang);
  x->source.flags = WW_NEWN(a, const char *, s->nflags);
  for (uint32_t k = 0; k < s->nflags; k++)
    x->source.flags[k] = ww_strdup(a, s->flags[k]);
  known = ww_xmalloc(1);
  ww_memo_put(w->precompiled, key, known, 1);
  ww_memo_release(w->precompiled, key, known);
  if (!ww_pool_submit(w->background, precompile, x))
    ww_arena_free(a); /* another time, when the key is forgotten */
}

/* ---- texts ---- */

bool ww_source_stale(ww_query *w, const ww_source *s) {
  return s->generation && ww_query_generation(w, s->path) != s->generation;
}

/* The caller's, the open document's or the disk's; into the arena. */
static ww_status text_of(
    ww_query *w, const ww_source *s, ww_arena *a, char **text, size_t *n, ww_err *e) {
  uint64_t generation = 0;
  *text = ww_strdup(a, s->text);
  pthread_mutex_lock(&w->lock);
  for (const document *d = w->documents; d && !s->text; d = d->next)
    if (!strcmp(d->path, s->path)) {
      generation = d->generation;
      *text = ww_strdup(a, d->text);
    }
  pthread_mutex_unlock(&w->lock);
  if (s->generation && !s->text && generation != s->generation)
    return ww_fail(e, WW_ECANCEL, "the document has changed since it was asked about");
  if (!*text)
    return ww_query_text(w, s->path, 32 << 20, a, text, n, e);
  *n = strlen(*text);
  return WW_OK;
}

ww_status ww_query_read(ww_query *w,
                        const ww_source *s,
                        double deadline,
                        ww_arena *asker,
                        ww_query_unit *out,
                        ww_err *e) {
  ww_arena *a = ww_arena_new();
  char *text;
  size_t n = 0;
  kept_unit *u = NULL;
  *out = (ww_query_unit){.source = *s};
  ww_status st = text_of(w, s, a, &text, &n, e);
  if (!st)
    out->key = source_key(s, text, n);
  while (!st && !u) {
    void *thing;
    ww_memo_answer answer = ww_memo_get(w->units, out->key, deadline, &thing);
    if (answer == WW_MEMO_HIT && is_fresh(thing))
      u = thing;
    else if (answer == WW_MEMO_HIT)
      ww_memo_forget(w->units, out->key, thing);
    else if (answer == WW_MEMO_LATE)
      st = ww_fail(e, WW_ELIMIT, "reading the source took longer than a request may");
    else {
      double t = ww_now();
      st = load(w, s, text, a, deadline, &u, e);
      out->read_ms = 1e3 * (ww_now() - t);
      out->clang_ms = u ? u->unit.clang_ms : 0;
      if (st)
        ww_memo_give_up(w->units, out->key);
      else {
        if (!s->once)
          warm_up(w, s, text);
        ww_memo_put(w->units, out->key, u, ww_arena_bytes(a));
        a = NULL; /* the unit's now */
      }
    }
  }
  /* it lies in what is freed here */
  if (st && e && e->file)
    e->file = ww_strdup(asker, ww_query_shown(w, e->file));
  ww_arena_free(a);
  if (st)
    return st;
  out->unit = &u->unit;
  out->text = u->text;
  out->kept = u;
  return WW_OK;
}

void ww_query_release(ww_query *w, ww_query_unit *r) {
  if (r->kept_hosts)
    ww_memo_release(w->hosts, r->hosts_key, r->kept_hosts);
  if (r->kept)
    ww_memo_release(w->units, r->key, r->kept);
  *r = (ww_query_unit){0};
}

/* ---- host code ---- */

/* Whether the body of the declaration counts as inside of a kernel; those before end at
 * `at`. */
static bool is_body(const ww_decl *d, uint32_t at) {
  return d->kernel && !d->tmpl && d->body && d->body >= at;
}

/* The text without what stands in kernels, lines and all: what becomes of their
 * launches does not depend on it. */
static ww_key host_key(const ww_source *s, const char *text, ww_arena *a) {
  ww_scan scan;
  size_t n = strlen(text);
  size_t kept = 0;
  char *masked = ww_strndup(a, text, n);
  uint32_t at = 0;
  ww_scan_source(text, n, a, &scan);
  for (uint32_t k = 0; k < scan.ndecls; k++) {
    const ww_decl *d = &scan.decls[k];
    if (!is_body(d, at))
      continue;
    memcpy(masked + kept, text + at, d->body - at);
    kept += d->body - at;
    at = d->body_end;
  }
  memcpy(masked + kept, text + at, n - at);
  return ww_key_with(source_key(s, masked, kept + n - at), "host", 4);
}

/* Lines of the text, to or from those of a text whose kernels have none inside. */
static void move_launches(const ww_source *s,
                          const char *text,
                          bool back,
                          ww_arena *a,
                          ww_host_launch *v,
                          uint32_t n) {
  ww_scan scan;
  ww_scan_source(text, strlen(text), a, &scan);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t line = v[i].line;
    uint32_t at = 0;
    uint32_t inside = 0;
    if (v[i].file && strcmp(ww_path_base(v[i].file), ww_path_base(s->path)))
      continue; /* a header's */
    for (uint32_t k = 0; k < scan.ndecls; k++) {
      const ww_decl *d = &scan.decls[k];
      if (!is_body(d, at))
        continue;
      uint32_t first = ww_scan_line(&scan, d->body);
      uint32_t last = ww_scan_line(&scan, d->body_end ? d->body_end - 1 : d->body);
      at = d->body_end;
      if ((back ? line + inside : line) <= first)
        break;
      inside += last - first;
    }
    v[i].line = back ? line + inside : line - inside;
  }
}

static ww_status read_hosts(ww_query *w,
                            const ww_source *s,
                            const char *text,
                            double deadline,
                            ww_arena *a,
                            hosts *h,
                            ww_err *e) {
  ww_front_options o;
  ww_err ignored = {0};
  *h = (hosts){.arena = a};
  ww_status st = options_of(w, s, text, deadline, a, &o, e);
  if (st)
    return st;
  if (ww_front_host_launches(&o, a, &h->v, &h->n, &ignored))
    h->n = 0;
  move_launches(s, text, false, a, h->v, h->n);
  return WW_OK;
}

ww_status ww_query_hosts(
    ww_query *w, ww_query_unit *r, double deadline, ww_arena *asker, ww_err *e) {
  const ww_source *s = &r->source;
  if (r->kept_hosts)
    return WW_OK;
  ww_arena *a = ww_arena_new();
  void *thing;
  r->hosts_key = host_key(s, r->text, a);
  ww_memo_answer answer = ww_memo_get(w->hosts, r->hosts_key, deadline, &thing);
  ww_status st = WW_OK;
  if (answer == WW_MEMO_LATE)
    st = ww_fail(e, WW_ELIMIT, "reading the host code took longer than a request may");
  if (answer == WW_MEMO_MAKE) {
    double t = ww_now();
    thing = WW_NEW(a, hosts);
    st = read_hosts(w, s, ww_strdup(a, r->text), deadline, a, thing, e);
    r->host_ms = 1e3 * (ww_now() - t);
    if (st)
      ww_memo_give_up(w->hosts, r->hosts_key);
    else {
      ww_memo_put(w->hosts, r->hosts_key, thing, ww_arena_bytes(a));
      a = NULL; /* its own now */
    }
  }
  ww_arena_free(a);
  if (st)
    return st;
  const hosts *h = r->kept_hosts = thing;
  ww_host_launch *v = WW_NEWN(asker, ww_host_launch, h->n + 1);
  for (uint32_t i = 0; i < h->n; i++)
    v[i] = h->v[i];
  move_launches(s, r->text, true, asker, v, h->n); /* to the lines of this text */
  r->launches = v;
  r->nlaunches = h->n;
  return WW_OK;
}
