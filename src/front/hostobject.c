/* hostobject.c - the host half of a program as object files, for a build that runs it
 * against stand-ins for the GPU's runtime.
 *
 * The same command line as everywhere in the front end, with the shim's full
 * declarations. A file may be device code with host code, host code alone that still
 * includes the runtime's headers, or plain C: what its name does not tell is tried in
 * that order. Nothing is left out to save the rest: a program that runs must be whole.
 */
#include "front_int.h"

#include <limits.h>
#include <stdlib.h>

int ww_front_dialect_of(const ww_front_options *o, ww_arena *a) {
  ww_flags flags;
  ww_flags_sort(o->flags, o->nflags, a, &flags);
  int d = o->dialect >= 0 ? o->dialect : flags.dialect;
  for (uint32_t i = 0; i < o->nfiles && d < 0; i++) {
    ww_scan scan;
    if (!ww_front_scan(o, i, a, &scan, NULL))
      d = ww_front_dialect(o->files[i], &scan);
  }
  return d;
}

static ww_status attempt(const ww_clang_job *j, ww_arena *a, ww_err *e) {
  ww_compiled c = {0};
  ww_status rc = ww_clang_compile(j, a, &c, e);
  return rc || c.ok ? rc : ww_front_first_error(&c, j->file, e);
}

/* ---- `k << <grid, block>> >(args)`: nvcc lets the brackets stand apart ---- */

static char *closed_launches(const char *file, ww_arena *a, size_t *n) {
  char *text;
  ww_scan scan;
  bool any = false;
  if (ww_front_read(file, a, &text, n, NULL))
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

/* The file as clang sees it under its own name. */
static const char *overlay_of(
    const ww_clang_job *j, const char *text, size_t n, ww_arena *a, ww_overlay *o) {
  const char *file = j->file;
  char real[PATH_MAX];
  ww_overlay_begin(o, j, a);
  const char *contents = ww_overlay_memory(o, text, n);
  bool there = realpath(file, real);
  if (there && file[0] == '/' && strcmp(file, real)) /* as it is named, and as found */
    ww_overlay_file(o, file, contents);
  if (there)
    ww_overlay_file(o, real, contents);
  const char *path = ww_overlay_end(o, &(ww_strings){0});
  return there ? path : NULL;
}

static ww_status attempt_closed(ww_clang_job *j, ww_arena *a, ww_err *e) {
  ww_overlay o;
  size_t n;
  const char *text = closed_launches(j->file, a, &n);
  if (!text)
    return WW_EPARSE;
  j->overlay = overlay_of(j, text, n, a, &o);
  ww_status rc = j->overlay ? attempt(j, a, e) : WW_EPARSE;
  ww_overlay_close(&o);
  j->overlay = NULL;
  return rc;
}

/* Other ways when the first fails; the first one's error is what the user hears. */
static ww_status other_ways(ww_clang_job *j, const ww_err *first, ww_arena *a) {
  ww_err e;
  ww_status rc = attempt_closed(j, a, &e);
  if (!rc)
    return rc;
  if (!j->plain &&
      (strstr(first->msg, "'texture'") || strstr(first->msg, "'surface'"))) {
    j->flags = ww_flags_own_textures(j->flags, a);
    return attempt(j, a, &e);
  }
  if (ww_ends(j->file, ".cu"))
    return WW_EPARSE;
  j->plain = !j->plain;
  return attempt(j, a, &e);
}

ww_status ww_front_host_object(const ww_front_options *o,
                               uint32_t which,
                               const char *object,
                               ww_arena *a,
                               ww_err *e) {
  ww_clang clang;
  ww_flags flags;
  ww_err first = {0};
  const char *file = o->files[which];
  int d = ww_front_dialect_of(o, a);
  if (d < 0)
    d = WW_CUDA;
  ww_flags_sort(o->flags, o->nflags, a, &flags);
  ww_status rc = ww_clang_find(a, &clang, e);
  /* clang may write to it, but not make files */
  if (!rc)
    rc = ww_write_file_atomic(object, "", 0, e);
  if (rc)
    return rc;
  ww_clang_job j = ww_front_new_job(o, &clang, d, &flags);
  j.host = true;
  j.file = file;
  j.object = object;
  j.plain = d == WW_CUDA && ww_ends(file, ".c");
  rc = attempt(&j, a, &first);
  if (rc == WW_EPARSE && d == WW_CUDA && other_ways(&j, &first, a) == WW_OK)
    return WW_OK;
  if (rc && e)
    *e = first;
  return rc;
}
