/* correct.h - what was learned from measurements on top of the machine model:
 * log(measured / machine model), per metric, from features of the trace; with intervals
 * that hold on kernels it has not seen.
 *
 * correct.c: load, apply: report by machine -> by grounded, self-consistent; falls back
 * to physics outside its data. correct_fit.c: rows of (features, machine, measured) ->
 * model, conformal intervals by family-wise cross-validation. trees.c: gradient-boosted
 * regression trees, deterministic.
 *
 * models/correction.json.zst is written by `warpwise train --correction`. */
#ifndef WW_PREDICT_CORRECT_H
#define WW_PREDICT_CORRECT_H

#include "../model/predict.h"

typedef struct ww_correction ww_correction;
/* The shipped one, from the data folder's models/; *out NULL and WW_OK where there is
 * none. */
ww_status ww_correction_load(ww_arena *a, const ww_correction **out, ww_err *e);
ww_status
ww_correction_read(const char *path, ww_arena *a, ww_correction **out, ww_err *e);
ww_status ww_correction_parse(
    const char *text, size_t n, ww_arena *a, ww_correction **out, ww_err *e);
/* Whether it was learned from measurements of this GPU. On any other one the answer
 * stays the machine model's, with its own interval: what a model gets wrong on one chip
 * says little of another. */
bool ww_correction_knows(const ww_correction *c, const ww_gpu *g);
/* Corrects p->report and p->timing's us, low and high in place (by: grounded). Metrics
 * the model has nothing for stay the machine model's; so does everything where the
 * features lie far outside those it was trained on (by: machine). */
void ww_correct(const ww_correction *c, const ww_gpu *g, ww_arena *a, ww_prediction *p);

/* One metric of one launch, from its features and what the machine model says; false:
 * nothing was learned about it. `trust` is ww_correction_trust's. */
/* 1: like its data; 0: nothing like it */
double ww_correction_trust(const ww_correction *c, const ww_features *x);
bool ww_correction_value(const ww_correction *c,
                         ww_metric m,
                         const ww_features *x,
                         double trust,
                         double machine,
                         ww_quantity *out);

/* ---- training ---- */
typedef struct {
  ww_features x;
  float machine[WW_NMETRICS], measured[WW_NMETRICS]; /* NaN unknown */
  uint32_t family;                                   /* folds go by it */
  /* rows of one kernel share their weight */
  uint32_t kernel;
  uint32_t number; /* which launch of the kernel, as the store has it */
  uint8_t split;   /* ww_split's values: 0 train, 1 validation, 2 test */
  uint8_t origin;  /* ww_origin's values: 1 generated */
  /* what the machine model says in words: ww_term, ww_pipe, ww_limit */
  uint8_t bottleneck, busiest, limiter;
} ww_correct_row;

typedef struct {
  uint32_t rounds, leaves, folds; /* 0: defaults */
  double rate;
  uint64_t seed;
  const char *gpu, *data; /* what the rows are of, for the file */
} ww_correct_options;
/* Rows of a kernel, kernels of a family, written kernels and generated ones: none of
 * them outvotes the others. Hyper-parameters by cross-validation over the families of
 * split 0; a metric's correction stays if it helps on split 1; then fitted on both.
 * Split 2 is never looked at. The log says what was decided. */
ww_status ww_correct_fit(const ww_correct_row *rows,
                         uint32_t n,
                         const ww_correct_options *o,
                         ww_arena *a,
                         ww_correction **out,
                         ww_buf *log,
                         ww_err *e);
/* The intervals of the time alone, again: forests of the size of c's are fitted with
 * families left out, and what they miss by gives the interval. c's own stay as they
 * are, and so does every value that it predicts. */
ww_status ww_correct_intervals(
    const ww_correct_row *rows, uint32_t n, ww_arena *a, ww_correction *c, ww_err *e);
void ww_correction_write(const ww_correction *c, ww_buf *out); /* JSON */

/* Errors of one metric over the rows of a split and origin (-1: any), as ww_score has
 * them. */
typedef struct {
  uint32_t n;
  double machine_median, machine_mean, median, mean, inside; /* fractions, or points */
} ww_correct_score;
void ww_correct_score_of(const ww_correction *c,
                         const ww_correct_row *rows,
                         uint32_t n,
                         ww_metric m,
                         int split,
                         int origin,
                         ww_correct_score *out);

#endif
