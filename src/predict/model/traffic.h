/* traffic.h - accesses of a launch -> what L1, L2 and DRAM see of them. */
#ifndef WW_TRAFFIC_H
#define WW_TRAFFIC_H

#include "predict.h"
#include "replay.h"

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

/* From what one SM's blocks asked of its L1 to the launch. ways: by instruction. */
void ww_traffic_of(const ww_replay *r,
                   const ww_gpu_launch *l,
                   ww_arena *a,
                   ww_traffic *out,
                   ww_ways *ways);

#endif
