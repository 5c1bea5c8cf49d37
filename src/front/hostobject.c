/* hostobject.c - the host half of a program as object files, for a build that runs it against stand-ins for the GPU's runtime.
 *
 * The same command line as everywhere in the front end, with the shim's full declarations. A file may be device code with
 * host code, host code alone that still includes the runtime's headers, or plain C: what its name does not tell is tried in
 * that order. Nothing is left out to save the rest: a program that runs must be whole. */
#include "front_int.h"

int ww_front_dialect_of(const ww_front_options *o, ww_arena *a) {
  ww_flags flags;
  ww_flags_sort(o->flags, o->nflags, a, &flags);
  int d = o->dialect >= 0 ? o->dialect : flags.dialect;
  for (uint32_t i = 0; i < o->nfiles && d < 0; i++) {
    char *text;
    size_t n;
    ww_scan scan;
    if (ww_front_read(o->files[i], a, &text, &n, NULL) != WW_OK) continue;
    ww_scan_source(text, n, a, &scan);
    d = ww_front_dialect(o->files[i], &scan);
  }
  return d;
}

static bool ends(const char *s, const char *with) {
  size_t n = strlen(s), m = strlen(with);
  return n >= m && !strcmp(s + n - m, with);
}

static ww_status first_error(const ww_compiled *c, const char *file, ww_err *e) {
  const ww_msg *m = NULL;
  for (uint32_t i = 0; i < c->nmsgs && !m; i++)
    if (c->msgs[i].severity >= WW_MSG_ERROR) m = &c->msgs[i];
  ww_status rc = ww_fail(e, WW_EPARSE, "%s", m ? m->text : "clang failed without a message");
  if (e) {
    e->file = m && m->file ? m->file : file;
    e->line = m ? m->line : 0;
    e->col = m ? m->col : 0;
  }
  return rc;
}

static ww_status attempt(const ww_job *j, ww_arena *a, ww_err *e) {
  ww_compiled c = {0};
  ww_status rc = ww_clang_compile(j, a, &c, e);
  return rc != WW_OK || c.ok ? rc : first_error(&c, j->file, e);
}

/* A program's own `texture` or `surface` clashes with the prelude's references. */
static const ww_flags *own_textures(const ww_flags *f, ww_arena *a) {
  ww_flags *g = WW_NEW(a, ww_flags);
  *g = *f;
  g->cc1 = (ww_strs){0};
  for (uint32_t i = 0; i < f->cc1.n; i++) ww_push(a, &g->cc1, f->cc1.v[i]);
  ww_push(a, &g->cc1, "-D");
  ww_push(a, &g->cc1, "WW_NO_TEXTURE_REFERENCES");
  return g;
}

ww_status ww_front_host_object(const ww_front_options *o, uint32_t which, const char *object, ww_arena *a, ww_err *e) {
  ww_clang clang;
  ww_flags flags;
  const char *file = o->files[which];
  int d = ww_front_dialect_of(o, a);
  if (d < 0) d = WW_CUDA;
  ww_flags_sort(o->flags, o->nflags, a, &flags);
  ww_status rc = ww_clang_find(a, &clang, e);
  if (rc != WW_OK) return rc;
  ww_job j = {.clang = &clang,
              .dialect = (ww_dialect)d,
              .host = true,
              .flags = &flags,
              .file = file,
              .object = object,
              .no_cache = o->no_cache,
              .cl_std = "CL2.0"};
  bool c = ends(file, ".c");
  j.plain = d == WW_CUDA && c;
  rc = attempt(&j, a, e);
  if (rc != WW_EPARSE || d != WW_CUDA) return rc;
  if (!c && e && (strstr(e->msg, "'texture'") || strstr(e->msg, "'surface'"))) {
    j.flags = own_textures(&flags, a);
    return attempt(&j, a, e);
  }
  if (ends(file, ".cu")) return rc;
  j.plain = !j.plain;
  return attempt(&j, a, NULL) == WW_OK ? WW_OK : rc;
}
