/* traffic.h - accesses of a launch -> what L1, L2 and DRAM see of them. */
#ifndef WW_TRAFFIC_H
#define WW_TRAFFIC_H

#include "predict.h"

/* The model counts in lines of 128 and sectors of 32 bytes on every GPU, as NVIDIA's
 * counters do.
 */
enum { WW_LINE_BITS = 7, WW_SECTOR_BITS = 5 };

/* How far the requests of one load instruction go. */
typedef struct {
  const ww_ins *ins;
  double beyond_l1, beyond_l2; /* shares of them that wait for L2 or DRAM, for DRAM */
} ww_way;
typedef struct {
  ww_way *v; /* loads of global memory that the replay saw */
  uint32_t n;
  double beyond_l1, beyond_l2; /* of all: for the others */
} ww_ways;

/* A launch as one GPU runs it. */
typedef struct {
  const ww_run_spec *spec;
  const ww_sampled *sampled;
  const ww_gpu *g;
  const ww_occupancy *occ;
  bool warm; /* it has run before, so what fits stays in L2 */
} ww_gpu_launch;

/* Of n launches that differ in the GPU alone. Replays the blocks of one SM through its
 * L1, once for GPUs where that is the same; the memory's contents are as at the start
 * first. ways: by instruction. */
void ww_traffic_of(
    const ww_gpu_launch *l, uint32_t n, ww_arena *a, ww_traffic *out, ww_ways *ways);

#endif
