/* kernel_names.c - the kernels in compiled code, and which of them a name means.
 *
 * Each kernel of a cubin, and nothing else, has a section .nv.constant0.<mangled name>
 * for its parameters. */
#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "../ir/ir.h"
#include "compile_int.h"
#include "cubin.h"

ww_status ww_kernels_of_code(
    const void *data, size_t n, ww_arena *a, ww_strings *out, ww_err *e) {
  ww_strings names = {0};
  if (!ww_cubin_sections(data, n, ".nv.constant0.", a, &names))
    return ww_fail(e, WW_EDATA, "the compiled code is not a cubin, or is cut short");
  for (uint32_t i = 0; i < names.n; i++)
    if (*names.v[i])
      ww_push(a, out, names.v[i]);
  return WW_OK;
}

/* ---- names ---- */

/* The C++ runtime is there with nearly every compiler; without it only exact and plain
 * names are understood. */
static char *demangle(const char *name, ww_arena *a) {
  typedef char *(*function)(const char *, char *, size_t *, int *);
  static function f;
  static bool looked;
  if (!looked) {
    void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    f = lib ? dlsym(lib, "__cxa_demangle") : dlsym(RTLD_DEFAULT, "__cxa_demangle");
    looked = true;
  }
  int status = 0;
  return f && ww_starts(name, "_Z") ? f(ww_ir_nvcc_name(name, a), NULL, NULL, &status)
                                    : NULL;
}

/* void ns::scale<float, 4>(float*, int): where the parameters begin. */
static size_t params_at(const char *s) {
  size_t n = strlen(s);
  int depth = 0;
  while (n-- > 0) {
    if (s[n] == ')')
      depth++;
    if (s[n] == '(' && --depth == 0)
      return n;
  }
  return strlen(s);
}

/* The return type ends at the last space outside brackets. */
static size_t name_at(const char *s, size_t end) {
  int depth = 0;
  for (size_t i = end; i-- > 0;) {
    if (s[i] == '>' || s[i] == ')')
      depth++;
    if (s[i] == '<' || s[i] == '(')
      depth--;
    if (s[i] == ' ' && depth == 0)
      return i + 1;
  }
  return 0;
}

const char *ww_kernel_expression(const char *name, ww_arena *a) {
  static const char unnamed[] = "(anonymous namespace)::";
  char *full = demangle(name, a);
  if (!full)
    return name;
  size_t end = params_at(full);
  size_t begin = name_at(full, end);
  char *out = ww_strndup(a, full + begin, end - begin);
  char *p;
  free(full);
  while ((p = strstr(out, unnamed)))
    memmove(p, p + sizeof unnamed - 1, strlen(p + sizeof unnamed - 1) + 1);
  return out;
}

/* Without spaces, without the suffixes of template arguments that are numbers. */
static const char *squeezed(const char *s, ww_arena *a) {
  char *out = ww_alloc(a, strlen(s) + 1);
  char *w = out;
  for (; *s; s++) {
    if (isspace((unsigned char)*s))
      continue;
    bool suffix = w > out && isdigit((unsigned char)w[-1]) && strchr("uUlL", *s);
    if (!suffix)
      *w++ = *s;
  }
  return out;
}

/* behind the last :: that is not inside <> */
static const char *last_part(const char *s) {
  const char *from = s;
  int depth = 0;
  for (; *s; s++) {
    depth += (*s == '<') - (*s == '>');
    if (s[0] == ':' && s[1] == ':' && depth == 0)
      from = s + 2;
  }
  return from;
}

static bool means(int how, const char *asked, const char *kernel, ww_arena *a) {
  if (how == 0)
    return !strcmp(asked, kernel);
  const char *x = squeezed(ww_kernel_expression(asked, a), a);
  const char *y = squeezed(ww_kernel_expression(kernel, a), a);
  if (how == 1)
    return !strcmp(x, y);
  x = last_part(x);
  y = last_part(y);
  if (how == 2)
    return !strcmp(x, y);
  size_t n = strcspn(y, "<");
  return !strchr(x, '<') && strlen(x) == n && !strncmp(x, y, n);
}

const char *ww_kernel_match(const ww_strings *kernels, const char *asked, ww_arena *a) {
  for (int how = 0; how < 4; how++) {
    const char *found = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < kernels->n; i++)
      if (means(how, asked, kernels->v[i], a)) {
        found = kernels->v[i];
        n++;
      }
    if (n)
      return n == 1 ? found : NULL;
  }
  return NULL;
}
