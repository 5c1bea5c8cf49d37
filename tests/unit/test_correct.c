/* test_correct.c - trees that fit what they should, a correction that helps only where
 * it may, and reports that agree with themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../src/predict/learn/correct_int.h"

/* splitmix64, as doubles in [0,1) */
static uint64_t state;
static double draw(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* ---- trees ---- */

enum { N = 3000, F = 3 };
static float x[N][F], y[N], weight[N], pred[N];
static uint8_t role[N];

static void make_rows(void) {
  state = 1;
  for (int k = 0; k < N; k++) {
    for (int f = 0; f < F; f++)
      x[k][f] = (float)draw();
    y[k] = (x[k][0] < 0.5f ? -1.0f : 1.0f) + 2 * x[k][1] * (x[k][0] < 0.5f) +
           (float)(0.02 * draw());
    weight[k] = 1;
    role[k] = k % 4 ? WW_ROW_FIT : WW_ROW_HELD;
  }
}

static const ww_trees_options usual = {.rounds = 150,
                                       .leaves = 8,
                                       .rate = 0.1,
                                       .huber = 1,
                                       .lambda = 1,
                                       .least = 5,
                                       .columns = 1,
                                       .rows = 0.8};

static void trees_learn_an_interaction(void **unused) {
  (void)unused;
  ww_arena *a = ww_arena_new();
  ww_binned b;
  ww_forest f, again;
  make_rows();
  double held[151];
  ww_bin_rows(&x[0][0], N, F, F, a, &b);
  ww_trees_problem p = {
      .target = y, .weight = weight, .role = role, .pred = pred, .held = held};
  ww_trees_fit(&b, &p, &usual, a, &f);
  assert_true(held[0] > 0.5);
  assert_true(held[150] < 0.06); /* of rows it has not seen */
  assert_true(held[150] > 0);
  for (int k = 0; k < N; k += 7)
    assert_float_equal(ww_forest_eval(&f, x[k]), pred[k],
                       1e-4); /* bins and floats agree */
  ww_trees_fit(&b, &p, &usual, a, &again);
  assert_int_equal(f.nnodes, again.nnodes);
  assert_memory_equal(f.nodes, again.nodes, f.nnodes * sizeof *f.nodes);
  ww_arena_free(a);
}

static void outliers_do_not_decide(void **unused) {
  (void)unused;
  ww_arena *a = ww_arena_new();
  ww_binned b;
  ww_forest f;
  make_rows();
  for (int k = 0; k < N; k++)
    y[k] = k % 10 ? 0 : 50; /* one in ten is far off */
  ww_bin_rows(&x[0][0], N, F, F, a, &b);
  ww_trees_options o = usual;
  o.huber = 0.1;
  ww_trees_fit(
      &b,
      &(ww_trees_problem){.target = y, .weight = weight, .role = role, .pred = pred},
      &o, a, &f);
  double sum = 0;
  for (int k = 0; k < N; k++)
    sum += fabs(ww_forest_eval(&f, x[k])) / N;
  assert_true(sum < 0.3);
  ww_arena_free(a);
}

/* Where one row is 1 and two are 4, 1 has the least mean |predicted / true - 1|, and 4
 * is the middle. */
static void relative_errors_ask_for_less(void **unused) {
  (void)unused;
  ww_arena *a = ww_arena_new();
  ww_binned b;
  ww_forest f;
  make_rows();
  for (int k = 0; k < N; k++)
    y[k] = k / 2 % 2 ? (float)log(4) : 0;
  ww_bin_rows(&x[0][0], N, F, F, a, &b);
  ww_trees_options o = usual;
  o.huber = 0.15;
  o.lambda = o.least = 200;
  o.leaves = 2;
  ww_trees_problem p = {.target = y, .weight = weight, .role = role};
  ww_trees_fit(&b, &p, &o, a, &f);
  double middle = ww_forest_eval(&f, x[0]);
  o.relative = true;
  ww_trees_fit(&b, &p, &o, a, &f);
  double least = ww_forest_eval(&f, x[0]);
  assert_true(middle > 1);
  assert_true(least > -0.05 && least < 0.2);
  ww_arena_free(a);
}

static void forests_survive_their_text(void **unused) {
  (void)unused;
  static const char *const broken[] = {
      "",      "x", "0 3<", "0 =", "0 1<0.5 =1", "0 7<0.5 =1 =2", "0 -1<0.5 =1 =2",
      "0 =nan"};
  ww_arena *a = ww_arena_new();
  ww_binned b;
  ww_forest f, g;
  ww_err e;
  ww_buf text = {0};
  make_rows();
  ww_bin_rows(&x[0][0], N, F, F, a, &b);
  ww_trees_fit(&b, &(ww_trees_problem){.target = y, .weight = weight, .role = role},
               &usual, a, &f);
  ww_forest_write(&f, &text);
  assert_int_equal(ww_forest_parse(text.s, F, a, &g, &e), WW_OK);
  assert_int_equal(g.ntrees, f.ntrees);
  assert_int_equal(g.nnodes, f.nnodes);
  for (int k = 0; k < N; k += 11)
    assert_float_equal(ww_forest_eval(&g, x[k]), ww_forest_eval(&f, x[k]), 2e-3);
  for (size_t k = 0; k < sizeof broken / sizeof *broken; k++)
    assert_int_equal(ww_forest_parse(broken[k], F, a, &g, &e), WW_EDATA);
  ww_buf_free(&text);
  ww_arena_free(a);
}

/* ---- learning ---- */

enum { ROWS = 2400, FAMILIES = 24 };

/* The machine model is off by a factor that depends on a feature, with noise that
 * depends on another; registers are right up to noise. */
static ww_correct_row *measured_rows(void) {
  ww_correct_row *r = ww_xcalloc(ROWS, sizeof *r);
  state = 5;
  for (int k = 0; k < ROWS; k++) {
    for (int f = 0; f < WW_NFEATURES; f++)
      r[k].x.v[f] = (float)draw();
    for (int m = 0; m < WW_NMETRICS; m++)
      r[k].machine[m] = r[k].measured[m] = NAN;
    r[k].family = (uint32_t)(k % FAMILIES);
    r[k].kernel = (uint32_t)(k / 2);
    r[k].origin = r[k].family >= FAMILIES / 2;
    r[k].split = r[k].family % 6 == 5 ? 2 : r[k].family % 6 == 4 ? 1 : 0;
    double noise =
        (draw() + draw() + draw() - 1.5) * (r[k].x.v[WW_F_lone] < 0.5f ? 0.05 : 0.4);
    r[k].machine[WW_M_time_us] = (float)(3 + 100 * draw());
    r[k].measured[WW_M_time_us] = (float)(r[k].machine[WW_M_time_us] *
                                          exp(0.8 * r[k].x.v[WW_F_dram] - 0.2 + noise));
    r[k].machine[WW_M_registers] = (float)(32 + floor(64 * draw()));
    r[k].measured[WW_M_registers] =
        (float)(r[k].machine[WW_M_registers] * exp(0.3 * (draw() - 0.5)));
  }
  return r;
}

/* Learned once for all tests below. */
static ww_correct_row *learned_rows;
static ww_correction *learned;
static ww_arena *learned_in;

static int learn(void **unused) {
  (void)unused;
  ww_err e = {0};
  ww_buf log = {0};
  ww_correct_options o = {.gpu = "h200", .data = "test", .rounds = 240, .leaves = 8};
  learned_in = ww_arena_new();
  learned_rows = measured_rows();
  ww_status st = ww_correct_fit(learned_rows, ROWS, &o, learned_in, &learned, &log, &e);
  ww_buf_free(&log);
  return st;
}

static int forget(void **unused) {
  (void)unused;
  free(learned_rows);
  ww_arena_free(learned_in);
  return 0;
}

static void families_never_seen_are_corrected(void **unused) {
  (void)unused;
  ww_correct_row *rows = learned_rows;
  ww_correction *c = learned;
  ww_correct_score s;
  ww_correct_score_of(c, rows, ROWS, WW_M_time_us, 2, -1, &s);
  assert_int_equal(s.n, ROWS / 6);
  assert_true(s.machine_mean > 0.2);
  assert_true(s.mean < 0.6 * s.machine_mean);
  assert_true(s.inside > 0.84 && s.inside < 0.96); /* 90 % was asked for */
  assert_int_equal(c->m[WW_M_registers].members,
                   0); /* nothing to learn: it stays the machine model's */
  assert_true(c->m[WW_M_registers].known);
}

/* Wide where the data is noisy, narrow where it is not. */
static void intervals_know_where_it_is_hard(void **unused) {
  (void)unused;
  ww_correct_row *rows = learned_rows;
  ww_correction *c = learned;
  double width[2] = {0}, n[2] = {0};
  for (int k = 0; k < ROWS; k++) {
    ww_quantity q;
    assert_true(ww_correction_value(c, WW_M_time_us, &rows[k].x, 1, 10, &q));
    assert_true(q.low <= q.value && q.value <= q.high && q.high - q.low > 0.1);
    int hard = rows[k].x.v[WW_F_lone] >= 0.5f;
    width[hard] += log(q.high / q.low);
    n[hard]++;
  }
  assert_true(width[1] / n[1] > 2 * width[0] / n[0]);
}

static void far_from_its_data_it_keeps_still(void **unused) {
  (void)unused;
  ww_correct_row *rows = learned_rows;
  ww_correction *c = learned;
  ww_features in = rows[0].x, out = in;
  ww_quantity q = {.value = 7};
  assert_true(ww_correction_trust(c, &in) == 1);
  out.v[WW_F_fp64] = 1.5f; /* half a range outside */
  double part = ww_correction_trust(c, &out);
  assert_true(part > 0 && part < 1);
  out.v[WW_F_fp64] = 3;
  assert_true(ww_correction_trust(c, &out) == 0);
  assert_false(ww_correction_value(c, WW_M_time_us, &out, 0, 10, &q));
  assert_true(q.value == 7);
}

static void files_say_the_same(void **unused) {
  (void)unused;
  ww_arena *a = ww_arena_new();
  ww_correct_row *rows = learned_rows;
  ww_correction *c = learned, *d;
  ww_buf text = {0};
  ww_err e = {0};
  ww_correction_write(c, &text);
  assert_int_equal(ww_correction_parse(text.s, text.n, a, &d, &e), WW_OK);
  for (int k = 0; k < ROWS; k += 13) {
    ww_quantity p, q;
    double trust = ww_correction_trust(c, &rows[k].x);
    assert_float_equal(trust, ww_correction_trust(d, &rows[k].x), 1e-5);
    ww_correction_value(c, WW_M_time_us, &rows[k].x, trust, 10, &p);
    ww_correction_value(d, WW_M_time_us, &rows[k].x, trust, 10, &q);
    assert_float_equal(p.value, q.value, 0.05);
    assert_float_equal(p.high, q.high, 0.1);
  }
  char *name = strstr(text.s, "\"over_floor\""); /* another program's features */
  name[1] = 'X';
  assert_int_equal(ww_correction_parse(text.s, text.n, a, &d, &e), WW_EDATA);
  ww_buf_free(&text);
  ww_arena_free(a);
}

/* ---- reports ---- */

static void one_leaf(ww_metric_model *m, float by, ww_arena *a) {
  ww_err e;
  *m = (ww_metric_model){.known = true,
                         .members = 1,
                         .share = 1,
                         .clip = 5,
                         .low = -1,
                         .high = 1,
                         .least = 0.01};
  assert_int_equal(
      ww_forest_parse(ww_fmt(a, "0 =%g", by), WW_NFEATURES, a, &m->forest[0], &e),
      WW_OK);
  assert_int_equal(ww_forest_parse("-2", WW_NFEATURES, a, &m->scale, &e), WW_OK);
}

/* Forests that agree are believed; as far as they do not, the machine model is. */
static void disagreement_draws_to_the_machine_model(void **unused) {
  (void)unused;
  ww_metric_model m = {.share = 1, .clip = 5, .shrinkage = 1};
  assert_float_equal(ww_metric_model_use(&m, (ww_members){0.2, 0}), 0.2, 1e-9);
  assert_float_equal(ww_metric_model_use(&m, (ww_members){0.2, 0.04}), 0.1, 1e-9);
  assert_true(fabs(ww_metric_model_use(&m, (ww_members){-0.2, 4})) < 0.01);
}

static void metric(ww_prediction *p, ww_metric m, double v) {
  ww_report_set(&p->report, m, v);
}

/* 100 us, 100 MB, 1 GFLOP, 64 registers, 256 threads. */
static void a_prediction(ww_prediction *p) {
  *p = (ww_prediction){.timing = {.us = 100, .low = 80, .high = 120, .waves = 1},
                       .machine_us = 100};
  p->work.blocks = 1000;
  p->work.block_threads = 256;
  p->work.warps_per_block = 8;
  p->report.by = WW_BY_MACHINE;
  p->report.m[WW_M_time_us] = (ww_quantity){true, true, 100, 80, 120};
  metric(p, WW_M_dram_read_bytes, 1e8);
  metric(p, WW_M_dram_write_bytes, 0);
  metric(p, WW_M_flops_fp32, 1e9);
  metric(p, WW_M_registers, 64);
  metric(p, WW_M_occupancy_limit_pct, 50);
  metric(p, WW_M_occupancy_pct, 45);
  metric(p, WW_M_l2_hit_pct, 95);
  metric(p, WW_M_active_lanes, 31);
}

static double value(const ww_prediction *p, ww_metric m) {
  return p->report.m[m].value;
}

static ww_correction *constant_correction(ww_arena *a) {
  ww_correction *c = WW_NEW(a, ww_correction);
  c->gpu = "h200";
  for (int k = 0; k < WW_NFEATURES; k++) {
    c->lo[k] = -1e6f;
    c->hi[k] = 1e6f;
  }
  return c;
}

static void corrected_reports_agree_with_themselves(void **unused) {
  (void)unused;
  ww_arena *a = ww_arena_new();
  ww_gpu g, other;
  ww_err e = {0};
  ww_prediction p;
  ww_correction *c = constant_correction(a);
  assert_int_equal(ww_gpu_load("h200", a, &g, &e), WW_OK);
  assert_int_equal(ww_gpu_load("a100", a, &other, &e), WW_OK);
  one_leaf(&c->m[WW_M_time_us], -0.5f, a);
  one_leaf(&c->m[WW_M_registers], -0.9f, a);
  one_leaf(&c->m[WW_M_occupancy_pct], 0.9f, a);
  one_leaf(&c->m[WW_M_l2_hit_pct], 0.3f, a);
  one_leaf(&c->m[WW_M_active_lanes], 0.3f, a);
  a_prediction(&p);
  ww_correct(c, &g, a, &p);
  assert_int_equal(p.report.by, WW_BY_GROUNDED);
  assert_float_equal(p.timing.us, 100 * exp(-0.5), 1e-6);
  assert_float_equal(value(&p, WW_M_time_us), p.timing.us, 0);
  assert_float_equal(value(&p, WW_M_ai) * value(&p, WW_M_dram_gbps),
                     value(&p, WW_M_gflops), 1e-6);
  assert_float_equal(value(&p, WW_M_gflops), 1e9 / (1e3 * p.timing.us), 1e-6);
  assert_float_equal(value(&p, WW_M_registers), 26, 0); /* whole */
  assert_float_equal(value(&p, WW_M_occupancy_limit_pct), 100, 0);
  assert_float_equal(value(&p, WW_M_occupancy_pct), 100, 0);
  assert_float_equal(value(&p, WW_M_l2_hit_pct), 100, 0);
  assert_float_equal(value(&p, WW_M_active_lanes), 32, 0);
  a_prediction(&p); /* the data is of another GPU */
  ww_correct(c, &other, a, &p);
  assert_int_equal(p.report.by, WW_BY_MACHINE);
  assert_float_equal(p.timing.us, 100, 0);
  ww_arena_free(a);
}

static void nothing_is_above_a_roof(void **unused) {
  (void)unused;
  ww_arena *a = ww_arena_new();
  ww_gpu g;
  ww_err e = {0};
  ww_prediction p;
  ww_correction *c = constant_correction(a);
  assert_int_equal(ww_gpu_load("h200", a, &g, &e), WW_OK);
  one_leaf(&c->m[WW_M_time_us], -4, a);
  a_prediction(&p);
  ww_correct(c, &g, a, &p);
  assert_true(value(&p, WW_M_dram_gbps) <= g.dram_peak * (1 + 1e-9));
  assert_true(value(&p, WW_M_dram_gbps) > 0.99 * g.dram_peak);
  assert_true(p.timing.low >= 1e8 / (1e3 * g.dram_peak) * (1 - 1e-9) &&
              p.timing.high >= p.timing.us);
  a_prediction(&p);
  metric(&p, WW_M_dram_read_bytes, 0);
  metric(&p, WW_M_flops_fp32, 0);
  ww_correct(c, &g, a, &p);
  assert_true(p.timing.us >= 0.8 * g.launch_floor);
  ww_arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_learn_an_interaction),
      cmocka_unit_test(outliers_do_not_decide),
      cmocka_unit_test(relative_errors_ask_for_less),
      cmocka_unit_test(forests_survive_their_text),
      cmocka_unit_test(families_never_seen_are_corrected),
      cmocka_unit_test(intervals_know_where_it_is_hard),
      cmocka_unit_test(far_from_its_data_it_keeps_still),
      cmocka_unit_test(disagreement_draws_to_the_machine_model),
      cmocka_unit_test(files_say_the_same),
      cmocka_unit_test(corrected_reports_agree_with_themselves),
      cmocka_unit_test(nothing_is_above_a_roof),
  };
  return cmocka_run_group_tests(tests, learn, forget);
}
