/* gp.h - Gaussian processes over configurations: few points, a small Cholesky.
 *
 * Matern 5/2 over coordinates between 0 and 1, one length for all of them, an unknown
 * constant and noise; the variance has a prior and is integrated out, so that evidences
 * can be compared from the first measurement on. Length and noise are those of the
 * highest evidence on a grid. */
#ifndef WW_OPT_GP_H
#define WW_OPT_GP_H

#include "../base/base.h"

typedef struct {
  double mean, sd; /* of the values, before any is known */
  double weight;   /* of that sd, in observations */
} ww_gp_prior;

typedef struct {
  const double *x; /* [n][d] */
  double *solved;  /* [n] C^-1 (y - mean) */
  double *factor;  /* [n][n] lower: C = L L' */
  uint32_t n, d;
  double mean, length, noise; /* noise: of the variance */
  double variance;            /* posterior */
  double freedom;             /* degrees of */
  double evidence;            /* ln of the marginal likelihood */
} ww_gp;

/* L of a = L L', in place, lower half; false: not positive definite. */
bool ww_cholesky(double *a, uint32_t n);
void ww_cholesky_solve(const double *l, uint32_t n, double *b); /* C^-1 b, in place */
double ww_gp_kernel(const double *a, const double *b, uint32_t d, double length);

/* With this length and noise. */
void ww_gp_with(const double *x,
                const double *y,
                uint32_t n,
                uint32_t d,
                const ww_gp_prior *prior,
                ww_arena *a,
                ww_gp *io); /* length and noise are given */
/* With those of the highest evidence. n may be 0: the prior. x stays the caller's. */
void ww_gp_fit(const double *x,
               const double *y,
               uint32_t n,
               uint32_t d,
               const ww_gp_prior *prior,
               ww_arena *a,
               ww_gp *out);
/* What it expects at a point, without the noise. */
void ww_gp_at(const ww_gp *g, const double *x, double *mean, double *sd);
/* By how much a point is expected to lie below `best`. */
double ww_gp_gain(double best, double mean, double sd);

#endif
