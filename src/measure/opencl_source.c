/* opencl_source.c - an OpenCL source with its own headers in it, so that it can be
 * built on a machine that has neither.
 *
 * Only #include "..." lines whose file is found beside the source or in a -I folder are
 * replaced, by the file's text; conditions and include guards work as before, because
 * the text stands where the line stood. */
#include "compile_int.h"

#define DEEPEST 32
#define LARGEST (64 << 20)

typedef struct {
  const char *const *flags;
  uint32_t nflags;
  ww_arena *a;
  ww_strings once; /* files with #pragma once that are in already */
  ww_buf out;
} flattener;

/* The name in `#include "name"`, else NULL. */
static const char *included(const char *line, ww_arena *a) {
  const char *name = ww_directive(line, "include");
  const char *end = name && *name == '"' ? strchr(name + 1, '"') : NULL;
  return end ? ww_strndup(a, name + 1, end - name - 1) : NULL;
}

static bool pragma_once(const char *line) {
  int n = 0;
  sscanf(line, " # pragma once%n", &n);
  return n;
}

static const char *find(flattener *f, const char *from, const char *name) {
  const char *path =
      *name == '/' ? name : ww_path_join(f->a, ww_path_dir(f->a, from), name);
  if (ww_file_exists(path))
    return path;
  for (uint32_t k = 0; k < f->nflags; k++) {
    const char *dir = ww_starts(f->flags[k], "-I") ? f->flags[k] + 2 : NULL;
    if (dir && !*dir)
      dir = k + 1 < f->nflags ? f->flags[k + 1] : NULL;
    if (dir && ww_file_exists(path = ww_path_join(f->a, dir, name)))
      return path;
  }
  return NULL;
}

static ww_status add_file(flattener *f, const char *path, uint32_t depth, ww_err *e) {
  char *text;
  size_t n;
  if (ww_strings_have(&f->once, path))
    return WW_OK;
  if (depth > DEEPEST)
    return ww_fail(e, WW_EDATA, "%s: headers include each other more than %d deep",
                   path, DEEPEST);
  ww_status st = ww_read_file(f->a, path, LARGEST, &text, &n, e);
  uint32_t line = 0;
  for (char *at = text, *next; !st && at && *at; at = next) {
    next = strchr(at, '\n');
    if (next)
      *next++ = 0;
    line++;
    const char *name = included(at, f->a);
    const char *header = name ? find(f, path, name) : NULL;
    if (pragma_once(at) && depth) {
      ww_push(f->a, &f->once, path);
      ww_buf_puts(&f->out, "\n");
    } else if (header) {
      ww_buf_fmt(&f->out, "#line 1 \"%s\"\n", name);
      st = add_file(f, header, depth + 1, e);
      ww_buf_fmt(&f->out, "#line %u \"%s\"\n", line + 1, ww_path_base(path));
    } else
      ww_buf_fmt(&f->out, "%s\n", at);
    if (f->out.n > LARGEST)
      return ww_fail(e, WW_ELIMIT, "%s: more than 64 MiB with its headers", path);
  }
  return st;
}

ww_status ww_opencl_source(const char *path,
                           const char *const *flags,
                           uint32_t nflags,
                           ww_arena *a,
                           const char **text,
                           ww_err *e) {
  flattener f = {
      .flags = flags,
      .nflags = nflags,
      .a = a,
  };
  ww_status st = add_file(&f, path, 0, e);
  *text = ww_buf_text(&f.out, a);
  return st;
}
