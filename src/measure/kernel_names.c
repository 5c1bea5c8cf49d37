/* kernel_names.c - the kernels in compiled code, and which of them a name means.
 *
 * A cubin is an ELF file; each kernel, and nothing else, has a section .nv.constant0.<mangled name> for its parameters.
 * The file may come from anywhere, so nothing in it is believed before it is checked against the file's size. */
#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>

#include "compile_int.h"

static const char constants[] = ".nv.constant0.";

ww_status ww_cubin_kernels(const uint8_t *data, size_t n, ww_arena *a, ww_words *out, ww_err *e) {
  Elf64_Ehdr h;
  if (n < sizeof h || memcmp(data, ELFMAG, SELFMAG) || data[EI_CLASS] != ELFCLASS64)
    return ww_fail(e, WW_EDATA, "the compiled code is not a cubin");
  memcpy(&h, data, sizeof h);
  Elf64_Shdr names, s;
  if (h.e_shentsize != sizeof s || h.e_shoff > n || (n - h.e_shoff) / sizeof s < h.e_shnum || h.e_shstrndx >= h.e_shnum)
    return ww_fail(e, WW_EDATA, "the compiled code is cut short");
  memcpy(&names, data + h.e_shoff + h.e_shstrndx * sizeof s, sizeof names);
  if (names.sh_offset > n || names.sh_size > n - names.sh_offset)
    return ww_fail(e, WW_EDATA, "the compiled code is cut short");
  const char *text = (const char *)data + names.sh_offset;
  for (uint32_t i = 0; i < h.e_shnum; i++) {
    memcpy(&s, data + h.e_shoff + i * sizeof s, sizeof s);
    if (s.sh_name >= names.sh_size) continue;
    size_t len = strnlen(text + s.sh_name, names.sh_size - s.sh_name), head = sizeof constants - 1;
    if (len > head && !memcmp(text + s.sh_name, constants, head))
      ww_push(a, out, ww_strndup(a, text + s.sh_name + head, len - head));
  }
  return WW_OK;
}

/* ---- names ---- */

/* The C++ runtime is there with nearly every compiler; without it only exact and plain names are understood. */
static char *demangle(const char *name) {
  typedef char *(*function)(const char *, char *, size_t *, int *);
  static function f;
  static bool looked;
  if (!looked) {
    void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    *(void **)&f = lib ? dlsym(lib, "__cxa_demangle") : dlsym(RTLD_DEFAULT, "__cxa_demangle");
    looked = true;
  }
  int status = 0;
  return f && ww_starts(name, "_Z") ? f(name, NULL, NULL, &status) : NULL;
}

/* void ns::scale<float, 4>(float*, int): where the parameters begin. */
static size_t params_at(const char *s) {
  size_t n = strlen(s);
  int depth = 0;
  while (n-- > 0) {
    if (s[n] == ')') depth++;
    if (s[n] == '(' && --depth == 0) return n;
  }
  return strlen(s);
}

/* The return type ends at the last space outside brackets. */
static size_t name_at(const char *s, size_t end) {
  int depth = 0;
  for (size_t i = end; i-- > 0;) {
    if (s[i] == '>' || s[i] == ')') depth++;
    if (s[i] == '<' || s[i] == '(') depth--;
    if (s[i] == ' ' && depth == 0) return i + 1;
  }
  return 0;
}

const char *ww_kernel_expression(const char *name, ww_arena *a) {
  static const char unnamed[] = "(anonymous namespace)::";
  char *full = demangle(name);
  if (!full) return name;
  size_t end = params_at(full), begin = name_at(full, end);
  char *out = ww_strndup(a, full + begin, end - begin), *p;
  free(full);
  while ((p = strstr(out, unnamed))) memmove(p, p + sizeof unnamed - 1, strlen(p + sizeof unnamed - 1) + 1);
  return out;
}

/* Without spaces, without the suffixes of template arguments that are numbers. */
static const char *squeezed(const char *s, ww_arena *a) {
  char *out = ww_alloc(a, strlen(s) + 1), *w = out;
  for (; *s; s++) {
    if (isspace((unsigned char)*s)) continue;
    bool suffix = w > out && isdigit((unsigned char)w[-1]) && strchr("uUlL", *s);
    if (!suffix) *w++ = *s;
  }
  return out;
}

static const char *last_part(const char *s) { /* behind the last :: that is not inside <> */
  const char *from = s;
  int depth = 0;
  for (; *s; s++) {
    depth += (*s == '<') - (*s == '>');
    if (s[0] == ':' && s[1] == ':' && depth == 0) from = s + 2;
  }
  return from;
}

static bool means(int how, const char *asked, const char *kernel, ww_arena *a) {
  if (how == 0) return !strcmp(asked, kernel);
  const char *x = squeezed(ww_kernel_expression(asked, a), a), *y = squeezed(ww_kernel_expression(kernel, a), a);
  if (how == 1) return !strcmp(x, y);
  x = last_part(x), y = last_part(y);
  if (how == 2) return !strcmp(x, y);
  size_t n = strcspn(y, "<");
  return !strchr(x, '<') && strlen(x) == n && !strncmp(x, y, n);
}

const char *ww_kernel_match(const ww_words *kernels, const char *asked, ww_arena *a) {
  for (int how = 0; how < 4; how++) {
    const char *found = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < kernels->n; i++)
      if (means(how, asked, kernels->v[i], a)) found = kernels->v[i], n++;
    if (n) return n == 1 ? found : NULL;
  }
  return NULL;
}
