/* evaluate_tables.c - the tables of an evaluation, as words; text, markdown and the
 * page only set them. */
#include <inttypes.h>
#include <math.h>

#include "../base/units.h"
#include "evaluate.h"

typedef WW_VEC(ww_table) tables;

/* ---- numbers as words ---- */

#define NONE "-"

static const char *count(uint32_t n, ww_arena *a) {
  return ww_fmt(a, "%u", n);
}

static const char *percent(double share, ww_arena *a) {
  if (isnan(share))
    return NONE;
  double p = 100 * share;
  return fabs(p) >= 1e4   ? ww_fmt(a, "%.1e %%", p)
         : fabs(p) >= 100 ? ww_fmt(a, "%.0f %%", p)
                          : ww_fmt(a, "%.1f %%", p);
}

static const char *share(uint32_t n, uint32_t of, ww_arena *a) {
  return percent(of ? (double)n / of : NAN, a);
}

/* An error in the terms of its rule. */
static const char *error_text(int q, double e, ww_arena *a) {
  if (isnan(e))
    return NONE;
  return ww_rule_of(q).points ? ww_fmt(a, "%.1f pt", e) : percent(e, a);
}

static const char *signed_text(int q, double e, ww_arena *a) {
  if (isnan(e))
    return NONE;
  if (fabs(e) < (ww_rule_of(q).points ? 0.05 : 0.0005))
    e = 0; /* no -0.0 */
  return ww_fmt(a, "%s%s", e > 0 ? "+" : "", error_text(q, e, a));
}

static const char *plain(double v, int digits, ww_arena *a) {
  return isnan(v) ? NONE : ww_fmt(a, "%.*f", digits, v);
}

const char *ww_scored_text(int q, double v, ww_arena *a) {
  const char *unit = ww_scored_unit(q);
  bool bytes = !strcmp(unit, "byte"), counts = !strcmp(unit, "1");
  const char *step = "";
  if (isnan(v))
    return NONE;
  if (!strcmp(unit, "us"))
    unit = ww_unit_of(&v, ww_units_time, 1e3, 1e3);
  if (bytes || counts)
    step = ww_unit_of(&v, ww_units_thousands, 9999.5, 9999.5);
  const char *shown = bytes ? "B" : counts || !strcmp(unit, "1/thread") ? "" : unit;
  return ww_fmt(a, "%.4g%s%s%s", v, *step || *shown ? " " : "", step, shown);
}

static const char *shape(const uint64_t d[3], ww_arena *a) {
  if (d[2] > 1)
    return ww_fmt(a, "%" PRIu64 "x%" PRIu64 "x%" PRIu64, d[0], d[1], d[2]);
  if (d[1] > 1)
    return ww_fmt(a, "%" PRIu64 "x%" PRIu64, d[0], d[1]);
  return ww_fmt(a, "%" PRIu64, d[0]);
}

const char *ww_case_name(const ww_eval_case *c, ww_arena *a) {
  const ww_launch *l = c->measured.launch;
  const char *kernel = c->predicted.kernel ? c->predicted.kernel : c->measured.kernel;
  const char *file = c->launch.file     ? ww_path_base(c->launch.file)
                     : c->measured.file ? ww_path_base(c->measured.file)
                                        : "?";
  const char *grid =
      l ? ww_fmt(a, " <<<%s, %s>>>", shape(l->grid, a), shape(l->block, a)) : "";
  return ww_fmt(a, "%.60s%s%s%s %s", kernel ? kernel : "?", grid, c->run ? " of " : "",
                c->run ? c->run : "", file);
}

const char *ww_evaluate_head(const ww_evaluation *v, ww_arena *a) {
  const char *rest =
      v->unmeasured
          ? ww_fmt(a, " (%u rows without a measurement left out)", v->unmeasured)
          : "";
  const char *speed = isnan(v->ms)
                          ? ""
                          : ww_fmt(a, "; %.0f ms a launch in the median, %.1f s in all",
                                   v->ms, v->total_s);
  return ww_fmt(a, "%s against %s%s%s: %u launches%s, %u answered (%s)%s", v->by,
                v->data, v->gpu ? " on " : "", v->gpu ? v->gpu : "", v->n, rest,
                v->answered, share(v->answered, v->n, a), speed);
}

/* ---- building ---- */

static ww_table *
table(tables *all, const char *title, const char *const *head, ww_arena *a) {
  uint32_t n = 0;
  while (head[n])
    n++;
  ww_table t = {
      .title = title, .ncols = n, .left = 1, .head = WW_NEWN(a, const char *, n)};
  for (uint32_t k = 0; k < n; k++)
    t.head[k] = head[k];
  ww_push(a, all, t);
  return &all->v[all->n - 1];
}

static void add_row(ww_table *t, const char **cells, ww_arena *a) {
  size_t row = t->ncols * sizeof *cells;
  size_t before = t->nrows++ * row;
  t->cells = ww_grow(a, t->cells, before, before + row);
  memcpy((char *)t->cells + before, cells, row);
}
#define ROW(...) add_row(t, (const char *[]){__VA_ARGS__}, a)

static void interval_rows(const ww_score *s, ww_table *t, ww_arena *a) {
  if (!s->intervals)
    return;
  const char *over = count(s->intervals, a);
  ROW("time: in its interval", percent(s->inside, a), over);
  ROW("time: median high / low of the intervals", plain(s->ratio, 2, a), over);
  ROW("time: interval score (Winkler, 90 %, on ln)", plain(s->cost, 3, a), over);
}

/* What the project promises, first. */
static void headline(const ww_evaluation *v, tables *all, ww_arena *a) {
  static const int rows[] = {WW_Q_flops,      WW_M_warp_instructions, WW_M_registers,
                             WW_Q_dram_bytes, WW_M_l1_hit_pct,        WW_M_l2_hit_pct,
                             WW_M_ai};
  static const char *const head[] = {"", "score", "over", NULL};
  ww_table *t = table(all, "At a glance", head, a);
  const ww_score *time = &v->score[WW_M_time_us];
  if (v->shown[WW_M_time_us]) {
    ROW("time: median error, unanswered as 100 %", percent(time->median, a),
        count(time->n, a));
    ROW("time: median |ln(predicted/measured)|", plain(time->ln, 3, a),
        count(time->answered, a));
    ROW("time: rank correlation", plain(time->spearman, 3, a),
        count(time->answered, a));
    ROW("time under 10 us: median |error| in us", plain(time->small_us, 2, a),
        count(time->small, a));
    interval_rows(time, t, a);
  }
  for (size_t k = 0; k < WW_COUNT(rows); k++) {
    int q = rows[k];
    if (!v->shown[q])
      continue;
    ROW(ww_fmt(a, "%s within %s", ww_scored_name(q), ww_rule_text(q, a)),
        percent(v->score[q].right, a), count(v->score[q].n, a));
  }
  if (v->classes.answered) {
    ROW("roofline class: balanced accuracy", percent(v->classes.balanced, a),
        count(v->classes.answered, a));
    ROW("roofline class: MCC", plain(v->classes.mcc, 2, a),
        count(v->classes.answered, a));
  }
  ROW("answered", share(v->answered, v->n, a), count(v->n, a));
}

static void metric_table(const ww_evaluation *v, tables *all, ww_arena *a) {
  static const char *const head[] = {
      "metric",       "n",    "answered", "zero",        "median",
      "mean",         "90 %", "|ln|",     "within 10 %", "right",
      "right within", "rank", "bias",     "in interval", NULL};
  ww_table *t = table(all, "By metric", head, a);
  for (int q = 0; q < WW_NSCORED; q++) {
    const ww_score *s = &v->score[q];
    if (!v->shown[q])
      continue;
    ROW(ww_scored_name(q), count(s->n, a), count(s->answered, a), count(s->zeros, a),
        error_text(q, s->median, a), error_text(q, s->mean, a),
        error_text(q, s->p90, a), plain(s->ln, 3, a), percent(s->within10, a),
        percent(s->right, a), ww_rule_text(q, a), plain(s->spearman, 3, a),
        signed_text(q, s->bias, a), percent(s->inside, a));
  }
  t->note = "n: launches with this measurement; zero: those of them where it is 0; "
            "errors: |p - m| "
            "/ m, or points of a percentage";
}

static void class_table(const ww_evaluation *v, tables *all, ww_arena *a) {
  static const char *const head[] = {"measured", "said bandwidth", "said compute",
                                     "recall", NULL};
  const ww_class_score *s = &v->classes;
  if (!s->answered)
    return;
  ww_table *t = table(all, "Roofline class", head, a);
  for (int k = 0; k < 2; k++) {
    uint32_t of = s->matrix[k][0] + s->matrix[k][1];
    ROW(ww_bound_names[k + 1], count(s->matrix[k][0], a), count(s->matrix[k][1], a),
        share(s->matrix[k][k], of, a));
  }
  t->note = ww_fmt(
      a,
      "%u of %u launches: accuracy %s, balanced %s, macro F1 %s, MCC %s; unanswered "
      "ones as wrong: accuracy %s",
      s->answered, s->n, percent(s->accuracy, a), percent(s->balanced, a),
      percent(s->f1, a), plain(s->mcc, 3, a), percent(s->accuracy_all, a));
}

static void group_table(const ww_evaluation *v, int g, tables *all, ww_arena *a) {
  static const char *const head[] = {
      "",     "launches",    "answered",    "median",         "mean",
      "90 %", "|ln|",        "within 10 %", "right",          "rank",
      "bias", "in interval", "high/low",    "class balanced", NULL};
  ww_table *t = table(
      all, ww_fmt(a, "By %s: %s", ww_grouping_names[g], ww_scored_name(v->metric)),
      head, a);
  t->head[0] = ww_grouping_names[g];
  for (uint32_t k = 0; k < v->ngroups[g]; k++) {
    const ww_group *i = &v->groups[g][k];
    const ww_score *s = &i->score;
    ROW(i->name, count(i->n, a), count(s->answered, a),
        error_text(v->metric, s->median, a), error_text(v->metric, s->mean, a),
        error_text(v->metric, s->p90, a), plain(s->ln, 3, a), percent(s->within10, a),
        percent(s->right, a), plain(s->spearman, 3, a),
        signed_text(v->metric, s->bias, a), percent(s->inside, a),
        plain(s->ratio, 2, a), percent(i->classes.balanced, a));
  }
}

static void reason_table(const ww_evaluation *v, tables *all, ww_arena *a) {
  static const char *const head[] = {"why", "launches", "for example", NULL};
  if (!v->reasons.n)
    return;
  ww_table *t = table(all, "Not answered", head, a);
  for (uint32_t k = 0; k < v->reasons.n; k++) {
    ROW(v->reasons.v[k].text, count(v->reasons.v[k].n, a),
        ww_case_name(v->reasons.v[k].example, a));
  }
  t->words = 1 << 2;
}

static void worst_table(const ww_evaluation *v, tables *all, ww_arena *a) {
  static const char *const head[] = {"launch", "measured",   "predicted",
                                     "ratio",  "bottleneck", NULL};
  if (!v->nworst)
    return;
  ww_table *t =
      table(all, ww_fmt(a, "Worst cases: %s", ww_scored_name(v->metric)), head, a);
  for (uint32_t k = 0; k < v->nworst; k++) {
    const ww_eval_case *c = v->worst[k];
    ww_mark m = ww_case_mark(v, c);
    ROW(ww_case_name(c, a), ww_scored_text(v->metric, m.truth, a),
        ww_scored_text(v->metric, m.guess, a),
        m.truth > 0 ? ww_fmt(a, "%.3g", m.guess / m.truth) : NONE,
        c->predicted.bottleneck ? c->predicted.bottleneck : "");
  }
  t->words = 1 << 4;
}

uint32_t
ww_evaluate_tables(const ww_evaluation *v, int grouping, ww_arena *a, ww_table **out) {
  tables all = {0};
  headline(v, &all, a);
  metric_table(v, &all, a);
  class_table(v, &all, a);
  for (int g = 0; g < WW_NGROUPINGS; g++)
    if (grouping == g || (grouping < 0 && v->ngroups[g] > 1))
      group_table(v, g, &all, a);
  reason_table(v, &all, a);
  worst_table(v, &all, a);
  *out = all.v;
  return all.n;
}
