/* traffic_int.h - what traffic.c (L1, sums) and traffic_l2.c (L2, DRAM) share. */
#ifndef WW_TRAFFIC_INT_H
#define WW_TRAFFIC_INT_H

#include "traffic.h"

/* One allocation over the launch, in sectors of 32 bytes unless said. */
typedef struct {
  const ww_region *region;
  const ww_arg_counts *counts; /* NULL: the tally has none */
  double loads;                /* that missed L1 */
  double seen_ld;              /* load sectors before L1 that the replay told of */
  double stores, partial;      /* all; of them, not filled by their request */
  /* of the stores, those that an earlier one to the same line takes along */
  double merged;
  double atomics;     /* lookups at L2 */
  double slow, lines; /* load requests with a miss, lines missed by these */
  double behind;      /* without one, waiting for what others have missed */
  double bulk_lines;  /* of these lines, those of bulk copies */
  double unique;      /* distinct sectors */
  /* sectors fetched for a distinct sector: 1 where neighbours are wanted too, 2 where
   * not */
  double pair;
  /* 0: neighbours are touched together; 1: sectors have no neighbours */
  double scattered;
  /* of scattered, what one block draws from all over the allocation */
  double random;
  /* of the sectors, those asked for after their neighbour: by the same warp, by another
   */
  double later, other;
  bool affine; /* every access moves evenly with the block index */
  /* bytes that one wave of blocks touches; of them, those that the wave before did not
   */
  double wave, fresh;
  /* probability that a sector is still there when it is asked for again */
  double fits;
  double first, misses; /* sectors that come from DRAM: new in L2; all */
} ww_flow;

typedef struct {
  const ww_run_spec *spec;
  const ww_sampled *sampled;
  const ww_gpu *g;
  const ww_occupancy *occ;
  bool warm;
  ww_flow *flows;
  uint32_t nflows;
  double waves; /* blocks over resident blocks, at least 1 */
} ww_flows;

/* From the flows beyond L1 to L2 lookups, hits and DRAM bytes. */
void ww_traffic_l2(ww_flows *f, ww_traffic *out);
/* Of what leaves the SMs, the share that waits for DRAM because nobody had asked for it
 * before this wave: who asks first and those who ask in step with it. */
double ww_flow_cold(const ww_flows *f, const ww_flow *w);

#endif
