/* calibrate.c - fits at most five factors on a GPU's figures to measured launches.
 *
 * A pattern search over the logarithms of the factors: each in turn, and all of them
 * together, is moved up and down by a step that grows where a move helped and shrinks
 * where none did. The loss is the weighted mean of |ln(predicted / measured)|, a kernel
 * with many launches counting little more than one with few, and a small price on
 * leaving the base: a factor that no launch depends on stays 1. Of the six factors
 * there are, the one that matters least is 1 in the end.
 *
 * Only the time model runs again, on the work that was found for the base: a launch's
 * instructions and traffic do not depend on them. */
#include "calibrate.h"

enum { SWEEPS = 60 };
#define FIRST_STEP 0.5 /* of ln(factor) */
#define LAST_STEP 2e-3
#define LARGEST_STEP 1.5
#define MOST 9.2       /* of |ln(factor)|: four orders of magnitude */
#define PRICE 2e-3     /* of the loss, for each unit of |ln(factor)| */
#define UNCHANGED 2e-3 /* of |ln(factor)|: the base's figure keeps its source */

const ww_knob ww_knobs[WW_NKNOBS] = {
    {"clock", {"clock.boost_mhz", "clock.tensor_mhz"}},
    {"DRAM bandwidth",
     {"dram.read_gbps", "dram.write_gbps", "dram.copy_gbps", "dram.read_gbps_by_warps",
      "dram.read_gbps_by_stride"}},
    {"L2 bandwidth", {"l2.read_gbps", "l2.read_gbps_by_footprint"}},
    {"launch floor", {"launch.floor_us"}},
    {"memory latency",
     {"dram.latency", "l2.latency", "l2.near_latency", "l2.far_latency", "l1.latency",
      "atomic.global_latency", "latency_by_footprint"}},
    {"block starts", {"launch.blocks_per_us"}},
};

/* ---- factors on figures ---- */

static ww_curve *curve_of(ww_gpu *g, const char *path) {
  for (uint32_t i = 0; i < ww_ngpu_curves; i++)
    if (!strcmp(ww_gpu_curves[i].path, path))
      return ww_curve_at(g, i);
  return NULL;
}

/* What the time model takes where the base says nothing, so that there is something to
 * multiply. */
static void complete(ww_gpu *g) {
  if (!(g->dram_read > 0))
    g->dram_read = 0.92 * g->dram_peak;
  if (!(g->l2_gbps > 0))
    g->l2_gbps = 2.5 * g->dram_peak;
  g->boost_mhz = WW_FIGURE(g, boost_mhz);
  g->launch_floor = WW_FIGURE(g, launch_floor);
  g->blocks_per_us = WW_FIGURE(g, blocks_per_us);
  g->l1_latency = WW_FIGURE(g, l1_latency);
  g->l2_latency = WW_FIGURE(g, l2_latency);
  g->dram_latency = WW_FIGURE(g, dram_latency);
  g->atom_latency = WW_FIGURE(g, atom_latency);
}

/* The base, complete, with points of curves that are its own. */
static ww_gpu own_copy(const ww_gpu *base, ww_arena *a) {
  ww_gpu g = *base;
  complete(&g);
  for (uint32_t i = 0; i < ww_ngpu_curves; i++) {
    ww_curve *c = ww_curve_at(&g, i);
    if (!c->n || !c->y)
      continue;
    double *y = WW_NEWN(a, double, c->n);
    memcpy(y, c->y, c->n * sizeof *y);
    c->y = y;
  }
  return g;
}

static double within(const ww_figure *f, double v) {
  return fmin(f->most, fmax(f->least, v));
}

/* One path of a knob: of g what `from` has, times the factor. */
static void
scale(ww_gpu *g, ww_gpu *from, const char *path, double factor, const char *source) {
  int i = ww_figure_named(path);
  bool changed = fabs(log(factor)) > UNCHANGED;
  if (i >= 0) {
    double v = *ww_figure_at(from, i);
    if (isnan(v))
      return;
    *ww_figure_at(g, i) = within(&ww_gpu_figures[i], v * factor);
    if (source && changed)
      g->source[i] = source;
    return;
  }
  ww_curve *to = curve_of(g, path);
  const ww_curve *c = curve_of(from, path);
  for (uint32_t k = 0; k < c->n; k++)
    to->y[k] = c->y[k] * factor;
  if (source && changed && c->n)
    to->source = source;
}

static void scale_all(ww_gpu *g, ww_gpu *from, const double *ln, const char *source) {
  for (int k = 0; k < WW_NKNOBS; k++)
    for (const char *const *path = ww_knobs[k].paths; *path; path++)
      scale(g, from, *path, exp(ln[k]), source);
  /* nothing is read faster than the peak, where that is known */
  g->dram_read = fmin(g->dram_read, from->dram_peak);
}

/* ---- the search ---- */

typedef struct {
  const ww_fit_sample *s;
  uint32_t n;
  const double *weight; /* per sample; 0: left out */
  const ww_params *params;
  ww_gpu from, now; /* each with its own curves */
  int fixed;        /* the factor that stays 1; -1: none */
} problem;

static double loss(problem *q, const double *ln) {
  double sum = 0;
  double weights = 0;
  double away = 0;
  scale_all(&q->now, &q->from, ln, NULL);
  for (uint32_t k = 0; k < q->n; k++) {
    ww_timing t;
    if (!(q->weight[k] > 0))
      continue;
    ww_time(&q->s[k].work, &q->now, q->params, &t);
    sum += q->weight[k] * fabs(log(t.us / q->s[k].measured_us));
    weights += q->weight[k];
  }
  for (int k = 0; k < WW_NKNOBS; k++)
    away += fabs(ln[k]);
  return ww_ratio(sum, weights) + PRICE * away;
}

/* Moves one factor, or for k = WW_NKNOBS all of them: times slower or faster, so that
 * rates go one way and times the other. */
static bool try_move(problem *q, double *ln, int k, double by, double *best) {
  static const int slower[WW_NKNOBS] = {-1, -1, -1, 1, 0, -1};
  double moved[WW_NKNOBS];
  for (int i = 0; i < WW_NKNOBS; i++) {
    double step = k == WW_NKNOBS ? slower[i] * by : (i == k) * by;
    step = i == q->fixed ? 0 : step;
    moved[i] = fmin(MOST, fmax(-MOST, ln[i] + step));
  }
  double now = loss(q, moved);
  if (!(now < *best - 1e-7))
    return false;
  *best = now;
  memcpy(ln, moved, sizeof moved);
  return true;
}

static void search(problem *q, double *ln) {
  double step[WW_NKNOBS + 1];
  double best = loss(q, ln);
  double most = FIRST_STEP;
  for (int k = 0; k <= WW_NKNOBS; k++)
    step[k] = FIRST_STEP;
  for (int sweep = 0; sweep < SWEEPS && most > LAST_STEP; sweep++) {
    most = 0;
    for (int k = WW_NKNOBS; k >= 0; k--) {
      bool better = try_move(q, ln, k, step[k], &best);
      better = better || try_move(q, ln, k, -step[k], &best);
      step[k] = fmin(step[k] * (better ? 1.5 : 0.5), LARGEST_STEP);
      most = fmax(most, step[k]);
    }
  }
}

/* The factor whose loss would be felt least. */
static int least_useful(problem *q, const double *ln) {
  double least = INFINITY;
  int which = 0;
  for (int k = 0; k < WW_NKNOBS; k++) {
    double without[WW_NKNOBS];
    memcpy(without, ln, sizeof without);
    without[k] = 0;
    double now = loss(q, without);
    if (now < least) {
      least = now;
      which = k;
    }
  }
  return which;
}

/* Launches of one kernel share a weight between one and their number. */
static double weight_of(const ww_fit_sample *s, uint32_t n, uint32_t k) {
  uint32_t alike = 0;
  for (uint32_t i = 0; i < n; i++)
    alike += !strcmp(s[i].family, s[k].family);
  return 1 / sqrt(alike);
}

void ww_calibrate(const ww_fit_sample *s,
                  uint32_t n,
                  const bool *left_out,
                  const ww_gpu *base,
                  const ww_params *params,
                  ww_calibration *out) {
  ww_arena *a = ww_arena_new();
  double *weight = WW_NEWN(a, double, n + 1);
  double ln[WW_NKNOBS] = {0};
  for (uint32_t k = 0; k < n; k++)
    weight[k] = left_out && left_out[k] ? 0 : weight_of(s, n, k);
  problem q = {s, n, weight, params, own_copy(base, a), own_copy(base, a), -1};
  search(&q, ln);
  q.fixed = least_useful(&q, ln);
  ln[q.fixed] = 0;
  search(&q, ln);
  for (int k = 0; k < WW_NKNOBS; k++)
    out->factor[k] = exp(ln[k]);
  ww_arena_free(a);
}

void ww_calibration_apply(const ww_calibration *c,
                          const ww_gpu *base,
                          const char *source,
                          ww_arena *a,
                          ww_gpu *out) {
  ww_gpu from = own_copy(base, a);
  double ln[WW_NKNOBS];
  for (int k = 0; k < WW_NKNOBS; k++)
    ln[k] = log(c->factor[k]);
  *out = own_copy(base, a);
  scale_all(out, &from, ln, source);
}
