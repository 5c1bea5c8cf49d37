/* probe_memory.c - latency over footprint, bandwidth over footprint, occupancy and stride, atomics.
 *
 * Chases run one thread; streams fill the GPU with as many threads as it holds. All work in one big
 * allocation. */
#include "probe_int.h"

#include <stdlib.h>

#define KB 1024ull
#define MB (1024 * KB)
#define GB (1024 * MB)

/* ---- chases ---- */

/* Makes a ring of n (a power of two) pointers, `stride` bytes apart. */
static ww_status make_ring(ww_rig *r, uint64_t n, uint64_t stride, ww_err *e) {
  uint64_t mul = 1664525, add = 1013904223;
  void *kernel, *params[] = {&r->big, &n, &stride, &mul, &add};
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, "ring", &kernel, e);
  if (n * stride > r->big_bytes)
    return ww_fail(e, WW_ELIMIT, "not enough memory");
  if (!st)
    st = ww_rig_launch(r, kernel, r->out->sms * 4, 256, params, e);
  return st ? st : ww_rig_sync(r, e);
}

static ww_status chase(ww_rig *r, const char *name, uint64_t from, int warm, int steps,
                       double *cycles, ww_err *e) {
  void *kernel, *params[] = {&from, &warm, &steps, &r->clocks, &r->result};
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, name, &kernel, e);
  if (!st)
    st = ww_rig_cycles(r, kernel, 1, params, cycles, e);
  if (!st)
    *cycles /= steps;
  return st;
}

/* Where every step must be new, as no cache holds the ring: each of three launches goes on where
 * the one before stopped. */
static ww_status chase_on(ww_rig *r, const char *name, double *cycles, ww_err *e) {
  uint64_t from = r->big;
  int warm = 2048, steps = 4096;
  int64_t t[2];
  void *kernel, *params[] = {&from, &warm, &steps, &r->clocks, &r->result};
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, name, &kernel, e);
  *cycles = 0;
  for (int k = 0; k < 3 && !st; k++) {
    st = ww_rig_launch(r, kernel, 1, 1, params, e);
    if (!st)
      st = ww_rig_sync(r, e);
    if (!st)
      st = ww_rig_try(r, r->api->cuMemcpyDtoH(t, r->clocks, sizeof t), "reading clocks", e);
    if (!st)
      st = ww_rig_try(r, r->api->cuMemcpyDtoH(&from, r->result, sizeof from), "reading the pointer",
                      e);
    if (!st)
      *cycles += (double)(t[1] - t[0]) / steps / 3;
  }
  return st;
}

/* Reads other memory, so that L2 holds nothing of the ring that was just written; without room for
 * it the ring is large enough. */
static ww_status evict(ww_rig *r, uint64_t ring, ww_err *e) {
  uint64_t at = r->big + r->big_bytes / 2, n = 512 * MB / 16, step = r->out->sms * 1024ull;
  int count = (int)(n / step / 4 * 4);
  void *kernel, *params[] = {&at, &n, &step, &count, &r->result};
  if (ring > r->big_bytes / 2)
    return WW_OK;
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, "read4", &kernel, e);
  if (!st)
    st = ww_rig_launch(r, kernel, r->out->sms * 4, 256, params, e);
  return st ? st : ww_rig_sync(r, e);
}

/* Rings of up to 2^20 elements are gone through once before, larger ones cannot stay in any cache.
 */
static ww_status footprint_latency(ww_rig *r, const char *name, uint64_t n, uint64_t stride,
                                   double *cycles, ww_err *e) {
  ww_status st = make_ring(r, n, stride, e);
  if (!st && n <= 1u << 20)
    return chase(r, name, r->big, (int)n, 4096, cycles, e);
  if (!st)
    st = evict(r, n * stride, e);
  return st ? st : chase_on(r, name, cycles, e);
}

static void latency_curve(ww_rig *r) {
  ww_err e = {0};
  ww_status st = WW_OK;
  double cycles;
  uint64_t most = r->big_bytes < 8 * GB ? r->big_bytes : 8 * GB;
  for (uint64_t bytes = 16 * KB; bytes <= most && !st; bytes *= 2) {
    const char *name = bytes <= 128 * KB ? "chase_l1" : "chase_l2";
    st = footprint_latency(r, name, bytes / 128, 128, &cycles, &e);
    if (!st)
      ww_rig_point(r, "latency_by_footprint", (double)bytes, cycles);
    if (!st && bytes == 16 * KB) {
      ww_rig_add(r, "l1.latency", cycles);
      ww_rig_add(r, "ops.ldg32.latency", cycles);
    }
    if (!st && bytes == 1 * MB)
      ww_rig_add(r, "l2.latency", cycles);
    if (!st && bytes == 1 * GB)
      ww_rig_add(r, "dram.latency", cycles);
    if (st || bytes < 8 * MB || bytes > 128 * MB)
      continue;
    st = footprint_latency(r, name, bytes / 128, 192, &cycles, &e); /* half way to the next */
    if (!st)
      ww_rig_point(r, "latency_by_footprint", (double)bytes * 1.5, cycles);
  }
  ww_rig_gap(r, "latency_by_footprint", st, &e);
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Each address of 1 MB in L2 on its own: how far its part is from this SM. Reading the clock costs
 * the same every time. */
static void near_and_far(ww_rig *r) {
  int64_t t[4096];
  int warm = 8192, steps = 4096;
  ww_err e = {0};
  void *kernel, *params[] = {&r->big, &warm, &steps, &r->clocks, &r->result};
  ww_status st = make_ring(r, 8192, 128, &e);
  if (!st)
    st = ww_rig_kernel(r, WW_PROBE_MEMORY, "chase_each", &kernel, &e);
  if (!st)
    st = ww_rig_launch(r, kernel, 1, 1, params, &e);
  if (!st)
    st = ww_rig_sync(r, &e);
  if (!st)
    st = ww_rig_try(r, r->api->cuMemcpyDtoH(t, r->clocks, sizeof t), "reading clocks", &e);
  if (!st) {
    double sum = 0, mean = ww_rig_figure(r, "l2.latency", NAN);
    for (int i = 0; i < steps; i++)
      sum += (double)t[i];
    double overhead = isnan(mean) ? 0 : sum / steps - mean;
    qsort(t, (size_t)steps, sizeof *t, ascending);
    ww_rig_add(r, "l2.near_latency", (double)t[steps / 10] - overhead);
    ww_rig_add(r, "l2.far_latency", (double)t[steps * 9 / 10] - overhead);
  }
  ww_rig_gap(r, "l2.near_latency", st, &e);
}

/* One line per 2-MB page, each a little further into its page so that they spread over L2's sets:
 * the lines stay in L2, so what grows is translation. */
static void translation(ww_rig *r) {
  ww_err e = {0};
  ww_status st = WW_OK;
  double base = NAN, reach = NAN, cycles = NAN;
  const uint64_t stride = 2 * MB + 128;
  for (uint64_t pages = 8; pages * stride <= r->big_bytes && !st; pages *= 2) {
    st = footprint_latency(r, "chase_l2", pages, stride, &cycles, &e);
    if (st)
      break;
    ww_rig_point(r, "tlb.page_chase", (double)(pages * 2 * MB), cycles);
    if (isnan(base))
      base = cycles;
    if (cycles < base * 1.1)
      reach = (double)(pages * 2 * MB);
  }
  if (!st && cycles > base * 1.1) {
    ww_rig_add(r, "tlb.miss_cycles", cycles - base);
    ww_rig_add(r, "tlb.reach_bytes", reach);
  }
  ww_rig_gap(r, "tlb", st, &e);
}

static ww_status const_chase(ww_rig *r, uint64_t symbol, uint64_t base, uint64_t bytes,
                             double *cycles, ww_err *e) {
  static uint64_t words[8192];
  uint64_t stride = 64, n = bytes / stride;
  for (uint64_t i = 0; i < n; i++)
    words[i * stride / 8] = base + ((1664525 * i + 1013904223) & (n - 1)) * stride;
  ww_status st = ww_rig_try(r, r->api->cuMemcpyHtoD(symbol, words, bytes), "filling constants", e);
  return st ? st : chase(r, "chase_const", base, (int)n * 2, 2048, cycles, e);
}

void ww_probe_constants(ww_rig *r) {
  ww_err e = {0};
  void *kernel, *params[] = {&r->result};
  uint64_t symbol = 0, base = 0;
  size_t bytes;
  double cycles;
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, "const_base", &kernel, &e);
  if (!st)
    st = ww_rig_try(
        r, r->api->cuModuleGetGlobal(&symbol, &bytes, r->modules[WW_PROBE_MEMORY], "constants"),
        "constants", &e);
  if (!st)
    st = ww_rig_launch(r, kernel, 1, 1, params, &e);
  if (!st)
    st = ww_rig_sync(r, &e);
  if (!st)
    st = ww_rig_try(r, r->api->cuMemcpyDtoH(&base, r->result, 8), "constants", &e);
  for (uint64_t n = 512; n <= 64 * KB && !st; n *= 2) {
    st = const_chase(r, symbol, base, n, &cycles, &e);
    if (!st)
      ww_rig_point(r, "constant.chase", (double)n, cycles);
    if (!st && n == 1 * KB)
      ww_rig_add(r, "constant.l1_latency", cycles);
    if (!st && n == 16 * KB)
      ww_rig_add(r, "constant.l15_latency", cycles);
  }
  ww_rig_gap(r, "constant", st, &e);
}

/* ---- streams ---- */

typedef struct {
  const char *kernel;
  uint64_t bytes; /* footprint */
  uint64_t total; /* bytes to move, about */
  uint32_t blocks, threads;
} stream;

static stream full(const ww_rig *r, const char *kernel, uint64_t bytes, uint64_t total) {
  return (stream){kernel, bytes, total, r->out->sms * (r->threads_per_sm / 256), 256};
}

/* GB/s of 16-byte accesses. */
static ww_status run_stream(ww_rig *r, const stream *s, double *gbps, ww_err *e) {
  uint64_t all = (uint64_t)s->blocks * s->threads, n = s->bytes / 16,
           step = n > all ? all : (all + 32) % n;
  uint64_t count64 = (s->total / 16 + all - 1) / all;
  int count = (int)((count64 + 7) / 8 * 8);
  double seconds;
  void *kernel, *params[] = {&r->big, &n, &step, &count, &r->result};
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, s->kernel, &kernel, e);
  if (!st)
    st = ww_rig_seconds(r, kernel, s->blocks, s->threads, params, &seconds, e);
  if (!st)
    *gbps = (double)all * count * 16 / seconds / 1e9;
  return st;
}

static void dram_rates(ww_rig *r) {
  uint64_t bytes = r->big_bytes / 2 < 4 * GB ? r->big_bytes / 2 : 4 * GB;
  static const char *const kernels[][2] = {{"read4", "dram.read4_gbps"},
                                           {"read8", "dram.read8_gbps"},
                                           {"write1", "dram.write_gbps"},
                                           {"copy4", "dram.copy_gbps"}};
  for (int k = 0; k < 4; k++) {
    ww_err e = {0};
    double gbps;
    stream s = full(r, kernels[k][0], bytes, bytes);
    ww_status st = run_stream(r, &s, &gbps, &e);
    if (!st)
      ww_rig_add(r, kernels[k][1], k == 3 ? 2 * gbps : gbps);
    ww_rig_gap(r, kernels[k][1], st, &e);
  }
  /* the better of four and eight loads in flight per thread */
  ww_rig_add(
      r, "dram.read_gbps",
      fmax(ww_rig_figure(r, "dram.read4_gbps", NAN), ww_rig_figure(r, "dram.read8_gbps", NAN)));
}

static void l2_rates(ww_rig *r) {
  static const double parts[] = {0.02, 0.05, 0.1, 0.2, 0.3,  0.4, 0.5, 0.6,
                                 0.7,  0.8,  0.9, 1,   1.25, 1.5, 2,   4};
  ww_err e = {0};
  ww_status st = WW_OK;
  double best = 0;
  for (size_t k = 0; k < sizeof parts / sizeof *parts && !st && r->l2_bytes; k++) {
    uint64_t bytes = (uint64_t)(parts[k] * r->l2_bytes) / 512 * 512;
    double gbps;
    stream s = full(r, "read8", bytes, 16 * GB);
    st = run_stream(r, &s, &gbps, &e);
    if (!st)
      ww_rig_point(r, "l2.read_gbps_by_footprint", (double)bytes, gbps);
    if (!st && parts[k] <= 0.5 && gbps > best)
      best = gbps;
  }
  if (best > 0)
    ww_rig_add(r, "l2.read_gbps", best);
  ww_rig_gap(r, "l2.read_gbps_by_footprint", st, &e);
}

static void occupancy_rates(ww_rig *r) {
  ww_err e = {0};
  ww_status st = WW_OK;
  uint64_t bytes = r->big_bytes < 4 * GB ? r->big_bytes : 4 * GB;
  for (uint32_t warps = 1; warps * 32 <= r->threads_per_sm && !st; warps *= 2) {
    uint32_t blocks = warps > 32 ? warps / 32 : 1;
    double gbps;
    stream s = {"read1", bytes, (uint64_t)r->out->sms * warps * 32 * 16 * 4096,
                r->out->sms * blocks, warps / blocks * 32};
    if (s.total > bytes)
      s.total = bytes;
    st = run_stream(r, &s, &gbps, &e);
    if (!st)
      ww_rig_point(r, "dram.read_gbps_by_warps", warps, gbps);
  }
  ww_rig_gap(r, "dram.read_gbps_by_warps", st, &e);
}

static void stride_rates(ww_rig *r) {
  ww_err e = {0};
  void *kernel;
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, "read_stride", &kernel, &e);
  uint64_t bytes = r->big_bytes < 16 * GB ? r->big_bytes : 16 * GB;
  uint32_t blocks = r->out->sms * (r->threads_per_sm / 256);
  for (uint64_t stride = 32; stride <= 4096 && !st; stride *= 2) {
    uint64_t all = blocks * 256ull, n = bytes / stride, step = n > all ? all : (all + 32) % n;
    int count = (int)(n / all < 4 ? 4 : n / all > 256 ? 256 : n / all / 4 * 4);
    double seconds;
    void *params[] = {&r->big, &n, &stride, &step, &count, &r->result};
    st = ww_rig_seconds(r, kernel, blocks, 256, params, &seconds, &e);
    if (!st)
      ww_rig_point(r, "dram.read_gbps_by_stride", (double)stride,
                   (double)all * count * 32 / seconds / 1e9);
  }
  ww_rig_gap(r, "dram.read_gbps_by_stride", st, &e);
}

static void l1_rates(ww_rig *r) {
  static const struct {
    const char *kernel, *op;
    double bytes;
  } kinds[] = {{"l1_read32", "ops.ldg32.issue", 4}, {"l1_read128", "ops.ldg128.issue", 16}};
  for (int k = 0; k < 2; k++) {
    ww_err e = {0};
    double once = 0, twice = 0;
    int loops = 64, shift = 0;
    void *kernel, *params[] = {&r->in, &r->result, &r->clocks, &loops, &shift};
    ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, kinds[k].kernel, &kernel, &e);
    if (!st)
      st = ww_rig_cycles(r, kernel, 1024, params, &once, &e);
    loops = 128;
    if (!st)
      st = ww_rig_cycles(r, kernel, 1024, params, &twice, &e);
    ww_rig_gap(r, kinds[k].op, st, &e);
    if (st)
      continue;
    double cycles = (twice - once) / 64 / 16; /* of the SM for 32 warps' loads */
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
  ww_err e = {0};
  int mode = t->mode, loops = 1;
  uint32_t zero = 0, blocks = r->out->sms * (r->threads_per_sm / 256);
  double once = 0, more = 0;
  void *kernel, *params[] = {&r->big, &mode, &loops, &zero, &r->result};
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, t->kernel, &kernel, &e);
  if (!st)
    st = ww_rig_seconds(r, kernel, blocks, 256, params, &once, &e);
  int extra = once > 0 && 2e-3 / once < 64 ? 1 + (int)(2e-3 / once) : 64;
  loops = 1 + extra;
  if (!st)
    st = ww_rig_seconds(r, kernel, blocks, 256, params, &more, &e);
  if (!st)
    ww_rig_add(r, t->name, blocks * 256.0 * 8 * extra / ((more - once) * r->mhz * 1e6));
  ww_rig_gap(r, t->name, st, &e);
}

static void atomic_latency(ww_rig *r) {
  ww_err e = {0};
  double cycles;
  ww_status st = make_ring(r, 64, 128, &e);
  if (!st)
    st = chase(r, "chase_atomic", r->big, 128, 2048, &cycles, &e);
  if (!st)
    ww_rig_add(r, "atomic.global_latency", cycles);
  ww_rig_gap(r, "atomic.global_latency", st, &e);
}

void ww_probe_memory(ww_rig *r) {
  static void (*const parts[])(ww_rig *) = {latency_curve,   near_and_far, translation,
                                            l1_rates,        dram_rates,   l2_rates,
                                            occupancy_rates, stride_rates, atomic_latency};
  const uint64_t n = sizeof parts / sizeof *parts, all = n + sizeof atomics / sizeof *atomics;
  for (uint64_t k = 0; k < n; k++) {
    ww_progress("memory", k + 1, all);
    parts[k](r);
  }
  for (uint64_t k = n; k < all; k++) {
    ww_progress("memory", k + 1, all);
    probe_atomic(r, &atomics[k - n]);
  }
}
