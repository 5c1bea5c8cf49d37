/* evaluate_sum.c - from cases to scores: all together, by group, why some were not answered, which
 * are worst. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "evaluate.h"

const char *const ww_grouping_names[WW_NGROUPINGS] = {"suite", "family", "dialect", "size",
                                                      "bound"};

/* ---- groups ---- */

static const char *size_of(const ww_case *c) {
  const ww_quantity *t = &c->measured.m[WW_M_time_us];
  if (!t->known)
    return "not timed";
  return t->value < 10     ? "under 10 us"
         : t->value < 100  ? "10 to 100 us"
         : t->value < 1000 ? "0.1 to 1 ms"
                           : "1 ms and more";
}

static const char *dialect_of(const ww_case *c) {
  const char *dot = c->launch.file ? strrchr(c->launch.file, '.') : NULL;
  return dot && !strcmp(dot, ".cl")    ? "opencl"
         : dot && !strcmp(dot, ".hip") ? "hip"
         : dot                         ? "cuda"
                                       : "not said";
}

const char *ww_group_of(const ww_case *c, int grouping) {
  if (grouping == WW_GROUP_SIZE)
    return size_of(c);
  if (grouping == WW_GROUP_BOUND)
    return ww_bound_names[c->truth];
  if (c->member[grouping])
    return c->member[grouping];
  return grouping == WW_GROUP_DIALECT ? dialect_of(c) : "not said";
}

static uint32_t pairs_of(const ww_evaluation *v, int grouping, const char *group, ww_pair *pairs,
                         ww_bound *truth, ww_bound *guess) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < v->n; k++) {
    const ww_case *c = &v->cases[k];
    if (group && strcmp(ww_group_of(c, grouping), group))
      continue;
    pairs[n] = (ww_pair){&c->measured, &c->predicted};
    truth[n] = c->truth;
    guess[n++] = c->guess;
  }
  return n;
}

/* Sizes in their own order, all others with the most launches first. */
static int by_launches(const void *a, const void *b) {
  const ww_group *x = a, *y = b;
  if (x->n != y->n)
    return x->n < y->n ? 1 : -1;
  return strcmp(x->name, y->name);
}

static void sort_sizes(ww_group *g, uint32_t n) {
  static const char *const order[] = {"under 10 us", "10 to 100 us", "0.1 to 1 ms",
                                      "1 ms and more"};
  uint32_t to = 0;
  for (uint32_t k = 0; k < 4; k++)
    for (uint32_t i = to; i < n; i++)
      if (!strcmp(g[i].name, order[k])) {
        ww_group one = g[i];
        g[i] = g[to];
        g[to++] = one;
      }
}

static void group(ww_evaluation *v, int grouping, ww_pair *pairs, ww_bound *truth, ww_bound *guess,
                  ww_arena *a) {
  WW_VEC(ww_group) all = {0};
  for (uint32_t k = 0; k < v->n; k++) {
    const char *name = ww_group_of(&v->cases[k], grouping);
    uint32_t i = 0;
    while (i < all.n && strcmp(all.v[i].name, name))
      i++;
    if (i == all.n)
      ww_push(a, &all, (ww_group){.name = name});
  }
  for (uint32_t k = 0; k < all.n; k++) {
    ww_group *g = &all.v[k];
    g->n = pairs_of(v, grouping, g->name, pairs, truth, guess);
    ww_score_of(v->metric, pairs, g->n, a, &g->score);
    ww_class_score_of(truth, guess, g->n, &g->classes);
  }
  if (all.n)
    qsort(all.v, all.n, sizeof *all.v, by_launches);
  if (grouping == WW_GROUP_SIZE)
    sort_sizes(all.v, all.n);
  v->groups[grouping] = all.v;
  v->ngroups[grouping] = all.n;
}

/* ---- reasons ---- */

/* Messages that differ in names and numbers alone are one reason. */
static const char *without_names(const ww_err *e, ww_arena *a) {
  char text[160];
  size_t n = 0;
  const char *s = e->msg;
  while (*s && n < 110) {
    const char *end =
        *s == '`' || *s == '\'' || *s == '"' ? strchr(s + 1, *s == '`' ? '`' : *s) : NULL;
    if (end) {
      n += snprintf(text + n, sizeof text - n, "...");
      s = end + 1;
    } else if (isdigit((unsigned char)*s)) {
      s += strspn(s, "0123456789.x");
      text[n++] = 'N';
    } else if (*s == ';' || *s == '\n')
      break;
    else
      text[n++] = *s++;
  }
  text[n] = 0;
  return ww_fmt(a, "%s: %s", ww_status_name(e->code), text);
}

static int by_count(const void *a, const void *b) {
  const ww_reason *x = a, *y = b;
  if (x->n != y->n)
    return x->n < y->n ? 1 : -1;
  return strcmp(x->text, y->text);
}

static void reasons(ww_evaluation *v, ww_arena *a) {
  WW_VEC(ww_reason) all = {0};
  for (uint32_t k = 0; k < v->n; k++) {
    const ww_case *c = &v->cases[k];
    if (!c->predicted.error.code)
      continue;
    const char *text = without_names(&c->predicted.error, a);
    uint32_t i = 0;
    while (i < all.n && strcmp(all.v[i].text, text))
      i++;
    if (i == all.n)
      ww_push(a, &all, (ww_reason){.text = text, .example = c});
    all.v[i].n++;
  }
  if (all.n)
    qsort(all.v, all.n, sizeof *all.v, by_count);
  v->reasons = all.v;
  v->nreasons = all.n;
}

/* ---- worst cases ---- */

typedef struct {
  const ww_case *c;
  double bad;
} ranked;

static int by_bad(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  return (x->bad < y->bad) - (x->bad > y->bad);
}

/* By the ratio where there is one, so that half and double are equally bad. */
static void worst(ww_evaluation *v, uint32_t want, ww_arena *a) {
  ranked *all = WW_NEWN(a, ranked, v->n + 1);
  uint32_t n = 0;
  bool points = ww_rule_of(v->metric).points;
  for (uint32_t k = 0; k < v->n; k++) {
    const ww_case *c = &v->cases[k];
    ww_mark m = ww_mark_of(v->metric, &(ww_pair){&c->measured, &c->predicted});
    if (!m.answered)
      continue;
    all[n++] = (ranked){c, points || isnan(m.ln) ? m.error : fabs(m.ln)};
  }
  qsort(all, n, sizeof *all, by_bad);
  v->nworst = n < want ? n : want;
  v->worst = WW_NEWN(a, const ww_case *, v->nworst + 1);
  for (uint32_t k = 0; k < v->nworst; k++)
    v->worst[k] = all[k].c;
}

/* ---- all ---- */

static void times(ww_evaluation *v, ww_arena *a) {
  double *ms = WW_NEWN(a, double, v->n + 1);
  uint32_t n = 0;
  for (uint32_t k = 0; k < v->n; k++)
    if (v->cases[k].seconds > 0 && !v->cases[k].predicted.error.code)
      ms[n++] = 1e3 * v->cases[k].seconds;
  v->ms = ww_stat_median(ms, n);
}

void ww_evaluate_sum(ww_evaluation *v, int metric, uint32_t nworst, ww_arena *a) {
  ww_pair *pairs = WW_NEWN(a, ww_pair, v->n + 1);
  ww_bound *truth = WW_NEWN(a, ww_bound, v->n + 1), *guess = WW_NEWN(a, ww_bound, v->n + 1);
  v->answered = 0;
  for (uint32_t k = 0; k < v->n; k++) {
    ww_case *c = &v->cases[k];
    c->truth = ww_bound_of(&c->measured, &c->balance);
    c->guess = ww_bound_of(&c->predicted, &c->balance);
    v->answered += !c->predicted.error.code;
  }
  uint32_t n = pairs_of(v, 0, NULL, pairs, truth, guess);
  for (int q = 0; q < WW_NSCORED; q++) {
    ww_score_of(q, pairs, n, a, &v->score[q]);
    v->shown[q] = v->score[q].answered > 0;
  }
  v->shown[WW_M_sm_clock_mhz] = false; /* the device's own affair */
  ww_class_score_of(truth, guess, n, &v->classes);
  v->metric = metric >= 0                              ? metric
              : v->shown[WW_M_time_us] || !v->answered ? WW_M_time_us
                                                       : WW_M_warp_instructions;
  for (int g = 0; g < WW_NGROUPINGS; g++)
    group(v, g, pairs, truth, guess, a);
  reasons(v, a);
  worst(v, nworst, a);
  times(v, a);
}

/* ---- single numbers ---- */

static bool class_stat(const ww_class_score *s, const char *stat, double *value) {
  const struct {
    const char *name;
    double value;
  } table[] = {{"accuracy", 100 * s->accuracy},
               {"balanced", 100 * s->balanced},
               {"f1", 100 * s->f1},
               {"mcc", s->mcc},
               {"all", 100 * s->accuracy_all},
               {"coverage", s->n ? 100.0 * s->answered / s->n : NAN}};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (!strcmp(table[k].name, stat))
      return *value = table[k].value, true;
  return false;
}

static bool score_stat(int q, const ww_score *s, const char *stat, double *value) {
  double scale = ww_rule_of(q).points ? 1 : 100;
  const struct {
    const char *name;
    double value;
  } table[] = {
      {"median", scale * s->median},   {"mean", scale * s->mean},
      {"p90", scale * s->p90},         {"ln", s->ln},
      {"within10", 100 * s->within10}, {"right", 100 * s->right},
      {"rank", s->spearman},           {"spearman", s->spearman},
      {"bias", scale * s->bias},       {"inside", 100 * s->inside},
      {"small_us", s->small_us},       {"coverage", s->n ? 100.0 * s->answered / s->n : NAN}};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (!strcmp(table[k].name, stat))
      return *value = table[k].value, true;
  return false;
}

bool ww_evaluate_stat(const ww_evaluation *v, const char *metric, const char *stat, double *value) {
  *value = NAN;
  if (!*metric && !strcmp(stat, "coverage"))
    return *value = v->n ? 100.0 * v->answered / v->n : NAN, true;
  if (!strcmp(metric, "class"))
    return class_stat(&v->classes, stat, value);
  int q = ww_scored_named(metric);
  return q >= 0 && score_stat(q, &v->score[q], stat, value);
}
