/* names.c - kernels and variables of internal linkage, whose mangled names are the
 * compiler's own business.
 *
 * clang marks them with an L (_ZL1kPi, _ZN2nsL1kEPi) and, where device code is
 * relocatable, adds
 * __intern__ or __static__ with numbers of the file; nvcc writes neither, but gives an
 * anonymous namespace a name with the file's. Launches recorded from nvcc's programs
 * must be found in clang's code, and launches of emulated ones be named as nvcc's are.
 */
#include "ir_int.h"

#include <stdlib.h>

/* Length without clang's suffix. */
static size_t unmarked(const char *s) {
  static const char *const marks[] = {"__intern__", "__static__", ".intern.",
                                      ".static."};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    const char *at = strstr(s, marks[i]);
    const char *tail = at ? at + strlen(marks[i]) : NULL;
    if (at && at != s && *tail && !tail[strspn(tail, "0123456789abcdef_")])
      return at - s;
  }
  return strlen(s);
}

static bool marks_internal(const char *s) {
  return s[0] == 'L' && isdigit((unsigned char)s[1]);
}

char *ww_ir_nvcc_name(const char *mangled, ww_arena *a) {
  size_t n = unmarked(mangled);
  size_t in = 2;
  size_t out = 2;
  char *s = ww_strndup(a, mangled, n);
  if (strncmp(s, "_Z", 2))
    return s;
  if (s[in] == 'N')
    in = out = 3;
  while (in < n) { /* the name's parts; template arguments have L's of their own */
    in += marks_internal(s + in);
    if (!isdigit((unsigned char)s[in]))
      break;
    char *name;
    size_t len = strtoul(s + in, &name, 10);
    size_t to = name - s;
    if (len > n - to)
      break;
    memmove(s + out, s + in, to + len - in);
    out += to + len - in;
    in = to + len;
    if (s[2] != 'N' || out == 2)
      break;
  }
  memmove(s + out, s + in, n - in + 1);
  return s;
}

/* A form in which both compilers' names are the same; not a name. The caller frees it.
 */
static char *common_form(const char *mangled) {
  static const char anonymous[] = "_GLOBAL__N_";
  static const char common[] = "12_GLOBAL__N_1";
  size_t n = unmarked(mangled);
  size_t k = 0;
  char *out = ww_xmalloc(n + sizeof common + 1);
  for (const char *s = mangled, *end = mangled + n; s < end;) {
    char *name;
    bool number =
        isdigit((unsigned char)*s) && (s == mangled || !isdigit((unsigned char)s[-1]));
    size_t len = number ? strtoul(s, &name, 10) : 0;
    if (marks_internal(s)) {
      s++;
    } else if (number && !strncmp(name, anonymous, sizeof anonymous - 1) &&
               len <= (size_t)(end - name)) {
      memcpy(out + k, common, sizeof common - 1); /* never longer: 12 is the shortest */
      k += sizeof common - 1;
      s = name + len;
    } else {
      out[k++] = *s++;
    }
  }
  out[k] = 0;
  return out;
}

bool ww_ir_same_internal(const char *a, const char *b) {
  if (strncmp(a, "_Z", 2) || strncmp(b, "_Z", 2))
    return false;
  char *x = common_form(a);
  char *y = common_form(b);
  bool same = !strcmp(x, y);
  free(x);
  free(y);
  return same;
}
