/* hostobject.c - the host half of a program as object files, for a build that runs it against
 * stand-ins for the GPU's runtime.
 *
 * The same command line as everywhere in the front end, with the shim's full declarations. A file
 * may be device code with host code, host code alone that still includes the runtime's headers, or
 * plain C: what its name does not tell is tried in that order. Nothing is left out to save the
 * rest: a program that runs must be whole. */
#include "front_int.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

int ww_front_dialect_of(const ww_front_options *o, ww_arena *a) {
  ww_flags flags;
  ww_flags_sort(o->flags, o->nflags, a, &flags);
  int d = o->dialect >= 0 ? o->dialect : flags.dialect;
  for (uint32_t i = 0; i < o->nfiles && d < 0; i++) {
    char *text;
    size_t n;
    ww_scan scan;
    if (ww_front_text(o, i, a, &text, &n, NULL) != WW_OK)
      continue;
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
    if (c->msgs[i].severity >= WW_MSG_ERROR)
      m = &c->msgs[i];
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
  for (uint32_t i = 0; i < f->cc1.n; i++)
    ww_push(a, &g->cc1, f->cc1.v[i]);
  ww_push(a, &g->cc1, "-D");
  ww_push(a, &g->cc1, "WW_NO_TEXTURE_REFERENCES");
  return g;
}

/* ---- `k << <grid, block>> >(args)`: nvcc lets the brackets stand apart ---- */

static char *joined_launches(const char *file, ww_arena *a, size_t *n) {
  char *text;
  ww_scan scan;
  bool any = false;
  if (ww_front_read(file, a, &text, n, NULL) != WW_OK)
    return NULL;
  ww_scan_source(text, *n, a, &scan);
  for (size_t i = 0; i + 4 < *n; i++) {
    bool opens = !memcmp(text + i, "<< <", 4), closes = !memcmp(text + i, ">> >", 4);
    if ((!opens && !closes) || scan.kind[i] != WW_BYTE_CODE)
      continue;
    if (closes && text[i + 4 + strspn(text + i + 4, " \t")] != '(')
      continue;
    memcpy(text + i, opens ? "<<< " : " >>>", 4); /* columns of the rest stay */
    any = true;
  }
  return any ? text : NULL;
}

/* The file as clang sees it under its own name; the descriptors go to fd. */
static const char *overlay_of(const char *file, const char *text, size_t n, int fd[2],
                              ww_arena *a) {
  const char *contents, *overlay;
  char real[PATH_MAX];
  ww_buf b = {0};
  ww_json j = {0};
  if (!realpath(file, real) || (fd[0] = ww_memfd(text, n, a, &contents)) < 0)
    return NULL;
  ww_json_begin(&j, &b);
  ww_json_obj(&j);
  ww_json_kint(&j, "version", 0);
  ww_json_kstr(&j, "case-sensitive", "true");
  ww_json_kstr(&j, "use-external-names", "false");
  ww_json_key(&j, "roots");
  ww_json_arr(&j);
  for (int k = 0; k < 2; k++) { /* as it is named, and as it is found */
    if (k && !strcmp(file, real))
      continue;
    ww_json_obj(&j);
    ww_json_kstr(&j, "name", k ? real : file[0] == '/' ? file : real);
    ww_json_kstr(&j, "type", "file");
    ww_json_kstr(&j, "external-contents", contents);
    ww_json_end_obj(&j);
    if (file[0] != '/')
      break;
  }
  ww_json_end_arr(&j);
  ww_json_end_obj(&j);
  fd[1] = ww_memfd(b.s, b.n, a, &overlay);
  ww_buf_free(&b);
  return fd[1] < 0 ? NULL : overlay;
}

static ww_status attempt_joined(ww_job *j, ww_arena *a, ww_err *e) {
  int fd[2] = {-1, -1};
  size_t n;
  const char *text = joined_launches(j->file, a, &n);
  if (!text)
    return WW_EPARSE;
  j->overlay = overlay_of(j->file, text, n, fd, a);
  ww_status rc = j->overlay ? attempt(j, a, e) : WW_EPARSE;
  for (int k = 0; k < 2; k++)
    if (fd[k] >= 0)
      ww_memfd_close(fd[k]);
  j->overlay = NULL;
  return rc;
}

static bool is_c(const char *file) {
  return ends(file, ".c");
}

/* Other ways when the first fails; the first one's error is what the user hears. */
static ww_status other_ways(ww_job *j, const ww_err *first, ww_arena *a) {
  ww_err e;
  ww_status rc = attempt_joined(j, a, &e);
  if (rc == WW_OK)
    return rc;
  if (!j->plain && (strstr(first->msg, "'texture'") || strstr(first->msg, "'surface'"))) {
    j->flags = own_textures(j->flags, a);
    return attempt(j, a, &e);
  }
  if (ends(j->file, ".cu"))
    return WW_EPARSE;
  j->plain = !j->plain;
  return attempt(j, a, &e);
}

ww_status ww_front_host_object(const ww_front_options *o, uint32_t which, const char *object,
                               ww_arena *a, ww_err *e) {
  ww_clang clang;
  ww_flags flags;
  ww_err first = {0};
  const char *file = o->files[which];
  int d = ww_front_dialect_of(o, a);
  if (d < 0)
    d = WW_CUDA;
  ww_flags_sort(o->flags, o->nflags, a, &flags);
  ww_status rc = ww_clang_find(a, &clang, e);
  if (rc == WW_OK)
    rc = ww_write_file_atomic(object, "", 0, e); /* clang may write to it, but not make files */
  if (rc != WW_OK)
    return rc;
  ww_job j = {.clang = &clang,
              .dialect = (ww_dialect)d,
              .host = true,
              .flags = &flags,
              .file = file,
              .object = object,
              .no_cache = o->no_cache,
              .cl_std = "CL2.0",
              .plain = d == WW_CUDA && is_c(file)};
  rc = attempt(&j, a, &first);
  if (rc == WW_EPARSE && d == WW_CUDA && other_ways(&j, &first, a) == WW_OK)
    return WW_OK;
  if (rc != WW_OK && e)
    *e = first;
  return rc;
}
