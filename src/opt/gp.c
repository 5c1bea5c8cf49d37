/* gp.c - see gp.h. All matrices are row by row, lower halves. */
#include "gp.h"

#include <math.h>

#define CONSTANT 100.0 /* variance of the unknown constant, of the process' own */

bool ww_cholesky(double *a, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      for (uint32_t k = 0; k < j; k++)
        sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0))
        return false;
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
  return true;
}

/* L z = b */
static void forward(const double *l, uint32_t n, double *b) {
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < i; k++)
      b[i] -= l[i * n + k] * b[k];
    b[i] /= l[i * n + i];
  }
}

void ww_cholesky_solve(const double *l, uint32_t n, double *b) {
  forward(l, n, b);
  for (uint32_t i = n; i-- > 0;) {
    for (uint32_t k = i + 1; k < n; k++)
      b[i] -= l[k * n + i] * b[k];
    b[i] /= l[i * n + i];
  }
}

double ww_gp_kernel(const double *a, const double *b, uint32_t d, double length) {
  double sum = 0;
  for (uint32_t k = 0; k < d; k++)
    sum += (a[k] - b[k]) * (a[k] - b[k]);
  double r = sqrt(5 * sum) / length;
  return (1 + r + r * r / 3) * exp(-r);
}

/* The covariance that the process itself has between two points, of its variance. */
static double between(const ww_gp *g, const double *a, const double *b) {
  return CONSTANT + ww_gp_kernel(a, b, g->d, g->length);
}

void ww_gp_with(const double *x,
                const double *y,
                uint32_t n,
                uint32_t d,
                const ww_gp_prior *prior,
                ww_arena *a,
                ww_gp *io) {
  double *c = WW_NEWN(a, double, (size_t)n *n + 1);
  double *r = WW_NEWN(a, double, n + 1);
  double before = prior->weight * prior->sd * prior->sd;
  double fit = 0;
  double logdet = 0;
  *io = (ww_gp){.x = x,
                .n = n,
                .d = d,
                .mean = prior->mean,
                .length = io->length,
                .noise = io->noise,
                .factor = c,
                .solved = r,
                .freedom = prior->weight + n,
                .evidence = -INFINITY};
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j <= i; j++)
      c[i * n + j] =
          between(io, &x[(size_t)i * d], &x[(size_t)j * d]) + (i == j) * io->noise;
  if (!ww_cholesky(c, n))
    return;
  for (uint32_t i = 0; i < n; i++)
    r[i] = y[i] - prior->mean;
  ww_cholesky_solve(c, n, r);
  for (uint32_t i = 0; i < n; i++) {
    fit += (y[i] - prior->mean) * r[i];
    logdet += 2 * log(c[i * n + i]);
  }
  io->variance = (before + fit) / io->freedom;
  io->evidence = lgamma(io->freedom / 2) - lgamma(prior->weight / 2) +
                 prior->weight / 2 * log(before) - logdet / 2 - n / 2. * log(M_PI) -
                 io->freedom / 2 * log(before + fit);
}

void ww_gp_fit(const double *x,
               const double *y,
               uint32_t n,
               uint32_t d,
               const ww_gp_prior *prior,
               ww_arena *a,
               ww_gp *out) {
  static const double lengths[] = {0.35, 0.6, 1, 1.6, 2.5, 4};
  static const double noises[] = {1e-4, 1e-2, 0.1, 1};
  *out = (ww_gp){.evidence = -INFINITY};
  for (uint32_t l = 0; l < WW_COUNT(lengths); l++)
    for (uint32_t k = 0; k < WW_COUNT(noises); k++) {
      ww_gp g = {
          .length = lengths[l],
          .noise = noises[k],
      };
      ww_gp_with(x, y, n, d, prior, a, &g);
      /* lengths far from 1 have to be worth it */
      g.evidence -= 0.5 * log(g.length) * log(g.length);
      if (g.evidence > out->evidence || (l == 2 && k == 1 && n < 2))
        *out = g;
    }
}

void ww_gp_at(const ww_gp *g, const double *x, double *mean, double *sd) {
  double k[512];
  double m = g->mean;
  double left = CONSTANT + 1;
  uint32_t n = g->n < WW_COUNT(k) ? g->n : WW_COUNT(k);
  for (uint32_t i = 0; i < n; i++) {
    k[i] = between(g, x, &g->x[(size_t)i * g->d]);
    m += k[i] * g->solved[i];
  }
  forward(g->factor, n, k);
  for (uint32_t i = 0; i < n; i++)
    left -= k[i] * k[i];
  double wide = g->freedom > 3 ? g->freedom / (g->freedom - 2) : 3;
  *mean = m;
  *sd = sqrt(fmax(left, 1e-9) * g->variance * wide);
}

double ww_gp_gain(double best, double mean, double sd) {
  if (!(sd > 0))
    return fmax(0, best - mean);
  double z = (best - mean) / sd;
  double below = 0.5 * erfc(-z / M_SQRT2);
  return (best - mean) * below + sd * exp(-z * z / 2) / sqrt(2 * M_PI);
}
