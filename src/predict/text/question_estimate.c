/* question_estimate.c - what each part of the machine would take for the counted work:
 * counts and the GPU's rates in one scale.
 *
 * Not predictions: the model learns from them. The busiest SM counts, so that few
 * blocks and a last wave of them show. */

#include "question_int.h"

/* Blocks that an SM holds at a time, by threads and shared memory; registers are not
 * known. */
static double resident_of(const ww_qwalk *w, const ww_launch *l, const ww_gpu *g) {
  double warps = ceil(ww_qproduct(l->block) / 32);
  double shared = w->shared + l->shared + 1024;
  double n =
      fmin(floor(ww_qknown(g->max_warps, 64) / warps), ww_qknown(g->max_blocks, 32));
  return fmax(1, fmin(n, floor(ww_qknown(g->shared_max, 233472) / shared)));
}

static double sum(const double *v) {
  double all = 0;
  for (int n = 0; n < Q_NCOUNTS; n++)
    all += ww_qcosts[n].issue * v[n];
  return all;
}

void ww_question_estimate(ww_qwalk *w,
                          const ww_question_kernel *k,
                          const ww_launch *l,
                          const ww_gpu *g) {
  const double *c = w->count;
  double mhz = ww_qknown(g->boost_mhz, 1500);
  double sms = g->sms ? g->sms : 1;
  double subcores = ww_qknown(g->subcores, 4);
  double *t = w->estimate;
  double blocks = ww_qproduct(l->grid);
  double most = sum(w->busiest);
  double dram = ww_qknown(g->dram_peak, 1000) * 1e3;
  double l2 = ww_qknown(g->l2_gbps, 2 * dram / 1e3) * 1e3; /* bytes/us */
  w->instructions = sum(w->issued);
  /* blocks that have work */
  w->active = most > 0 ? fmin(blocks, fmax(1, w->instructions / most)) : blocks;
  if (k->openmp)
    w->active = blocks;
  double share = ceil(w->active / sms);
  double i[Q_NCOUNTS]; /* blocks of the busiest SM, and what they do */
  for (int n = 0; n < Q_NCOUNTS; n++)
    i[n] = share * (k->openmp ? w->issued[n] / blocks : w->busiest[n]);
  w->waves = fmax(1, ceil(w->active / (sms * resident_of(w, l, g))));
  double integer = 2 * i[Q_C_integer] + 12 * i[Q_C_divisions];
  double fp64 = ww_qknown(g->issue[WW_GPU_OP_dfma], 2) * i[Q_C_fp64];
  double moved = c[Q_C_moved_bytes] + 32 * c[Q_C_scattered];
  t[Q_E_issue] = sum(i) / (subcores * mhz);
  t[Q_E_pipe] = fmax(fmax(integer, fp64), 8 * i[Q_C_special]) / (subcores * mhz);
  t[Q_E_lines] = i[Q_C_lines] / mhz;
  t[Q_E_l2] = fmax(moved / l2, moved * share / w->active / (64 * mhz));
  t[Q_E_dram] = c[Q_C_dram_bytes] / dram;
  t[Q_E_latency] = w->cycles * w->waves / mhz;
  t[Q_E_atomics] = c[Q_C_conflicts] / mhz;
  t[Q_E_blocks] = fmax(blocks / ww_qknown(g->blocks_per_us, 1500),
                       w->waves * ww_qknown(g->block_ns, 200) / 1e3);
  t[Q_E_most] = 1.5;
  for (int n = 0; n < Q_E_most; n++)
    t[Q_E_most] = fmax(t[Q_E_most], t[n]);
}
