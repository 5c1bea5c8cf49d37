/* probe_memory.c - latency over footprint, bandwidth over footprint, occupancy and
 * stride, atomics.
 *
 * Chases run one thread; streams fill the GPU with as many threads as it holds. All
 * work in one big allocation. */
#include "probe_int.h"

#include <stdlib.h>

#define KB 1024ull
#define MB (1024 * KB)
#define GB (1024 * MB)

/* ---- chases ---- */

/* Makes a ring of n (a power of two) pointers, `stride` bytes apart. */
static void make_ring(ww_rig *r, uint64_t n, uint64_t stride) {
  uint64_t mul = 1664525;
  uint64_t add = 1013904223;
  if (ww_rig_ok(r) && n * stride > r->big_bytes)
    ww_fail(&r->e, WW_ELIMIT, "not enough memory");
  ww_rig_run(r, WW_PROBE_MEMORY, "ring", r->out->sms * 4, 256,
             (void *[]){&r->big, &n, &stride, &mul, &add});
}

/* Cycles of a step. */
static double chase(ww_rig *r, const char *name, uint64_t from, int warm, int steps) {
  void *params[] = {&from, &warm, &steps, &r->clocks, &r->result};
  return ww_rig_cycles(r, WW_PROBE_MEMORY, name, 1, 1, params) / steps;
}

/* Where every step must be new, as no cache holds the ring: each of three launches goes
 * on where the one before stopped. */
static double chase_on(ww_rig *r, const char *name) {
  uint64_t from = r->big;
  int warm = 2048;
  int steps = 4096;
  int64_t t[2] = {0};
  double cycles = 0;
  void *params[] = {&from, &warm, &steps, &r->clocks, &r->result};
  for (int k = 0; k < 3; k++) {
    ww_rig_run(r, WW_PROBE_MEMORY, name, 1, 1, params);
    ww_rig_read(r, t, r->clocks, sizeof t);
    ww_rig_read(r, &from, r->result, sizeof from);
    cycles += (double)(t[1] - t[0]) / steps / 3;
  }
  return ww_rig_ok(r) ? cycles : NAN;
}

/* Reads other memory, so that L2 holds nothing of the ring that was just written;
 * without room for it the ring is large enough. */
static void evict(ww_rig *r, uint64_t ring) {
  uint64_t at = r->big + r->big_bytes / 2;
  uint64_t n = 512 * MB / 16;
  uint64_t step = r->out->sms * 1024ull;
  int count = (int)(n / step / 4 * 4);
  if (ring > r->big_bytes / 2)
    return;
  ww_rig_run(r, WW_PROBE_MEMORY, "read4", r->out->sms * 4, 256,
             (void *[]){&at, &n, &step, &count, &r->result});
}

/* Cycles of a step. Rings of up to 2^20 elements are gone through once before, larger
 * ones cannot stay in any cache. */
static double
footprint_latency(ww_rig *r, const char *name, uint64_t n, uint64_t stride) {
  make_ring(r, n, stride);
  if (n <= 1u << 20)
    return chase(r, name, r->big, n, 4096);
  evict(r, n * stride);
  return chase_on(r, name);
}

static void latency_curve(ww_rig *r) {
  uint64_t most = r->big_bytes < 8 * GB ? r->big_bytes : 8 * GB;
  for (uint64_t bytes = 16 * KB; bytes <= most && ww_rig_ok(r); bytes *= 2) {
    const char *name = bytes <= 128 * KB ? "chase_l1" : "chase_l2";
    double cycles = footprint_latency(r, name, bytes / 128, 128);
    ww_rig_point(r, "latency_by_footprint", bytes, cycles);
    if (bytes == 16 * KB) {
      ww_rig_add(r, "l1.latency", cycles);
      ww_rig_add(r, "ops.ldg32.latency", cycles);
    }
    if (bytes == 1 * MB)
      ww_rig_add(r, "l2.latency", cycles);
    if (bytes == 1 * GB)
      ww_rig_add(r, "dram.latency", cycles);
    if (bytes >= 8 * MB && bytes <= 128 * MB) /* half way to the next */
      ww_rig_point(r, "latency_by_footprint", bytes * 1.5,
                   footprint_latency(r, name, bytes / 128, 192));
  }
  ww_rig_gap(r, "latency_by_footprint");
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a;
  int64_t y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Each address of 1 MB in L2 on its own: how far its part is from this SM. Reading the
 * clock costs the same every time. */
static void near_and_far(ww_rig *r) {
  int64_t t[4096];
  int warm = 8192;
  int steps = 4096;
  make_ring(r, 8192, 128);
  ww_rig_run(r, WW_PROBE_MEMORY, "chase_each", 1, 1,
             (void *[]){&r->big, &warm, &steps, &r->clocks, &r->result});
  ww_rig_read(r, t, r->clocks, sizeof t);
  if (ww_rig_ok(r)) {
    double sum = 0;
    double mean = ww_rig_figure(r, "l2.latency", NAN);
    for (int i = 0; i < steps; i++)
      sum += t[i];
    double overhead = isnan(mean) ? 0 : sum / steps - mean;
    qsort(t, steps, sizeof *t, ascending);
    ww_rig_add(r, "l2.near_latency", t[steps / 10] - overhead);
    ww_rig_add(r, "l2.far_latency", t[steps * 9 / 10] - overhead);
  }
  ww_rig_gap(r, "l2.near_latency");
}

/* One line per 2-MB page, each a little further into its page so that they spread over
 * L2's sets: the lines stay in L2, so what grows is translation. */
static void translation(ww_rig *r) {
  double base = NAN;
  double reach = NAN;
  double cycles = NAN;
  const uint64_t stride = 2 * MB + 128;
  for (uint64_t pages = 8; pages * stride <= r->big_bytes && ww_rig_ok(r); pages *= 2) {
    cycles = footprint_latency(r, "chase_l2", pages, stride);
    ww_rig_point(r, "tlb.page_chase", pages * 2 * MB, cycles);
    if (isnan(base))
      base = cycles;
    if (cycles < base * 1.1)
      reach = pages * 2 * MB;
  }
  if (cycles > base * 1.1) {
    ww_rig_add(r, "tlb.miss_cycles", cycles - base);
    ww_rig_add(r, "tlb.reach_bytes", reach);
  }
  ww_rig_gap(r, "tlb");
}

static double const_chase(ww_rig *r, uint64_t symbol, uint64_t base, uint64_t bytes) {
  static uint64_t words[8192];
  uint64_t stride = 64;
  uint64_t n = bytes / stride;
  for (uint64_t i = 0; i < n; i++)
    words[i * stride / 8] = base + ((1664525 * i + 1013904223) & (n - 1)) * stride;
  ww_rig_try(r, r->api->cuMemcpyHtoD(symbol, words, bytes), "filling constants");
  return chase(r, "chase_const", base, n * 2, 2048);
}

void ww_probe_constants(ww_rig *r) {
  uint64_t symbol = 0;
  uint64_t base = 0;
  size_t bytes;
  ww_rig_run(r, WW_PROBE_MEMORY, "const_base", 1, 1, (void *[]){&r->result});
  ww_rig_read(r, &base, r->result, sizeof base);
  if (ww_rig_ok(r))
    ww_rig_try(r,
               r->api->cuModuleGetGlobal(&symbol, &bytes, r->modules[WW_PROBE_MEMORY],
                                         "constants"),
               "constants");
  for (uint64_t n = 512; n <= 64 * KB && ww_rig_ok(r); n *= 2) {
    double cycles = const_chase(r, symbol, base, n);
    ww_rig_point(r, "constant.chase", n, cycles);
    if (n == 1 * KB)
      ww_rig_add(r, "constant.l1_latency", cycles);
    if (n == 16 * KB)
      ww_rig_add(r, "constant.l15_latency", cycles);
  }
  ww_rig_gap(r, "constant");
}

/* ---- streams ---- */

typedef struct {
  const char *kernel;
  uint64_t bytes; /* footprint */
  uint64_t total; /* bytes to move, about */
  uint32_t blocks, threads;
} stream;

static stream
full(const ww_rig *r, const char *kernel, uint64_t bytes, uint64_t total) {
  return (stream){kernel, bytes, total, r->out->sms * (r->threads_per_sm / 256), 256};
}

/* GB/s of 16-byte accesses. */
static double run_stream(ww_rig *r, const stream *s) {
  uint64_t all = (uint64_t)s->blocks * s->threads;
  uint64_t n = s->bytes / 16;
  uint64_t step = n > all ? all : (all + 32) % n;
  uint64_t count64 = (s->total / 16 + all - 1) / all;
  int count = (int)((count64 + 7) / 8 * 8);
  void *params[] = {&r->big, &n, &step, &count, &r->result};
  double seconds =
      ww_rig_seconds(r, WW_PROBE_MEMORY, s->kernel, s->blocks, s->threads, params);
  return (double)all * count * 16 / seconds / 1e9;
}

static void dram_rates(ww_rig *r) {
  uint64_t bytes = r->big_bytes / 2 < 4 * GB ? r->big_bytes / 2 : 4 * GB;
  static const char *const kernels[][2] = {{"read4", "dram.read4_gbps"},
                                           {"read8", "dram.read8_gbps"},
                                           {"write1", "dram.write_gbps"},
                                           {"copy4", "dram.copy_gbps"}};
  for (int k = 0; k < 4; k++) {
    stream s = full(r, kernels[k][0], bytes, bytes);
    ww_rig_add(r, kernels[k][1], run_stream(r, &s) * (k == 3 ? 2 : 1));
    ww_rig_gap(r, kernels[k][1]);
  }
  /* the better of four and eight loads in flight per thread */
  ww_rig_add(r, "dram.read_gbps",
             fmax(ww_rig_figure(r, "dram.read4_gbps", NAN),
                  ww_rig_figure(r, "dram.read8_gbps", NAN)));
}

static void l2_rates(ww_rig *r) {
  static const double shares[] = {0.02, 0.05, 0.1, 0.2, 0.3,  0.4, 0.5, 0.6,
                                  0.7,  0.8,  0.9, 1,   1.25, 1.5, 2,   4}; /* of L2 */
  double best = 0;
  for (size_t k = 0; k < WW_COUNT(shares) && ww_rig_ok(r) && r->l2_bytes; k++) {
    uint64_t bytes = (uint64_t)(shares[k] * r->l2_bytes) / 512 * 512;
    stream s = full(r, "read8", bytes, 16 * GB);
    double gbps = run_stream(r, &s);
    ww_rig_point(r, "l2.read_gbps_by_footprint", bytes, gbps);
    if (shares[k] <= 0.5 && gbps > best)
      best = gbps;
  }
  if (best > 0)
    ww_rig_add(r, "l2.read_gbps", best);
  ww_rig_gap(r, "l2.read_gbps_by_footprint");
}

static void occupancy_rates(ww_rig *r) {
  uint64_t bytes = r->big_bytes < 4 * GB ? r->big_bytes : 4 * GB;
  for (uint32_t warps = 1; warps * 32 <= r->threads_per_sm; warps *= 2) {
    uint32_t blocks = warps > 32 ? warps / 32 : 1;
    stream s = {"read1", bytes, (uint64_t)r->out->sms * warps * 32 * 16 * 4096,
                r->out->sms * blocks, warps / blocks * 32};
    if (s.total > bytes)
      s.total = bytes;
    ww_rig_point(r, "dram.read_gbps_by_warps", warps, run_stream(r, &s));
  }
  ww_rig_gap(r, "dram.read_gbps_by_warps");
}

static void stride_rates(ww_rig *r) {
  uint64_t bytes = r->big_bytes < 16 * GB ? r->big_bytes : 16 * GB;
  uint32_t blocks = r->out->sms * (r->threads_per_sm / 256);
  for (uint64_t stride = 32; stride <= 4096; stride *= 2) {
    uint64_t all = blocks * 256ull;
    uint64_t n = bytes / stride;
    uint64_t step = n > all ? all : (all + 32) % n;
    int count = n / all < 4 ? 4 : n / all > 256 ? 256 : n / all / 4 * 4;
    void *params[] = {&r->big, &n, &stride, &step, &count, &r->result};
    double seconds =
        ww_rig_seconds(r, WW_PROBE_MEMORY, "read_stride", blocks, 256, params);
    ww_rig_point(r, "dram.read_gbps_by_stride", stride,
                 (double)all * count * 32 / seconds / 1e9);
  }
  ww_rig_gap(r, "dram.read_gbps_by_stride");
}

static void l1_rates(ww_rig *r) {
  static const struct {
    const char *kernel, *op;
    double bytes;
  } kinds[] = {{"l1_read32", "ops.ldg32.issue", 4},
               {"l1_read128", "ops.ldg128.issue", 16}};
  for (int k = 0; k < 2; k++) {
    int loops = 64;
    int shift = 0;
    const char *kernel = kinds[k].kernel;
    void *params[] = {&r->in, &r->result, &r->clocks, &loops, &shift};
    double once = ww_rig_cycles(r, WW_PROBE_MEMORY, kernel, 1, 1024, params);
    loops = 128;
    double twice = ww_rig_cycles(r, WW_PROBE_MEMORY, kernel, 1, 1024, params);
    double cycles = (twice - once) / 64 / 16; /* of the SM for 32 warps' loads */
    ww_rig_gap(r, kinds[k].op);
    ww_rig_add(r, kinds[k].op, cycles * 4 / 32);
    if (k)
      ww_rig_add(r, "l1.bytes_per_clock", 1024 * kinds[k].bytes / cycles);
  }
}

/* ---- atomics ---- */

typedef struct {
  const char *name, *kernel;
  int mode;
} atomic;

static const atomic atomics[] = {
    {"atomic.same_per_clock", "red_u32", 0},
    {"atomic.same_return_per_clock", "atom_u32", 0},
    {"atomic.warp_per_clock", "red_u32", 1},
    {"atomic.warp_return_per_clock", "atom_u32", 1},
    {"atomic.spread_per_clock", "red_u32", 2},
    {"atomic.spread_return_per_clock", "atom_u32", 2},
    {"atomic.random_per_clock", "red_u32", 3},
    {"atomic.random_return_per_clock", "atom_u32", 3},
    {"atomic.f32_same_per_clock", "red_f32", 0},
    {"atomic.f32_spread_per_clock", "red_f32", 2},
    {"atomic.f64_same_per_clock", "red_f64", 0},
    {"atomic.f64_spread_per_clock", "red_f64", 2},
    {"atomic.cas_spread_per_clock", "cas_u32", 2},
    {"atomic.cas_same_per_clock", "cas_u32", 0},
};

static void probe_atomic(ww_rig *r, const atomic *t) {
  int mode = t->mode;
  int loops = 1;
  uint32_t zero = 0;
  uint32_t blocks = r->out->sms * (r->threads_per_sm / 256);
  void *params[] = {&r->big, &mode, &loops, &zero, &r->result};
  double once = ww_rig_seconds(r, WW_PROBE_MEMORY, t->kernel, blocks, 256, params);
  int extra = once > 0 && 2e-3 / once < 64 ? 1 + (int)(2e-3 / once) : 64;
  loops = 1 + extra;
  double more = ww_rig_seconds(r, WW_PROBE_MEMORY, t->kernel, blocks, 256, params);
  ww_rig_add(r, t->name, blocks * 256.0 * 8 * extra / ((more - once) * r->mhz * 1e6));
  ww_rig_gap(r, t->name);
}

static void atomic_latency(ww_rig *r) {
  make_ring(r, 64, 128);
  ww_rig_add(r, "atomic.global_latency", chase(r, "chase_atomic", r->big, 128, 2048));
  ww_rig_gap(r, "atomic.global_latency");
}

void ww_probe_memory(ww_rig *r) {
  static void (*const probes[])(ww_rig *) = {
      latency_curve, near_and_far,    translation,  l1_rates,      dram_rates,
      l2_rates,      occupancy_rates, stride_rates, atomic_latency};
  const uint64_t n = WW_COUNT(probes);
  const uint64_t all = n + WW_COUNT(atomics);
  for (uint64_t k = 0; k < n; k++) {
    ww_progress("memory", k + 1, all);
    probes[k](r);
  }
  for (uint64_t k = n; k < all; k++) {
    ww_progress("memory", k + 1, all);
    probe_atomic(r, &atomics[k - n]);
  }
}
