/* compile_text.c - #include lines of a source. */
#include "compile_int.h"

/* ---- #include lines ---- */

const char *ww_directive(const char *line, const char *name) {
  line += strspn(line, " \t");
  if (*line++ != '#')
    return NULL;
  line += strspn(line, " \t");
  if (!ww_starts(line, name))
    return NULL;
  line += strlen(name);
  return line + strspn(line, " \t");
}

typedef struct {
  ww_headers *out;
  ww_strings dirs; /* of -I */
  ww_arena *a;
} finder;

static const char *resolve(finder *f, const char *from, const char *name, bool angled) {
  const char *beside = ww_path_join(f->a, ww_path_dir(f->a, from), name);
  if (!angled && ww_file_exists(beside))
    return beside;
  for (uint32_t i = 0; i < f->dirs.n; i++) {
    const char *p = ww_path_join(f->a, f->dirs.v[i], name);
    if (ww_file_exists(p))
      return p;
  }
  return NULL;
}

/* A header may be spelled in several ways. */
static const ww_header *known(const finder *f, const char *path, const char *name) {
  for (uint32_t i = 0; i < f->out->n; i++)
    if (!strcmp(f->out->v[i].path, path) && (!name || !strcmp(f->out->v[i].name, name)))
      return &f->out->v[i];
  return NULL;
}

static void find_in(finder *f, const char *file, const char *text, int depth) {
  for (const char *p = text; p && depth < 32; p = strchr(p, '\n')) {
    p += *p == '\n';
    const char *q = ww_directive(p, "include");
    if (!q || (*q != '"' && *q != '<'))
      continue;
    size_t n = strcspn(q + 1, *q == '"' ? "\"\n" : ">\n");
    const char *name = ww_strndup(f->a, q + 1, n);
    const char *path = resolve(f, file, name, *q == '<');
    if (!path || known(f, path, name) || f->out->n >= 512)
      continue;
    const ww_header *before = known(f, path, NULL);
    char *body = NULL;
    if (!before && ww_read_file(f->a, path, 32u << 20, &body, NULL, NULL))
      continue;
    ww_push(
        f->a, f->out,
        (ww_header){.name = name, .path = path, .text = before ? before->text : body});
    if (!before)
      find_in(f, path, body, depth + 1);
  }
}

void ww_compile_includes(const char *file,
                         const char *text,
                         const ww_strings *flags,
                         ww_arena *a,
                         ww_headers *out) {
  finder f = {
      .out = out,
      .a = a,
  };
  ww_strings words = {0};
  ww_nvcc_words(flags, true, a, &words);
  for (uint32_t i = 0; i < words.n; i++) {
    const char *w = words.v[i];
    const char *path = ww_starts(w, "--pre-include=") ? w + 14 : NULL;
    char *body;
    if (ww_starts(w, "-I"))
      ww_push(a, &f.dirs, w + 2);
    if (!path || ww_read_file(a, path, 32u << 20, &body, NULL, NULL))
      continue;
    ww_push(a, out, (ww_header){.name = path, .path = path, .text = body});
    find_in(&f, path, body, 0);
  }
  if (file)
    ww_push(a, &f.dirs, ww_path_dir(a, file)); /* as both compilers are told */
  find_in(&f, file ? file : "./source.cu", text, 0);
}
