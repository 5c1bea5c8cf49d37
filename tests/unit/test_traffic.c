/* test_traffic.c - what L1, L2 and DRAM see of kernels whose traffic is known, on a GPU
 * of two L2 partitions: closed forms, and figures that the counters of an H200 showed
 * for the same kernels.
 */
#include "rig.h"
#include "source.h"

#include "../../src/predict/model/traffic.h"
#include "../../src/query/predict.h"

#include <math.h>

static ww_gpu gpu;
static ww_arena *gpu_arena;

static int load(void **state) {
  (void)state;
  ww_err e = {0};
  gpu_arena = ww_arena_new();
  if (ww_gpu_load("h200", gpu_arena, &gpu, &e)) {
    print_error("%s\n", e.msg);
    return 1;
  }
  return source_load("tests/sample/kernels.cu");
}

static int unload(void **state) {
  ww_arena_free(gpu_arena);
  return source_unload(state);
}

static ww_traffic measure(const char *kernel, const char *launch, bool warm) {
  const ww_fn *fn = ww_ir_find(&unit.module, kernel);
  ww_launch l = {0};
  ww_err e = {0};
  ww_trace_result r;
  ww_traced run;
  ww_traffic t;
  ww_occupancy occ;
  if (!fn)
    fail_msg("no kernel %s", kernel);
  ww_trace_options o = {.lanes = gpu.lanes, .sms = gpu.sms};
  if (source_launch(fn, launch, arena, &l, &e) ||
      ww_trace_open(&unit.module, fn, &l, &o, arena, &r, &run, &e))
    fail_msg("%s, %s: %s", kernel, launch, e.msg);
  const ww_run_spec *s = &run.spec;
  ww_occupancy_of(&gpu, s->block[0] * s->block[1] * s->block[2], 32,
                  (double)(s->shared_static + s->shared), &occ);
  ww_gpu_launch on = {s, &r.sampled, &gpu, &occ, warm};
  ww_ways ways;
  ww_traffic_of(&on, 1, arena, &t, &ways);
  ww_trace_close(&run, &e);
  return t;
}

static void near(const char *what, double got, double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance))
    fail_msg("%s is %.6g, not %.6g +- %.3g", what, got, want, tolerance);
}

/* y += a * x: loads miss everywhere, the store finds its line; every sector 1.5
 * lookups, of which the store's hit. */
static void test_streaming(void **state) {
  (void)state;
  ww_traffic t =
      measure("saxpy", "grid=16384 block=256 n=1<<22 a=2 x=[n] y=[n]", false);
  double mb = 1 << 20;
  near("L1 load sectors", t.l1_ld_sectors, 2 * 16 * mb / 32, 1);
  near("L1 load hits", t.l1_ld_hits, 0, 0);
  near("L1 store hits", t.l1_st_hits / t.l1_st_sectors, 1, 0.05);
  near("DRAM read", t.dram_read / mb, 32, 0.1);
  near("DRAM written", t.dram_write / mb, 0, 0.1);
  near("L2 lookups, MB", 32 * t.l2_lookups / mb, 72, 2);
  near("L2 hit rate", t.l2_hits / t.l2_lookups, 0.34, 0.02);
  near("loads from DRAM", t.from_dram, 1, 0.01);
  near("footprint", t.footprint / mb, 32, 0.1);
  near("pages", t.pages, 17, 2);
  near("lines that loads ask for", t.load_lines, 2 * 16 * mb / 128, 1);
  near("lines of local stores", t.local_lines, 0, 0);
}

/* The same over 256 MB: what is dirty and not held by L2 is written within the kernel.
 * Counters: 113 of 134 MB. */
static void test_write_back(void **state) {
  (void)state;
  ww_traffic t =
      measure("saxpy", "grid=131072 block=256 n=1<<25 a=2 x=[n] y=[n]", false);
  near("DRAM read", t.dram_read / 1e6, 268.4, 1);
  near("DRAM written", t.dram_write / 1e6, 113, 6);
}

/* A launch that ran before finds in L2 what fits, and only that. */
static void test_warm(void **state) {
  (void)state;
  ww_traffic small =
      measure("saxpy", "grid=4096 block=256 n=1<<20 a=2 x=[n] y=[n]", true);
  ww_traffic big =
      measure("saxpy", "grid=131072 block=256 n=1<<25 a=2 x=[n] y=[n]", true);
  near("DRAM read", small.dram_read, 0, 0);
  assert_true(small.from_dram == 0 && small.from_l2 > 0.99);
  assert_true(big.dram_read > 200e6 && big.dram_read < 268.5e6);
}

/* A tiled multiplication: compulsory reads alone, L1 without use, L2 with much. */
static void test_tiles(void **state) {
  (void)state;
  ww_traffic t = measure("matmul_tiled",
                         "grid=32,32 block=16,16 n=512 a=[n*n] b=[n*n] c=[n*n]", false);
  near("DRAM read", t.dram_read / (2.0 * 512 * 512 * 4), 1, 0.02);
  near("L1 hits", t.l1_ld_hits / t.l1_ld_sectors, 0, 0.05);
  assert_true(t.l2_hits / t.l2_lookups > 0.85);
  near("where loads come from", t.from_l1 + t.from_l2 + t.from_dram, 1, 1e-9);
  assert_true(t.shared_cycles > 0);
}

/* Blocks of a wave walk through the rows of b in step, so b comes from DRAM once for
 * each wave where L2 has no room for it. The H200's counters show
 * such sums for multiplications with larger tiles (data/tuned). */
static void test_in_step(void **state) {
  (void)state;
  ww_traffic t = measure(
      "matmul_tiled", "grid=256,256 block=16,16 n=4096 a=[n*n] b=[n*n] c=[n*n]", false);
  double waves = 256 * 256 / (132.0 * 8);
  near("DRAM read, matrices", t.dram_read / (4096.0 * 4096 * 4), 1 + waves, 2);
}

/* The blocks that were run drew the first numbers; the others read the rest. */
static void test_drawn_numbers(void **state) {
  (void)state;
  ww_traffic t =
      measure("numbered",
              "grid=16384 block=256 in=[1<<22] out=[1<<22] next=u32[1]:zeros", false);
  near("DRAM read", t.dram_read / (4 << 22), 1, 0.02);
}

/* Of warps that walk side by side one misses and the others find the line on its way:
 * they wait as long. Those that come a step later find it there. */
static void test_on_the_way(void **state) {
  (void)state;
  static const char all[] = "x=[1<<20] y=[1<<20]";
  ww_traffic beside =
      measure("file", ww_fmt(arena, "grid=1 block=32,8 n=64 apart=0 %s", all), false);
  ww_traffic behind =
      measure("file", ww_fmt(arena, "grid=1 block=32,8 n=64 apart=1 %s", all), false);
  near("L1 hits", beside.l1_ld_hits / beside.l1_ld_sectors, 7 / 8.0, 0.01);
  near("L1 hits, one behind the other", behind.l1_ld_hits / behind.l1_ld_sectors,
       7 / 8.0, 0.03);
  near("loads that wait for DRAM", beside.from_dram, 1, 0.01);
  near("the same, one behind the other", behind.from_dram, 1 / 8.0, 0.03);
}

/* What all SMs read at once, for the first time, comes from DRAM once, and all of them
 * wait for it; what they read again is there. */
static void test_all_wait(void **state) {
  (void)state;
  ww_traffic t =
      measure("file", "grid=132 block=32 n=256 apart=0 x=[1<<20] y=[1<<20]", false);
  near("DRAM read", t.dram_read / (256 * 128), 1, 0.2);
  near("loads that wait for DRAM", t.from_dram, 1, 0.05);
}

/* Sectors without their neighbours: DRAM brings 64 bytes for each. */
static void test_stride(void **state) {
  (void)state;
  ww_traffic t =
      measure("strided", "grid=4096 block=256 stride=32 x=[1<<25] y=[1<<20]", false);
  near("DRAM read", t.dram_read / 64 / (1 << 20), 1, 0.05);
  near("lines for each sector", t.load_lines / t.l2_reads, 1, 0.01);
}

/* In-band ECC of one check byte for 16 of data: a stream moves a sixteenth more,
 * sectors without neighbours bring a check sector each, and scattered stores read one
 * before they write it. */
static void test_ecc(void **state) {
  (void)state;
  static const char stream[] = "grid=131072 block=256 n=1<<25 a=2 x=[n] y=[n]";
  static const char stride[] = "grid=4096 block=256 stride=32 x=[1<<25] y=[1<<20]";
  ww_traffic plain = measure("saxpy", stream, false);
  ww_traffic lone = measure("strided", stride, false);
  gpu.dram_ecc = 1.0 / 16;
  ww_traffic checked = measure("saxpy", stream, false);
  ww_traffic lone_checked = measure("strided", stride, false);
  gpu.dram_ecc = NAN;
  near("read of a stream", checked.dram_read / plain.dram_read, 17.0 / 16, 0.002);
  near("written of a stream", checked.dram_write / plain.dram_write, 17.0 / 16, 0.002);
  near("read, for each sector alone", lone_checked.dram_read / (1 << 20), 64 + 32, 4);
  near("L2 lookups", lone_checked.l2_lookups, lone.l2_lookups, 0);
}

/* All threads add to few addresses: each address takes its share of the operations. */
static void test_contention(void **state) {
  (void)state;
  ww_traffic t =
      measure("histogram",
              "grid=4096 block=256 n=1<<20 x=i32[n]:uniform(0,64) bins=i32[64]", false);
  near("operations on one address", t.atomics_same, (1 << 20) / 64.0,
       0.25 * (1 << 20) / 64.0);
  assert_true(t.l2_atomics > 0 && t.l2_hits > t.l2_atomics);
}

/* The constant cache gives a warp one word at a time: 31 more where each lane wants its
 * own. */
static void test_constants(void **state) {
  (void)state;
  ww_traffic t = measure("lookup", "grid=100 block=64 y=[6400]", false);
  near("further words", t.const_words, 100 * 2 * 31, 0);
}

/* One SM is replayed, and the only block with loads is on another: they were made all
 * the same, for the first time, and each waits for DRAM. */
static void test_unseen_loads(void **state) {
  (void)state;
  ww_traffic t = measure("last_block", "grid=100 block=256 x=[256] y=[256]", false);
  near("sectors", t.l1_ld_sectors, 256 * 4 / 32, 0);
  near("loads that wait for L1 alone", t.from_l1, 0, 0);
  near("loads that wait for DRAM", t.from_dram, 1, 1e-9);
}

static ww_work work_of(const char *kernel, const char *launch) {
  const ww_fn *fn = ww_ir_find(&unit.module, kernel);
  ww_launch l = {0};
  ww_err e = {0};
  ww_prediction p;
  ww_query_targets q = {.gpus = &gpu, .n = 1, .params = &ww_params_default};
  if (!fn)
    fail_msg("no kernel %s", kernel);
  if (source_launch(fn, launch, arena, &l, &e) ||
      ww_query_predict(&unit, fn, &l, &q, NULL, arena, &p, &e))
    fail_msg("%s", e.msg);
  return p.work;
}

/* A block that works while 1999 others hardly do is one of the few that are followed,
 * and one of 2000 in what a warp does on average. */
static void test_lone_block(void **state) {
  (void)state;
  ww_work w =
      work_of("lone_block", "grid=2000 block=32 n=4096 x=[2000*32+n] y=[2000*32]");
  near("instructions of a warp", w.chain.warp_inst / (w.lowered.total / 2000), 1, 0.3);
  assert_true(w.chain.spread > 100);
}

/* However long blocks are, the first and the last one are looked at: here the last
 * takes twice the mean. */
static void test_long_blocks(void **state) {
  (void)state;
  ww_work w =
      work_of("as_far_as", "grid=12000 block=256 at=i32[12001]:index y=[12000*256]");
  near("the longest block, of the mean", w.chain.spread, 2, 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(test_streaming),    RIG_TEST(test_write_back),
      RIG_TEST(test_warm),         RIG_TEST(test_tiles),
      RIG_TEST(test_stride),       RIG_TEST(test_contention),
      RIG_TEST(test_ecc),          RIG_TEST(test_lone_block),
      RIG_TEST(test_long_blocks),  RIG_TEST(test_constants),
      RIG_TEST(test_in_step),      RIG_TEST(test_drawn_numbers),
      RIG_TEST(test_unseen_loads), RIG_TEST(test_on_the_way),
      RIG_TEST(test_all_wait),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
