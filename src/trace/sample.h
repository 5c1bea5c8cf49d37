/* sample.h - a launch from some of its blocks: which to run, how many others each stands for. */
#ifndef WW_SAMPLE_H
#define WW_SAMPLE_H

#include "count.h"

typedef struct {
  bool full;       /* every block, nothing weighted */
  uint64_t budget; /* warp instructions to spend; 0: the default */
} ww_sampling;

/* Affine footprint of one memory instruction: bytes [lo, hi) from its argument's pointer that block (x, y, z) touches:
 * lo = at + stride . (x, y, z), hi = lo + bytes. */
typedef struct {
  const ww_ins *ins;
  const ww_fn *fn;
  uint8_t kind;      /* ww_access_kind */
  int32_t arg;       /* -1: a symbol or the heap */
  double at, stride[3], bytes;
  bool affine;       /* every sampled block agrees */
} ww_footprint;

typedef struct {
  ww_tally tally;
  uint64_t blocks, of;          /* run, in the launch */
  uint64_t warp_instructions;   /* really executed */
  bool extrapolated;            /* loops were run in part */
  bool fault_assumed;           /* it failed because of contents or sizes that nobody gave */
  bool complete;                /* the budget sufficed to see every region the search asked for */
  ww_footprint *footprints;
  uint32_t nfootprints;
} ww_sampled;

/* Runs the machine under a counter. The spec is the one the machine was made from. */
ww_status ww_sample(ww_machine *m, const ww_run_spec *spec, const ww_sampling *s, ww_arena *a, ww_sampled *out, ww_err *e);

/* footprint.c: collects per-instruction ranges of each block run, and fits them. */
typedef struct ww_footprints ww_footprints;
ww_footprints *ww_footprints_new(ww_memory *mem, const uint64_t grid[3]);
void ww_footprints_free(ww_footprints *f); /* accepts NULL */
void ww_footprints_access(ww_footprints *f, const ww_access *a);
void ww_footprints_block(ww_footprints *f, uint64_t block); /* a thread block ended */
void ww_footprints_fit(ww_footprints *f, ww_arena *a, ww_footprint **out, uint32_t *n);

#endif
