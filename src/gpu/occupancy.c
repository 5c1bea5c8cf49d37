/* occupancy.c - how many blocks of a kernel an SM holds at once, and what limits it.
 *
 * The rules are those of CUDA's occupancy calculator: registers are given to whole
 * warps in granules, and each sub-core has its own part of the register file; shared
 * memory is given to blocks in granules, the system's own bytes included. AMD's compute
 * units follow the same rules with other granules (a SIMD is a sub-core) and have no
 * carve-outs. A figure that the description does not give limits nothing. */
#include "occupancy.h"

const char *const ww_limit_names[WW_NLIMITS] = {"warps", "blocks", "registers",
                                                "shared memory"};

static double known(double figure, double otherwise) {
  return isnan(figure) ? otherwise : figure;
}

static double round_up(double x, double granule) {
  return granule > 0 ? ceil(x / granule) * granule : x;
}

/* No limit: as many as fit a counter. */
static uint32_t blocks_of(double n) {
  return n < 0 ? 0 : n > 1e6 ? 1000000 : n;
}

static uint32_t by_warps(const ww_gpu *g, double warps) {
  double most = known(g->max_warps, INFINITY);
  if (!isnan(g->max_threads))
    most = fmin(most, floor(g->max_threads / g->lanes));
  return blocks_of(floor(most / warps));
}

static uint32_t by_registers(const ww_gpu *g, double warps, double registers) {
  double file = known(g->registers, INFINITY);
  double cores = known(g->subcores, 1);
  double of_warp = round_up(ceil(registers) * g->lanes, known(g->register_granule, 1));
  if (of_warp <= 0 || isinf(file))
    return blocks_of(INFINITY);
  if (registers > known(g->max_thread_registers, INFINITY))
    return 0;
  /* The hardware checks a block as if every sub-core got as many warps as the fullest
   * one. */
  if (of_warp * round_up(warps, known(g->warp_granule, 1)) > file)
    return 0;
  return blocks_of(floor(cores * floor(file / cores / of_warp) / warps));
}

static double shared_of(const ww_gpu *g, double shared) {
  return round_up(shared + known(g->shared_reserved, 0), known(g->shared_granule, 1));
}

static uint32_t by_shared(const ww_gpu *g, double shared) {
  double of_block = shared_of(g, shared);
  if (shared > known(g->shared_block_max, INFINITY))
    return 0;
  if (of_block <= 0)
    return blocks_of(INFINITY);
  return blocks_of(floor(known(g->shared_max, INFINITY) / of_block));
}

/* The driver takes the smallest carve-out that holds the resident blocks; L1 keeps the
 * rest of the array. */
static void split_l1(const ww_gpu *g, ww_occupancy *o) {
  double need = o->blocks * shared_of(g, o->shared_bytes);
  o->l1_bytes = g->l1_bytes;
  o->carveout_bytes = 0;
  if (!g->carveouts.n)
    return;
  uint32_t k = 0;
  while (k + 1 < g->carveouts.n && g->carveouts.x[k] < need)
    k++;
  o->carveout_bytes = g->carveouts.x[k];
  o->l1_bytes -= o->carveout_bytes;
}

void ww_occupancy_of(const ww_gpu *g,
                     uint64_t block_threads,
                     double registers,
                     double shared_bytes,
                     ww_occupancy *out) {
  double warps = fmax(1, ceil((double)block_threads / g->lanes));
  memset(out, 0, sizeof *out);
  out->registers = registers;
  out->shared_bytes = shared_bytes;
  out->by[WW_LIMIT_WARPS] = by_warps(g, warps);
  out->by[WW_LIMIT_BLOCKS] = blocks_of(known(g->max_blocks, INFINITY));
  out->by[WW_LIMIT_REGISTERS] = by_registers(g, warps, registers);
  out->by[WW_LIMIT_SHARED] = by_shared(g, shared_bytes);
  if (block_threads > known(g->max_block_threads, INFINITY))
    out->by[WW_LIMIT_WARPS] = 0;
  for (uint32_t k = 1; k < WW_NLIMITS; k++)
    if (out->by[k] < out->by[out->limiter])
      out->limiter = k;
  out->blocks = out->by[out->limiter];
  out->warps = out->blocks * (uint32_t)warps;
  out->limit_pct = 100 * out->warps / known(g->max_warps, out->warps ? out->warps : 1);
  split_l1(g, out);
}
