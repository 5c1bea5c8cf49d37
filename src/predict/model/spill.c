/* spill.c - what a kernel stores and loads again because it has no registers left.
 *
 * Each thread has memory of its own for that, laid out so that a warp's word is one
 * row. It comes back after a while, when all resident threads have written theirs: as
 * long as their memory fits into a cache it stays there, and once it does not, nearly
 * nothing of it is found again, as in any cache that is walked through in turns. L1
 * passes stores on and is too small for what an SM's threads spill. */
#include "predict.h"

/* Of a cache: from here on some of what goes round no longer stays, up to all. */
#define CROWDED 0.7

/* Times that instructions in loops run, in the mean of threads and of loops: the
 * trace's floating-point work over that of the code. */
static double rounds(const ww_built *b, const ww_work *w) {
  const ww_lowered *l = &w->lowered;
  double threads = fmax(1, (double)w->blocks * w->block_threads);
  double flops = (l->flops32 + l->flops64 + l->flops16) / threads;
  if (!(b->looped.flops > 0))
    return 1;
  return fmax(1, (flops - b->once.flops) / b->looped.flops);
}

/* Of what goes round through `bytes`, the part that a cache does not keep. */
static double lost(double bytes, double cache) {
  if (!(cache > 0))
    return 1;
  return fmin(1, fmax(0, (bytes / cache - CROWDED) / (1 - CROWDED)));
}

void ww_spill_traffic(const ww_built *b, const ww_gpu *g, ww_work *w) {
  ww_traffic *t = &w->traffic;
  double times = rounds(b, w);
  double warps = (double)w->blocks * w->warps_per_block;
  double row = 4.0 * g->lanes; /* bytes */
  double out = warps * row * (b->once.spilled + times * b->looped.spilled);
  double in = warps * row * (b->once.reloaded + times * b->looped.reloaded);
  if (!(out + in > 0))
    return;
  double resident =
      fmin(warps, (double)w->occupancy.warps * g->sms) * g->lanes * b->scratch_bytes;
  double beyond_l2 = lost(resident, WW_FIGURE(g, l2_bytes));
  double beyond = g->l3_bytes > 0 ? lost(resident, g->l3_bytes) : 1;
  t->spill_bytes = out + in;
  t->spill_dram = beyond_l2 * beyond * (out + in);
  t->spill_l3 = beyond_l2 * (1 - beyond) * (out + in);
  t->l2_reads += in / 32;
  t->l2_writes += out / 32;
  t->dram_read += beyond_l2 * beyond * in;
  t->dram_write += beyond_l2 * beyond * out;
  if (g->l1_rate > 0)
    t->l1_wavefronts += (out + in) / g->l1_rate;
}
