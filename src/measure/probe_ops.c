/* probe_ops.c - latency and issue rate of each instruction of gpu.def, bank conflicts,
 * barriers, straight-line code.
 *
 * Each figure is the difference of two runs that differ in the number of loops alone:
 * what surrounds the loop drops out. */
#include "probe_int.h"

/* of an SM, on every architecture with clock64() kernels of this kind */
#define SUBCORES 4

typedef struct {
  const char *op, *kernel; /* kernel NULL: the same name */
  int stride;              /* of lanes in shared memory, bytes */
  bool latency, issue;
  /* instructions of a step, where the figure is of one of them; 0: the step as it is */
  int pair;
} special;

/* What needs an argument, or has not both kernels; all other ops are run with stride 0.
 */
static const special specials[] = {
    {"lds32", NULL, 4, true, true, 0},
    {"lds64", NULL, 8, true, true, 0},
    {"lds128", NULL, 16, true, true, 0},
    {"sts32", NULL, 4, false, true, 0},
    {"sts128", NULL, 16, false, true, 0},
    {"atoms", NULL, 4, true, true, 0},
    {"atoms_same", "atoms", 0, true, true, 0},
    {"branch", NULL, 0, true, false, 0},
    {"ldg32", NULL, 0, false, false, 0}, /* in probe_memory.c */
    {"ldg128", NULL, 0, false, false, 0},
    {"fmnmx", NULL, 0, true, true, 2},
    {"imnmx", NULL, 0, true, true, 2},
    {"wgmma_f16", NULL, 0, false, false, 0}, /* in probe_async.c */
    {"wgmma_bf16", NULL, 0, false, false, 0},
    {"wgmma_tf32", NULL, 0, false, false, 0},
    {"wgmma_fp8", NULL, 0, false, false, 0},
    {"wgmma_s8", NULL, 0, false, false, 0},
};

/* Cycles of one block of `warps` warps per loop of the kernel. */
static double
per_loop(ww_rig *r, const char *name, uint32_t warps, int loops, int stride) {
  return ww_rig_per_loop(r, WW_PROBE_OPS, name, 1, warps * 32, loops, stride);
}

static void probe_op(ww_rig *r, const special *s) {
  const char *kernel = s->kernel ? s->kernel : s->op;
  double steps = s->pair ? s->pair : 1;
  if (s->latency)
    ww_rig_add(r, ww_fmt(r->a, "ops.%s.latency", s->op),
               per_loop(r, ww_fmt(r->a, "lat_%s", kernel), 1, 16, s->stride) / 64 /
                   steps);
  if (s->issue)
    ww_rig_add(r, ww_fmt(r->a, "ops.%s.issue", s->op),
               per_loop(r, ww_fmt(r->a, "issue_%s", kernel), 32, 8, s->stride) *
                   SUBCORES / (32 * 256) / steps);
  ww_rig_gap(r, ww_fmt(r->a, "ops.%s", s->op));
}

/* Which pipes are shared: cycles of a sub-core for one of each of two instructions. */
static void probe_pairs(ww_rig *r) {
  for (uint32_t i = 0; i < WW_NGPU_FIGURES; i++) {
    const char *path = ww_gpu_figures[i].path;
    if (!ww_starts(path, "pair."))
      continue;
    double cycles = per_loop(r, ww_fmt(r->a, "pair_%s", path + 5), 32, 8, 0);
    ww_rig_add(r, path, cycles * SUBCORES / (32 * 128));
    ww_rig_gap(r, path);
  }
}

static void probe_conflicts(ww_rig *r) {
  for (int ways = 1; ways <= 32; ways *= 2)
    ww_rig_point(r, "shared.conflict", ways,
                 per_loop(r, "issue_lds32", 32, 4, 4 * ways) / (32 * 256));
  ww_rig_gap(r, "shared.conflict");
}

static void probe_barrier(ww_rig *r) {
  for (uint32_t warps = 1; warps <= 32; warps *= 2)
    ww_rig_point(r, "barrier.by_warps", warps,
                 per_loop(r, "barrier", warps, 8, 0) / 64);
  ww_rig_gap(r, "barrier.by_warps");
}

/* Cycles per instruction of the first and the last of four passes through the same
 * code, by one warp. */
static void straight(ww_rig *r,
                     const char *name,
                     double instructions,
                     const char *first,
                     const char *last) {
  int loops = 4;
  int stride = 0;
  int64_t t[8];
  void *params[] = {&r->in, &r->result, &r->clocks, &loops, &stride};
  ww_rig_run(r, WW_PROBE_OPS, name, 1, 32, params);
  ww_rig_read(r, t, r->clocks, sizeof t);
  if (!ww_rig_ok(r))
    return;
  ww_rig_add(r, first, (t[1] - t[0]) / instructions);
  ww_rig_add(r, last, (t[7] - t[6]) / instructions);
}

/* Before anything else runs: this code must not have been fetched yet. */
static void probe_code(ww_rig *r) {
  straight(r, "straight_big", 16384, "icache.cold_cycles", "icache.big_cycles");
  straight(r, "straight_small", 512, "icache.small_cold", "icache.small_warm");
  ww_rig_gap(r, "icache");
}

/* The SM clock under load: a long chain by cycles and by seconds. */
static void probe_clock(ww_rig *r) {
  int loops = 40000;
  int stride = 0;
  static const char chain[] = "lat_ffma";
  void *params[] = {&r->in, &r->result, &r->clocks, &loops, &stride};
  for (int k = 0; k < 8; k++) /* let the clock rise */
    ww_rig_seconds(r, WW_PROBE_OPS, chain, r->out->sms, 1024, params);
  double cycles = ww_rig_cycles(r, WW_PROBE_OPS, chain, 1, 32, params);
  r->mhz = cycles / ww_rig_seconds(r, WW_PROBE_OPS, chain, 1, 32, params) / 1e6;
  ww_rig_add(r, "clock.measured_mhz", r->mhz);
  ww_rig_gap(r, "clock");
}

void ww_probe_ops(ww_rig *r) {
  probe_code(r);
  probe_clock(r);
  for (int i = 0; i < WW_NGPU_OPS; i++) {
    special s = {ww_gpu_op_names[i], NULL, 0, true, true, 0};
    for (size_t k = 0; k < WW_COUNT(specials); k++)
      if (!strcmp(specials[k].op, s.op))
        s = specials[k];
    ww_progress("instructions", i + 1, WW_NGPU_OPS);
    probe_op(r, &s);
  }
  probe_pairs(r);
  probe_conflicts(r);
  probe_barrier(r);
}
