/* test_sample.c - sampled blocks and loops run in part: their counts against the full
 * run's, and against closed forms where a full run would take days. The kernels are
 * tests/sample/kernels.cu.
 */
#include "rig.h"
#include "source.h"

#include "../../src/trace/run.h"

#include <math.h>
#include <unistd.h>

static int load(void **state) {
  (void)state;
  return source_load("tests/sample/kernels.cu");
}

static ww_trace_result
trace(const char *kernel, const char *launch, ww_trace_options o) {
  const ww_fn *fn = ww_ir_find(&unit.module, kernel);
  ww_launch l = {0};
  ww_err e = {0};
  ww_trace_result r = {0};
  if (!fn)
    fail_msg("no kernel %s", kernel);
  if (source_launch(fn, launch, arena, &l, &e) ||
      ww_trace(&unit.module, fn, &l, &o, arena, &r, &e))
    fail_msg("%s, %s: line %u: %s", kernel, launch, e.line, e.msg);
  return r;
}

static ww_trace_result sampled(const char *kernel, const char *launch) {
  return trace(kernel, launch, (ww_trace_options){0});
}
static ww_trace_result full(const char *kernel, const char *launch) {
  return trace(kernel, launch, (ww_trace_options){.sampling.full = true});
}

static double count_of(const ww_trace_result *r, uint32_t k) {
  return *(const double *)((const char *)&r->sampled.tally.c + ww_count_table[k].at);
}

static void same_counts(const char *kernel, const char *launch, double tolerance) {
  ww_trace_result f = full(kernel, launch), s = sampled(kernel, launch);
  for (uint32_t k = 0; k < ww_ncounts; k++) {
    double want = count_of(&f, k), got = count_of(&s, k),
           small = f.sampled.tally.c.warps * tolerance;
    if (fabs(got - want) <= tolerance * want + 1e-7 * (want + 1) ||
        fabs(got - want) < small)
      continue;
    fail_msg("%s, %s: %s is %.17g of %llu blocks, %.17g of all %llu", kernel, launch,
             ww_count_table[k].name, got, (unsigned long long)s.sampled.blocks, want,
             (unsigned long long)s.sampled.of);
  }
  assert_true(f.sampled.tally.c.warp_instructions > 0 &&
              f.sampled.blocks == f.sampled.of && !f.sampled.extrapolated);
}

/* ---- blocks ---- */

static void test_one_axis(void **state) {
  (void)state;
  same_counts("saxpy", "grid=3907 block=256 n=1000003 x=[n] y=[n]", 0);
  same_counts("saxpy", "grid=4000 block=256 n=1000003 x=[n] y=[n]",
              0); /* whole blocks behind the end */
  same_counts("saxpy", "grid=100 block=96 n=1<<20 x=[n] y=[n]", 0);
  same_counts("saxpy", "grid=977 block=100 n=97650 x=[n] y=[n]",
              0.005); /* tail warps; every other block begins inside a sector */
  same_counts("grid_stride", "grid=64 block=256 n=300007 x=[n] y=[n]", 0);
  same_counts("reduce", "grid=1000 block=256 n=255900 x=[n] y=[1000]", 0);
  same_counts("strided", "grid=500 block=128 stride=3 x=[200000] y=[64000]", 0);
  same_counts("strided", "grid=500 block=128 stride=17 x=[1100000] y=[64000]", 0);
}

/* A grid much larger than its work: the blocks that do something are found, to the last
 * one. */
static void test_a_box_of_work(void **state) {
  (void)state;
  ww_trace_result row = sampled("saxpy", "grid=100000 block=256 n=65537 x=[n] y=[n]");
  assert_int_equal(ww_sampled_working(&row.sampled), 257);
  ww_trace_result box =
      sampled("image", "grid=400,330 block=16,16 w=631 h=520 in=[w*h] out=[w*h]");
  assert_int_equal(ww_sampled_working(&box.sampled), 40 * 33);
}

static void test_small_grids(void **state) {
  (void)state;
  for (int g = 1; g < 12; g++)
    same_counts("saxpy",
                ww_fmt(arena, "grid=%d block=64 n=%d x=[n] y=[n]", g, 64 * g - 37), 0);
  for (int g = 1; g < 7; g++)
    same_counts("image",
                ww_fmt(arena, "grid=%d,%d block=16,8 w=%d h=%d in=[w*h] out=[w*h]", g,
                       7 - g, 16 * g - 3, 8 * (7 - g) - 1),
                0);
}

static void test_more_axes(void **state) {
  (void)state;
  same_counts("image", "grid=40,33 block=16,16 w=631 h=520 in=[w*h] out=[w*h]", 0);
  same_counts("image", "grid=20,64 block=32,8 w=640 h=512 in=[w*h] out=[w*h]", 0);
  same_counts("image", "grid=20,64 block=32,8 w=600 h=400 in=[w*h] out=[w*h]",
              0); /* empty blocks on two sides */
  same_counts("volume",
              "grid=10,9,8 block=8,4,4 nx=80 ny=36 nz=32 in=[nx*ny*nz] out=[nx*ny*nz]",
              0);
  same_counts("volume",
              "grid=10,9,8 block=8,4,4 nx=72 ny=33 nz=30 in=[nx*ny*nz] out=[nx*ny*nz]",
              0);
}

static void test_work_that_grows(void **state) {
  (void)state;
  same_counts("growing", "grid=700 block=64 x=[700*64] y=[700*64]",
              0.005); /* unrolled: rests of 0 to 3 iterations */
  same_counts("growing_down", "grid=700 block=64 blocks=700 x=[700*64] y=[700*64]", 0);
  same_counts("triangle", "grid=32 block=64 n=2048 a=[n*n] y=[n]", 1e-3);
}

static void test_a_region_of_blocks(void **state) {
  (void)state;
  same_counts("region", "grid=2000 block=64 from=700 to=1333 x=[200000] y=[128000]", 0);
  same_counts("region", "grid=2000 block=64 from=300 to=600 x=[200000] y=[128000]", 0);
  same_counts("region", "grid=2000 block=64 from=1400 to=1800 x=[200000] y=[128000]",
              0);
  same_counts("region", "grid=2000 block=64 from=1000 to=1001 x=[200000] y=[128000]",
              0);
  same_counts("region", "grid=2000 block=64 from=0 to=77 x=[200000] y=[128000]", 0);
  same_counts("region", "grid=2000 block=64 from=1900 to=2000 x=[200000] y=[128000]",
              0);
}

static void test_contents(void **state) {
  (void)state;
  same_counts("histogram",
              "grid=2000 block=256 n=511999 x=i32[n]:uniform(0,256) bins=[256]", 0.02);
  same_counts("histogram",
              "grid=2000 block=256 n=511999 x=i32[n]:zipf(0,256) bins=[256]", 0.02);
  same_counts("spmv",
              "grid=512 block=128 rows=65000 start=i32[rows+1]:monotone(0,rows*16) "
              "col=i32[rows*16]:uniform(0,rows) val=[rows*16] x=[rows] y=[rows]",
              0.02);
  same_counts("every_third", "grid=2000 block=64 x=[200000] y=[128000]", 0.05);
  same_counts("threshold", "grid=2000 block=256 n=511999 x=[n]:random y=[n]", 0.02);
}

/* The block in the middle takes so long that the budget is for no other like it: the
 * cheaper ones around it are looked at all the same. */
static void test_a_dear_middle(void **state) {
  (void)state;
  static const char launch[] = "grid=24,24 block=8,8 n=192 most=20480 out=[n*n]";
  ww_trace_result all = full("escape", launch), some = sampled("escape", launch);
  double ratio =
      some.sampled.tally.c.warp_instructions / all.sampled.tally.c.warp_instructions;
  assert_true(ratio > 0.8 && ratio < 1.25);
}

/* Few blocks answer for many. */
static void test_it_is_sampling(void **state) {
  (void)state;
  ww_trace_result r = sampled("saxpy", "grid=3907 block=256 n=1000003 x=[n] y=[n]");
  assert_true(r.sampled.blocks < 20 && r.sampled.of == 3907 && r.sampled.complete &&
              !r.sampled.extrapolated);
  r = sampled("image", "grid=4000,3300 block=16,16 w=64000 h=52800");
  assert_true(r.sampled.blocks <= 169 && r.sampled.tally.c.warps == 4000.0 * 3300 * 8);
  assert_true(r.sampled.tally.c.global_st_bytes == 4.0 * 64000 * 52800);
}

/* ---- loops ---- */

static void test_loops_in_part(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"sum", "grid=1 block=64 n=100003 x=[n] y=[64]"},
      {"sum_up_to", "grid=1 block=40 n=100003 x=[n] y=[64]"},
      {"downward", "grid=2 block=64 n=77777 x=[n] y=[64]"},
      {"walk", "grid=1 block=64 n=50001 step=1 offset=0 x=[60000] y=[64]"},
      {"walk", "grid=1 block=64 n=50001 step=3 offset=1 x=[160000] y=[64]"},
      {"walk", "grid=1 block=64 n=50001 step=33 offset=5 x=[1700000] y=[64]"},
      {"walk", "grid=1 block=64 n=50001 step=64 offset=7 x=[3300000] y=[64]"},
      {"walk_double", "grid=1 block=64 n=50001 step=5 offset=1 x=[300000] y=[64]"},
      {"columns", "grid=1 block=32 rows=333 cols=501 x=[rows*cols] y=[64]"},
      {"columns", "grid=1 block=32 rows=3 cols=5010 x=[rows*cols] y=[64]"},
      {"columns", "grid=1 block=32 rows=5010 cols=3 x=[rows*cols] y=[64]"},
      {"loaded_bound",
       "grid=1 block=32 n=i32[1]:uniform(90000,90001) x=[100000] y=[64]"},
      {"around", "grid=1 block=32 n=40004 x=[2048] y=[32]"},
      {"every_fourth", "grid=1 block=32 n=40004 x=[n] y=[64]"},
      {"matmul_tiled", "grid=8,8 block=16,16 n=2048 a=[n*128] b=[n*n] c=[128*n]"},
      {"matmul", "grid=2,2 block=32,8 n=2001 a=[n*16] b=[n*n] c=[n*16]"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    same_counts(cases[k][0], cases[k][1], 0);
    ww_trace_result r = sampled(cases[k][0], cases[k][1]);
    if (!r.sampled.extrapolated)
      fail_msg("%s, %s: run in full", cases[k][0], cases[k][1]);
  }
  same_counts("lower", "grid=1 block=32 n=1000 x=[2*n] y=[64]",
              0.002); /* rounds of windows: nearly */
  same_counts("lanes", "grid=1 block=64 n=2000 x=[32*9000] y=[64]", 0.002);
  same_counts("walk_bytes", "grid=1 block=64 n=50001 step=1 x=[60000] y=[64]",
              0.05); /* 32 alignments, windows of 8 */
}

static void test_loops_in_full(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"find", "grid=1 block=32 n=90000 x=[n]:random y=[64]"},
      {"halving", "grid=1 block=32 n=1<<20 x=[n+1] y=[64]"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    same_counts(cases[k][0], cases[k][1], 0);
    assert_false(sampled(cases[k][0], cases[k][1]).sampled.extrapolated);
  }
  int values[2000];
  char name[] = "/tmp/warpwise-test-XXXXXX";
  int fd = mkstemp(name);
  for (int k = 0; k < 2000; k++)
    values[k] = k < 1000 ? k : 1000000;
  assert_true(fd >= 0 && write(fd, values, sizeof values) == sizeof values);
  close(fd);
  same_counts(
      "until",
      ww_fmt(arena, "grid=1 block=32 limit=500000 x=i32[2000]:file(%s) y=[64]", name),
      0);
  assert_false(
      sampled("until",
              ww_fmt(arena, "grid=1 block=32 limit=500000 x=i32[2000]:file(%s) y=[64]",
                     name))
          .sampled.extrapolated);
  unlink(name);
  assert_true(sampled("find", "grid=1 block=32 n=90000 x=[n]:random y=[64]")
                  .sampled.tally.c.global_ld_requests > 1000);
}

#define EXACTLY(got, want)                              \
  do {                                                  \
    double g_ = (got), w_ = (want);                     \
    if (fabs(g_ - w_) > 1e-9 * w_)                      \
      fail_msg("%s is %.17g, not %.17g", #got, g_, w_); \
  } while (0)

/* What no full run could check: closed forms. */
static void test_closed_forms(void **state) {
  (void)state;
  ww_trace_result r = sampled("sum", "grid=1 block=64 n=1000000000 x=[n] y=[64]");
  EXACTLY(r.sampled.tally.c.flops_fp32, 64e9);
  EXACTLY(r.sampled.tally.c.global_ld_bytes, 256e9);
  EXACTLY(r.sampled.tally.c.global_ld_requests, 2e9);
  r = sampled("walk", "grid=1 block=32 n=1000000 step=32 offset=3 x=[33000000] y=[64]");
  EXACTLY(r.sampled.tally.c.global_ld_sectors, 5e6);
  r = sampled("walk", "grid=1 block=32 n=1000000 step=1 offset=0 x=[1100000] y=[64]");
  EXACTLY(r.sampled.tally.c.global_ld_sectors,
          4e6 + 875000); /* one of eight is aligned */
  double n = 4096;
  r = sampled("matmul_tiled",
              "grid=256,256 block=16,16 n=4096 a=[n*n] b=[n*n] c=[n*n]");
  const ww_counts *c = &r.sampled.tally.c;
  EXACTLY(c->flops_fp32, 2 * n * n * n);
  EXACTLY(c->barriers, 2 * n / 16 * c->warps);
  EXACTLY(c->warps, n * n / 32);
  EXACTLY(c->global_ld_requests, 2 * n / 16 * c->warps);
  EXACTLY(c->global_ld_sectors,
          4 * 2 * n / 16 * c->warps); /* two half rows of 64 bytes */
  EXACTLY(c->global_st_bytes, 4 * n * n);
  EXACTLY(c->shared_st_requests, 2 * n / 16 * c->warps);
}

/* 10^12 operations and more, answered at once and within the budget. */
static void test_huge_launches(void **state) {
  (void)state;
  double t0 = ww_now(), n = 16384;
  ww_trace_result r = sampled("matmul", "grid=512,2048 block=32,8 n=16384");
  EXACTLY(r.sampled.tally.c.flops_fp32, 2 * n * n * n);
  assert_true(r.sampled.warp_instructions < 2000000);
  r = sampled("lower", "grid=65535 block=256 n=100000 y=[64*1000000]");
  assert_true(r.sampled.warp_instructions < 2000000);
  double pairs = 1e5 * (1e5 - 1) / 2, got = r.sampled.tally.c.flops_fp32;
  if (fabs(got / (65535.0 * 256 * pairs) - 1) > 0.002)
    fail_msg("%.17g flops, not %.17g", got, 65535.0 * 256 * pairs);
  assert_true(ww_now() - t0 < 10);
}

/* ---- footprints and ranges ---- */

static const ww_footprint *footprint(const ww_trace_result *r,
                                     const ww_fn *fn,
                                     const char *arg,
                                     ww_access_kind kind) {
  for (uint32_t k = 0; k < r->sampled.nfootprints; k++) {
    const ww_footprint *f = &r->sampled.footprints[k];
    if (f->kind == kind && f->arg >= 0 && !strcmp(fn->params[f->arg].name, arg))
      return f;
  }
  fail_msg("no footprint of %s", arg);
  return NULL;
}

static void expect_footprint(
    const ww_footprint *f, double at, double x, double y, double z, double bytes) {
  if (!f->affine || f->at != at || f->stride[0] != x || f->stride[1] != y ||
      f->stride[2] != z || f->bytes != bytes)
    fail_msg("%g + (%g, %g, %g), %g bytes%s", f->at, f->stride[0], f->stride[1],
             f->stride[2], f->bytes, f->affine ? "" : ", not affine");
}

static void test_footprints(void **state) {
  (void)state;
  ww_trace_result r = sampled("saxpy", "grid=3907 block=256 n=1000003 x=[n] y=[n]");
  const ww_fn *fn = ww_ir_find(&unit.module, "saxpy");
  expect_footprint(footprint(&r, fn, "x", WW_ACCESS_LOAD), 0, 1024, 0, 0, 1024);
  expect_footprint(footprint(&r, fn, "y", WW_ACCESS_STORE), 0, 1024, 0, 0, 1024);
  r = sampled("image", "grid=40,33 block=16,16 w=640 h=528");
  fn = ww_ir_find(&unit.module, "image");
  expect_footprint(footprint(&r, fn, "out", WW_ACCESS_STORE), 0, 64, 16 * 640 * 4, 0,
                   15 * 640 * 4 + 64);
  r = sampled("matmul_tiled", "grid=64,64 block=16,16 n=1024");
  fn = ww_ir_find(&unit.module, "matmul_tiled");
  expect_footprint(footprint(&r, fn, "a", WW_ACCESS_LOAD), 0, 0, 16 * 1024 * 4, 0,
                   16 * 1024 * 4);
  expect_footprint(footprint(&r, fn, "b", WW_ACCESS_LOAD), 0, 64, 0, 0,
                   1023 * 1024 * 4 + 64);
  expect_footprint(footprint(&r, fn, "c", WW_ACCESS_STORE), 0, 64, 16 * 1024 * 4, 0,
                   15 * 1024 * 4 + 64);
  r = sampled("histogram",
              "grid=200 block=256 n=51200 x=i32[n]:uniform(0,10000) bins=[10000]");
  fn = ww_ir_find(&unit.module, "histogram");
  assert_false(footprint(&r, fn, "bins", WW_ACCESS_ATOMIC)->affine);
}

static void test_touched_ranges(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"saxpy", "grid=3907 block=256 n=1000003 x=[n] y=[n]"},
      {"image", "grid=40,33 block=16,16 w=631 h=520 in=[w*h] out=[w*h]"},
      {"strided", "grid=500 block=128 stride=17 x=[1100000] y=[64000]"},
      {"matmul_tiled", "grid=16,16 block=16,16 n=256 a=[n*n] b=[n*n] c=[n*n]"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ww_trace_result f = full(cases[k][0], cases[k][1]),
                    s = sampled(cases[k][0], cases[k][1]);
    assert_int_equal(f.sampled.tally.nargs, s.sampled.tally.nargs);
    for (uint32_t a = 0; a < f.sampled.tally.nargs; a++) {
      const ww_arg_counts *x = &f.sampled.tally.args[a], *y = &s.sampled.tally.args[a];
      if (x->lo != y->lo || x->hi != y->hi)
        fail_msg("%s, %s: [%lld, %lld), not [%lld, %lld)", cases[k][0], x->name,
                 (long long)y->lo, (long long)y->hi, (long long)x->lo,
                 (long long)x->hi);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(test_one_axis),        RIG_TEST(test_a_box_of_work),
      RIG_TEST(test_small_grids),     RIG_TEST(test_more_axes),
      RIG_TEST(test_work_that_grows), RIG_TEST(test_a_region_of_blocks),
      RIG_TEST(test_contents),        RIG_TEST(test_it_is_sampling),
      RIG_TEST(test_loops_in_part),   RIG_TEST(test_loops_in_full),
      RIG_TEST(test_closed_forms),    RIG_TEST(test_huge_launches),
      RIG_TEST(test_footprints),      RIG_TEST(test_touched_ranges),
      RIG_TEST(test_a_dear_middle),
  };
  return cmocka_run_group_tests(tests, load, source_unload);
}
