/* probe.c - runs all micro-benchmarks on one CUDA device.
 *
 * Opening the device and finding a compiler may fail and end the run; everything after
 * that becomes a gap in the result. */
#include "probe.h"

#include <time.h>

#include "compile.h"
#include "probe_int.h"

/* CUdevice_attribute numbers that only the probe asks for */
enum {
  CLOCK_KHZ = 13,
  MEMORY_KHZ = 36,
  BUS_BITS = 37,
  SHARED_PER_SM = 81,
  REGISTERS_PER_SM = 82,
  BLOCKS_PER_SM = 106,
  SHARED_RESERVED = 111,
};

/* What the driver says of itself needs no measuring. */
static void attributes(ww_rig *r) {
  const struct {
    const char *name;
    int attribute;
    double scale;
  } all[] = {{"clock.boost_mhz", CLOCK_KHZ, 1e-3},
             {"sm.max_threads", WW_CUDA_THREADS_PER_SM, 1},
             {"sm.max_warps", WW_CUDA_THREADS_PER_SM, 1 / 32.0},
             {"sm.max_blocks", BLOCKS_PER_SM, 1},
             {"sm.max_block_threads", WW_CUDA_MAX_THREADS, 1},
             {"sm.registers", REGISTERS_PER_SM, 1},
             {"shared.max_bytes", SHARED_PER_SM, 1},
             {"shared.max_block_bytes", WW_CUDA_SHARED_OPTIN, 1},
             {"l2.bytes", WW_CUDA_L2_BYTES, 1},
             {"dram.clock_mhz", MEMORY_KHZ, 1e-3},
             {"dram.bus_bits", BUS_BITS, 1}};
  size_t bytes = 0;
  for (size_t i = 0; i < WW_COUNT(all); i++) {
    int v = ww_rig_attribute(r, all[i].attribute);
    if (v > 0)
      ww_rig_add(r, all[i].name, v * all[i].scale);
  }
  ww_rig_add(r, "shared.reserved_bytes", ww_rig_attribute(r, SHARED_RESERVED));
  if (!r->api->cuDeviceTotalMem(&bytes, r->device))
    ww_rig_add(r, "dram.bytes", bytes);
}

/* Loads what was compiled; a gap where it was not. */
static void load(ww_rig *r, ww_probe_module m, const ww_compile_job *job) {
  static const char *const names[] = {"ops",      "memory",   "math f32",
                                      "math f64", "math int", "async"};
  r->e = job->error;
  if (ww_rig_ok(r))
    ww_rig_load(r, m, job->binary);
  if (ww_rig_ok(r)) {
    r->binaries[m] = job->binary;
    r->out->compiler = job->compiler;
  }
  ww_rig_gap(r, names[m]);
}

/* Asynchronous work has code of its own architecture. */
static ww_status compile_async(ww_rig *r, ww_err *e) {
  ww_compile_job job = {
      .file = "async.cu",
      .text = ww_probe_text_async,
  };
  ww_compile_options o = {
      .architecture = "sm_90a",
      .self = r->o->self,
  };
  if (strcmp(r->out->architecture, "sm_90"))
    return WW_OK;
  ww_status st = ww_compile(&job, 1, &o, r->a, e);
  if (!st)
    load(r, WW_PROBE_ASYNC, &job);
  return st;
}

static ww_status compile(ww_rig *r, ww_err *e) {
  static const char *parts[] = {"-DWW_PART=0", "-DWW_PART=1", "-DWW_PART=2"};
  ww_compile_job jobs[WW_PROBE_ASYNC] = {
      {.file = "ops.cu", .text = ww_probe_text_ops},
      {.file = "memory.cu", .text = ww_probe_text_memory}};
  for (int i = 0; i < 3; i++)
    jobs[WW_PROBE_MATH_F32 + i] = (ww_compile_job){
        .file = "math.cu", .text = ww_probe_text_math, .flags = &parts[i], .nflags = 1};
  ww_compile_options o = {
      .architecture = r->out->architecture,
      .self = r->o->self,
  };
  ww_status st = ww_compile(jobs, WW_COUNT(jobs), &o, r->a, e);
  for (size_t i = 0; i < WW_COUNT(jobs) && !st; i++)
    load(r, i, &jobs[i]);
  return st ? st : compile_async(r, e);
}

const char *ww_probe_date(ww_arena *a) {
  time_t now = time(NULL);
  struct tm tm;
  char text[16] = "";
  if (gmtime_r(&now, &tm))
    strftime(text, sizeof text, "%Y-%m-%d", &tm);
  return ww_strdup(a, text);
}

ww_status
ww_probe_run(const ww_probe_options *o, ww_arena *a, ww_probe *out, ww_err *e) {
  static void (*const stages[])(ww_rig *) = {
      attributes,    ww_probe_ops,   ww_probe_memory,   ww_probe_launch,
      ww_probe_math, ww_probe_async, ww_probe_constants};
  const size_t n = WW_COUNT(stages);
  double start = ww_now();
  *out = (ww_probe){.date = ww_probe_date(a)};
  ww_rig r = {
      .a = a,
      .out = out,
      .o = o,
      .mhz = NAN,
  };
  ww_status st = ww_rig_open(&r);
  if (st)
    *e = r.e;
  else
    st = compile(&r, e);
  for (size_t i = 0; i <= n && !st; i++) {
    if (i == n)
      ww_rig_close(&r); /* counting opens the device anew, in processes of its own */
    if (i < n)
      stages[i](&r);
    else if (!o->no_counters)
      ww_probe_counts(&r);
    out->seconds = ww_now() - start;
    if (o->save)
      o->save(o->ctx, out);
  }
  ww_rig_close(&r);
  return st;
}
