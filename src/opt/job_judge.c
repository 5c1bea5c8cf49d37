/* job_judge.c - what is believed of a measurement: are the results the original's, is a
 * difference in time more than chance, is the time possible at all. */
#include <inttypes.h>
#include <math.h>

#include "../base/half.h"
#include "job.h"

#define SLACK 0.9 /* of the floor: counts are sampled, peaks are a datasheet's */

/* ---- time ---- */

/* Ranks by size with their signs: one run that the machine disturbed counts no more
 * than any other. */
static double signed_ranks(const double *a, const double *b, uint32_t n, double *d) {
  double sum = 0;
  for (uint32_t k = 0; k < n; k++) {
    double own = fabs(log(a[k] / b[k]));
    double rank = 0.5;
    for (uint32_t i = 0; i < n; i++) {
      double other = fabs(log(a[i] / b[i]));
      rank += other < own ? 1 : other == own ? 0.5 : 0;
    }
    d[k] = own == 0 ? 0 : a[k] > b[k] ? rank : -rank;
    sum += d[k];
  }
  return sum;
}

double ww_pairs_p(const double *a, const double *b, uint32_t n) {
  double d[16];
  uint32_t extreme = 0;
  if (!n || n > WW_COUNT(d))
    return 1;
  double sum = signed_ranks(a, b, n, d);
  uint32_t all = 1u << n;
  for (uint32_t signs = 0; signs < all; signs++) {
    double s = 0;
    for (uint32_t k = 0; k < n; k++)
      s += signs >> k & 1 ? d[k] : -d[k];
    extreme += fabs(s) >= fabs(sum) * (1 - 1e-12);
  }
  return (double)extreme / all;
}

double ww_needs_floor(const ww_job_needs *n, const ww_gpu *g) {
  double us = 0;
  /* what L2 holds when the kernel ends is not written within it */
  double written = fmax(0, n->written_bytes - WW_FIGURE(g, l2_bytes));
  double tensor = fmax(fmax(g->peak_tensor_fp16, g->peak_tensor_bf16),
                       fmax(g->peak_tensor_fp8, g->peak_tensor_int8));
  if (g->dram_peak > 0)
    us = (n->read_bytes + written) / g->dram_peak * 1e-3;
  if (g->peak_fp64 > 0)
    us = fmax(us, n->flops64 / g->peak_fp64 * 1e-6);
  if (g->peak_fp32 > 0)
    us = fmax(us, n->flops32 / g->peak_fp32 * 1e-6);
  if (tensor > 0)
    us = fmax(us, (n->flops16 + n->flops_tensor) / tensor * 1e-6);
  return SLACK * us;
}

/* ---- results ---- */

typedef struct {
  char kind; /* as ww_elem_parts */
  uint32_t bytes;
  double slack; /* of an element and of the buffer's own scale */
} element;

static element element_of(const char *type) {
  element x = {'i', 1, 0};
  uint32_t lanes;
  if (!type || !ww_elem_parts(type, &x.kind, &x.bytes, &lanes))
    return (element){'i', 1, 0};
  if (x.kind == 'f')
    x.slack = x.bytes == 8 ? 1e-9 : x.bytes == 4 ? 1e-4 : 1e-2;
  if (x.kind == 'b')
    x.slack = 5e-2;
  if (x.slack == 0)
    x = (element){'i', x.bytes, 0};
  return x;
}

static double value(const element *x, const char *at) {
  double d;
  float f;
  uint16_t h;
  memcpy(&h, at, 2);
  if (x->bytes == 8) {
    memcpy(&d, at, 8);
    return d;
  }
  if (x->bytes == 4) {
    memcpy(&f, at, 4);
    return f;
  }
  uint32_t wide = (uint32_t)h << 16;
  memcpy(&f, &wide, 4);
  return x->kind == 'b' ? f : ww_half_to_float(h);
}

/* Root of the mean square of what is finite. */
static double scale_of(const element *x, const char *v, uint64_t n) {
  double sum = 0;
  uint64_t count = 0;
  for (uint64_t k = 0; k < n; k++) {
    double one = value(x, v + k * x->bytes);
    if (isfinite(one) && fabs(one) < 1e150) {
      sum += one * one;
      count++;
    }
  }
  return count ? sqrt(sum / count) : 0;
}

static bool near(double want, double got, double slack, double scale) {
  if (isnan(want) || isnan(got))
    return isnan(want) && isnan(got);
  return want == got || fabs(want - got) <= slack * (fabs(want) + scale);
}

bool ww_contents_same(const char *type,
                      const void *want,
                      const void *got,
                      uint64_t bytes,
                      char why[160]) {
  const char *w = want;
  const char *g = got;
  element x = element_of(type);
  uint64_t n = bytes / x.bytes;
  if (!bytes || !memcmp(want, got, bytes))
    return true;
  double scale = x.slack > 0 ? scale_of(&x, w, n) : 0;
  for (uint64_t k = 0; k < n; k++, w += x.bytes, g += x.bytes) {
    if (!memcmp(w, g, x.bytes))
      continue;
    if (x.slack > 0 && near(value(&x, w), value(&x, g), x.slack, scale))
      continue;
    if (x.slack > 0)
      snprintf(why, 160, "element %" PRIu64 " is %.9g instead of %.9g", k, value(&x, g),
               value(&x, w));
    else
      snprintf(why, 160, "element %" PRIu64 " (of %u bytes) differs", k, x.bytes);
    return false;
  }
  snprintf(why, 160, "the bytes behind its last element differ");
  return n * x.bytes == bytes || !memcmp(w, g, bytes - n * x.bytes);
}
