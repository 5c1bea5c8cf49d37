/* occupancy.h - how many blocks of a kernel an SM holds at once, and what limits it. */
#ifndef WW_OCCUPANCY_H
#define WW_OCCUPANCY_H

#include "gpu.h"

typedef enum {
  WW_LIMIT_WARPS,
  WW_LIMIT_BLOCKS,
  WW_LIMIT_REGISTERS,
  WW_LIMIT_SHARED,
  WW_NLIMITS
} ww_limit;
extern const char *const
    ww_limit_names[WW_NLIMITS]; /* "warps", "blocks", "registers", "shared memory" */

typedef struct {
  double registers;    /* a thread */
  double shared_bytes; /* a block, static and dynamic */
  uint32_t blocks;     /* resident of one SM; 0: a block does not fit */
  uint32_t warps;      /* the same in warps */
  double limit_pct;    /* theoretical occupancy */
  ww_limit limiter;
  uint32_t by[WW_NLIMITS]; /* blocks that each limit alone would allow */
  double carveout_bytes;   /* shared part of the L1 array that this takes */
  double l1_bytes;         /* what is left for L1 */
} ww_occupancy;

void ww_occupancy_of(const ww_gpu *g,
                     uint64_t block_threads,
                     double registers,
                     double shared_bytes,
                     ww_occupancy *out);

#endif
