/* features.c - a prediction as a vector of numbers that mean the same on every GPU, for
 * what is learned from measurements.
 *
 * Only what the trace and the machine model say goes in; nothing of the source text, no
 * names. Every value is finite. */

#include "correct.h"

const char *const ww_feature_names[WW_NFEATURES] = {
#define FEATURE(name, ...) #name,
#include "features.def"
};

static double lg(double x) {
  return log2(fmax(x, 1e-6));
}

/* Of the resources that a wave queues for, the second largest bound over the largest.
 */
static double second_of(const ww_timing *t) {
  double most = 0;
  double second = 0;
  for (int k = WW_TERM_ISSUE; k <= WW_TERM_LATENCY; k++) {
    double v = t->bound_us[k];
    second = fmax(second, fmin(v, most));
    most = fmax(most, v);
  }
  return ww_ratio(second, most);
}

static double bounds_of(const ww_timing *t) {
  double sum = 0;
  for (int k = WW_TERM_ISSUE; k <= WW_TERM_LATENCY; k++)
    sum += t->bound_us[k];
  return sum;
}

static double uneven_of(double blocks, double sms) {
  return ww_ratio(ceil(blocks / sms), blocks / sms);
}

static double known(double x, double otherwise) {
  return x > 0 ? x : otherwise;
}

void ww_features_of(const ww_prediction *p, const ww_gpu *g, ww_features *out) {
  const ww_timing *t = &p->timing;
  const ww_work *w = &p->work;
  const ww_lowered *l = &w->lowered;
  const ww_traffic *m = &w->traffic;
  const ww_chain *c = &w->chain;
  const ww_occupancy *o = &w->occupancy;
  const ww_counts *k = &p->trace.sampled.tally.c;
  double floor_us = known(g->launch_floor, 2);
  double sms_used = fmin(w->blocks, g->sms);
  double l2_latency = known(g->l2_latency, 250);
  const double v[WW_NFEATURES] = {
#define FEATURE(name, value, ...) [WW_F_##name] = (double)(value),
#include "features.def"
  };
  for (int i = 0; i < WW_NFEATURES; i++)
    out->v[i] = isfinite(v[i]) ? fmin(1e6, fmax(-1e6, v[i])) : 0;
}
