/* emit_names.c - plain names out of mangled ones. */
#include "emit.h"

const char *low_mangled(const char *s, size_t *n) {
  char *name;
  *n = strtoul(s, &name, 10);
  return *n <= strlen(name) ? name : NULL;
}

/* Nested names give the last plain one. */
const char *low_plain_name(ww_arena *a, const char *mangled) {
  const char *s = mangled;
  const char *name = mangled;
  size_t n = strlen(mangled);
  if (!ww_starts(s, "_Z"))
    return mangled;
  for (s += 2; *s == 'N' || *s == 'L' || *s == 'K'; s++) {}
  for (size_t len; ww_is_digit(*s) && (s = low_mangled(s, &len)); s += len) {
    name = s;
    n = len;
    if (mangled[2] != 'N')
      break;
  }
  return ww_strndup(a, name, n);
}

const char *low_variable_name(low_module *m, const char *mangled) {
  static const char *const tails[] = {".static.", ".intern.", "__static__",
                                      "__intern__", NULL};
  const char *dot = strrchr(mangled, '.');
  if (m->dialect == WW_OPENCL && dot && dot != mangled && !ww_is_digit(dot[1]) &&
      dot[1])
    return ww_strdup(m->a, dot + 1); /* kernel.variable */
  for (const char *const *tail = tails; *tail; tail++) {
    dot = strstr(mangled, *tail); /* -fgpu-rdc: clang makes a static variable visible
                                     under a longer name */
    if (dot && dot != mangled)
      return low_variable_name(m, ww_strndup(m->a, mangled, dot - mangled));
  }
  if (!ww_starts(mangled, "_Z"))
    return mangled;
  if (mangled[2] != 'Z' || !strchr(mangled, 'E'))
    return low_plain_name(m->a, mangled);
  /* the last <length><name> that ends the string */
  for (const char *s = mangled + strlen(mangled); s > mangled; s--) {
    size_t n;
    const char *name = ww_is_digit(*s) ? low_mangled(s, &n) : NULL;
    if (name && n && (!name[n] || name[n] == '_'))
      return ww_strndup(m->a, name, n);
  }
  return mangled;
}
