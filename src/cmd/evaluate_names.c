/* evaluate_names.c - the kernels of somebody's table among those of a recording or of a
 * source: names are plain there and mangled here, regions of OpenMP go by function and
 * line. */
#include <stdlib.h>

#include "evaluate.h"

/* __omp_offloading_10309_2fc5ad7_main_l44 -> main_l44: device and inode of the file are
 * one machine's; NULL: no such name. */
const char *ww_listed_region(const char *name) {
  static const char begin[] = "__omp_offloading_";
  if (strncmp(name, begin, sizeof begin - 1))
    return NULL;
  const char *s = strchr(name + sizeof begin - 1, '_');
  s = s ? strchr(s + 1, '_') : NULL;
  return s ? s + 1 : NULL;
}

/* Of the regions of one function, by their lines: how many lie before this one, and how
 * many there are. */
typedef struct {
  uint32_t before, all;
} rank;

/* main_l44 -> "main" and 44 */
static size_t split(const char *region, unsigned long *line) {
  const char *at = region;
  for (const char *s = region; (s = strstr(s, "_l")); s++)
    at = s;
  *line = strtoul(at + 2, NULL, 10);
  return at - region;
}

static rank rank_of(const char *one, const ww_strings *names) {
  unsigned long line;
  unsigned long other;
  size_t n = split(one, &line);
  rank r = {0};
  for (uint32_t i = 0; i < names->n; i++) {
    const char *x = ww_listed_region(names->v[i]);
    bool seen = !x || split(x, &other) != n || strncmp(x, one, n);
    for (uint32_t k = 0; k < i && !seen; k++) {
      const char *y = ww_listed_region(names->v[k]);
      seen = y && !strcmp(x, y);
    }
    r.all += !seen;
    r.before += !seen && other < line;
  }
  return r;
}

/* Lines move when a program's text is edited; the order of a function's regions stays.
 */
static bool same_region(const char *recorded,
                        const char *listed,
                        const ww_strings *all_recorded,
                        const ww_strings *all_listed) {
  const char *x = ww_listed_region(recorded);
  const char *y = ww_listed_region(listed);
  unsigned long line;
  if (!x || !y)
    return false;
  rank a = rank_of(x, all_recorded);
  rank b = rank_of(y, all_listed);
  size_t n = split(x, &line);
  if (a.all != b.all) /* some were not reached, or not profiled */
    return !strcmp(x, y);
  return n == split(y, &line) && !strncmp(x, y, n) && a.before == b.before;
}

/* Whether a recorded kernel (mangled or plain) has this plain name. */
static bool is_named(const char *recorded, const char *plain, ww_arena *a) {
  if (ww_starts(recorded, "_Z")) {
    const char *part = ww_fmt(a, "%zu%s", strlen(plain), plain);
    for (const char *at = recorded; (at = strstr(at, part)); at++)
      if (at[-1] < '0' || at[-1] > '9')
        return true;
    return false;
  }
  size_t n = strcspn(recorded, "<(");
  return n == strlen(plain) && !strncmp(recorded, plain, n);
}

/* Whether the first template argument of `void f<float, 4>(...)` may be that of a
 * mangled name. */
bool ww_listed_instance(const ww_eval_case *c, const char *kernel) {
  static const struct {
    const char *type, *code;
  } types[] = {{"float", "If"},        {"double", "Id"}, {"int", "Ii"},
               {"unsigned int", "Ij"}, {"long", "Il"},   {"unsigned long", "Im"},
               {"char", "Ic"},         {"bool", "Ib"},   {"short", "Is"},
               {"unsigned char", "Ih"}};
  const char *begin = strchr(c->name, '<');
  if (!begin || !ww_starts(kernel, "_Z"))
    return true;
  size_t n = strcspn(begin + 1, ",>");
  for (size_t k = 0; k < WW_COUNT(types); k++)
    if (strlen(types[k].type) == n && !strncmp(begin + 1, types[k].type, n))
      return strstr(kernel, types[k].code);
  return true;
}

bool ww_listed_is(const ww_eval_case *c,
                  const char *kernel,
                  const ww_strings *all,
                  ww_arena *a) {
  const char *plain = c->measured.kernel;
  return ww_listed_region(plain) ? same_region(kernel, plain, all, c->listed)
                                 : is_named(kernel, plain, a);
}

bool ww_listed_function(const ww_eval_case *c, const char *function, ww_arena *a) {
  const char *region = ww_listed_region(c->measured.kernel);
  unsigned long line;
  if (!region)
    return is_named(c->measured.kernel, function, a);
  return is_named(ww_strndup(a, region, split(region, &line)), function, a);
}

const ww_fn *ww_listed_kernel(const ww_eval_case *c, const ww_module *m, ww_arena *a) {
  const ww_fn *other = NULL;
  ww_strings all = {0};
  for (uint32_t k = 0; k < m->nfns; k++)
    if (m->fns[k].kernel)
      ww_push(a, &all, m->fns[k].mangled);
  for (uint32_t k = 0; k < m->nfns; k++) {
    const ww_fn *fn = &m->fns[k];
    if (!fn->kernel || !ww_listed_is(c, fn->mangled, &all, a))
      continue;
    if (ww_listed_instance(c, fn->mangled))
      return fn;
    other = other ? other : fn;
  }
  return other;
}
