/* evaluate_both.c - the machine model beside the corrected one: one table over the same
 * launches.
 */
#include <math.h>

#include "evaluate.h"

static const char *of(bool points, double v, ww_arena *a) {
  if (isnan(v))
    return "-";
  if (points)
    return ww_fmt(a, "%.1f pt", v);
  return ww_fmt(a, fabs(v) >= 1 ? "%.0f %%" : "%.1f %%", 100 * v);
}

static void row(const char *name,
                bool points,
                double without,
                double with,
                uint32_t n,
                ww_arena *a,
                ww_strings *w) {
  ww_push(a, w, name);
  ww_push(a, w, of(points, without, a));
  ww_push(a, w, of(points, with, a));
  ww_push(a, w, ww_fmt(a, "%u", n));
}

static void numbers(const char *name,
                    double without,
                    double with,
                    uint32_t n,
                    ww_arena *a,
                    ww_strings *w) {
  ww_push(a, w, name);
  ww_push(a, w, isnan(without) ? "-" : ww_fmt(a, "%.3f", without));
  ww_push(a, w, isnan(with) ? "-" : ww_fmt(a, "%.3f", with));
  ww_push(a, w, ww_fmt(a, "%u", n));
}

static void
metric_rows(const ww_score *x, const ww_score *y, int q, ww_arena *a, ww_strings *w) {
  bool points = ww_rule_of(q).points;
  const char *name = ww_scored_name(q);
  row(ww_fmt(a, "%s: median error", name), points, x->median, y->median, y->n, a, w);
  row(ww_fmt(a, "%s: mean error", name), points, x->mean, y->mean, y->n, a, w);
  if (q == WW_M_time_us) {
    row("time_us: 90 % of the errors are at most", points, x->p90, y->p90, y->n, a, w);
    row("time_us: within 10 %", false, x->within10, y->within10, y->n, a, w);
  } else
    row(ww_fmt(a, "%s: right", name), false, x->right, y->right, y->n, a, w);
  if (y->intervals)
    row(ww_fmt(a, "%s: in its interval", name), false, x->inside, y->inside,
        y->intervals, a, w);
  if (q == WW_M_time_us && y->intervals) {
    numbers("time_us: median high / low", x->ratio, y->ratio, y->intervals, a, w);
    numbers("time_us: interval score", x->cost, y->cost, y->intervals, a, w);
  }
}

/* Metrics whose answers differ, or that are always asked about. */
static bool told(const ww_score *x, const ww_score *y, int q) {
  if (q == WW_M_time_us || q == WW_Q_dram_bytes)
    return true;
  return y->answered &&
         (fabs(x->mean - y->mean) > 1e-9 || fabs(x->median - y->median) > 1e-9);
}

ww_table
ww_evaluate_both(const ww_evaluation *without, const ww_evaluation *with, ww_arena *a) {
  static const char *head[] = {"", "machine model", "corrected", "over"};
  ww_strings w = {0};
  for (int q = 0; q < WW_NSCORED; q++)
    if (with->shown[q] && told(&without->score[q], &with->score[q], q))
      metric_rows(&without->score[q], &with->score[q], q, a, &w);
  row("roofline class: balanced accuracy", false, without->classes.balanced,
      with->classes.balanced, with->classes.answered, a, &w);
  return (ww_table){
      .title = "With and without what was learned",
      .note =
          "an unanswered launch counts as an error of 100 %; intervals are made for "
          "90 %",
      .head = head,
      .cells = w.v,
      .ncols = 4,
      .nrows = w.n / 4,
      .left = 1};
}
