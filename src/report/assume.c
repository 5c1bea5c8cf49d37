/* assume.c - assumptions in words for people, and as kinds and values for programs. */
#include "assume.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "../base/units.h"

static const char *const names[WW_NASSUMPTIONS] = {
#define ASSUMPTION(kind, wording) #kind,
#include "assumptions.def"
};
static const char *const wordings[WW_NASSUMPTIONS] = {
#define ASSUMPTION(kind, wording) wording,
#include "assumptions.def"
};

/* ---- out ---- */

static void put_decided(uint64_t what, ww_buf *out) {
  static const char *const words[] = {"addresses", "trip counts", "branches"};
  const char *between = "";
  for (int k = 0; k < 3; k++) {
    if (!(what >> k & 1))
      continue;
    ww_buf_fmt(out, "%s%s", between, words[k]);
    uint64_t rest = what >> (k + 1);
    between = rest & (rest - 1) ? ", " : " and ";
  }
}

static void put_value(char how, uint64_t v, ww_buf *out) {
  char text[16];
  if (how == 't')
    ww_buf_puts(out, ww_us_text(1e-3 * (double)v, text));
  else if (how == 'd')
    put_decided(v, out);
  else
    ww_buf_fmt(out, "%lld", (long long)v);
}

void ww_assumption_put(const ww_assumption *x, ww_buf *out) {
  for (const char *w = wordings[x->kind]; *w; w++) {
    if (*w != '$') {
      ww_buf_add(out, w, 1);
      continue;
    }
    char how = *++w;
    if (how == 'a')
      ww_buf_puts(out, x->argument);
    else
      put_value(how, x->value[*(w += isalpha((unsigned char)how) != 0) - '0'], out);
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

/* How many values the wording has. */
static int values_of(const ww_assumption *x) {
  int n = 0;
  for (const char *w = wordings[x->kind]; (w = strchr(w, '$')); w++) {
    const char *digit = isalpha((unsigned char)w[1]) ? w + 2 : w + 1;
    if (w[1] != 'a' && *digit - '0' >= n)
      n = *digit - '0' + 1;
  }
  return n;
}

void ww_assumptions_write_kinds(const ww_assumptions *list, ww_json *j) {
  if (!list->n)
    return;
  ww_json_put(j, "assumptions:[");
  for (uint32_t k = 0; k < list->n; k++) {
    const ww_assumption *x = &list->v[k];
    char kind[32];
    snprintf(kind, sizeof kind, "%s", names[x->kind]);
    for (char *c = kind; *c; c++)
      *c = (char)tolower(*c);
    bool worded = x->kind == WW_ASSUME_WORDED; /* the sentence is all there is */
    ww_json_put(j, "{kind:%s,argument?:%s", kind, worded ? NULL : x->argument);
    if (values_of(x)) {
      ww_json_put(j, "values:[");
      for (int i = 0; i < values_of(x); i++)
        ww_json_int(j, (int64_t)x->value[i]);
      ww_json_end_arr(j);
    }
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
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

ww_assumption ww_assumption_read(const cJSON *x, const char *sentence, ww_arena *a) {
  const cJSON *values = cJSON_GetObjectItemCaseSensitive(x, "values");
  const char *name = ww_json_text(x, "kind", a);
  int kind = 0;
  while (kind < WW_ASSUME_WORDED && (!name || strcasecmp(name, names[kind])))
    kind++;
  ww_assumption out = {.kind = kind, .argument = ww_json_text(x, "argument", a)};
  if (kind == WW_ASSUME_WORDED || (!out.argument && strstr(wordings[kind], "$a")))
    return (ww_assumption){.kind = WW_ASSUME_WORDED,
                           .argument = ww_strdup(a, sentence)};
  for (int k = 0; k < 3; k++) {
    const cJSON *v = cJSON_GetArrayItem(values, k);
    if (cJSON_IsNumber(v) && fabs(v->valuedouble) < 1e18)
      out.value[k] = (uint64_t)(int64_t)v->valuedouble;
  }
  return out;
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
