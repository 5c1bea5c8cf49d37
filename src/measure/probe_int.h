/* probe_int.h - what the files of the probe share: the device with the probe's modules,
 * launching, timing.
 *
 *   probe.c         opens the device, compiles, runs the stages
 *   probe_rig.c     launches and clocks
 *   probe_ops.c     single instructions, shared memory, barriers, straight-line code
 *   probe_async.c   warp groups, bulk copies, mbarriers, clusters
 *   probe_memory.c  latencies, bandwidths, atomics
 *   probe_launch.c  starting kernels and blocks
 *   probe_math.c    operations of the language, by clock and by counters
 *   probe_result.c  points to JSON and to a description */
#ifndef WW_MEASURE_PROBE_INT_H
#define WW_MEASURE_PROBE_INT_H

#include "../cuda/cuda_api.h"
#include "probe.h"

typedef enum {
  WW_PROBE_OPS,
  WW_PROBE_MEMORY,
  WW_PROBE_MATH_F32,
  WW_PROBE_MATH_F64,
  WW_PROBE_MATH_INT,
  WW_PROBE_ASYNC, /* of sm_90a alone */
  WW_NPROBE_MODULES
} ww_probe_module;

extern const char ww_probe_text_ops[], ww_probe_text_memory[], ww_probe_text_math[],
    ww_probe_text_async[]; /* device_text.c */

typedef struct {
  const ww_cuda_api *api;
  ww_arena *a;
  ww_probe *out;
  const ww_probe_options *o;
  int device;
  void *context, *modules[WW_NPROBE_MODULES], *events[2];
  /* paths of the .cubin, NULL where it did not compile */
  const char *binaries[WW_NPROBE_MODULES];
  uint32_t threads_per_sm, l2_bytes;
  double mhz; /* SM clock under load, measured */
  uint64_t in, result,
      /* small device buffers: operands, results, clock64() of up to 32 warps and more
       */
      clocks;
  uint64_t big, big_bytes; /* for streams and chases */
  bool broken;             /* the context is lost: nothing more can run */
  /* of the probe in hand: once set, nothing is done and figures are NaN until its gap
   * is noted */
  ww_err e;
} ww_rig;

#define WW_RIG_CLOCKS 8192 /* clock64() values that `clocks` has room for */

/* ---- probe_rig.c ---- */
ww_status ww_rig_open(ww_rig *r);
void ww_rig_close(ww_rig *r);
int ww_rig_attribute(const ww_rig *r, int which);
void ww_rig_load(ww_rig *r, ww_probe_module m, const char *path);
/* Finds a kernel; one that is not there (an older architecture has no such instruction)
 * is WW_EUNSUPPORTED. */
void *ww_rig_kernel(ww_rig *r, ww_probe_module m, const char *name);
void ww_rig_launch(ww_rig *r,
                   void *kernel,
                   uint32_t blocks,
                   uint32_t threads,
                   void **params); /* no waiting */
/* The same of a kernel by its name, and waits; so do the following. */
void ww_rig_run(ww_rig *r,
                ww_probe_module m,
                const char *name,
                uint32_t blocks,
                uint32_t threads,
                void **params);
void ww_rig_read(ww_rig *r, void *to, uint64_t from, size_t bytes);
/* Cycles from the first warp's begin to the last one's end, of the first block; the
 * least of three launches. `params` writes r->clocks. */
double ww_rig_cycles(ww_rig *r,
                     ww_probe_module m,
                     const char *name,
                     uint32_t blocks,
                     uint32_t threads,
                     void **params);
/* The same for each loop of a kernel that takes operands, results, clocks, loops and a
 * stride: what twice as many take longer. */
double ww_rig_per_loop(ww_rig *r,
                       ww_probe_module m,
                       const char *name,
                       uint32_t blocks,
                       uint32_t threads,
                       int loops,
                       int stride);
/* Seconds between two records of events in a stream: begin, what is timed, end. */
void ww_rig_begin(ww_rig *r, void *stream);
double ww_rig_end(ww_rig *r, void *stream);
/* Seconds of one launch by events; the median of five after one for warming up. */
double ww_rig_seconds(ww_rig *r,
                      ww_probe_module m,
                      const char *name,
                      uint32_t blocks,
                      uint32_t threads,
                      void **params);
/* remembers a broken context */
bool ww_rig_try(ww_rig *r, ww_cuda_status s, const char *doing);
static inline bool ww_rig_ok(const ww_rig *r) {
  return r->e.code == WW_OK;
}
/* The end of a probe: notes a gap where it failed, and forgets the error. */
void ww_rig_gap(ww_rig *r, const char *probe);
/* Values that are not finite are left out. */
static inline void ww_rig_add(ww_rig *r, const char *name, double value) {
  ww_probe_add(r->out, r->a, name, NAN, value);
}
static inline void ww_rig_point(ww_rig *r, const char *name, double x, double value) {
  ww_probe_add(r->out, r->a, name, x, value);
}
/* already measured */
double ww_rig_figure(const ww_rig *r, const char *name, double otherwise);

/* ---- the stages ---- */
void ww_probe_ops(ww_rig *r);
void ww_probe_memory(ww_rig *r);
void ww_probe_async(ww_rig *r);
void ww_probe_launch(ww_rig *r);
void ww_probe_math(ww_rig *r);
void ww_probe_constants(
    ww_rig *r); /* of probe_memory.c; last, as a wrong address would end the context */
void ww_probe_counts(ww_rig *r); /* by hardware counters, through ww_measure_here */

#endif
