/* test_score.c - the scoring rules on cases small enough to be worked out by hand. */
#include "unit.h"

#include <math.h>

#include "../../src/predict/learn/score.h"

#define near(x, want) assert_true(fabs((x) - (want)) < 1e-9)

/* A report that knows one metric. */
static ww_report knows(ww_metric m, double v) {
  ww_report r = {.kernel = "k"};
  ww_report_set(&r, m, v);
  return r;
}

static ww_mark marked(int q, const ww_report *measured, const ww_report *predicted) {
  return ww_mark_of(q, &(ww_pair){measured, predicted});
}

static ww_mark one(ww_metric m, double truth, double guess) {
  ww_report x = knows(m, truth), y = knows(m, guess);
  return marked(m, &x, &y);
}

static void medians(void **state) {
  (void)state;
  double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2},
         tenth[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
  near(ww_stat_median(odd, 3), 2);
  near(ww_stat_median(even, 4), 2.5);
  near(ww_stat_share(tenth, 10, 0.9), 9);
  near(ww_stat_share(tenth, 1, 0.9), 1);
  near(ww_stat_mean(even, 4), 2.5);
  assert_true(isnan(ww_stat_median(odd, 0)) && isnan(ww_stat_mean(odd, 0)) &&
              isnan(ww_stat_share(odd, 0, 0.9)));
}

static void spearman(void **state) {
  double up[] = {1, 10, 100, 1000}, down[] = {9, 8, 7, 6}, mixed[] = {1, 3, 2, 4};
  near(ww_stat_spearman(up, up, 4, *state), 1);
  near(ww_stat_spearman(up, down, 4, *state), -1);
  near(ww_stat_spearman(up, mixed, 4, *state), 0.8); /* 1 - 6 * 2 / (4 * 15) */
  /* ties: ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5) */
  double tied[] = {5, 7, 7, 9};
  near(ww_stat_spearman(tied, up, 4, *state), 4.5 / sqrt(4.5 * 5));
  double flat[] = {2, 2, 2, 2};
  assert_true(isnan(ww_stat_spearman(flat, up, 4, *state)));
  assert_true(isnan(ww_stat_spearman(up, up, 2, *state)));
}

static void relative_errors(void **state) {
  (void)state;
  ww_mark m = one(WW_M_time_us, 100, 150);
  assert_true(m.counted && m.answered && !m.right && !m.zero);
  near(m.error, 0.5);
  near(m.bias, 0.5);
  near(m.ln, log(1.5));
  m = one(WW_M_time_us, 100, 50);
  near(m.error, 0.5);
  near(m.bias, -0.5);
  near(m.ln, -log(2)); /* the logarithm sees that half is as far off as double */
  assert_true(one(WW_M_time_us, 100, 109).right && one(WW_M_time_us, 100, 91).right);
  assert_false(one(WW_M_time_us, 100, 111).right);
}

static void a_prediction_of_nothing_has_no_logarithm(void **state) {
  (void)state;
  ww_mark m = one(WW_M_time_us, 100, 0);
  near(m.error, 1);
  assert_true(isnan(m.ln));
}

static void tolerances(void **state) {
  (void)state;
  static const struct {
    ww_metric m;
    double truth, guess;
    bool right;
  } rows[] = {
      {WW_M_warp_instructions, 1000, 1190, true},
      {WW_M_warp_instructions, 1000, 1210, false},
      {WW_M_flops_fp32, 1e9, 1.09e9, true},
      {WW_M_flops_fp32, 1e9, 1.11e9, false},
      {WW_M_registers, 32, 40, true},
      {WW_M_registers, 32, 41, false},
      {WW_M_registers, 255, 246, false}, /* within 10 %, but not within 8 */
      {WW_M_dram_read_bytes, 1e9, 1.14e9, true},
      {WW_M_dram_read_bytes, 1e9, 1.16e9, false},
      {WW_M_dram_read_bytes, 1000, 263000, true}, /* 256 KiB apart */
      {WW_M_dram_read_bytes, 1000, 264000, false},
      {WW_M_dram_write_bytes, 0, 262144, true},
      {WW_M_dram_write_bytes, 0, 262145, false},
      {WW_M_l2_hit_pct, 50, 60, true},
      {WW_M_l2_hit_pct, 50, 60.1, false},
      {WW_M_l1_hit_pct, 0, 9, true},
      {WW_M_l1_hit_pct, 0, 11, false},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (one(rows[k].m, rows[k].truth, rows[k].guess).right != rows[k].right)
      fail_msg("row %zu: %s, measured %g, predicted %g: should be %s", k,
               ww_metrics[rows[k].m].name, rows[k].truth, rows[k].guess,
               rows[k].right ? "right" : "wrong");
}

static void percentages_are_scored_in_points(void **state) {
  (void)state;
  ww_mark m = one(WW_M_l1_hit_pct, 40, 25);
  near(m.error, 15);
  near(m.bias, -15);
}

static void true_zeros(void **state) {
  (void)state;
  ww_mark m = one(WW_M_flops_fp64, 0,
                  0); /* ABS: a share of the unit's floor, here a million operations */
  assert_true(m.counted && m.zero && m.right);
  near(m.error, 0);
  m = one(WW_M_flops_fp64, 0, 250000);
  near(m.error, 0.25);
  assert_false(m.right);
  near(one(WW_M_flops_fp64, 0, 5e9).error, 1); /* no worse than silence */
  assert_true(one(WW_M_flops_fp64, 0, 90000).right);
  near(one(WW_M_dram_write_bytes, 0, 5e5).error, 0.5); /* a megabyte */
  m = one(WW_M_shared_bytes, 0, 1024);                 /* SKIP */
  assert_true(m.skipped && !m.counted);
  m = one(WW_M_time_us, 0, 5); /* NEVER: such a measurement is left out */
  assert_true(m.skipped && !m.counted);
}

static void silence_is_an_error_of_100_percent(void **state) {
  (void)state;
  ww_report x = knows(WW_M_time_us, 10), y = {.error = {.code = WW_EUNSUPPORTED}},
            z = {.kernel = "k"};
  ww_report_set(&y, WW_M_time_us, 10); /* what an error carries does not count */
  const ww_report *said[] = {&y, &z, NULL};
  for (int k = 0; k < 3; k++) {
    ww_mark m = marked(WW_M_time_us, &x, said[k]);
    assert_true(m.counted && !m.answered && !m.right);
    near(m.error, 1);
    assert_true(isnan(m.bias) && isnan(m.ln));
  }
  ww_report hit = knows(WW_M_l1_hit_pct, 3);
  near(marked(WW_M_l1_hit_pct, &hit, &y).error, 100);
}

static void not_measured_is_not_scored(void **state) {
  (void)state;
  ww_report x = {.kernel = "k"}, y = knows(WW_M_time_us, 10);
  ww_mark m = marked(WW_M_time_us, &x, &y);
  assert_true(!m.counted && !m.skipped);
}

static void intensity_needs_flops_and_a_megabyte(void **state) {
  (void)state;
  static const struct {
    double flops, bytes;
    bool counted;
  } rows[] = {{1e6, 1e6, true}, {0, 1e6, false}, {1e6, 999999, false}};
  for (size_t k = 0; k < 3; k++) {
    ww_report x = knows(WW_M_ai, 1), y = knows(WW_M_ai, 1.05);
    ww_report_set(&x, WW_M_flops_fp32, rows[k].flops);
    ww_report_set(&x, WW_M_dram_read_bytes, rows[k].bytes / 2);
    ww_report_set(&x, WW_M_dram_write_bytes, rows[k].bytes / 2);
    ww_mark m = marked(WW_M_ai, &x, &y);
    assert_int_equal(m.counted, rows[k].counted);
    assert_int_equal(m.skipped, !rows[k].counted);
    assert_int_equal(m.right, rows[k].counted);
  }
}

static void sums(void **state) {
  (void)state;
  double v;
  ww_report x = knows(WW_M_flops_fp64, 3);
  ww_report_set(&x, WW_M_flops_tensor, 4);
  assert_true(ww_scored_value(&x, WW_Q_flops, &v) && v == 7);
  assert_false(ww_scored_value(&x, WW_Q_dram_bytes, &v)); /* half of a sum is no sum */
  ww_report_set(&x, WW_M_dram_read_bytes, 5);
  assert_false(ww_scored_value(&x, WW_Q_dram_bytes, &v));
  ww_report_set(&x, WW_M_dram_write_bytes, 6);
  assert_true(ww_scored_value(&x, WW_Q_dram_bytes, &v) && v == 11);
  assert_int_equal(ww_scored_named("flops"), WW_Q_flops);
  assert_int_equal(ww_scored_named("time"), WW_M_time_us);
  assert_int_equal(ww_scored_named("dram"), -1); /* several */
  assert_int_equal(ww_scored_named(""), -1);
}

/* Five launches: measured 5, 10, 100, 100, 100; predicted 6, none, 105, 50, 200. */
static void a_score_by_hand(void **state) {
  static const double truth[] = {5, 10, 100, 100, 100}, guess[] = {6, 0, 105, 50, 200};
  ww_report x[5], y[5];
  ww_pair p[5];
  for (int k = 0; k < 5; k++) {
    x[k] = knows(WW_M_time_us, truth[k]);
    y[k] = knows(WW_M_time_us, guess[k]);
    p[k] = (ww_pair){&x[k], &y[k]};
  }
  y[1] = (ww_report){.error = {.code = WW_EPARSE}};
  y[2].m[WW_M_time_us].interval = y[3].m[WW_M_time_us].interval = true;
  y[2].m[WW_M_time_us].low = 90;
  y[2].m[WW_M_time_us].high = 110;
  y[3].m[WW_M_time_us].low = 40;
  y[3].m[WW_M_time_us].high = 60;
  ww_score s;
  ww_score_of(WW_M_time_us, p, 5, *state, &s);
  assert_true(s.n == 5 && s.answered == 4 && s.zeros == 0 && s.skipped == 0);
  near(s.median, 0.5); /* 0.05, 0.2, 0.5, 1 (none), 1 (double) */
  near(s.mean, 2.75 / 5);
  near(s.p90, 1);
  near(s.ln, (log(1.2) + log(2)) / 2); /* of 0.049, 0.182, 0.693, 0.693 */
  near(s.within10, 0.2);
  near(s.right, 0.2);
  near(s.bias, (0.05 + 0.2) / 2); /* of -0.5, 0.05, 0.2, 1 */
  /* ranks 1, 3, 3, 3 against 1, 3, 2, 4 */
  near(s.spearman, 3 / sqrt(3 * 5.0));
  assert_int_equal(s.intervals, 2);
  near(s.inside, 0.5);
  near(s.ratio, (110 / 90.0 + 60 / 40.0) / 2);
  near(s.cost, (log(110 / 90.0) + log(1.5) + 20 * log(100 / 60.0)) / 2);
  assert_int_equal(s.small, 1); /* 10 us is not below 10 us */
  near(s.small_us, 1);
}

static void no_launches_give_no_numbers(void **state) {
  ww_score s;
  ww_score_of(WW_M_time_us, NULL, 0, *state, &s);
  assert_true(s.n == 0 && isnan(s.median) && isnan(s.right) && isnan(s.spearman) &&
              isnan(s.bias));
}

/* ---- classes ---- */

static const ww_balance balance = {
    .fp64 = 0.5, .fp32 = 32, .fp16 = 64, .tensor = 200, .integer = 16};

static void classes_by_the_roof(void **state) {
  (void)state;
  static const struct {
    ww_metric m;
    double per_byte;
    ww_bound want;
  } rows[] = {
      {WW_M_flops_fp32, 31.9, WW_BOUND_BANDWIDTH},
      {WW_M_flops_fp32, 32, WW_BOUND_COMPUTE},
      {WW_M_flops_fp64, 0.49, WW_BOUND_BANDWIDTH},
      {WW_M_flops_fp64, 0.5, WW_BOUND_COMPUTE},
      {WW_M_int_ops, 17, WW_BOUND_COMPUTE},
      {WW_M_flops_tensor, 199, WW_BOUND_BANDWIDTH},
      {WW_M_flops_fp16, 65, WW_BOUND_COMPUTE},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_report r = knows(rows[k].m, rows[k].per_byte * 1e6);
    if (rows[k].m == WW_M_int_ops)
      ww_report_set(&r, WW_M_flops_fp32, 0);
    ww_report_set(&r, WW_M_dram_read_bytes, 5e5);
    ww_report_set(&r, WW_M_dram_write_bytes, 5e5);
    assert_int_equal(ww_bound_of(&r, &balance), rows[k].want);
  }
}

static void classes_without_counters(void **state) {
  (void)state;
  ww_report r = knows(WW_M_flops_fp32, 1);
  assert_int_equal(ww_bound_of(&r, &balance), WW_BOUND_UNKNOWN);
  r.roofline_class = "compute";
  assert_int_equal(ww_bound_of(&r, &balance), WW_BOUND_COMPUTE);
  r.error.code = WW_EPARSE;
  assert_int_equal(ww_bound_of(&r, &balance), WW_BOUND_UNKNOWN);
}

static void balance_points_of_the_h200(void **state) {
  ww_gpu g;
  ww_balance b;
  ww_err e = {0};
  assert_int_equal(ww_gpu_load("h200", *state, &g, &e), WW_OK);
  ww_balance_of(&g, &b);
  assert_true(fabs(b.fp32 - 66.9e3 / 4800) < 1e-6 &&
              fabs(b.fp64 - 33.5e3 / 4800) < 1e-6);
  assert_true(fabs(b.integer - b.fp32 / 2) < 0.1); /* half as many integer lanes */
}

static void class_scores(void **state) {
  (void)state;
  const ww_bound B = WW_BOUND_BANDWIDTH, C = WW_BOUND_COMPUTE, U = WW_BOUND_UNKNOWN;
  /* 6 bandwidth: 5 said so, 1 said compute; 4 compute: 3 said so, 1 said bandwidth; 2
   * compute not answered; 1 not known */
  ww_bound truth[] = {B, B, B, B, B, B, C, C, C, C, C, C, U},
           guess[] = {B, B, B, B, B, C, C, C, C, B, U, U, B};
  ww_class_score s;
  ww_class_score_of(truth, guess, 13, &s);
  assert_true(s.n == 12 && s.answered == 10);
  assert_true(s.matrix[0][0] == 5 && s.matrix[0][1] == 1 && s.matrix[1][0] == 1 &&
              s.matrix[1][1] == 3);
  near(s.accuracy, 0.8);
  near(s.accuracy_all, 8.0 / 12);
  near(s.balanced, (5.0 / 6 + 3.0 / 4) / 2);
  near(s.f1, (10.0 / 12 + 6.0 / 8) / 2);
  near(s.mcc, (3.0 * 5 - 1 * 1) / sqrt(4.0 * 4 * 6 * 6));
}

static void one_class_alone(void **state) {
  (void)state;
  ww_bound truth[] = {WW_BOUND_BANDWIDTH, WW_BOUND_BANDWIDTH},
           guess[] = {WW_BOUND_BANDWIDTH, WW_BOUND_BANDWIDTH};
  ww_class_score s;
  ww_class_score_of(truth, guess, 2, &s);
  near(s.balanced, 1);
  near(s.f1, 1);
  near(s.mcc, 0); /* always the same word is no correlation */
  ww_class_score_of(truth, guess, 0, &s);
  assert_true(isnan(s.accuracy) && isnan(s.mcc) && s.n == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(medians),
      TEST(spearman),
      TEST(relative_errors),
      TEST(a_prediction_of_nothing_has_no_logarithm),
      TEST(tolerances),
      TEST(percentages_are_scored_in_points),
      TEST(true_zeros),
      TEST(silence_is_an_error_of_100_percent),
      TEST(not_measured_is_not_scored),
      TEST(intensity_needs_flops_and_a_megabyte),
      TEST(sums),
      TEST(a_score_by_hand),
      TEST(no_launches_give_no_numbers),
      TEST(classes_by_the_roof),
      TEST(classes_without_counters),
      TEST(balance_points_of_the_h200),
      TEST(class_scores),
      TEST(one_class_alone),
  };
  return RUN(tests);
}
