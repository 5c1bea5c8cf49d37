/* assume.c - assumptions in words, and back. */
#include "assume.h"

#include "../base/json_put.h"

static const char *const wordings[WW_NASSUMPTIONS] = {
#define ASSUMPTION(kind, wording) wording,
#include "assumptions.def"
};

/* ---- out ---- */

void ww_assumption_put(const ww_assumption *x, ww_buf *out) {
  for (const char *w = wordings[x->kind]; *w; w++) {
    if (*w != '$') {
      ww_buf_add(out, w, 1);
      continue;
    }
    w++;
    if (*w == 'a')
      ww_buf_puts(out, x->argument);
    else
      ww_buf_fmt(out, "%llu", (unsigned long long)x->value[*w - '0']);
  }
}

char *ww_assumption_text(const ww_assumption *x, ww_arena *a) {
  ww_buf b = {0};
  ww_assumption_put(x, &b);
  return ww_buf_text(&b, a);
}

void ww_assumptions_write(const ww_assumptions *list, ww_json *j) {
  ww_buf b = {0};
  ww_json_put(j, "assumed:[");
  for (uint32_t k = 0; k < list->n; k++) {
    b.n = 0;
    ww_assumption_put(&list->v[k], &b);
    ww_json_str(j, b.s);
  }
  ww_json_end_arr(j);
  ww_buf_free(&b);
}

void ww_assumptions_print(const ww_assumptions *list,
                          const char *head,
                          const char *next,
                          FILE *f) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < list->n; k++) {
    b.n = 0;
    ww_assumption_put(&list->v[k], &b);
    fprintf(f, "%s %s\n", k ? next : head, b.s);
  }
  ww_buf_free(&b);
}

/* ---- in ---- */

/* A number as ww_assumption_put writes it, else NULL. */
static const char *read_value(const char *s, uint64_t *value) {
  const char *first = s;
  *value = 0;
  for (; *s >= '0' && *s <= '9'; s++) {
    if (__builtin_mul_overflow(*value, 10, value) ||
        __builtin_add_overflow(*value, *s - '0', value))
      return NULL;
  }
  return s == first || (*first == '0' && s > first + 1) ? NULL : s;
}

/* Whether `s` is what the wording makes of some argument and values; these go into
 * *out. */
static bool fits(const char *wording, const char *s, ww_arena *a, ww_assumption *out) {
  for (; *wording && *wording != '$'; wording++)
    if (*s++ != *wording)
      return false;
  if (!*wording)
    return !*s;
  if (wording[1] != 'a') {
    s = read_value(s, &out->value[wording[1] - '0']);
    return s && fits(wording + 2, s, a, out);
  }
  const char *end = s;
  while (!fits(wording + 2, end, a, out))
    if (!*end++)
      return false;
  out->argument = ww_strndup(a, s, end - s);
  return true;
}

ww_assumption ww_assumption_read(const char *sentence, ww_arena *a) {
  ww_assumption x = {0};
  while (!fits(wordings[x.kind], sentence, a, &x))
    x = (ww_assumption){.kind = x.kind + 1}; /* the last one fits everything */
  return x;
}

/* ---- lists ---- */

void ww_assumptions_add(ww_assumptions *list, const ww_assumptions *more, ww_arena *a) {
  for (uint32_t k = 0; k < more->n; k++) {
    ww_assumption x = more->v[k];
    x.argument = ww_strdup(a, x.argument);
    ww_push(a, list, x);
  }
}

const ww_assumption *ww_assumptions_find(const ww_assumptions *list,
                                         ww_assumption_kind kind) {
  for (uint32_t k = 0; k < list->n; k++)
    if (list->v[k].kind == kind)
      return &list->v[k];
  return NULL;
}
