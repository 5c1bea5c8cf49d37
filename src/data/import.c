/* import.c - finds the files of a checkout that may hold kernels. */
#include "import.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define TEXT_MAX ((size_t)8 << 20) /* of a source that is looked into */
#define DEPTH_MAX 64

static bool ends(const char *name, const char *const *suffixes) {
  const char *dot = strrchr(name, '.');
  for (; dot && *suffixes; suffixes++)
    if (!strcmp(dot, *suffixes))
      return true;
  return false;
}

/* `omp target` behind a #pragma, on one line. */
static bool has_target(const char *path) {
  ww_arena *a = ww_arena_new();
  char *text;
  size_t n;
  bool yes = false;
  if (!ww_read_file(a, path, TEXT_MAX, &text, &n, NULL))
    for (const char *at = text; !yes && (at = strstr(at, "omp")); at += 3) {
      const char *next = at + 3 + strspn(at + 3, " \t");
      yes = next > at + 3 && ww_starts(next, "target");
    }
  ww_arena_free(a);
  return yes;
}

static bool holds_kernels(const char *path) {
  static const char *const always[] = {".cu", ".cl", ".hip", NULL};
  static const char *const maybe[] = {".c", ".cc", ".cpp", ".cxx", ".C", NULL};
  return ends(path, always) || (ends(path, maybe) && has_target(path));
}

static ww_status walk(const char *dir,
                      const char *relative,
                      uint32_t depth,
                      ww_arena *a,
                      ww_source_files *out,
                      ww_err *e) {
  DIR *d = opendir(dir);
  if (!d)
    return ww_fail(e, WW_EIO, "cannot read the folder '%s': %s", dir, strerror(errno));
  for (struct dirent *f; (f = readdir(d));) {
    struct stat s;
    if (f->d_name[0] == '.')
      continue;
    const char *path = ww_path_join(a, dir, f->d_name);
    const char *below =
        *relative ? ww_path_join(a, relative, f->d_name) : ww_strdup(a, f->d_name);
    if (lstat(path, &s))
      continue;
    if (S_ISDIR(s.st_mode) && depth < DEPTH_MAX)
      walk(path, below, depth + 1, a, out, NULL); /* unreadable: left out */
    if (S_ISREG(s.st_mode) && holds_kernels(path))
      ww_push(a, out, (ww_source_file){path, below});
  }
  closedir(d);
  return WW_OK;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const ww_source_file *)a)->relative,
                ((const ww_source_file *)b)->relative);
}

ww_status
ww_sources_find(const char *dir, ww_arena *a, ww_source_files *out, ww_err *e) {
  ww_status st = walk(dir, "", 0, a, out, e);
  if (!st && out->n)
    qsort(out->v, out->n, sizeof *out->v, by_name);
  return st;
}
