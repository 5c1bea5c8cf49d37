/* evaluate_sum.c - from cases to scores: all together, by group, why some were not
 * answered, which are worst. */
#include <math.h>
#include <stdlib.h>

#include "evaluate.h"

const char *const ww_grouping_names[WW_NGROUPINGS] = {"suite", "family", "dialect",
                                                      "size", "bound"};

/* ---- groups ---- */

static const char *const sizes[] = {"under 10 us", "10 to 100 us", "0.1 to 1 ms",
                                    "1 ms and more"};

static const char *size_of(const ww_eval_case *c) {
  const ww_quantity *t = &c->measured.m[WW_M_time_us];
  return t->known ? sizes[!(t->value < 10) + !(t->value < 100) + !(t->value < 1000)]
                  : "not timed";
}

static const char *dialect_of(const ww_eval_case *c) {
  const char *dot = c->launch.file ? strrchr(c->launch.file, '.') : NULL;
  if (!dot)
    return "not said";
  return !strcmp(dot, ".cl") ? "opencl" : !strcmp(dot, ".hip") ? "hip" : "cuda";
}

const char *ww_group_of(const ww_eval_case *c, int grouping) {
  if (grouping == WW_GROUP_SIZE)
    return size_of(c);
  if (grouping == WW_GROUP_BOUND)
    return ww_bound_names[c->truth];
  if (c->member[grouping])
    return c->member[grouping];
  return grouping == WW_GROUP_DIALECT ? dialect_of(c) : "not said";
}

static uint32_t pairs_of(const ww_evaluation *v,
                         int grouping,
                         const char *group,
                         ww_pair *pairs,
                         ww_bound *truth,
                         ww_bound *guess) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < v->n; k++) {
    const ww_eval_case *c = &v->cases[k];
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
  const ww_group *x = a;
  const ww_group *y = b;
  if (x->n != y->n)
    return x->n < y->n ? 1 : -1;
  return strcmp(x->name, y->name);
}

static void sort_sizes(ww_group *g, uint32_t n) {
  uint32_t to = 0;
  for (uint32_t k = 0; k < 4; k++)
    for (uint32_t i = to; i < n; i++)
      if (!strcmp(g[i].name, sizes[k])) {
        ww_group one = g[i];
        g[i] = g[to];
        g[to++] = one;
      }
}

static void group(ww_evaluation *v,
                  int grouping,
                  ww_pair *pairs,
                  ww_bound *truth,
                  ww_bound *guess,
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

static void reasons(ww_evaluation *v, ww_arena *a) {
  for (uint32_t k = 0; k < v->n; k++) {
    const ww_eval_case *c = &v->cases[k];
    const ww_err *e = &c->predicted.error;
    if (e->code)
      ww_reason_add(&v->reasons,
                    ww_fmt(a, "%s: %s", ww_status_name(e->code),
                           ww_without_names(e->msg, 110, ";\n", a)),
                    c, a);
  }
  ww_reasons_sort(&v->reasons);
}

/* ---- worst cases ---- */

ww_mark ww_case_mark(const ww_evaluation *v, const ww_eval_case *c) {
  return ww_mark_of(v->metric, &(ww_pair){&c->measured, &c->predicted});
}

typedef struct {
  const ww_eval_case *c;
  double bad;
} ranked;

static int by_bad(const void *a, const void *b) {
  const ranked *x = a;
  const ranked *y = b;
  return (x->bad < y->bad) - (x->bad > y->bad);
}

/* By the ratio where there is one, so that half and double are equally bad. */
static void worst(ww_evaluation *v, uint32_t want, ww_arena *a) {
  ranked *all = WW_NEWN(a, ranked, v->n + 1);
  uint32_t n = 0;
  bool points = ww_rule_of(v->metric).points;
  for (uint32_t k = 0; k < v->n; k++) {
    const ww_eval_case *c = &v->cases[k];
    ww_mark m = ww_case_mark(v, c);
    if (!m.answered)
      continue;
    all[n++] = (ranked){c, points || isnan(m.ln) ? m.error : fabs(m.ln)};
  }
  qsort(all, n, sizeof *all, by_bad);
  v->nworst = n < want ? n : want;
  v->worst = WW_NEWN(a, const ww_eval_case *, v->nworst + 1);
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
  ww_bound *truth = WW_NEWN(a, ww_bound, v->n + 1);
  ww_bound *guess = WW_NEWN(a, ww_bound, v->n + 1);
  v->answered = 0;
  for (uint32_t k = 0; k < v->n; k++) {
    ww_eval_case *c = &v->cases[k];
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

typedef struct {
  const char *name;
  double value;
} stat;

static bool stat_of(const stat *table, const char *name, double *value) {
  for (; table->name; table++)
    if (!strcmp(table->name, name))
      return *value = table->value, true;
  return false;
}

static double coverage(uint32_t answered, uint32_t n) {
  return n ? 100.0 * answered / n : NAN;
}

bool ww_evaluate_stat(const ww_evaluation *v,
                      const char *metric,
                      const char *name,
                      double *value) {
  *value = NAN;
  if (!*metric && !strcmp(name, "coverage"))
    return *value = coverage(v->answered, v->n), true;
  if (!strcmp(metric, "class")) {
    const ww_class_score *s = &v->classes;
    const stat table[] = {{"accuracy", 100 * s->accuracy},
                          {"balanced", 100 * s->balanced},
                          {"f1", 100 * s->f1},
                          {"mcc", s->mcc},
                          {"all", 100 * s->accuracy_all},
                          {"coverage", coverage(s->answered, s->n)},
                          {0}};
    return stat_of(table, name, value);
  }
  int q = ww_scored_named(metric);
  if (q < 0)
    return false;
  const ww_score *s = &v->score[q];
  double scale = ww_rule_of(q).points ? 1 : 100;
  const stat table[] = {{"median", scale * s->median},
                        {"mean", scale * s->mean},
                        {"p90", scale * s->p90},
                        {"ln", s->ln},
                        {"within10", 100 * s->within10},
                        {"right", 100 * s->right},
                        {"rank", s->spearman},
                        {"spearman", s->spearman},
                        {"bias", scale * s->bias},
                        {"inside", 100 * s->inside},
                        {"ratio", s->ratio},
                        {"interval", s->cost},
                        {"small_us", s->small_us},
                        {"coverage", coverage(s->answered, s->n)},
                        {0}};
  return stat_of(table, name, value);
}
