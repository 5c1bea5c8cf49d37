/* replay.h - runs the blocks that one SM holds together, warp by warp in small turns,
 * and sends their accesses through its L1. */
#ifndef WW_REPLAY_H
#define WW_REPLAY_H

#include "../../gpu/gpu.h"
#include "../../gpu/occupancy.h"
#include "../../trace/sample.h"
#include "../../trace/trace.h"

/* The model counts in lines of 128 and sectors of 32 bytes on every GPU, as NVIDIA's
 * counters do.
 */
enum { WW_LINE_BITS = 7, WW_SECTOR_BITS = 5 };

/* What one memory instruction did, of global and local memory. All sums over the
 * requests seen. */
typedef struct {
  const ww_fn *fn;
  const ww_ins *ins;
  uint32_t block; /* of the IR, that it stands in */
  uint8_t kind;   /* ww_access_kind */
  uint8_t space;  /* WW_GLOBAL or WW_LOCAL */
  int32_t region; /* of ww_replay.regions; -1: none */
  double requests;
  double sectors, hits; /* looked up in L1 (atomics: at L2), found there */
  double partial;       /* store sectors that the request does not fill */
  /* store sectors that leave the SM together with an earlier store */
  double merged;
  double cycles;      /* of the L1's tag and data stage */
  double lanes;       /* of atomic requests */
  double slow, lines; /* requests with a miss, lines with a miss of these */
  double touched;     /* lines, all */
  bool known;         /* no more to be counted: the loops' full runs have told */
} ww_replay_ins;

/* What one allocation saw of sectors beyond L1. */
typedef struct {
  const ww_region *region;
  /* Of a sample of the pairs of neighbours (64 bytes): distinct sectors, distinct
   * pairs, and second sectors that were asked for apart from the first: by the same
   * warp later on, or by another warp. */
  double sectors, pairs, later, other;
} ww_replay_region;

typedef struct {
  WW_VEC(ww_replay_ins) ins; /* those seen */
  WW_VEC(ww_replay_region) regions;
  double atomics, atomic_addresses,
      /* global operations of lanes, distinct addresses, most on one address */
      atomic_most;
  uint64_t warp_instructions;
  uint32_t blocks; /* that were run */
  bool truncated;  /* the budget ended it inside the first wave */
} ww_replay;

/* A launch as one GPU runs it. */
typedef struct {
  const ww_run_spec *spec;
  const ww_sampled *sampled;
  const ww_gpu *g;
  const ww_occupancy *occ;
  bool warm; /* it has run before, so what fits stays in L2 */
} ww_gpu_launch;

/* Which blocks run and what L1 they meet: GPUs that agree in these have the same
 * replay. */
typedef struct {
  uint32_t sms, resident, lines; /* blocks and L1 lines of an SM */
} ww_replay_shape;
ww_replay_shape ww_replay_shape_of(const ww_gpu *g, const ww_occupancy *occ);

/* Runs the blocks of one SM in the first wave (L1 cold) and in one from the middle of
 * the launch, which stands for all others, as far as a budget lasts. The memory's
 * contents are as at the start first. A kernel that fails here gives an empty result:
 * what it does is told elsewhere. */
void ww_replay_run(const ww_gpu_launch *l, ww_arena *a, ww_replay *out);

#endif
