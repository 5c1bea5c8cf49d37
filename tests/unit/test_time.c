/* test_time.c - the time model: its bounds, its waves, its parameters and their fit;
 * the chain of one warp. */
#include "../../src/predict/model/chain.h"
#include "../../src/predict/learn/calibrate.h"
#include "unit.h"

#include <math.h>

static ww_arena *arena;
static ww_gpu gpu;

static int setup(void **state) {
  ww_err e = {0};
  (void)state;
  arena = ww_arena_new();
  return ww_gpu_load("h200", arena, &gpu, &e);
}

static int teardown(void **state) {
  (void)state;
  ww_arena_free(arena);
  return 0;
}

/* A launch of `blocks` blocks of 256 threads that read and write `bytes` of DRAM each
 * way with one wait a warp. */
static ww_work streaming(uint64_t blocks, double bytes) {
  ww_work w = {.blocks = blocks, .block_threads = 256, .warps_per_block = 8};
  ww_occupancy_of(&gpu, 256, 24, 0, &w.occupancy);
  double warps = 8.0 * (double)blocks;
  w.lowered.total = 16 * warps;
  w.lowered.code_bytes = 512;
  w.traffic = (ww_traffic){.l2_reads = bytes / 32,
                           .l2_writes = bytes / 32,
                           .dram_read = bytes,
                           .dram_write = bytes};
  w.traffic.footprint = 2 * bytes;
  w.traffic.from_dram = 1;
  w.traffic.l1_wavefronts = bytes / 64;
  w.chain = (ww_chain){.warp_inst = 16,
                       .alu = 60,
                       .waits = 1,
                       .loads_per_wait = 1,
                       .first_waits = 1,
                       .spread = 1};
  w.chain.beyond_l1 = w.chain.beyond_l2 = 1;
  w.chain.lines_per_load = 1;
  w.chain.store_lines = bytes / 128;
  return w;
}

static double us_of(const ww_work *w) {
  ww_timing t;
  ww_time(w, &gpu, &ww_params_default, &t);
  return t.us;
}

static void test_large_copy_reaches_dram(void **state) {
  (void)state;
  ww_work w = streaming(262144, 262144 * 1024.0 * 8);
  ww_timing t;
  ww_time(&w, &gpu, &ww_params_default, &t);
  double gbps = (w.traffic.dram_read + w.traffic.dram_write) / (1e3 * t.us);
  assert_true(gbps > 0.6 * gpu.dram_peak && gbps < gpu.dram_peak);
  assert_int_equal(t.bottleneck, WW_TERM_DRAM);
  assert_true(t.low < t.us && t.us < t.high);
  assert_true(t.bound_us[WW_TERM_DRAM] <= t.us);
}

static void test_nothing_takes_the_floor(void **state) {
  (void)state;
  ww_work w = {.blocks = 1,
               .block_threads = 32,
               .warps_per_block = 1,
               .chain = {.warp_inst = 4, .spread = 1}};
  ww_occupancy_of(&gpu, 32, 16, 0, &w.occupancy);
  w.lowered.total = 4;
  ww_timing t;
  ww_time(&w, &gpu, &ww_params_default, &t);
  assert_true(t.us >= gpu.launch_floor && t.us < gpu.launch_floor + 1);
  assert_int_equal(t.bottleneck, WW_TERM_LAUNCH);
  /* the interval is that of short launches, wider where the figures are from paper */
  double probed = 1.5 * ww_params_default.spread_short;
  double paper = hypot(probed, ww_grades[WW_GRADE_paper].spread);
  assert_true(fabs(log(t.high / t.low) - 2 * probed) < 1e-9);
  ww_gpu unseen = gpu;
  unseen.calibrated = NULL;
  ww_time(&w, &unseen, &ww_params_default, &t);
  assert_true(fabs(log(t.high / t.low) - 2 * paper) < 1e-9);
}

/* One warp that follows pointers takes so many latencies; a second one beside it costs
 * nothing. */
static void test_one_chain_is_latency(void **state) {
  (void)state;
  ww_work w = {.blocks = 1, .block_threads = 32, .warps_per_block = 1};
  ww_occupancy_of(&gpu, 32, 16, 0, &w.occupancy);
  w.traffic = (ww_traffic){.from_dram = 1,
                           .dram_read = 32e4,
                           .l2_reads = 1e4,
                           .footprint = 32e4,
                           .l1_wavefronts = 1e4};
  w.chain = (ww_chain){.warp_inst = 3e4,
                       .waits = 1e4,
                       .loads_per_wait = 1,
                       .lines_per_load = 1,
                       .spread = 1};
  w.chain.beyond_l1 = w.chain.beyond_l2 = 1;
  w.lowered.total = 3e4;
  ww_timing t;
  ww_time(&w, &gpu, &ww_params_default, &t);
  double least = 1e4 * gpu.dram_latency / gpu.boost_mhz;
  assert_true(t.us > least && t.us < 1.3 * least);
  assert_int_equal(t.bottleneck, WW_TERM_LATENCY);
  double one = t.us;
  w.blocks = 2;
  w.lowered.total *= 2;
  w.traffic.dram_read *= 2;
  w.traffic.l2_reads *= 2;
  w.traffic.l1_wavefronts *= 2;
  assert_true(us_of(&w) < 1.02 * one);
}

static void test_waves(void **state) {
  (void)state;
  ww_work full = streaming(8 * 132, 8 * 132 * 256.0),
          more = streaming(8 * 132 + 1, (8 * 132 + 1) * 256.0);
  full.chain.alu = more.chain.alu = 2e5; /* long blocks, so that the wave shows */
  double one = us_of(&full), two = us_of(&more);
  assert_true(two > 1.8 * one && two < 2.1 * one);
  ww_timing t;
  ww_time(&more, &gpu, &ww_params_default, &t);
  assert_true(t.bound_us[WW_TERM_TAIL] > 0.4 * one);
  ww_time(&full, &gpu, &ww_params_default, &t);
  assert_true(t.bound_us[WW_TERM_TAIL] < 0.01 * one);
}

/* After many waves blocks no longer begin and end together: what one block more costs
 * is a part of a wave, where after a single wave it is a whole one. */
static void test_many_waves(void **state) {
  (void)state;
  ww_work full = streaming(20 * 8 * 132, 1e6), more = streaming(20 * 8 * 132 + 1, 1e6);
  full.chain.alu = more.chain.alu = 2e5;
  double wave = us_of(&full) / 20;
  assert_true(us_of(&more) - us_of(&full) < 0.2 * wave);
}

/* No launch is over before its longest block, however many waves there are. */
static void test_longest_block(void **state) {
  (void)state;
  ww_work one = streaming(1, 32), w = streaming(8 * 132, 32);
  one.chain.alu = w.chain.alu = 1e5;
  double alone = us_of(&one) - gpu.launch_floor;
  w.chain.spread = 8;
  double us = us_of(&w);
  assert_true(us > 0.95 * 8 * alone && us < 1.1 * 8 * alone + gpu.launch_floor);
}

/* Blocks that end at once take what it takes to begin them; of the instructions theirs
 * do not count. */
static void test_idle_blocks(void **state) {
  (void)state;
  ww_work w = streaming(132, 1e5), v = w;
  v.idle = 1000000;
  double us = us_of(&v) - us_of(&w), begin = 1e6 / gpu.blocks_per_us;
  assert_true(us > 0.9 * begin && us < 1.5 * begin);
  w = streaming(8 * 132, 32);
  w.lowered.total *= 1e5; /* issue slots are all that counts */
  v = w;
  v.idle_share = 0.5;
  assert_true(fabs(us_of(&v) / us_of(&w) - 0.5) < 0.02);
}

/* Waits of one warp: a load of what it stored a moment ago takes the way to L2 and back
 * twice; a wait for DRAM is longer while DRAM is busy; a launch that finds its data in
 * the caches has no cold start. */
static void test_waits(void **state) {
  (void)state;
  ww_work w = streaming(1, 32), v = w;
  v.chain.store_waits = 1000;
  double more = us_of(&v) - us_of(&w), way = 1000 * gpu.l2_latency / gpu.boost_mhz;
  assert_true(fabs(more / (2 * way) - 1) < 0.02);
  ww_params quiet = ww_params_default;
  quiet.queue = 0;
  ww_work busy = streaming(8 * 132, 3e7);
  busy.chain.beyond_l1 = 0;
  busy.chain.waits = 40;
  ww_timing with, without;
  ww_time(&busy, &gpu, &ww_params_default, &with);
  ww_time(&busy, &gpu, &quiet, &without);
  assert_true(with.us > 1.05 * without.us);
  v = w;
  v.warm = true;
  ww_timing cold, warm;
  ww_time(&w, &gpu, &ww_params_default, &cold);
  ww_time(&v, &gpu, &ww_params_default, &warm);
  assert_true(cold.bound_us[WW_TERM_COLD] > 0 && warm.bound_us[WW_TERM_COLD] == 0);
}

static void test_more_work_never_takes_less(void **state) {
  (void)state;
  double before = 0;
  for (double scale = 1; scale < 1e4; scale *= 1.5) {
    ww_work w = streaming((uint64_t)(100 * scale), 1e5 * scale);
    double us = us_of(&w);
    assert_true(us >= 0.999 * before);
    before = us;
  }
  ww_work w = streaming(4096, 1e7), v = w;
  v.chain.atomic_cycles = 1e6;
  assert_true(us_of(&v) > us_of(&w) + 0.9e6 / gpu.boost_mhz - 20);
  v = w;
  v.chain.waits = 20;
  assert_true(us_of(&v) > 2 * us_of(&w));
}

/* Each of these costs something of its own: lines that loads ask for, lines of local
 * stores, warps that part, special functions, memory to wake. */
static void test_what_costs_extra(void **state) {
  (void)state;
  ww_work w = streaming(20000, 3e8), v;
  w.traffic.dram_read = w.traffic.dram_write = w.traffic.from_dram = w.chain.beyond_l2 =
      0; /* all in L2 */
  double us = us_of(&w), sectors = w.traffic.l2_reads;
  v = w;
  v.traffic.load_lines = sectors / 4;
  double whole = us_of(&v);
  v.traffic.load_lines = sectors;
  double scattered = us_of(&v);
  assert_true(whole > us && scattered > 1.05 * whole);
  v.traffic.load_lines = 100 * sectors; /* no more than a line for each sector */
  assert_true(us_of(&v) == scattered);
  v = w;
  v.traffic.local_lines = sectors;
  assert_true(us_of(&v) > 1.1 * us);
  v = w;
  v.chain.alu = 3000;
  v.lowered.total *= 200;
  v.chain.warp_inst *= 200;
  double busy = us_of(&v);
  v.splits = v.lowered.total / 20;
  assert_true(us_of(&v) > 1.03 * busy);
  v.splits = 0;
  v.lowered.inst[WW_PIPE_XU] = v.lowered.total / 20;
  assert_true(us_of(&v) > 1.03 * busy);
  ww_work few = streaming(1, 1e3), many = few;
  many.traffic.footprint = 4e6;
  assert_true(us_of(&many) > us_of(&few) + 0.3);
}

static void test_shares_sum_to_one(void **state) {
  (void)state;
  ww_work w = streaming(5000, 1e7);
  w.chain.barriers = 4;
  ww_timing t;
  ww_time(&w, &gpu, &ww_params_default, &t);
  double sum = 0;
  for (int k = 0; k < WW_NTERMS; k++) {
    assert_true(t.stall[k] >= 0);
    sum += t.stall[k];
  }
  assert_true(fabs(sum - 1) < 1e-9);
  assert_true(t.stall[WW_TERM_BARRIER] > 0);
  assert_true(t.achieved_warps > 8 && t.achieved_warps <= 64);
}

/* ---- parameters ---- */

static void test_params(void **state) {
  (void)state;
  ww_params p;
  ww_err e = {0};
  const char good[] = "{\"params\":{\"pace\":1.25}}",
             bad[] = "{\"params\":{\"pace\":-1}}",
             other[] = "{\"params\":{\"pace\":1.25,\"of_another_version\":3}}";
  assert_int_equal(ww_params_parse(good, sizeof good - 1, &p, &e), WW_OK);
  assert_true(p.pace == 1.25 && p.blend == ww_params_default.blend);
  assert_int_equal(ww_params_parse(bad, sizeof bad - 1, &p, &e), WW_EDATA);
  assert_non_null(strstr(e.msg, "pace"));
  assert_int_equal(ww_params_parse(other, sizeof other - 1, &p, &e), WW_EDATA);
  assert_non_null(strstr(e.msg, "of_another_version"));
  assert_int_equal(ww_params_parse("[]", 2, &p, &e), WW_EDATA);
  for (uint32_t k = 0; k < ww_nparams; k++)
    assert_true(ww_param_table[k].value >= ww_param_table[k].least &&
                ww_param_table[k].value <= ww_param_table[k].most);
}

/* Single bits of the shipped parameters, each flipped alone: an error, or the same
 * parameters. */
static void test_params_damaged(void **state) {
  ww_params want, p;
  ww_err e = {0};
  char *text;
  size_t n;
  uint32_t refused = 0;
  ww_arena *a = ww_arena_new();
  (void)state;
  assert_int_equal(ww_read_file(a, "models/machine.json", 1 << 20, &text, &n, &e),
                   WW_OK);
  assert_int_equal(ww_params_parse(text, n, &want, &e), WW_OK);
  const char *end = strstr(text, "\"fitted\"");
  assert_non_null(end);
  for (uint64_t k = 0; k < 4000; k++) {
    uint64_t bit = ww_hash(&k, sizeof k, 0) % (8 * (uint64_t)(end - text));
    text[bit / 8] ^= (char)(1 << bit % 8);
    if (ww_params_parse(text, n, &p, &e))
      refused++;
    else if (memcmp(&p, &want, sizeof p))
      fail_msg("bit %llu flipped, other parameters, no error", (unsigned long long)bit);
    text[bit / 8] ^= (char)(1 << bit % 8);
  }
  assert_true(refused > 2000);
  ww_arena_free(a);
}

/* Times made with other parameters are found again, and what is found can be written
 * and read. */
static void test_fit(void **state) {
  enum { N = 48 };
  static const char *const families[] = {"a", "b", "c", "d"};
  ww_fit_sample s[N];
  ww_params truth = ww_params_default, back;
  (void)state;
  truth.dram_share = 0.75;
  truth.start_us = 0.9;
  for (uint32_t k = 0; k < N; k++) {
    ww_timing t;
    s[k] = (ww_fit_sample){
        .work = streaming(20u << k / 4, (20u << k / 4) * (1 + k % 4) * 2048.0),
        .family = families[k % 4]};
    ww_time(&s[k].work, &gpu, &truth, &t);
    s[k].measured_us = t.us;
  }
  ww_fit_result r;
  ww_fit(s, N, &gpu, true, arena, &r);
  assert_true(r.start.log_mean > 0.1);
  assert_true(r.fitted.log_mean < 0.01);
  assert_true(r.crossed.log_mean < 0.03);
  assert_int_equal(r.nfamilies, 4);
  ww_buf b = {0};
  ww_err e = {0};
  ww_fit_write(&r, &gpu, "test", &b);
  assert_int_equal(ww_params_parse(b.s, b.n, &back, &e), WW_OK);
  assert_true(fabs(back.dram_share - r.params.dram_share) < 1e-12);
  ww_buf_free(&b);
}

/* ---- the chain ---- */

#define HEAD                                                                           \
  "module cuda warp 32\nfile \"k.cu\"\nfn $k \"k\" kernel file \"k.cu\" line 1 {\n"    \
  "  param %p.0 i64 \"p\" \"int *\" pointer global elem i64 elem_size 8 size 8 align " \
  "8\n@entry.0:\n  br @loop.1\n"                                                       \
  "@loop.1:\n"

/* The blocks `first` to `last` run `times` times in one warp; how far loads go. */
static ww_chain chain_blocks(
    const char *body, uint32_t first, uint32_t last, uint32_t times, ww_ways ways) {
  ww_module m;
  ww_err e = {0};
  ww_chain c;
  if (ww_ir_parse(ww_fmt(arena, "%s%s", HEAD, body), arena, &m, &e))
    fail_msg("%s", e.msg);
  ww_chainer *x = ww_chainer_new(
      &(ww_chain_gpu){ww_gpu_code_new(&m, &gpu, arena), ways}, 32, arena);
  ww_observer o = ww_chainer_observer(x);
  o.block_start(o.ctx, 0);
  for (uint32_t k = 0; k < times; k++)
    for (uint32_t b = first; b <= last; b++)
      o.block(o.ctx, (ww_warp_id){0, 0}, &m.fns[0], b, UINT32_MAX, 1);
  o.block_end(o.ctx, 0);
  ww_chainer_result(x, &c);
  return c;
}

static ww_chain chain_far(const char *body, uint32_t times, ww_ways ways) {
  return chain_blocks(body, 1, 1, times, ways);
}

static ww_chain chain_of(const char *body, uint32_t times) {
  return chain_far(body, times, (ww_ways){.beyond_l1 = 1, .beyond_l2 = 1});
}

static void test_chain_waits(void **state) {
  (void)state;
  ww_chain apart = chain_of("  %1 = ld.global i64 [%p.0]\n  %2 = ld.global i64 [%p.0 + "
                            "8]\n  %3 = add i64 %1, %2\n"
                            "  st.global i64 [%p.0], %3\n  ret\n}\n",
                            1);
  assert_true(apart.waits == 1 && apart.loads_per_wait == 2);
  ww_chain after = chain_of(
      "  %1 = ld.global i64 [%p.0]\n  %2 = ld.global i64 [%1]\n  %3 = add i64 %1, %2\n"
      "  st.global i64 [%p.0], %3\n  ret\n}\n",
      1);
  assert_true(after.waits == 2 && after.first_waits == 2 && after.loads_per_wait == 1);
  /* a store between them keeps the second load back, unless it is known to read
   * constants */
  ww_chain kept = chain_of("  %1 = ld.global i64 [%p.0]\n  st.global i64 [%p.0], %1\n  "
                           "%2 = ld.global i64 [%p.0 + 8]\n"
                           "  st.global i64 [%p.0], %2\n  ret\n}\n",
                           1);
  assert_true(kept.waits == 2);
  ww_chain free = chain_of("  %1 = ld.global i64 [%p.0]\n  st.global i64 [%p.0], %1\n"
                           "  %2 = ld.global.readonly i64 [%p.0 + 8]\n  st.global i64 "
                           "[%p.0], %2\n  ret\n}\n",
                           1);
  assert_true(free.waits == 1);
}

#define SUM(step)                                                                   \
  "  %1 = phi i64 [@entry.0 0] [@loop.1 %3]\n  %5 = phi i64 [@entry.0 0] [@loop.1 " \
  "%6]\n"                                                                           \
  "  %2 = ld.global i64 [%p.0]\n  %3 = add i64 %1, %2\n  %6 = add i64 %5, " step    \
  "\n  %4 = icmp.slt i64 %6, 100\n"                                                 \
  "  cbr %4, @loop.1, @end.2\n@end.2:\n  ret\n}\n"

/* Iterations of a small counted loop overlap as far as registers last, where nothing
 * loaded leads from one to the next. */
static void test_chain_loops(void **state) {
  (void)state;
  ww_chain counted = chain_of(SUM("2"), 64), strided = chain_of(SUM("%p.0"), 64);
  assert_true(counted.waits <= 8 && counted.loads_per_wait * counted.waits == 64);
  assert_true(strided.waits == 64); /* nobody knows how many iterations there are */
  ww_chain chase = chain_of(
      "  %1 = phi i64 [@entry.0 %p.0] [@loop.1 %2]\n  %5 = phi i64 [@entry.0 0] "
      "[@loop.1 %6]\n"
      "  %2 = ld.global i64 [%1]\n  %6 = add i64 %5, 1\n  %4 = icmp.slt i64 %6, 100\n"
      "  cbr %4, @loop.1, @end.2\n@end.2:\n  ret\n}\n",
      64);
  assert_true(chase.waits >= 63); /* nothing waits for the last one */
  assert_true(chase.first_waits <=
              1); /* of which the first one finds nothing in the caches */
}

/* A loop with an `if` of `n` instructions in it, on what was loaded; the branch at
 * its end says what a pragma asks for. */
static const char *loop_with_if(uint32_t n, const char *end) {
  ww_buf b = {0};
  ww_buf_puts(&b, "  %1 = phi i64 [@entry.0 0] [@next.3 %7]\n"
                  "  %2 = phi i64 [@entry.0 0] [@next.3 %8]\n"
                  "  %3 = ld.global i64 [%p.0]\n  %4 = icmp.slt i64 %3, 7\n"
                  "  cbr %4, @then.2, @next.3\n@then.2:\n  %5 = add i64 %3, 1\n");
  for (uint32_t k = 1; k < n; k++)
    ww_buf_fmt(&b, "  %%%u = add i64 %%%u, 1\n", 9 + k, k == 1 ? 5 : 8 + k);
  ww_buf_fmt(&b,
             "  br @next.3\n@next.3:\n  %%6 = phi i64 [@loop.1 %%3] [@then.2 %%%u]\n"
             "  %%7 = xor i64 %%1, %%6\n  %%8 = add i64 %%2, 1\n  %%9 = icmp.slt i64 "
             "%%8, 100\n"
             "  %s %%9, @loop.1, @end.4\n@end.4:\n  ret\n}\n",
             n > 1 ? 8 + n : 5, end);
  const char *out = ww_strdup(arena, b.s);
  ww_buf_free(&b);
  return out;
}

/* ptxas unrolls such a loop at least fourfold, a short `if` under a predicate: its
 * loads are in flight together. Not where the `if` stays a branch, or where the source
 * says no. */
static void test_chain_ifs(void **state) {
  (void)state;
  ww_ways far = {.beyond_l1 = 1, .beyond_l2 = 1};
  assert_true(chain_blocks(loop_with_if(3, "cbr"), 1, 3, 64, far).waits <= 64 / 4);
  assert_true(chain_blocks(loop_with_if(200, "cbr"), 1, 3, 64, far).waits == 64);
  assert_true(chain_blocks(loop_with_if(3, "cbr.1"), 1, 3, 64, far).waits == 64);
}

/* Loads before, in and behind an `if` whose body takes `n` instructions more; the first
 * one's value is used before the `if`. */
static const char *loads_around(uint32_t n) {
  ww_buf b = {0};
  ww_buf_puts(&b, "  %1 = ld.global i64 [%p.0]\n  %2 = add i64 %1, 1\n"
                  "  %3 = icmp.slt i64 %p.0, 7\n  cbr %3, @then.2, @next.3\n@then.2:\n"
                  "  %4 = ld.global i64 [%p.0 + 8]\n");
  for (uint32_t k = 0; k < n; k++)
    ww_buf_fmt(&b, "  %%%u = add i64 %%%u, 1\n", 5 + k, 4 + k);
  ww_buf_fmt(&b,
             "  br @next.3\n@next.3:\n  %%%u = phi i64 [@loop.1 0] [@then.2 %%%u]\n"
             "  %%%u = ld.global i64 [%%p.0 + 16]\n  %%%u = add i64 %%%u, %%%u\n"
             "  %%%u = add i64 %%%u, %%2\n  st.global i64 [%%p.0], %%%u\n  ret\n}\n",
             5 + n, 4 + n, 6 + n, 7 + n, 6 + n, 5 + n, 8 + n, 7 + n, 8 + n);
  const char *out = ww_strdup(arena, b.s);
  ww_buf_free(&b);
  return out;
}

/* Without a branch the compiler brings loads in and behind a short `if` forward: they
 * are one wait. A long one stays a branch, and each part waits for itself. */
static void test_chain_straight(void **state) {
  (void)state;
  ww_ways far = {.beyond_l1 = 1, .beyond_l2 = 1};
  assert_true(chain_blocks(loads_around(1), 1, 3, 1, far).waits == 1);
  assert_true(chain_blocks(loads_around(200), 1, 3, 1, far).waits == 3);
}

/* A branch waits longer for the compare that decides it than a select and what stores
 * its result do: a loop that is left as it is pays for it in each iteration. */
static void test_chain_branches(void **state) {
  (void)state;
#define ROUND(end)                                                    \
  "  %1 = phi i32 [@entry.0 3] [@loop.1 %2]\n  %2 = mul i32 %1, %1\n" \
  "  %3 = icmp.ne i32 %2, 0\n" end "@end.2:\n  ret\n}\n"
  ww_chain branch = chain_of(ROUND("  cbr %3, @loop.1, @end.2\n"), 64);
  ww_chain select =
      chain_of(ROUND("  %4 = select i32 %3, %2, %1\n  st.global i32 [%p.0], %4\n"
                     "  br @end.2\n"),
               64);
  assert_true(branch.alu > select.alu + 64 && branch.alu < select.alu + 64 * 20);
}

#define CHASE                                                                       \
  "  %1 = phi i64 [@entry.0 %p.0] [@loop.1 %2]\n  %2 = ld.global i64 [%1]\n  %4 = " \
  "icmp.ne i64 "                                                                    \
  "%2, 0\n"                                                                         \
  "  cbr %4, @loop.1, @end.2\n@end.2:\n  ret\n}\n"

/* A wait is as long as the way of the load it is for: of one in four every fourth goes
 * beyond L1.
 */
static void test_chain_ways(void **state) {
  (void)state;
  ww_chain c = chain_far(CHASE, 64, (ww_ways){.beyond_l1 = 0.25, .beyond_l2 = 0.125});
  assert_true(c.waits >= 63 && fabs(c.beyond_l1 - 0.25) < 0.02 &&
              fabs(c.beyond_l2 - 0.125) < 0.02);
  ww_chain near = chain_far(CHASE, 64, (ww_ways){0});
  assert_true(near.waits == c.waits && near.beyond_l1 == 0 && near.beyond_l2 == 0);
}

/* Loads whose values are used one after the other: no more are in flight than there are
 * registers.
 */
/* ---- warps that wait for each other at an mbarrier ---- */

#define ADDS                                                                      \
  "  %1 = add i64 %p.0, 1\n  %2 = mul i64 %1, %1\n  %3 = mul i64 %2, %2\n  %4 = " \
  "mul i64 %3, %3\n  br @wait.2\n"                                                \
  "@wait.2:\n  %5 = mwait.shared i32 [%p.0], 0:i32\n  cbr %5, @end.3, @wait.2\n"  \
  "@end.3:\n  bulk.load.shared %p.0, %p.0, 64:i32, %p.0, 0:i32\n  ret\n}\n"

static void mbarrier(const ww_observer *o,
                     const ww_ins *copy,
                     ww_warp_id w,
                     ww_mbar_kind kind,
                     uint64_t bytes) {
  o->mbarrier(o->ctx, &(ww_mbar_event){.warp = w,
                                       .ins = copy,
                                       .kind = kind,
                                       .barrier = 0,
                                       .bytes = bytes,
                                       .ends = kind != WW_MBAR_AWAITED,
                                       .weight = 1});
}

/* Warp 0 computes `first` times and arrives, or fills a copy; warp 1 computes `second`
 * times and waits for it. */
static ww_chain two_roles(uint32_t first, uint32_t second, uint64_t bytes) {
  ww_module m;
  ww_err e = {0};
  ww_chain c;
  if (ww_ir_parse(HEAD ADDS, arena, &m, &e))
    fail_msg("%s", e.msg);
  ww_chainer *x = ww_chainer_new(
      &(ww_chain_gpu){ww_gpu_code_new(&m, &gpu, arena), {.beyond_l1 = 1}}, 64, arena);
  ww_observer o = ww_chainer_observer(x);
  const ww_ins *copy = &m.fns[0].blocks[3].ins[0];
  ww_warp_id warps[] = {{0, 0}, {0, 1}};
  o.block_start(o.ctx, 0);
  for (uint32_t k = 0; k < first; k++)
    o.block(o.ctx, warps[0], &m.fns[0], 1, UINT32_MAX, 1);
  mbarrier(&o, copy, warps[0], bytes ? WW_MBAR_FILLED : WW_MBAR_ARRIVED, bytes);
  for (uint32_t k = 0; k < second; k++)
    o.block(o.ctx, warps[1], &m.fns[0], 1, UINT32_MAX, 1);
  o.block(o.ctx, warps[1], &m.fns[0], 2, UINT32_MAX, 1);
  mbarrier(&o, copy, warps[1], WW_MBAR_AWAITED, 0);
  o.block(o.ctx, warps[1], &m.fns[0], 3, UINT32_MAX, 1);
  o.block_end(o.ctx, 0);
  ww_chainer_result(x, &c);
  return c;
}

static double way(const ww_chain *c) {
  return c->alu + c->fixed + c->waits * WW_FIGURE(&gpu, l2_latency);
}

/* The way of a block is that of its slower role, not the sum of both. */
static void test_chain_roles(void **state) {
  (void)state;
  ww_chain slow = two_roles(100, 0, 0);
  ww_chain equal = two_roles(100, 100, 0);
  ww_chain ready = two_roles(0, 100, 0);
  assert_true(way(&slow) > 1000);
  assert_true(fabs(way(&equal) / way(&slow) - 1) < 0.1);
  assert_true(fabs(way(&ready) / way(&slow) - 1) < 0.1);
  /* a copy is waited for beyond its issue, a long one longer */
  ww_chain brief = two_roles(100, 0, 128);
  ww_chain large = two_roles(100, 0, 32768);
  assert_true(way(&brief) > way(&slow) + 0.5 * WW_FIGURE(&gpu, bulk_latency));
  assert_true(way(&large) > way(&brief) + 0.9 * 32640 / WW_FIGURE(&gpu, bulk_rate));
}

static void test_chain_registers(void **state) {
  (void)state;
  ww_buf b = {0};
  ww_buf_puts(&b, "  %1 = ld.global i64 [%p.0]\n");
  for (int k = 1; k < 60; k++)
    ww_buf_fmt(&b, "  %%%d = ld.global i64 [%%p.0 + %d]\n  %%%d = add i64 %%%d, %%%d\n",
               2 * k, 8 * k, 2 * k + 1, 2 * k, 2 * k - 1);
  ww_buf_puts(&b, "  st.global i64 [%p.0], %119\n  ret\n}\n");
  ww_chain c = chain_of(b.s, 1);
  ww_buf_free(&b);
  assert_true(c.waits >= 4 && c.waits <= 20 && c.loads_per_wait * c.waits == 60);
}

/* `n` accesses of a warp, each `step` bytes behind the one before, its lanes `apart`
 * bytes from each other: cycles of what L2 is busiest with. */
static double busiest(ww_access_kind kind, uint64_t apart, uint64_t step, uint32_t n) {
  ww_module m;
  ww_err e = {0};
  ww_chain c;
  uint64_t addr[64];
  const char body[] = "  %1 = atom.global.fadd f32 [%p.0], 0\n  ret\n}\n";
  if (ww_ir_parse(ww_fmt(arena, "%s%s", HEAD, body), arena, &m, &e))
    fail_msg("%s", e.msg);
  ww_chainer *x = ww_chainer_new(
      &(ww_chain_gpu){.code = ww_gpu_code_new(&m, &gpu, arena)}, 32, arena);
  ww_observer o = ww_chainer_observer(x);
  o.block_start(o.ctx, 0);
  for (uint32_t k = 0; k < n; k++) {
    for (uint32_t l = 0; l < 64; l++)
      addr[l] = WW_GLOBAL_BASE + step * k + apart * l;
    o.access(o.ctx, &(ww_access){.fn = m.fns,
                                 .ins = m.fns[0].blocks[1].ins,
                                 .kind = kind,
                                 .space = WW_GLOBAL,
                                 .bytes = 4,
                                 .lanes = UINT32_MAX,
                                 .addr = addr,
                                 .lo = addr[0],
                                 .hi = addr[31] + 4,
                                 .weight = 1});
  }
  o.block_end(o.ctx, 0);
  ww_chainer_result(x, &c);
  return c.atomic_cycles;
}

/* Atomics of all lanes on one float take lane after lane; spread over L2 they take
 * hardly anything.
 */
static void test_atomics(void **state) {
  (void)state;
  double same = busiest(WW_ACCESS_ATOMIC, 0, 0, 100), want = 3200 / gpu.atom_f32_same;
  double apart = busiest(WW_ACCESS_ATOMIC, 4096, 4096 * 32, 100);
  assert_true(fabs(same - want) < 0.01 * want);
  assert_true(apart < 0.02 * want && apart > 0);
}

/* A slice of L2 takes less than one request a cycle for the same place; of a line's
 * sectors each takes its time, the first the most. */
static void test_slices(void **state) {
  (void)state;
  double stores = busiest(WW_ACCESS_STORE, 0, 0, 1000);
  assert_true(stores > 1000 && stores < 2000);
  double line = busiest(WW_ACCESS_ATOMIC, 4, 0, 1000),
         lines = busiest(WW_ACCESS_ATOMIC, 16, 0, 1000);
  /* 4 sectors of one line; 16 of four */
  assert_true(lines > 3.99 * line && lines < 4.01 * line);
  double apart = busiest(WW_ACCESS_ATOMIC, 128, 0, 1000); /* 4 lines of each slice */
  assert_true(apart > 1.2 * line && apart < 2.5 * line);
}

/* Lanes that meet at a word take its sector one after the other, others together. */
static void test_meeting(void **state) {
  (void)state;
  double meet = busiest(WW_ACCESS_ATOMIC, 0, 4096, 1000),
         line = busiest(WW_ACCESS_ATOMIC, 4, 4096, 1000);
  assert_true(meet > 8 * line && meet < 20 * line);
}

/* What four blocks do, one after the other, in a loop that waits. */
typedef struct {
  bool before; /* they write their word before they look at another */
  bool frees;  /* the word that they have taken */
  bool swaps;  /* they succeed */
  bool lanes;  /* each lane has a word of its own */
} manners;

enum { OWN = 32 }; /* words of a block whose lanes have one each */

static void do_access(const ww_observer *o, const ww_module *m, bool end, ww_access a) {
  const uint64_t addr[64] = {a.lo};
  a.fn = m->fns;
  a.ins = m->fns[0].blocks[end ? 2 : 1].ins;
  a.space = WW_GLOBAL;
  a.bytes = 4;
  a.lanes = 1;
  a.addr = addr;
  if (!a.hi)
    a.hi = a.lo + 4;
  a.weight = 1;
  o->access(o->ctx, &a);
}

static ww_chain waiting(const char *waits, manners how) {
  ww_module m;
  ww_err e = {0};
  ww_chain c;
  const char *body = ww_fmt(arena,
                            "%s  %%1 = %s\n  %%2 = icmp.eq i32 %%1, 0\n"
                            "  cbr %%2, @loop.1, @end.2\n@end.2:\n"
                            "  st.global.volatile i32 [%%p.0], 0\n  ret\n}\n",
                            HEAD, waits);
  if (ww_ir_parse(body, arena, &m, &e))
    fail_msg("%s", e.msg);
  bool cas = m.fns[0].blocks[1].ins[0].op == WW_OP_CAS;
  uint32_t bytes = how.lanes ? 4 * OWN : 4;
  ww_chainer *x = ww_chainer_new(
      &(ww_chain_gpu){.code = ww_gpu_code_new(&m, &gpu, arena)}, 32, arena);
  ww_observer o = ww_chainer_observer(x);
  for (uint32_t b = 0; b < 4; b++) {
    ww_access own = {.warp = {.block = b},
                     .kind = WW_ACCESS_STORE,
                     .lo = WW_GLOBAL_BASE + 4 * OWN + (cas ? 0 : bytes * b)};
    if (how.lanes)
      own.hi = own.lo + bytes;
    ww_access look = own;
    look.kind = cas ? WW_ACCESS_ATOMIC : WW_ACCESS_LOAD;
    look.lo = cas ? own.lo : own.lo - bytes;
    if (how.lanes)
      look.hi = own.lo;
    look.swapped = how.swaps;
    o.block_start(o.ctx, b);
    if (how.before)
      do_access(&o, &m, true, own);
    o.block(o.ctx, own.warp, m.fns, 1, 1, 1);
    do_access(&o, &m, false, look);
    o.block(o.ctx, own.warp, m.fns, 1, 1, 1);
    if (how.frees)
      do_access(&o, &m, true, own);
    o.block_end(o.ctx, b);
  }
  ww_chainer_result(x, &c);
  return c;
}

/* A word that is swapped until it succeeds, a lock, and one that nobody gets. */
static void test_turns(void **state) {
  (void)state;
  const char cas[] = "cas.global i32 [%p.0], 0, 1";
  ww_chain swap = waiting(cas, (manners){.swaps = true});
  ww_chain lock = waiting(cas, (manners){.swaps = true, .frees = true});
  ww_chain none = waiting(cas, (manners){0});
  assert_true(swap.retried == 1 && swap.crowd == 1 && !swap.locked && !swap.held);
  assert_true(lock.retried == 1 && lock.crowd == 1 && lock.locked && lock.held > 0);
  assert_true(!none.retried && !none.locked);
}

/* Each block waits for the one before; or it has said before what it has itself. */
static void test_links(void **state) {
  (void)state;
  const char look[] = "ld.global.volatile i32 [%p.0]";
  ww_chain chain = waiting(look, (manners){.frees = true});
  ww_chain back = waiting(look, (manners){.frees = true, .before = true});
  ww_chain alone = waiting(look, (manners){0});
  /* each lane for itself: still one block further back with every look */
  ww_chain lanes =
      waiting(look, (manners){.frees = true, .before = true, .lanes = true});
  assert_true(lanes.back == 1 && !lanes.link);
  assert_true(chain.link > 0 && chain.link_blocks == 1 && !chain.back);
  assert_true(back.back == 1 && !back.link);
  assert_true(!alone.link && !alone.back);
}

/* Instructions of the warp that counts, of four, of which the first to run draws all.
 */
static double drawing(const char *end) {
  ww_module m;
  ww_err e = {0};
  ww_chain c;
  const char *body =
      ww_fmt(arena,
             "%s  %%1 = atom.add.global i32 [%%p.0], 1\n  %%2 = icmp.slt i32 %%1, 100\n"
             "  cbr %%2, @loop.1, @end.2\n@end.2:\n%s  ret\n}\n",
             HEAD, end);
  if (ww_ir_parse(body, arena, &m, &e))
    fail_msg("%s", e.msg);
  ww_chainer *x = ww_chainer_new(
      &(ww_chain_gpu){.code = ww_gpu_code_new(&m, &gpu, arena)}, 128, arena);
  ww_observer o = ww_chainer_observer(x);
  o.block_start(o.ctx, 0);
  for (uint32_t k = 0; k < 100; k++)
    o.block(o.ctx, (ww_warp_id){.warp = k < 97 ? 0 : k - 96}, m.fns, 1, UINT32_MAX, 1);
  o.block_end(o.ctx, 0);
  ww_chainer_result(x, &c);
  return c.warp_inst;
}

/* Warps that draw their work have a quarter each; not where one draws for its block. */
static void test_queue(void **state) {
  (void)state;
  assert_float_equal(drawing("") / drawing("  bar\n"), 25.0 / 97, 1e-6);
}

static double with_chain(void (*change)(ww_chain *)) {
  ww_work w = streaming(4096, 4096 * 1024.0);
  change(&w.chain);
  return us_of(&w);
}
static void unchanged(ww_chain *c) {
  (void)c;
}
static void swapped(ww_chain *c) {
  c->retried = 10000;
}
static void crowded(ww_chain *c) {
  c->retried = c->crowd = 10000;
}
static void locked(ww_chain *c) {
  crowded(c);
  c->locked = 1;
  c->held = 1000;
}
static void linked(ww_chain *c) {
  c->link = 500;
  c->link_blocks = 1;
}
static void back_by_one(ww_chain *c) {
  c->back = 1;
}
static void back_by_warp(ww_chain *c) {
  c->back = 32;
}

/* Threads that take turns, and blocks that wait for those before, take longer the more
 * there is to wait for. */
static void test_one_after_the_other(void **state) {
  (void)state;
  double swaps = with_chain(swapped);
  assert_true(swaps >= 10000 * WW_FIGURE(&gpu, atom_latency) / gpu.boost_mhz);
  assert_true(with_chain(crowded) > 1.2 * swaps);
  assert_true(with_chain(locked) > 2 * with_chain(crowded));
  assert_true(with_chain(linked) > 4096 * 1000 / gpu.boost_mhz);
  double none = with_chain(unchanged);
  double warp = with_chain(back_by_warp);
  assert_true(warp > none && with_chain(back_by_one) > 1.5 * warp);
}

/* Counters of the H200: 1800 MHz with few matrix instructions, 1590 to 1760 near its
 * best rate, 1980 without any. */
static void test_matrix_clock(void **state) {
  (void)state;
  ww_work w = streaming(4096, 4096 * 1024.0);
  w.chain.alu = 60000;
  ww_timing none, few, many;
  ww_time(&w, &gpu, &ww_params_default, &none);
  w.lowered.flops_tensor = 1e6;
  ww_time(&w, &gpu, &ww_params_default, &few);
  w.lowered.flops_tensor = 0.7e6 * gpu.peak_tensor_fp16 * few.us;
  ww_time(&w, &gpu, &ww_params_default, &many);
  assert_true(none.mhz == gpu.boost_mhz);
  assert_true(few.mhz > 1780 && few.mhz < 1830);
  assert_true(many.mhz > 1590 && many.mhz < 1760);
  assert_true(none.us < 0.95 * few.us && few.us < many.us);
}

/* Launches that launching, DRAM, L2, arithmetic and a chain of waits decide, one after
 * the other, on a device that is not as its description says. */
static uint32_t calibration_samples(const ww_gpu *device, ww_fit_sample *s) {
  static const char *const families[] = {"empty", "stream", "cached", "issue", "chase"};
  uint32_t n = 0;
  for (uint32_t size = 0; size < 3; size++)
    for (int kind = 0; kind < 5; kind++) {
      uint64_t blocks = kind == 0 || kind == 4 ? 1 : 65536u << size;
      ww_work w = streaming(blocks, kind == 1 ? blocks * 8192.0 : 0);
      if (kind == 2) { /* reads that L2 answers */
        w.traffic.l2_reads = w.traffic.l2_lookups = blocks * 2048.0;
        w.traffic.footprint = 1 << 20;
        w.chain.beyond_l2 = 0;
      }
      if (kind == 3)
        w.lowered.total = blocks * 8 * 4000.0;
      if (kind == 4)
        w.chain.waits = 1000u << size;
      ww_timing t;
      ww_time(&w, device, &ww_params_default, &t);
      s[n++] = (ww_fit_sample){w, t.us, families[kind], families[kind]};
    }
  return n;
}

/* Five numbers are found again, the sixth stays, and a factor that no launch depends on
 * stays 1. */
static void test_calibration_finds_the_device(void **state) {
  (void)state;
  static const double want[WW_NKNOBS] = {0.8, 0.6, 0.7, 1.5, 1.3, 1};
  ww_fit_sample s[15];
  ww_calibration device, found;
  ww_gpu real;
  memcpy(device.factor, want, sizeof want);
  ww_calibration_apply(&device, &gpu, "test", arena, &real);
  assert_true(fabs(real.dram_read / gpu.dram_read - 0.6) < 1e-9);
  assert_string_equal(real.source[ww_figure_named("dram.latency")], "test");
  assert_true(fabs(real.l2_curve.y[0] / gpu.l2_curve.y[0] - 0.7) < 1e-9);
  uint32_t n = calibration_samples(&real, s);
  ww_calibrate(s, n, NULL, &gpu, &ww_params_default, &found);
  for (int k = 0; k < WW_NKNOBS; k++)
    if (fabs(log(found.factor[k] / want[k])) > 0.1)
      fail_msg("%s: %g, not %g", ww_knobs[k].name, found.factor[k], want[k]);
  bool left_out[15];
  for (uint32_t k = 0; k < n; k++)
    left_out[k] = strcmp(s[k].family, "issue") != 0;
  ww_calibrate(s, n, left_out, &gpu, &ww_params_default, &found);
  assert_true(fabs(log(found.factor[1])) < 0.05); /* no launch reads DRAM */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matrix_clock),
      cmocka_unit_test(test_large_copy_reaches_dram),
      cmocka_unit_test(test_nothing_takes_the_floor),
      cmocka_unit_test(test_calibration_finds_the_device),
      cmocka_unit_test(test_one_chain_is_latency),
      cmocka_unit_test(test_waves),
      cmocka_unit_test(test_many_waves),
      cmocka_unit_test(test_longest_block),
      cmocka_unit_test(test_idle_blocks),
      cmocka_unit_test(test_waits),
      cmocka_unit_test(test_more_work_never_takes_less),
      cmocka_unit_test(test_what_costs_extra),
      cmocka_unit_test(test_shares_sum_to_one),
      cmocka_unit_test(test_params),
      cmocka_unit_test(test_params_damaged),
      cmocka_unit_test(test_fit),
      cmocka_unit_test(test_chain_waits),
      cmocka_unit_test(test_chain_loops),
      cmocka_unit_test(test_chain_ifs),
      cmocka_unit_test(test_chain_straight),
      cmocka_unit_test(test_chain_branches),
      cmocka_unit_test(test_chain_ways),
      cmocka_unit_test(test_chain_roles),
      cmocka_unit_test(test_chain_registers),
      cmocka_unit_test(test_atomics),
      cmocka_unit_test(test_slices),
      cmocka_unit_test(test_meeting),
      cmocka_unit_test(test_turns),
      cmocka_unit_test(test_links),
      cmocka_unit_test(test_queue),
      cmocka_unit_test(test_one_after_the_other),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
