/* ptx_load.c - a PTX file as a source: read, and named as its own source names things
 * where that can be read. */
#include "front_int.h"
#include "ptx_int.h"

#include <errno.h>
#include <sys/stat.h>

ww_status
ww_front_read(const char *file, ww_arena *a, char **text, size_t *n, ww_err *e) {
  struct stat st;
  if (stat(file, &st))
    return ww_fail(e, WW_EIO, "cannot open '%s': %s", file, strerror(errno));
  if (S_ISDIR(st.st_mode))
    return ww_fail(e, WW_EIO, "'%s' is a directory: name a source file", file);
  if (!S_ISREG(st.st_mode))
    return ww_fail(e, WW_EIO, "'%s' is not a regular file", file);
  if (st.st_size > (off_t)WW_SOURCE_MAX)
    return ww_fail(e, WW_ELIMIT, "'%s' has %lld MB: a source file may have %u MB", file,
                   (long long)st.st_size >> 20, WW_SOURCE_MAX >> 20);
  ww_status rc = ww_read_file(a, file, WW_SOURCE_MAX, text, n, e);
  if (!rc && memchr(*text, 0, *n))
    return ww_fail(e, WW_EPARSE, "'%s' is a binary file, not a source", file);
  return rc;
}

/* ---- is it PTX ---- */

/* .version comes first, behind comments. */
bool ww_ptx_begins(const char *s) {
  for (;;) {
    while (ww_is_space(*s))
      s++;
    if (s[0] != '/' || s[1] != '/')
      return ww_starts(s, ".version");
    s += strcspn(s, "\n");
  }
}

bool ww_ptx_given(const ww_front_options *o) {
  bool named = o->nfiles && ww_ends(ww_path_base(o->files[0]), ".ptx");
  return named || (o->nfiles && o->texts && o->texts[0] && ww_ptx_begins(o->texts[0]));
}

/* ---- names ---- */

/* "const float *x, int n" -> parameters with name and type as text. */
void ww_front_params(const char *text, ww_arena *a, ww_fn *fn) {
  WW_VEC(ww_param) v = {0};
  for (const char *p = text ? text : ""; *p;) {
    const char *end = p;
    for (int depth = 0; *end && (depth || *end != ','); end++) {
      if (strchr("(<[{", *end))
        depth++;
      if (strchr(")>]}", *end))
        depth--;
    }
    const char *stop = end;
    while (stop > p && (ww_is_space(stop[-1]) || stop[-1] == ']' || stop[-1] == '['))
      stop--;
    const char *name = stop;
    while (name > p && ww_is_word(name[-1]))
      name--;
    while (p < name && ww_is_space(*p))
      p++;
    const char *type_end = name;
    while (type_end > p && ww_is_space(type_end[-1]))
      type_end--;
    if (type_end > p)
      ww_push(a, &v,
              (ww_param){.name = ww_strndup(a, name, stop - name),
                         .ctype = ww_strndup(a, p, type_end - p),
                         .pointer = type_end[-1] == '*',
                         .type = type_end[-1] == '*' ? WW_I64 : WW_VOID});
    p = end + (*end == ',');
  }
  fn->params = v.v;
  fn->nparams = v.n;
}

static const ww_decl *declaration_of(const ww_scan *s, const ww_fn *fn) {
  size_t n = strcspn(fn->name, "<");
  const ww_decl *found = NULL;
  for (uint32_t k = 0; k < s->ndecls; k++) {
    const ww_decl *d = &s->decls[k];
    if (!d->kernel || !d->name || !d->body || strlen(d->name) != n ||
        memcmp(d->name, fn->name, n))
      continue;
    if (!found || d->line == fn->line)
      found = d;
  }
  return found;
}

static void take_names(const ww_scan *s, ww_arena *a, ww_fn *fn) {
  const ww_decl *d = declaration_of(s, fn);
  ww_fn text = {0};
  if (!d)
    return;
  ww_front_params(ww_strndup(a, s->text + d->params, d->params_end - d->params), a,
                  &text);
  for (uint32_t p = 0; p < fn->nparams && text.nparams == fn->nparams; p++) {
    if (!*text.params[p].name)
      continue;
    fn->params[p].name = fn->vals[p].name = text.params[p].name;
    ptx_take_type(&fn->params[p], text.params[p].ctype);
  }
}

void ww_ptx_take_names(const char *text, size_t n, ww_arena *a, ww_module *m) {
  ww_scan s;
  ww_scan_source(text, n, a, &s);
  for (uint32_t k = 0; k < m->nfns; k++)
    if (m->fns[k].kernel)
      take_names(&s, a, &m->fns[k]);
}

/* def name(x, y, n, BLOCK: tl.constexpr): what is no constant of the compilation is a
 * parameter, and behind those Triton has pointers of its own. */
static void take_python_names(const char *text, ww_arena *a, ww_fn *fn) {
  const char *def = text;
  size_t n = strlen(fn->name);
  do
    def = strstr(def + 1, "def ");
  while (def && (strncmp(def + 4, fn->name, n) || def[4 + n] != '('));
  const char *end = def ? strchr(def, ')') : NULL;
  ww_strings names = {0};
  if (!end)
    return;
  char *list = ww_strndup(a, def + 5 + n, end - def - 5 - n);
  char *save = NULL;
  for (char *p = strtok_r(list, ",", &save); p; p = strtok_r(NULL, ",", &save)) {
    while (ww_is_space(*p))
      p++;
    size_t k = ww_word_length(p);
    if (k && !strstr(p, "constexpr"))
      ww_push(a, &names, ww_strndup(a, p, k));
  }
  bool fit = names.n <= fn->nparams && fn->nparams <= names.n + 2;
  for (uint32_t p = 0; p < names.n && fit; p++)
    fn->params[p].name = fn->vals[p].name = names.v[p];
}

/* Of the files that the kernels' lines are in, where any file may be read. */
static void names_of_files(const ww_front_options *o, ww_arena *a, ww_module *m) {
  for (uint32_t k = 0; k < m->nfns && !o->nvisible; k++) {
    const char *file = m->fns[k].file;
    char *text;
    size_t n;
    bool seen = !file || !strcmp(file, o->files[0]);
    for (uint32_t j = 0; j < k && !seen; j++)
      seen = m->fns[j].file && !strcmp(m->fns[j].file, file);
    if (seen || ww_front_read(file, a, &text, &n, NULL))
      continue;
    if (!ww_ends(file, ".py"))
      ww_ptx_take_names(text, n, a, m);
    for (uint32_t j = k; j < m->nfns && ww_ends(file, ".py"); j++)
      if (m->fns[j].kernel && m->fns[j].file && !strcmp(m->fns[j].file, file))
        take_python_names(text, a, &m->fns[j]);
  }
}

/* ---- loading ---- */

ww_status ww_ptx_load(const ww_front_options *o, ww_arena *a, ww_unit *out, ww_err *e) {
  char *text = o->texts ? (char *)o->texts[0] : NULL;
  size_t n = text ? strlen(text) : 0;
  if (o->nfiles > 1)
    return ww_fail(e, WW_EUSAGE, "'%s' is PTX, which is read one file at a time",
                   o->files[0]);
  ww_status rc = text ? WW_OK : ww_front_read(o->files[0], a, &text, &n, e);
  if (!rc && n > WW_SOURCE_MAX)
    rc = ww_fail(e, WW_ELIMIT, "'%s' has %zu MB: a PTX file may have %u MB",
                 o->files[0], n >> 20, WW_SOURCE_MAX >> 20);
  if (!rc)
    rc = ww_ptx_read(text, n, o->files[0], a, &out->module, e);
  if (!rc)
    names_of_files(o, a, &out->module);
  return rc;
}
