/* fit.h - finds the free parameters of the time model from measured launches. */
#ifndef WW_FIT_H
#define WW_FIT_H

#include "../model/predict.h"

typedef struct {
  ww_work work; /* what the model was told */
  double measured_us;
  const char *family; /* kernels that are alike: left out together */
  const char *name;   /* for messages */
} ww_fit_sample;

typedef struct {
  double median, mean; /* of |predicted / measured - 1| */
  double log_mean;     /* of |ln(predicted / measured)| */
  double within20;     /* share */
  uint32_t n;
} ww_fit_error;

typedef struct {
  ww_params params;
  /* before, in the sample, each family by a fit without it */
  ww_fit_error start, fitted, crossed;
  const char **families;
  ww_fit_error *by_family; /* of the crossed ones */
  uint32_t nfamilies;
  double *crossed_us; /* per sample */
} ww_fit_result;

/* What puts counters that the hardware counted in the place of predicted ones, to see
 * how good the time model is alone. */
void ww_work_measured(ww_work *w, const ww_report *measured);
/* us: the predicted times */
ww_fit_error
ww_fit_errors(const ww_fit_sample *s, uint32_t n, const double *us, ww_arena *a);
/* cross: predict each family by a fit without it and some others, too. */
void ww_fit(const ww_fit_sample *s,
            uint32_t n,
            const ww_gpu *g,
            bool cross,
            ww_arena *a,
            ww_fit_result *out);
void ww_fit_write(const ww_fit_result *r,
                  const ww_gpu *g,
                  const char *data,
                  ww_buf *out); /* models/machine.json */

#endif
