/* text_files.c - a source for the language model: its text with the headers of its
 * project in the place of the #include lines that name them.
 *
 * Quoted names are looked for beside the file that includes them, below -I, and from
 * the folders above, as far as the path of the source goes: projects include as seen
 * from their root. Names in <> are looked for below -I alone; what is not found is the
 * system's, and stays out. Each header is read once, FILES_MOST of them, BYTES_MOST in
 * all: what goes beyond is left out, never an error. */
#include <stdlib.h>

#include "../base/map.h"
#include "../cuda/fatbin.h"
#include "../front/scan.h"
#include "text.h"

enum { FILES_MOST = 64, BYTES_MOST = 1 << 20, DEPTH_MOST = 16, CLIMB_MOST = 8 };

typedef struct {
  ww_strings folders;
  ww_dict seen;
  uint32_t files;
  ww_arena *a;
  ww_buf out;
} loader;

static void
add_text(loader *l, const char *path, const char *text, size_t n, int depth);

/* Reads it unless it was read before; NULL: there is no such file, or it is no text. */
static char *open_header(loader *l, const char *path, const char **real, size_t *n) {
  char *text;
  bool fresh;
  size_t room = l->out.n < BYTES_MOST ? BYTES_MOST - l->out.n : 0;
  if (!ww_file_exists(path))
    return NULL;
  *real = ww_path_real(l->a, path);
  *ww_dict_at(&l->seen, l->a, *real, strlen(*real), &fresh) = 1;
  *n = 0;
  if (!fresh)
    return "";
  if (l->files >= FILES_MOST || ww_read_file(l->a, path, room, &text, n, NULL) ||
      memchr(text, 0, *n))
    return "";
  l->files++;
  return text;
}

static bool try_folder(loader *l, const char *folder, const char *name, int depth) {
  const char *real;
  size_t n;
  const char *path = *name == '/' ? name : ww_path_join(l->a, folder, name);
  const char *text = open_header(l, path, &real, &n);
  if (text && n)
    add_text(l, path, text, n, depth + 1);
  return text;
}

/* The folders above the one of `path`, and what they keep headers in. */
static void climb(loader *l, const char *path, const char *name, int depth) {
  const char *folder = ww_path_dir(l->a, path);
  for (int k = 0; k < CLIMB_MOST; k++) {
    const char *above = ww_path_dir(l->a, folder);
    if (strlen(above) >= strlen(folder) || !strcmp(above, "/"))
      return;
    folder = above;
    if (try_folder(l, folder, name, depth) ||
        try_folder(l, ww_path_join(l->a, folder, "include"), name, depth))
      return;
  }
}

static void include(loader *l, const char *path, const char *line, int depth) {
  char open = *line;
  const char *end = strpbrk(line + 1, open == '"' ? "\"\n" : ">\n");
  if (!end || *end == '\n' || end == line + 1)
    return;
  const char *name = ww_strndup(l->a, line + 1, end - line - 1);
  if (open == '"' && try_folder(l, ww_path_dir(l->a, path), name, depth))
    return;
  for (uint32_t i = 0; i < l->folders.n; i++)
    if (try_folder(l, l->folders.v[i], name, depth))
      return;
  if (open == '"')
    climb(l, path, name, depth);
}

/* Behind `#include`; NULL: the directive is another one. */
static const char *included(const char *p) {
  p += 1 + strspn(p + 1, " \t");
  if (!ww_starts(p, "include"))
    return NULL;
  p += 7 + strspn(p + 7, " \t");
  return *p == '"' || *p == '<' ? p : NULL;
}

static void
add_text(loader *l, const char *path, const char *text, size_t n, int depth) {
  ww_arena *own = ww_arena_new();
  ww_scan s;
  uint32_t from = 0;
  ww_scan_source(text, n, own, &s);
  for (uint32_t i = 0; i < n && depth < DEPTH_MOST; i++) {
    if (!ww_scan_directive(&s, i))
      continue;
    uint32_t end = ww_scan_directive_end(&s, i);
    const char *name = included(text + i);
    if (name) {
      ww_buf_add(&l->out, text + from, i - from);
      include(l, path, name, depth);
      from = end;
    }
    i = end;
  }
  ww_buf_add(&l->out, text + from, n - from);
  ww_buf_puts(&l->out, "\n");
  ww_arena_free(own);
}

/* -Idir, -I dir, -isystem dir, -iquote dir */
static void add_folders(loader *l, const char *const *flags, uint32_t n) {
  static const char *const words[] = {"-isystem", "-iquote", "-I"};
  for (uint32_t i = 0; i < n; i++)
    for (size_t k = 0; k < WW_COUNT(words); k++) {
      if (!ww_starts(flags[i], words[k]))
        continue;
      const char *folder = flags[i] + strlen(words[k]);
      if (!*folder && i + 1 < n)
        folder = flags[++i];
      ww_push(l->a, &l->folders, folder);
      break;
    }
}

static void add_included(loader *l, const char *const *flags, uint32_t n) {
  for (uint32_t i = 0; i + 1 < n; i++)
    if (!strcmp(flags[i], "-include"))
      try_folder(l, ".", flags[++i], 0);
}

ww_status
ww_text_load(const ww_text_file *f, ww_arena *a, char **text, size_t *n, ww_err *e) {
  ww_status st = ww_read_file(a, f->path, 64 << 20, text, n, e);
  if (st)
    return st;
  if (ww_fatbin_given(*text, *n)) /* compiled code: its PTX */
    return ww_fatbin_ptx(*text, *n, a, text, n, e);
  loader l = {.a = a};
  add_folders(&l, f->flags, f->nflags);
  if (!strstr(*text, "include") && !l.folders.n)
    return WW_OK;
  add_included(&l, f->flags, f->nflags);
  add_text(&l, f->path, *text, *n, 0);
  if (l.files) {
    *n = l.out.n;
    *text = ww_strndup(a, l.out.s, l.out.n);
  }
  ww_buf_free(&l.out);
  return WW_OK;
}
