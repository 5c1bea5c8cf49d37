/* test_measure.c - the convention of a measurement on a made-up device, the counters'
 * formulas, Nsight Compute's table. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/measure/backend.h"
#include "../../src/measure/counters.h"
#include "../../src/measure/ncu.h"

/* ---- a device that checks what it is asked to do; it takes the place of the CUDA one
 * ---- A launch's grid is its time in us, its block the spread of its times in %,
 * `shared` the memory it takes. */

struct ww_ready {
  const ww_launch *l;
  int contents;  /* 0: pristine */
  uint32_t runs; /* counted for time */
  uint32_t launched;
};

static struct {
  bool cold;
  uint64_t held, memory;
  uint32_t loads, most_loaded, loaded, wrong, tensor_ranges, times;
  double off_clock; /* of the third timed run of each launch */
  ww_counter_set set;
  ww_ready *ranges[64];
  uint32_t n;
  bool no_counters;
} dev;

static ww_status fake_open(
    const char *device, ww_arena *a, ww_device **out, ww_device_info *info, ww_err *e) {
  (void)a;
  *out = (ww_device *)&dev;
  *info = (ww_device_info){.device = "made up", .backend = "cuda", .gpu = "h200"};
  return device && !strcmp(device, "none") ? ww_fail(e, WW_EDEVICE, "no such device")
                                           : WW_OK;
}
static void fake_close(ww_device *d) {
  (void)d;
}

static ww_status
fake_load(ww_device *d, const ww_launch *l, ww_ready **out, ww_err *e) {
  (void)d;
  if (!strcmp(l->kernel, "broken"))
    return ww_fail(e, WW_EDATA, "broken code");
  if (dev.memory && dev.held + l->shared > dev.memory)
    return ww_fail(e, WW_ELIMIT, "full");
  *out = ww_xcalloc(1, sizeof **out);
  (*out)->l = l;
  dev.held += l->shared;
  dev.loads++;
  if (++dev.loaded > dev.most_loaded)
    dev.most_loaded = dev.loaded;
  return WW_OK;
}

static void fake_unload(ww_device *d, ww_ready *r) {
  (void)d;
  if (!r)
    return;
  dev.held -= r->l->shared;
  dev.loaded--;
  free(r);
}

static void fake_resources(ww_device *d, const ww_ready *r, ww_report *out) {
  (void)d;
  (void)r;
  ww_report_set(out, WW_M_registers, 32);
}
static ww_status fake_restore(ww_device *d, ww_ready *r, ww_err *e) {
  (void)d;
  (void)e;
  r->contents = 0;
  return WW_OK;
}
static ww_status fake_flush(ww_device *d, ww_err *e) {
  (void)d;
  (void)e;
  dev.cold = true;
  return WW_OK;
}
static ww_status fake_launch(ww_device *d, ww_ready *r, ww_err *e) {
  (void)d;
  (void)e;
  dev.cold = false;
  r->launched++;
  bool lazy = (!strcmp(r->l->kernel, "once") && r->launched > 1) ||
              (!strcmp(r->l->kernel, "in turns") && r->launched % 2 == 0);
  if (lazy)
    return WW_OK; /* it leaves what was there */
  r->contents = strcmp(r->l->kernel, "adds") ? 7 : r->contents + 1;
  return WW_OK;
}
static ww_status fake_sync(ww_device *d, ww_err *e) {
  (void)d;
  (void)e;
  return WW_OK;
}
static ww_status fake_digest(ww_device *d, ww_ready *r, uint64_t *out, ww_err *e) {
  (void)d;
  (void)e;
  *out = (uint64_t)r->contents;
  return WW_OK;
}

static ww_status fake_begin(
    ww_device *d, ww_counter_set set, uint32_t ranges, uint32_t *passes, ww_err *e) {
  (void)d;
  assert_true(ranges <= 64);
  if (dev.no_counters)
    return ww_fail(e, WW_EDEVICE, "no permission");
  dev.set = set;
  *passes = set == WW_SET_TIME ? 1 : 3;
  return WW_OK;
}
static ww_status fake_pass_begin(ww_device *d, ww_err *e) {
  (void)d;
  (void)e;
  dev.n = 0;
  return WW_OK;
}
static ww_status fake_count(ww_device *d, ww_ready *r, ww_err *e) {
  bool warm = r->l->warm;
  if (dev.cold == warm || (r->contents == 0) == warm)
    dev.wrong++;
  dev.ranges[dev.n++] = r;
  return fake_launch(d, r, e);
}
static ww_status fake_end(ww_device *d, double values[][WW_NMETRICS], ww_err *e) {
  (void)d;
  (void)e;
  for (uint32_t k = 0; k < dev.n; k++) {
    double *m = values[k];
    ww_ready *r = dev.ranges[k];
    double spread = (double)r->l->block[0] / 100;
    if (dev.set == WW_SET_TIME) {
      dev.times++;
      m[WW_M_time_us] = (double)r->l->grid[0] * (r->runs % 2 ? 1 + spread : 1);
      m[WW_M_sm_clock_mhz] = r->runs == 2 && dev.off_clock ? dev.off_clock : 1980;
      r->runs++;
    }
    m[WW_M_dram_read_bytes] = dev.set == WW_SET_COUNTERS ? 4e6 : NAN;
    m[WW_M_dram_write_bytes] = dev.set == WW_SET_COUNTERS ? 2e6 : NAN;
    m[WW_M_flops_fp32] = dev.set == WW_SET_COUNTERS ? 3e6 : NAN;
    m[WW_M_flops_fp64] = m[WW_M_flops_fp16] = dev.set == WW_SET_COUNTERS ? 0 : NAN;
    if (dev.set == WW_SET_COUNTERS) {
      m[WW_M_time_us] = 1e9;
      m[WW_M_flops_tensor] = strcmp(r->l->kernel, "mma") ? 0 : NAN;
    }
    if (dev.set == WW_SET_TENSOR) {
      m[WW_M_flops_tensor] = 9e6;
      dev.tensor_ranges++;
    }
  }
  return WW_OK;
}
static ww_status fake_pass_end(ww_device *d, ww_err *e) {
  (void)d;
  (void)e;
  return WW_OK;
}

const ww_backend ww_backend_cuda = {.name = "cuda",
                                    .open = fake_open,
                                    .close = fake_close,
                                    .load = fake_load,
                                    .unload = fake_unload,
                                    .resources = fake_resources,
                                    .restore = fake_restore,
                                    .flush = fake_flush,
                                    .launch = fake_launch,
                                    .sync = fake_sync,
                                    .digest = fake_digest,
                                    .begin = fake_begin,
                                    .pass_begin = fake_pass_begin,
                                    .count = fake_count,
                                    .pass_end = fake_pass_end,
                                    .end = fake_end};

/* ---- what comes out ---- */

static struct {
  uint32_t n, order[64], samples[64], dropped[64], passes[64];
  double m[64][WW_NMETRICS], low[64], high[64];
  bool accumulates[64];
  uint64_t digest[64];
  ww_err error[64];
} got;

static void take(void *ctx, uint32_t k, const ww_measure_row *row) {
  (void)ctx;
  got.order[got.n++] = k;
  got.samples[k] = row->measured.nsamples;
  got.passes[k] = row->measured.passes;
  got.accumulates[k] = row->measured.accumulates;
  got.digest[k] = row->measured.digest;
  got.error[k] = row->report.error;
  got.low[k] = row->report.m[WW_M_time_us].low;
  got.high[k] = row->report.m[WW_M_time_us].high;
  for (uint32_t i = 0; i < row->measured.nsamples; i++)
    got.dropped[k] += row->measured.dropped[i];
  for (int i = 0; i < WW_NMETRICS; i++)
    got.m[k][i] = row->report.m[i].known ? row->report.m[i].value : NAN;
}

#define LAUNCH(name, us, percent, ...)                                                 \
  {                                                                                    \
    .kernel = name, .binary = "k.cubin", .grid = {us, 1, 1}, .block = {percent, 1, 1}, \
    ##__VA_ARGS__                                                                      \
  }

static ww_status run(const ww_launch *l, uint32_t n, ww_measure_options o) {
  ww_err e = {0};
  memset(&got, 0, sizeof got);
  ww_status st = ww_measure_here(l, n, &o, &(ww_measure_sink){.row = take}, &e);
  assert_int_equal(dev.loaded, 0);
  return st;
}

static void fresh(void) {
  memset(&dev, 0, sizeof dev);
}

static void repetitions_follow_time_and_spread(void **state) {
  (void)state;
  const ww_launch l[] = {LAUNCH("a", 50, 0),   LAUNCH("b", 500, 0),
                         LAUNCH("c", 5000, 0), LAUNCH("d", 50000, 0),
                         LAUNCH("e", 500, 20), LAUNCH("f", 15000, 20),
                         LAUNCH("g", 50, 2)};
  fresh();
  assert_int_equal(run(l, 7, (ww_measure_options){0}), WW_OK);
  const uint32_t want[] = {5, 3, 2, 1, 15, 2, 5};
  for (uint32_t k = 0; k < 7; k++) {
    assert_int_equal(got.order[k], k);
    assert_int_equal(got.samples[k], want[k]);
  }
  assert_int_equal(dev.wrong, 0); /* pristine and cold before every counted run */
  assert_int_equal(run(l, 7, (ww_measure_options){.repeats = 4}), WW_OK);
  for (uint32_t k = 0; k < 7; k++)
    assert_int_equal(got.samples[k], 4);
}

/* A kernel that works in its first run alone, or in every second one, would be taken
 * for a fast one. */
static void every_run_is_looked_at(void **state) {
  (void)state;
  const ww_launch l[] = {LAUNCH("a", 50, 0), LAUNCH("once", 50, 0),
                         LAUNCH("in turns", 50, 0)};
  fresh();
  assert_int_equal(run(l, 3, (ww_measure_options){.repeats = 9, .time_only = true}),
                   WW_OK);
  assert_int_equal(got.digest[1], got.digest[0]);
  assert_int_equal(
      run(l, 3, (ww_measure_options){.repeats = 9, .time_only = true, .every = true}),
      WW_OK);
  assert_int_equal(got.digest[0], 7);
  assert_int_equal(got.digest[1], 0);
  assert_int_equal(got.digest[2], 0);
}

/* For campaigns: fewer runs, none before the timed ones, and still pristine and cold
 * each time. */
static void quick_takes_fewer_runs(void **state) {
  (void)state;
  const ww_launch l[] = {LAUNCH("a", 50, 0),
                         LAUNCH("b", 500, 0),
                         LAUNCH("c", 5000, 0),
                         LAUNCH("d", 50000, 0),
                         LAUNCH("e", 500, 20),
                         LAUNCH("f", 15000, 20),
                         LAUNCH("w", 50, 2, .warm = true)};
  fresh();
  assert_int_equal(run(l, 7, (ww_measure_options){.quick = true}), WW_OK);
  const uint32_t want[] = {3, 2, 1, 1, 7, 1, 3};
  for (uint32_t k = 0; k < 7; k++)
    assert_true(got.samples[k] == want[k] && got.passes[k] == 3);
  assert_int_equal(dev.wrong, 0);
  assert_int_equal(dev.times, 18); /* no other runs */
  fresh();
  dev.memory = 10;
  const ww_launch big[] = {LAUNCH("a", 50, 0, .shared = 6), LAUNCH("broken", 50, 0),
                           LAUNCH("b", 50, 0, .shared = 6)};
  assert_int_equal(run(big, 3, (ww_measure_options){.quick = true, .time_only = true}),
                   WW_OK);
  assert_true(got.samples[0] == 3 && got.error[1].code == WW_EDATA &&
              got.samples[2] == 3 && dev.wrong == 0);
}

static void median_and_quartiles(void **state) {
  (void)state;
  const ww_launch l[] = {LAUNCH("a", 100, 2)};
  fresh();
  run(l, 1, (ww_measure_options){.repeats = 5}); /* 100 102 100 102 100 */
  assert_true(got.m[0][WW_M_time_us] == 100 && got.low[0] == 100 && got.high[0] == 102);
}

static void rates_follow_from_our_own_time(void **state) {
  (void)state;
  const ww_launch l[] = {LAUNCH("a", 100, 0)};
  fresh();
  run(l, 1, (ww_measure_options){0});
  assert_true(got.m[0][WW_M_time_us] == 100); /* not the counters' own 1e9 */
  assert_true(fabs(got.m[0][WW_M_dram_gbps] - 60) < 1e-9);
  assert_true(fabs(got.m[0][WW_M_gflops] - 30) < 1e-9);
  assert_true(fabs(got.m[0][WW_M_ai] - 0.5) < 1e-12);
  assert_true(got.m[0][WW_M_registers] == 32 && got.m[0][WW_M_sm_clock_mhz] == 1980 &&
              got.passes[0] == 3);
  run(l, 1, (ww_measure_options){.time_only = true});
  assert_true(isnan(got.m[0][WW_M_dram_gbps]) && got.passes[0] == 0);
}

static void samples_off_the_clock_are_dropped(void **state) {
  (void)state;
  const ww_launch l[] = {LAUNCH("a", 50, 0), LAUNCH("b", 60, 0)};
  fresh();
  dev.off_clock = 1900;
  run(l, 2, (ww_measure_options){0});
  for (int k = 0; k < 2; k++)
    assert_true(got.dropped[k] == 1 && got.samples[k] == 6); /* one more in its place */
  fresh();
  dev.off_clock = 1960; /* within 2 % */
  run(l, 2, (ww_measure_options){0});
  assert_true(got.dropped[0] == 0 && got.samples[0] == 5);
}

static void what_adds_up_is_marked(void **state) {
  (void)state;
  const ww_launch l[] = {LAUNCH("a", 50, 0), LAUNCH("adds", 50, 0),
                         LAUNCH("adds", 50, 0)};
  const bool alone[] = {false, false, true};
  fresh();
  run(l, 2, (ww_measure_options){0});
  assert_true(!got.accumulates[0] && got.accumulates[1]);
  run(l, 3, (ww_measure_options){.alone = alone});
  assert_true(got.accumulates[2]); /* known to, and not run again */
}

static void warm_is_the_second_of_two(void **state) {
  (void)state;
  const ww_launch l[] = {LAUNCH("a", 50, 0, .warm = true), LAUNCH("b", 50, 0)};
  fresh();
  run(l, 2, (ww_measure_options){0});
  assert_int_equal(dev.wrong, 0);
}

static void a_full_device_takes_turns(void **state) {
  (void)state;
  const ww_launch l[] = {
      LAUNCH("a", 50, 0, .shared = 60),     LAUNCH("b", 50, 0, .shared = 60),
      LAUNCH("broken", 50, 0, .shared = 1), LAUNCH("c", 50, 0, .shared = 200),
      LAUNCH("d", 50, 0, .shared = 30),     LAUNCH("e", 50, 0, .shared = 30)};
  fresh();
  dev.memory = 100;
  assert_int_equal(run(l, 6, (ww_measure_options){0}), WW_OK);
  assert_int_equal(got.n, 6);
  for (uint32_t k = 0; k < 6; k++)
    assert_int_equal(got.order[k], k);
  assert_int_equal(got.error[2].code, WW_EDATA);
  assert_int_equal(got.error[3].code, WW_ELIMIT); /* not even alone */
  const uint32_t good[] = {0, 1, 4, 5};
  for (int k = 0; k < 4; k++)
    assert_true(!got.error[good[k]].code && got.samples[good[k]] == 5);
  fresh();
  run(l, 2, (ww_measure_options){.batch = 1});
  assert_int_equal(dev.most_loaded, 1);
}

static void matrix_units_are_counted_where_used(void **state) {
  (void)state;
  const ww_launch l[] = {LAUNCH("a", 50, 0), LAUNCH("mma", 50, 0)};
  fresh();
  run(l, 2, (ww_measure_options){0});
  assert_int_equal(dev.tensor_ranges, 1);
  assert_true(got.m[0][WW_M_flops_tensor] == 0 && got.m[1][WW_M_flops_tensor] == 9e6);
  assert_true(got.passes[0] == 3 && got.passes[1] == 6);
}

static void no_device_and_no_counters_are_every_rows_error(void **state) {
  (void)state;
  const ww_launch l[] = {LAUNCH("a", 50, 0), LAUNCH("b", 50, 0)};
  fresh();
  assert_int_equal(run(l, 2, (ww_measure_options){.device = "none"}), WW_OK);
  assert_true(got.n == 2 && got.error[0].code == WW_EDEVICE &&
              got.error[1].code == WW_EDEVICE);
  dev.no_counters = true;
  assert_int_equal(run(l, 2, (ww_measure_options){.batch = 1}), WW_OK);
  assert_true(got.n == 2 && got.error[1].code == WW_EDEVICE);
  assert_non_null(strstr(got.error[1].msg, "no permission"));
}

/* ---- the parent, with a script in the child's place ---- */

/* Lines on its stdin: options, then "<number> <alone> <spec>". $all: the numbers,
 * $single: one launch per batch. */
static const char preamble[] =
    "#!/bin/sh\n"
    "read -r options\n"
    "case $options in *'\"batch\":1,'*) single=1 ;; *) single= ;; esac\n"
    "all=; alone=\n"
    "while read -r k flag spec; do all=\"$all $k\"; [ $flag = 1 ] && alone=\"$alone "
    "$k\"; done\n"
    "row() { echo \"row $1 "
    "{\\\"schema_version\\\":1,\\\"by\\\":\\\"hardware\\\",\\\"measured\\\":{"
    "\\\"samples_us\\\":[1,"
    "2]}}\"; }\n";

static ww_status run_with(const char *script, uint32_t n, ww_measure_options o) {
  char path[] = "/tmp/warpwise-test-XXXXXX";
  ww_launch l[8] = {0};
  ww_err e = {0};
  for (uint32_t k = 0; k < n; k++)
    l[k] = (ww_launch){.kernel = "k", .binary = "k.cubin"};
  int fd = mkstemp(path);
  FILE *f = fdopen(fd, "w");
  fprintf(f, "%s%s", preamble, script);
  fchmod(fd, 0700);
  fclose(f);
  memset(&got, 0, sizeof got);
  ww_set_quiet(true);
  ww_status st = ww_measure(l, n, &o, path, &(ww_measure_sink){.row = take}, &e);
  unlink(path);
  for (uint32_t k = 0; k < got.n; k++)
    assert_int_equal(got.order[k], k);
  return st;
}

static void a_batch_that_dies_is_run_one_by_one(void **state) {
  (void)state;
  static const char script[] =
      "if [ ! $single ]; then\n"
      "  set -- $all; echo at $1 open\n"
      "  if [ $1 = 0 ]; then for k in $all; do echo at $k load; done; "
      "echo at 2 time; kill -9 $$; fi\n"
      "fi\n"
      "for k in $all; do\n"
      "  echo at $k open; echo at $k load; echo at $k time\n"
      "  [ $k = 1 ] && kill -SEGV $$\n"
      "  row $k\n"
      "done\n";
  assert_int_equal(run_with(script, 5, (ww_measure_options){.batch = 3}), WW_OK);
  assert_int_equal(got.n, 5);
  for (uint32_t k = 0; k < 5; k++)
    assert_true(k == 1 ? got.error[k].code == WW_EDATA : got.samples[k] == 2);
  assert_non_null(strstr(got.error[1].msg, "outside its buffers"));
}

static void a_stall_and_a_failure_name_their_launch(void **state) {
  (void)state;
  static const char script[] =
      "for k in $all; do\n"
      "  echo at $k open; echo at $k load; echo at $k warm\n"
      "  [ $k = 0 ] && exec sleep 60\n"
      "  [ $k = 2 ] && echo 'fail "
      "{\"schema_version\":1,\"error\":{\"code\":\"device\",\"message\":"
      "\"illegal address\"}}' && exit 4\n"
      "  row $k\n"
      "done\n";
  assert_int_equal(run_with(script, 4, (ww_measure_options){.limit_s = 0.1}), WW_OK);
  assert_true(got.n == 4 && got.samples[1] == 2 && got.samples[3] == 2);
  assert_int_equal(got.error[0].code, WW_ELIMIT);
  assert_non_null(strstr(got.error[0].msg, "did not end within 0.1 s"));
  assert_int_equal(got.error[2].code,
                   WW_EDATA); /* the kernel's fault, not a device that is missing */
  assert_string_equal(got.error[2].msg, "illegal address");
}

static void dying_on_its_own_output_is_no_error(void **state) {
  (void)state;
  static const char script[] =
      "for k in $all; do echo at $k open; echo at $k load; done\n"
      "for k in $all; do\n"
      "  case $k in 1) [ \"$alone\" ] || { echo at 1 again; kill -SEGV $$; } ;; esac\n"
      "done\n"
      "for k in $all; do row $k; done\n";
  assert_int_equal(run_with(script, 3, (ww_measure_options){0}), WW_OK);
  for (uint32_t k = 0; k < 3; k++)
    assert_true(!got.error[k].code && got.samples[k] == 2);
}

static void a_child_that_cannot_start_ends_it(void **state) {
  (void)state;
  assert_int_equal(
      run_with("echo no such library >&2; exit 127\n", 3, (ww_measure_options){0}),
      WW_OK);
  assert_int_equal(got.n, 3);
  for (uint32_t k = 0; k < 3; k++)
    assert_non_null(strstr(got.error[k].msg, "no such library"));
}

/* ---- counters ---- */

static void counters_make_metrics(void **state) {
  (void)state;
  double c[WW_NCOUNTERS], m[WW_NMETRICS];
  for (int k = 0; k < WW_NCOUNTERS; k++)
    c[k] = NAN;
  c[WW_C_time_ns] = 2000;
  c[WW_C_clock_hz] = 1.98e9;
  c[WW_C_inst] = 100;
  c[WW_C_thread_inst] = 1600;
  c[WW_C_fadd] = 1;
  c[WW_C_fmul] = 2;
  c[WW_C_ffma] = 3;
  c[WW_C_ld_sectors] = 40;
  c[WW_C_global_ld] = 20;
  c[WW_C_shared_ld_wave] = 6;
  c[WW_C_shared_st_wave] = 2;
  c[WW_C_shared_ld] = 2;
  c[WW_C_shared_st] = 2;
  c[WW_C_tensor_inst] = 0;
  ww_counters_to_metrics(c, m);
  assert_true(m[WW_M_time_us] == 2 && m[WW_M_sm_clock_mhz] == 1980 &&
              m[WW_M_active_lanes] == 16);
  assert_true(m[WW_M_flops_fp32] == 9 && isnan(m[WW_M_flops_fp64]) &&
              isnan(m[WW_M_gflops]));
  assert_true(m[WW_M_ld_sectors_per_request] == 2 &&
              m[WW_M_shared_conflict_ways] == 2 && m[WW_M_flops_tensor] == 0);
  c[WW_C_ld_requests] = 10; /* the L1's own count goes before */
  c[WW_C_tensor_inst] = 5;
  ww_counters_to_metrics(c, m);
  assert_true(m[WW_M_ld_sectors_per_request] == 4 && isnan(m[WW_M_flops_tensor]));
  c[WW_C_tensor_bf16] = 64;
  ww_counters_to_metrics(c, m);
  assert_true(m[WW_M_flops_tensor] == 64);
}

/* ---- Nsight Compute ---- */

static void ncus_table(void **state) {
  (void)state;
  static const char csv[] =
      "==PROF== Connected to process 7\n==PROF== Disconnected\n"
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid "
      "Size\",\"gpu__time_duration.sum\",\"smsp__inst_executed.sum\","
      "\"launch__registers_per_thread\"\n"
      "\"\",\"\",\"\",\"\",\"ns\",\"inst\",\"register/thread\"\n"
      "\"0\",\"a\",\"(64, 1, 1)\",\"(8, 1, 1)\",\"2,000\",\"1,234,567\",\"16\"\n"
      "\"1\",\"a\",\"(64, 1, 1)\",\"(9, 1, 1)\",\"3000.5\",\"7\",\"17\"\n";
  const ww_launch l[] = {{.kernel = "a", .grid = {8, 1, 1}, .block = {64, 1, 1}},
                         {.kernel = "failed", .grid = {8, 1, 1}, .block = {64, 1, 1}},
                         {.kernel = "a", .grid = {9, 1, 1}, .block = {64, 1, 1}}};
  ww_ncu_row rows[3] = {0};
  ww_report r = {0};
  ww_err e = {0};
  ww_arena *a = ww_arena_new();
  assert_int_equal(ww_ncu_parse(csv, l, 3, a, rows, &e), WW_OK);
  assert_true(rows[0].known && !rows[1].known && rows[2].known);
  assert_true(rows[0].m[WW_M_time_us] == 2 &&
              rows[0].m[WW_M_warp_instructions] == 1234567);
  assert_true(rows[2].m[WW_M_registers] == 17 &&
              fabs(rows[2].m[WW_M_time_us] - 3.0005) < 1e-9);
  ww_report_set(&r, WW_M_time_us, 2.1);
  assert_true(fabs(ww_ncu_deviation(&rows[0], &r, WW_M_time_us) - 5) < 1e-9);
  assert_true(isnan(ww_ncu_deviation(&rows[1], &r, WW_M_time_us)));
  assert_int_equal(ww_ncu_parse("==ERROR== no permission\n", l, 3, a, rows, &e),
                   WW_EDATA);
  assert_non_null(strstr(e.msg, "no permission"));
  ww_arena_free(a);
}

/* ---- the report's member ---- */

static void measured_round_trips(void **state) {
  (void)state;
  double samples[] = {5.25, 5.5, 6}, clocks[] = {1980, NAN, 1700};
  bool dropped[] = {false, false, true};
  ww_measured m = {.device = {.device = "NVIDIA H200",
                              .backend = "cuda",
                              .driver = "580",
                              .gpu = "h200",
                              .sms = 132},
                   .samples_us = samples,
                   .clocks_mhz = clocks,
                   .dropped = dropped,
                   .nsamples = 3,
                   .median_us = 5.375,
                   .iqr_us = 0.125,
                   .passes = 3,
                   .accumulates = true,
                   .compiler = "NVRTC 13.0"};
  ww_report r = {.kernel = "k", .by = WW_BY_HARDWARE};
  ww_buf b = {0};
  ww_json j = {0};
  ww_report back;
  ww_err e = {0};
  ww_arena *a = ww_arena_new();
  ww_json_begin(&j, &b);
  ww_report_write(&r, &j, ww_measured_write, &m);
  assert_int_equal(ww_report_parse(b.s, a, &back, &e), WW_OK);
  const ww_measured *read = back.measured;
  assert_non_null(read);
  assert_true(read->nsamples == 3 && read->samples_us[1] == 5.5 &&
              isnan(read->clocks_mhz[1]) && read->clocks_mhz[2] == 1700);
  assert_true(!read->dropped[1] && read->dropped[2] && read->accumulates &&
              read->passes == 3 && read->iqr_us == 0.125);
  assert_string_equal(read->device.gpu, "h200");
  assert_string_equal(read->compiler, "NVRTC 13.0");
  const char *trace = "{\"schema_version\":1,\"by\":\"trace\"}";
  assert_int_equal(ww_report_parse(trace, a, &back, &e), WW_OK);
  assert_null(back.measured);
  const char *bare = "{\"schema_version\":1,\"by\":\"hardware\",\"measured\":{}}";
  assert_int_equal(ww_report_parse(bare, a, &back, &e), WW_EPARSE);
  ww_buf_free(&b);
  ww_arena_free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(repetitions_follow_time_and_spread),
      TEST(quick_takes_fewer_runs),
      TEST(every_run_is_looked_at),
      TEST(median_and_quartiles),
      TEST(rates_follow_from_our_own_time),
      TEST(samples_off_the_clock_are_dropped),
      TEST(what_adds_up_is_marked),
      TEST(warm_is_the_second_of_two),
      TEST(a_full_device_takes_turns),
      TEST(matrix_units_are_counted_where_used),
      TEST(no_device_and_no_counters_are_every_rows_error),
      TEST(a_batch_that_dies_is_run_one_by_one),
      TEST(a_stall_and_a_failure_name_their_launch),
      TEST(dying_on_its_own_output_is_no_error),
      TEST(a_child_that_cannot_start_ends_it),
      TEST(counters_make_metrics),
      TEST(ncus_table),
      TEST(measured_round_trips),
  };
  return RUN(tests);
}
