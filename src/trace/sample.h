/* sample.h - a launch from some of its blocks: which to run, how many others each
 * stands for. */
#ifndef WW_SAMPLE_H
#define WW_SAMPLE_H

#include "count.h"

typedef struct {
  bool full;       /* every block, nothing weighted */
  uint64_t budget; /* warp instructions to spend; 0: the default */
} ww_sampling;

/* Affine footprint of one memory instruction: bytes [lo, hi) from its argument's
 * pointer that block (x, y, z) touches: lo = at + stride . (x, y, z), hi = lo + bytes.
 */
typedef struct {
  const ww_ins *ins;
  const ww_fn *fn;
  uint8_t kind; /* ww_access_kind */
  int32_t arg;  /* -1: a symbol or the heap */
  double at, stride[3], bytes;
  bool affine; /* every sampled block agrees */
  double off;  /* bytes that a block begins beside what the strides say, at most */
} ww_footprint;

typedef struct {
  ww_tally tally;
  uint64_t blocks, of;        /* run, in the launch */
  uint64_t warp_instructions; /* really executed */
  bool extrapolated;          /* loops were run in part */
  /* it failed because of contents or sizes that nobody gave */
  bool fault_assumed;
  bool stuck; /* it failed because a block waits for others that were not run */
  /* what a wait for others is for that was taken to be over; NULL: none was */
  const ww_region *passed;
  uint32_t passed_loc; /* index into module->locs */
  /* the budget sufficed to see every region the search asked for */
  bool complete;
  ww_footprint *footprints;
  uint32_t nfootprints;
  /* bytes of shared memory, from its beginning, up to the last that was touched; 0:
   * none was */
  uint64_t shared_end;
  /* Blocks with x, y, z below `box` do the launch's work; the others, where it is not
   * the whole grid, end at once and touch nothing. */
  uint64_t box[3];
  /* IR instructions that one of those executes, all its warps */
  double idle_instructions;
} ww_sampled;
static inline uint64_t ww_sampled_working(const ww_sampled *s) {
  return ww_volume(s->box);
}
/* The k-th of the working blocks, as a number in the grid. */
static inline uint64_t
ww_sampled_block(const ww_sampled *s, const uint64_t grid[3], uint64_t k) {
  uint64_t at[3] = {ww_axis_of(s->box, k, 0), ww_axis_of(s->box, k, 1),
                    ww_axis_of(s->box, k, 2)};
  return ww_number_of(grid, at);
}

/* run.c: runs the machine under a counter. The spec is the one the machine was made
 * from. */
ww_status ww_sample(ww_machine *m,
                    const ww_run_spec *spec,
                    const ww_sampling *s,
                    ww_arena *a,
                    ww_sampled *out,
                    ww_err *e);

/* box.c: how many blocks along x, y and z, from the corner of the grid, do its work;
 * those outside end at once and touch nothing. The whole grid where it is no such box.
 * Memory is as at the start afterwards. */
void ww_work_box(const ww_run_spec *spec, uint64_t box[3], ww_arena *a);

/* footprint.c: fits what it collected (count.h). */
void ww_footprints_fit(ww_footprints *f, ww_arena *a, ww_footprint **out, uint32_t *n);

#endif
