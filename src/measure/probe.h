/* probe.h - micro-benchmarks of the CUDA device: what `warpwise gpus probe` finds out
 * about a GPU.
 *
 * A run gives raw points; a point whose name is a path of gpu.def is that figure, one
 * with an x a point of that curve, others are there for a reader. A probe that fails is
 * listed as a gap and leaves its figures out: it never ends the run. Needs under 100 s
 * of device time. */
#ifndef WW_MEASURE_PROBE_H
#define WW_MEASURE_PROBE_H

#include "../gpu/gpu.h"

typedef struct {
  const char *name; /* "ops.ffma.latency" */
  double x;         /* NaN: a single figure */
  double value;
} ww_probe_point;

typedef struct {
  const char *probe, *why;
} ww_probe_gap;

typedef struct {
  const char *device;       /* "NVIDIA H200" */
  const char *architecture; /* "sm_90" */
  const char *compiler;     /* of the probe's own kernels */
  const char *date;         /* 2026-11-20 */
  uint32_t sms, lanes;
  double seconds;
  WW_VEC(ww_probe_point) points;
  WW_VEC(ww_probe_gap) gaps;
} ww_probe;

typedef struct {
  const char *device; /* a part of its name, NULL: the first */
  /* the program's own path, for compiling in parallel; NULL: in this process */
  const char *self;
  /* leave out what needs hardware counters (instructions per operation, the launch
   * floor) */
  bool no_counters;
  /* after each stage, so that a run that is cut short is not lost; or NULL */
  void (*save)(void *ctx, const ww_probe *so_far);
  void *ctx;
} ww_probe_options;

ww_status
ww_probe_run(const ww_probe_options *o, ww_arena *a, ww_probe *out, ww_err *e);

/* today, as 2026-11-20 */
const char *ww_probe_date(ww_arena *a);

/* ---- probe_result.c: no device needed ---- */
/* a value that is no number is dropped */
void ww_probe_add(ww_probe *p, ww_arena *a, const char *name, double x, double value);
void ww_probe_write(const ww_probe *p, ww_json *j); /* every point and gap */
ww_status
ww_probe_parse(const char *json, size_t n, ww_arena *a, ww_probe *out, ww_err *e);
/* Puts what was measured over what `g` holds; the rest of g stays. */
void ww_probe_distill(const ww_probe *p, ww_arena *a, ww_gpu *g);

#endif
