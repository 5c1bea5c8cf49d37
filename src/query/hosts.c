/* hosts.c - the launches of the host code, read once for each text of it.
 *
 * The host half is found by the text without the bodies of kernels, which the launches
 * around them do not depend on. */
#include "../front/scan.h"
#include "query_int.h"

/* Launches of the host code, shared between texts that differ inside kernels alone. */
typedef struct {
  ww_arena *arena;   /* first, as in all that is kept */
  ww_host_launch *v; /* at the lines they had if kernels had no lines inside */
  uint32_t n;
} hosts;

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
  return ww_key_with(ww_source_key(s, masked, kept + n - at), "host", 4);
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
  ww_status st = ww_query_options_of(w, s, text, deadline, a, &o, e);
  if (st)
    return st;
  if (ww_front_host_launches(&o, a, &h->v, &h->n, &ignored))
    h->n = 0;
  move_launches(s, text, false, a, h->v, h->n);
  return WW_OK;
}

/* Of a workspace, which may have them; NULL: e says why not. */
static hosts *
kept_hosts(ww_query *w, ww_query_unit *r, ww_key key, double deadline, ww_err *e) {
  const ww_source *s = &r->source;
  void *thing = NULL;
  if (w) {
    ww_memo_answer answer = ww_memo_get(w->hosts, key, deadline, &thing);
    if (answer == WW_MEMO_HIT)
      return thing;
    if (answer == WW_MEMO_LATE) {
      ww_fail(e, WW_ELIMIT, "reading the host code took longer than a request may");
      return NULL;
    }
  }
  ww_arena *a = ww_arena_new();
  hosts *h = WW_NEW(a, hosts);
  double t = ww_now();
  ww_status st = read_hosts(w, s, ww_strdup(a, r->text), deadline, a, h, e);
  r->host_ms = 1e3 * (ww_now() - t);
  if (st && w)
    ww_memo_give_up(w->hosts, key);
  else if (!st && w)
    ww_memo_put(w->hosts, key, h, ww_arena_bytes(a));
  if (!st)
    return h;
  ww_arena_free(a);
  return NULL;
}

ww_status ww_query_hosts(
    ww_query *w, ww_query_unit *r, double deadline, ww_arena *asker, ww_err *e) {
  if (r->kept_hosts)
    return WW_OK;
  ww_arena *scratch = ww_arena_new();
  r->hosts_key = host_key(&r->source, r->text, scratch);
  ww_arena_free(scratch);
  const hosts *h = r->kept_hosts = kept_hosts(w, r, r->hosts_key, deadline, e);
  if (!h)
    return e->code;
  ww_host_launch *v = WW_NEWN(asker, ww_host_launch, h->n + 1);
  for (uint32_t i = 0; i < h->n; i++)
    v[i] = h->v[i];
  /* to the lines of this text */
  move_launches(&r->source, r->text, true, asker, v, h->n);
  r->launches = v;
  r->nlaunches = h->n;
  return WW_OK;
}
