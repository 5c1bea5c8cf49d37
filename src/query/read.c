/* read.c - sources: what stands in them, once for each text, as IR or, for the language
 * model, as text; which kernel of one is meant, and what is known of its launch.
 *
 * A unit is found by its text and flags. The headers that it included are looked at
 * each time (size, time): a unit with a changed one is forgotten. Without a workspace
 * the asker's own unit is all that is kept.
 *
 * What is known of a launch, weakest first: the host code's own <<<...>>>, the comment
 * in the source, what the caller gives. Each is put over the one before. */
#include "../front/scan.h"
#include "../trace/guess.h"
#include "input.h"
#include "query_int.h"
#include "../cuda/fatbin.h"
#include "../front/ptx.h"
#include "text.h"

#include <stdlib.h>
#include <sys/stat.h>

typedef struct {
  const char *path;
  int64_t size, seconds, nanoseconds;
} header;

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
  static const char *const compilers[] = {"clang", "nvcc"};
  if (!s->once) /* a server's answer does not wait for nvcc */
    out->via = WW_VIA_CLANG;
  for (int i = 0; s->via && i < 2; i++)
    if (!strcmp(s->via, compilers[i]))
      out->via = WW_VIA_CLANG + i;
  if (s->via && !out->via)
    return ww_fail(e, WW_EUSAGE, "--via: expected clang or nvcc, not '%.40s'", s->via);
  return WW_OK;
}

ww_status ww_query_options_of(const ww_query *w,
                              const ww_source *s,
                              const char *text,
                              double deadline,
                              ww_arena *a,
                              ww_front_options *o,
                              ww_err *e) {
  ww_status st = ww_query_front(s, a, o, e);
  if (!s->once || ww_ptx_begins(text)) { /* PTX may be of compiled code */
    o->texts = WW_NEWN(a, const char *, s->nmore + 1);
    *o->texts = text;
  }
  if (!s->once)
    o->headers_later = o->list_headers = true;
  if (w && w->root) {
    o->visible = (const char **)&w->root;
    o->nvisible = 1;
    o->no_sdk = true;
  }
  o->deadline = deadline;
  if (!st && deadline > 0 && ww_now() >= deadline)
    st = ww_fail(e, WW_ELIMIT,
                 "the time for this request was over before its source was read");
  return st;
}

ww_status ww_query_ptx(const ww_query *w,
                       const ww_query_unit *r,
                       double deadline,
                       ww_arena *a,
                       char **ptx,
                       ww_err *e) {
  ww_front_options o;
  size_t n;
  if (r->unit->module.dialect != WW_CUDA || ww_ptx_begins(r->text))
    return ww_fail(e, WW_EUSAGE, "nvcc makes PTX of CUDA sources alone");
  ww_status st = ww_query_options_of(w, &r->source, r->text, deadline, a, &o, e);
  return st ? st : ww_front_ptx(&o, a, ptx, &n, e);
}

static ww_key with_all(ww_key k, const char **v, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    k = ww_key_str(k, v[i]);
  return k;
}

ww_key ww_source_key(const ww_source *s, const char *text, size_t n) {
  ww_key k = ww_key_with(ww_key_of("unit", 4), text, n);
  k = ww_key_str(ww_key_str(ww_key_str(k, s->path), s->lang), s->via);
  k = ww_key_with(k, &s->nflags, sizeof s->nflags);
  k = with_all(k, s->flags, s->nflags);
  k = with_all(k, s->instantiate, s->ninstantiate);
  return with_all(k, s->more, s->nmore);
}

/* Below the root, paths are told as seen from there: so clients name them. */
const char *ww_query_shown(const ww_query *w, const char *path) {
  size_t n = w && w->root ? strlen(w->root) : 0;
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

/* ---- IR that is kept ---- */

/* WARPWISE_IR names a folder, and whoever has read a source leaves its IR there: for
 * work that reads the same sources again and again (training, evaluations), and to do
 * it on a machine without clang: a build without LLVM reads sources from there alone.
 * The key is the text of the files, their flags and our version; headers are not part
 * of it. NULL: there is no such folder. */
static const char *kept_path(const ww_front_options *o, ww_arena *a) {
  const char *folder = getenv("WARPWISE_IR");
  if (!folder || !*folder)
    return NULL;
  uint64_t key =
      ww_hash(WW_VERSION, strlen(WW_VERSION),
              (uint64_t)(o->dialect + 2) * 4 + 2 * (o->via == WW_VIA_NVCC) + o->no_sdk);
  for (uint32_t i = 0; i < o->nfiles; i++) {
    char *text = o->texts ? (char *)o->texts[i] : NULL;
    size_t n = text ? strlen(text) : 0;
    if (!text && ww_read_file(a, o->files[i], 64 << 20, &text, &n, NULL))
      return NULL;
    key = ww_hash(text, n, key);
  }
  for (uint32_t i = 0; i < o->nflags; i++)
    key = ww_hash(o->flags[i], strlen(o->flags[i]) + 1, key);
  for (uint32_t i = 0; i < o->ninstantiate; i++)
    key = ww_hash(o->instantiate[i], strlen(o->instantiate[i]) + 1, key + 1);
  return ww_fmt(a, "%s/%016llx.ir.zst", folder, (unsigned long long)key);
}

static bool read_kept(const char *path, ww_arena *a, ww_unit *out) {
  char *text;
  size_t n;
  if (!path || !ww_file_exists(path) ||
      ww_read_packed(a, path, 1 << 30, &text, &n, NULL))
    return false;
  *out = (ww_unit){0};
  return !ww_ir_parse(text, a, &out->module, NULL);
}

/* What cannot be told by the IR alone is not kept: what was left out of a file, regions
 * of OpenMP.
 */
static void write_kept(const char *path, const ww_unit *u) {
  ww_buf b = {0};
  bool kernels = false;
  for (uint32_t k = 0; k < u->module.nfns; k++)
    kernels |= u->module.fns[k].kernel;
  if (!path || u->partial || u->nregions || !kernels)
    return;
  ww_ir_print_module(&u->module, &b);
  ww_write_packed(path, b.s, b.n, 3, NULL);
  ww_buf_free(&b);
}

ww_status
ww_query_load(const ww_front_options *o, ww_arena *a, ww_unit *out, ww_err *e) {
  const char *path = kept_path(o, a);
  if (read_kept(path, a, out))
    return WW_OK;
  ww_status st = ww_front_load(o, a, out, e);
  /* what nvcc gave without being asked for is not clang's */
  if (!st && (!out->module.compiled || o->via == WW_VIA_NVCC))
    write_kept(path, out);
  return st;
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
  ww_status st = ww_query_options_of(w, &kept, text, deadline, a, &o, e);
  if (!st)
    st = ww_query_load(&o, a, &u->unit, e);
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
  if (!ending &&
      !ww_query_options_of(x->w, &x->source, x->source.text, 0, x->arena, &o, NULL))
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

/* The caller's or the disk's; into the arena. */
static ww_status text_of(const ww_query *w,
                         const ww_source *s,
                         ww_arena *a,
                         char **text,
                         size_t *n,
                         ww_err *e) {
  *text = ww_strdup(a, s->text);
  *n = s->text ? strlen(s->text) : 0;
  if (s->text)
    return WW_OK;
  ww_status st = ww_read_below(a, w ? w->root : NULL, s->path, 32 << 20, text, n, e);
  if (st || !ww_fatbin_given(*text, *n))
    return st;
  st = ww_fatbin_ptx(*text, *n, a, text, n, e); /* compiled code: its PTX */
  if (st && e)
    e->file = s->path;
  return st;
}

/* ---- reading ---- */

/* The unit of that key in the workspace, pinned; NULL and WW_OK: the caller makes it.
 */
static ww_status
find_unit(ww_query *w, ww_key key, double deadline, kept_unit **out, ww_err *e) {
  for (*out = NULL;;) {
    void *thing;
    ww_memo_answer answer = ww_memo_get(w->units, key, deadline, &thing);
    if (answer == WW_MEMO_MAKE)
      return WW_OK;
    if (answer == WW_MEMO_LATE)
      return ww_fail(e, WW_ELIMIT, "reading the source took longer than a request may");
    if (is_fresh(thing)) {
      *out = thing;
      return WW_OK;
    }
    ww_memo_forget(w->units, key, thing);
  }
}

static ww_status make_unit(ww_query *w,
                           const ww_source *s,
                           char *text,
                           double deadline,
                           ww_arena *a,
                           ww_query_unit *out,
                           ww_err *e) {
  double t = ww_now();
  kept_unit *u = NULL;
  ww_status st = load(w, s, text, a, deadline, &u, e);
  out->read_ms = 1e3 * (ww_now() - t);
  out->clang_ms = u ? u->unit.clang_ms : 0;
  if (!st && w && !s->once)
    warm_up(w, s, text);
  if (st && w)
    ww_memo_give_up(w->units, out->key);
  else if (w)
    ww_memo_put(w->units, out->key, u, ww_arena_bytes(a));
  out->kept = u;
  return st;
}

ww_status ww_query_read(ww_query *w,
                        const ww_source *s,
                        double deadline,
                        ww_arena *asker,
                        ww_query_unit *r,
                        ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_query_unit out = {.source = *s};
  char *text;
  size_t n = 0;
  ww_status st = text_of(w, s, a, &text, &n, e);
  if (!st)
    out.key = ww_source_key(s, text, n);
  bool same = !st && r->kept && !memcmp(&out.key, &r->key, sizeof out.key);
  if (same) { /* it is the one that was read before */
    out.kept = r->kept;
    out.kept_hosts = r->kept_hosts;
    out.hosts_key = r->hosts_key;
    out.launches = r->launches;
    out.nlaunches = r->nlaunches;
  } else
    ww_query_release(w, r);
  kept_unit *u = out.kept;
  if (!st && !u && w)
    st = find_unit(w, out.key, deadline, &u, e);
  if (!st && !u && !(st = make_unit(w, s, text, deadline, a, &out, e))) {
    u = out.kept;
    a = NULL; /* the unit's now */
  }
  /* it lies in what is freed here */
  if (st && e && e->file)
    e->file = ww_strdup(asker, ww_query_shown(w, e->file));
  ww_arena_free(a);
  *r = (ww_query_unit){0};
  if (st)
    return st;
  out.unit = &u->unit;
  out.text = u->text;
  out.kept = u;
  *r = out;
  return WW_OK;
}

void ww_query_release(ww_query *w, ww_query_unit *r) {
  if (w && r->kept_hosts)
    ww_memo_release(w->hosts, r->hosts_key, r->kept_hosts);
  if (w && r->kept)
    ww_memo_release(w->units, r->key, r->kept);
  /* all that is kept begins with the arena that it lies in */
  if (!w && r->kept_hosts)
    ww_arena_free(*(ww_arena **)r->kept_hosts);
  if (!w && r->kept)
    ww_arena_free(*(ww_arena **)r->kept);
  *r = (ww_query_unit){0};
}

/* ---- the launch comment ---- */

/* `// warpwise: grid=n/256 block=256 n=1<<20` gives a kernel its launch. */
static const char mark[] = "warpwise:";

/* Text behind the mark up to the end of its line or comment. */
static const char *text_at(const ww_scan *s, uint32_t at, ww_arena *a) {
  uint32_t i = at + strlen(mark);
  uint32_t end = i;
  while (end < s->n && s->text[end] != '\n' && s->kind[end] == WW_BYTE_COMMENT)
    end++;
  if (end - i >= 2 && !memcmp(s->text + end - 2, "*/", 2))
    end -= 2;
  while (i < end && strchr(" \t", s->text[i]))
    i++;
  while (end > i && strchr(" \t\r", s->text[end - 1]))
    end--;
  return ww_strndup(a, s->text + i, end - i);
}

/* Bytes that belong to a kernel for this purpose: its declaration and all comments
 * above it. */
static uint32_t reach_up(const ww_scan *s, uint32_t begin) {
  while (begin && (s->kind[begin - 1] == WW_BYTE_COMMENT ||
                   strchr(" \t\r\n", s->text[begin - 1])))
    begin--;
  return begin;
}

/* Whether the byte belongs to a kernel: then it says nothing about others. */
static bool is_of_a_kernel(const ww_scan *s, uint32_t at) {
  for (uint32_t i = 0; i < s->ndecls; i++)
    if (s->decls[i].kernel && at >= reach_up(s, s->decls[i].begin) &&
        at < s->decls[i].end)
      return true;
  return false;
}

const char *ww_source_comment(const char *text, size_t n, uint32_t line, ww_arena *a) {
  ww_scan s;
  if (!strstr(text, mark))
    return NULL;
  ww_scan_source(text, n, a, &s);
  const ww_decl *d = ww_scan_decl_at(&s, ww_scan_offset(&s, line, 1));
  for (uint32_t i = 0; i < s.ndecls && !d;
       i++) /* the line of the name inside a longer declaration */
    if (s.decls[i].line == line)
      d = &s.decls[i];
  uint32_t lo = d ? reach_up(&s, d->begin) : 0;
  uint32_t hi = d ? d->end : 0;
  uint32_t count = 0;
  const char *only = NULL;
  for (const char *p = text; (p = strstr(p, mark)); p += strlen(mark)) {
    uint32_t at = p - text;
    if (s.kind[at] != WW_BYTE_COMMENT)
      continue;
    if (d && at >= lo && at < hi)
      return text_at(&s, at, a);
    count++;
    only = p;
  }
  return count == 1 && !is_of_a_kernel(&s, only - text) ? text_at(&s, only - text, a)
                                                        : NULL;
}

/* ---- the kernel ---- */

static ww_status
no_kernel(const ww_unit *u, const char *file, const char *asked, ww_err *e) {
  const ww_module *m = &u->module;
  ww_buf names = {0};
  uint32_t n = 0;
  ww_status st;
  for (uint32_t k = 0; k < m->nfns; k++)
    if (m->fns[k].kernel && names.n < 300)
      ww_buf_fmt(&names, "%s%s", n++ ? ", " : "", m->fns[k].name);
  if (!n) {
    const char *why = NULL; /* templates that nobody instantiates */
    for (uint32_t k = 0; k < u->ndiags && !why; k++)
      why = u->diags[k].file ? u->diags[k].message : NULL;
    st = ww_fail(e, WW_EDATA, "there is no kernel in %s%s%s", file, why ? ": " : "",
                 why ? why : "");
    if (e && !why)
      e->reason = WW_REASON_NO_KERNEL;
  } else if (asked)
    st = ww_fail(e, WW_EUSAGE,
                 "%s has no kernel `%s` (or several of that name); it has %s", file,
                 asked, names.s);
  else
    st = ww_fail(e, WW_EUSAGE, "%s has several kernels, name one with --kernel: %s",
                 file, names.s);
  ww_buf_free(&names);
  return st;
}

ww_status ww_kernel_find(
    const ww_unit *u, const char *file, const char *name, const ww_fn **fn, ww_err *e) {
  const ww_module *m = &u->module;
  uint32_t kernels = 0;
  *fn = name ? ww_ir_find(m, name) : NULL;
  for (uint32_t k = 0; !name && k < m->nfns; k++)
    if (m->fns[k].kernel && kernels++ == 0)
      *fn = &m->fns[k];
  if (*fn && kernels <= 1)
    return WW_OK;
  *fn = NULL;
  return no_kernel(u, file, name, e);
}

/* ---- the launch ---- */

/* Does it say all that can be said? Then nobody has to look for more. */
static bool is_complete(const ww_launch *l, const ww_fn *fn) {
  return (l->grid[0] || l->grid_expr[0]) && (l->block[0] || l->block_expr[0]) &&
         l->nargs >= fn->nparams;
}

/* The host code's launch of the kernel; NULL: none. One whose grid is no constant gives
 * block and arguments, but is not said to be the launch. */
static const ww_launch *host_launch(const ww_query_unit *r,
                                    const ww_fn *fn,
                                    ww_arena *a,
                                    ww_assumptions *said) {
  for (uint32_t k = 0; k < r->nlaunches; k++) {
    const ww_host_launch *h = &r->launches[k];
    if (strcmp(h->kernel, fn->mangled) && !ww_ir_same_internal(h->kernel, fn->mangled))
      continue;
    const char *file = ww_path_base(h->file ? h->file : fn->file);
    if (h->launch.grid[0])
      ww_push(a, said,
              (ww_assumption){WW_ASSUME_HOST_LAUNCH, ww_strdup(a, file), {h->line}});
    if (h->defaults && h->launch.grid[0])
      ww_push(a, said, (ww_assumption){WW_ASSUME_HOST_DEFAULTS, NULL, {0}});
    return &h->launch;
  }
  return NULL;
}

/* Is it in the source itself, not in a header? The compiler tells a path that begins at
 * the root, the asker's may begin here. */
static bool
is_own(const ww_query *w, const ww_query_unit *r, const ww_fn *fn, ww_arena *a) {
  const char *path = ww_query_shown(w, r->source.path);
  return !fn->file || !strcmp(fn->file, path) ||
         (path[0] != '/' && ww_ends(fn->file, ww_fmt(a, "/%s", path)));
}

/* The kernel's `// warpwise:` comment; NULL: none. Of a kernel that stands in a header,
 * the disk's. A header that is there and cannot be read is an error: its launch would
 * be assumed. */
static ww_status comment_of(const ww_query *w,
                            const ww_query_unit *r,
                            const ww_fn *fn,
                            ww_arena *a,
                            const char **out,
                            ww_err *e) {
  const char *text = r->text;
  size_t n = strlen(text);
  *out = NULL;
  if (!is_own(w, r, fn, a)) {
    char *included;
    const char *root = w ? w->root : NULL;
    bool named_by_line = !root && !ww_file_exists(fn->file);
    ww_status st = named_by_line
                       ? WW_EIO
                       : ww_read_below(a, root, fn->file, 64 << 20, &included, &n, e);
    if (st)
      return named_by_line || root ? WW_OK : st;
    text = included;
  }
  *out = ww_source_comment(text, n, fn->line, a);
  return WW_OK;
}

/* A block of as many threads as were asked for, in the shape that the launch has; a
 * grid that does not count blocks by themselves goes with it, unless it was asked for
 * too. */
static void reshape(ww_query_kernel *k, bool own_grid, ww_arena *a) {
  ww_launch *l = &k->launch;
  uint64_t was[3];
  bool moved = false;
  if (!l->threads || !l->block[0])
    return; /* with no block known, the guess has so many threads */
  memcpy(was, l->block, sizeof was);
  ww_block_reshape(was, l->threads, l->block);
  for (int d = 0; d < 3 && l->grid[0] && !own_grid; d++) {
    uint64_t blocks = l->grid[d] ? l->grid[d] : 1;
    uint64_t each = was[d] ? was[d] : 1;
    if (l->block[d] == each || !ww_counts_threads(k->fn, d, a))
      continue;
    l->grid[d] = (blocks * each + l->block[d] - 1) / l->block[d];
    moved = true;
  }
  l->threads = 0;
  if (was[1] * was[2] > 1)
    ww_push(a, &k->said,
            (ww_assumption){
                WW_ASSUME_KEPT_BLOCK, NULL, {l->block[0], l->block[1], l->block[2]}});
  if (moved)
    ww_push(a, &k->said,
            (ww_assumption){WW_ASSUME_KEPT_THREADS,
                            NULL,
                            {l->grid[0], l->grid[1] ? l->grid[1] : 1,
                             l->grid[2] ? l->grid[2] : 1}});
}

ww_status ww_query_launch(ww_query *w,
                          ww_query_unit *r,
                          double deadline,
                          ww_arena *a,
                          ww_query_kernel *k,
                          ww_err *e) {
  ww_launch *launch = &k->launch;
  bool own_grid = launch->grid[0] || launch->grid_expr[0];
  const char *comment = NULL;
  const ww_launch *host = NULL;
  ww_status st =
      k->fn ? WW_OK : ww_query_kernel_in(w, r, deadline, a, launch->kernel, &k->fn, e);
  if (st)
    return st;
  if (k->under_comment || !is_complete(launch, k->fn))
    st = comment_of(w, r, k->fn, a, &comment, e);
  if (k->under_comment && comment)
    *launch = (ww_launch){.file = launch->file, .kernel = launch->kernel};
  if (!st && !comment && !launch->grid[0] && !launch->grid_expr[0]) {
    st = ww_query_hosts(w, r, deadline, a, e);
    host = st ? NULL : host_launch(r, k->fn, a, &k->said);
  }
  if (st)
    return st;
  if (!host)
    host = ww_triton_launch(w, r, a, k);
  k->commented = comment;
  ww_launch_params params = ww_kernel_params(&r->unit->module, k->fn, a);
  params.root = w ? w->root : NULL;
  bool resolve = !k->fn->refusal && !r->source.as_written;
  st = ww_launch_settle(launch, comment, host, resolve ? &params : NULL, a, e);
  if (!st && resolve)
    reshape(k, own_grid, a);
  return st;
}

ww_status ww_query_find(ww_query *w,
                        const ww_source *s,
                        double deadline,
                        ww_arena *a,
                        ww_query_unit *r,
                        ww_query_kernel *k,
                        ww_err *e) {
  ww_status st = ww_query_read(w, s, deadline, a, r, e);
  return st ? st : ww_query_launch(w, r, deadline, a, k, e);
}

const char *ww_query_comment(const ww_query *w,
                             const ww_query_unit *r,
                             const ww_fn *fn,
                             ww_arena *a) {
  return is_own(w, r, fn, a) ? ww_source_comment(r->text, strlen(r->text), fn->line, a)
                             : NULL;
}

/* ---- sources as text ---- */

void ww_text_reader_free(ww_text_reader *s) {
  ww_arena_free(s->arena);
  *s = (ww_text_reader){0};
}

static const char *key_of(const ww_launch *l, ww_arena *a) {
  const char *key = ww_fmt(a, "%s\n%s", l->file, l->kernel ? l->kernel : "");
  for (uint32_t k = 0; k < l->nflags; k++)
    key = ww_fmt(a, "%s\n%s", key, l->flags[k]);
  return key;
}

/* With the headers of its project, which may have the kernel; where they only disturb,
 * the file alone. */
static ww_status read_question(
    ww_text_reader *s, const ww_launch *l, char **text, size_t *n, ww_err *e) {
  ww_text_file file = {.path = l->file, .flags = l->flags, .nflags = l->nflags};
  ww_question_kernel *alone;
  char *own;
  size_t nown;
  ww_status st = ww_text_load(&file, s->arena, text, n, e);
  if (!st)
    st = ww_question_read(*text, *n, l->kernel, l->flags, l->nflags, s->arena,
                          &s->kernel, e);
  if (st == WW_EUSAGE || (!st && !ww_question_is_raw(s->kernel)) ||
      ww_read_file(s->arena, l->file, 64 << 20, &own, &nown, NULL) || nown == *n)
    return st;
  if (!ww_question_read(own, nown, l->kernel, l->flags, l->nflags, s->arena, &alone,
                        NULL) &&
      !ww_question_is_raw(alone)) {
    s->kernel = alone;
    *text = own;
    *n = nown;
  }
  return st;
}

static ww_status
load_text(ww_text_reader *s, const ww_launch *l, ww_arena *a, ww_err *e) {
  const char *key = key_of(l, a);
  char *text;
  size_t n;
  uint32_t line;
  if (s->key && !strcmp(s->key, key))
    return WW_OK;
  ww_text_reader_free(s);
  s->arena = ww_arena_new();
  ww_status st = ww_input_check(l->file, e);
  if (!st)
    st = read_question(s, l, &text, &n, e);
  if (st) {
    if (!e->file)
      e->file = l->file;
    ww_text_reader_free(s);
    return st;
  }
  ww_question_name(s->kernel, &line);
  s->comment = line ? ww_source_comment(text, n, line, s->arena) : NULL;
  s->key = ww_strdup(s->arena, key);
  return WW_OK;
}

/* A launch may pass more than the source tells of, or the source tells nothing: what
 * it passes then has no name but its own. */
static void match_arguments(const ww_launch *l, ww_launch_params *p, ww_arena *a) {
  uint32_t n = p->n > l->nargs ? p->n : l->nargs;
  const char **names = WW_NEWN(a, const char *, n + 1);
  uint32_t *bytes = WW_NEWN(a, uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    bool known = i < p->n;
    names[i] = known ? p->names[i] : l->args[i].name ? l->args[i].name : "";
    bytes[i] = known ? p->elem_bytes[i] : 4;
  }
  *p = (ww_launch_params){.n = n, .names = names, .elem_bytes = bytes};
}

ww_status ww_text_reader_ready(
    ww_text_reader *s, ww_launch *l, ww_arena *a, ww_assumptions *said, ww_err *e) {
  ww_launch_params p = {0};
  ww_status st = load_text(s, l, a, e);
  if (st)
    return st;
  p.n = ww_question_params(s->kernel, &p.names, &p.elem_bytes, a);
  if (ww_question_is_raw(s->kernel) || (l->nargs > p.n && !l->args[p.n].name))
    match_arguments(l, &p, a);
  bool whole = l->grid[0] && l->block[0] && l->nargs >= p.n;
  st = ww_launch_settle(l, whole ? NULL : s->comment, NULL, &p, a, e);
  if (!st && !(l->grid[0] && l->block[0]))
    st = ww_fail(e, WW_EUSAGE,
                 "%s: its grid and block are not known: say --grid and --block, give a "
                 "launch spec "
                 "(--launch), or a comment "
                 "`// warpwise: grid=n/256 block=256 n=1<<20`",
                 ww_question_name(s->kernel, NULL));
  for (uint32_t k = 0; !st && said && k < l->nargs && k < p.n; k++)
    if (l->args[k].kind == WW_ARG_NONE)
      ww_push(a, said,
              (ww_assumption){WW_ASSUME_NOT_GIVEN, ww_strdup(a, p.names[k]), {0}});
  return st;
}
