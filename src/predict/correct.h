/* correct.h - what was learned from measurements on top of the machine model: log(measured / machine model), per metric, from features of the
 * trace; with intervals that hold on kernels it has not seen.
 *
 *   features.def, features.c  a prediction -> a vector of numbers that mean the same on every GPU (ratios, logs of per-SM quantities)
 *   trees.c                   gradient-boosted regression trees: fit and evaluate, deterministic
 *   correct.c                 load, apply: report by machine -> by grounded, self-consistent; falls back to physics outside its data
 *   correct_fit.c             rows of (features, machine, measured) -> model, conformal intervals by family-wise cross-validation
 *
 * models/correction.json.zst is written by `warpwise train --correction`. */
#ifndef WW_PREDICT_CORRECT_H
#define WW_PREDICT_CORRECT_H

#include "predict.h"

typedef enum {
#define FEATURE(name, ...) WW_F_##name,
#include "features.def"
  WW_NFEATURES
} ww_feature;
extern const char *const ww_feature_names[WW_NFEATURES];
typedef struct {
  float v[WW_NFEATURES]; /* finite */
} ww_features;
void ww_features_of(const ww_prediction *p, const ww_gpu *g, ww_features *out);

typedef struct ww_correction ww_correction;
/* The shipped one, from the data folder's models/; *out NULL and WW_OK where there is none. */
ww_status ww_correction_load(ww_arena *a, const ww_correction **out, ww_err *e);
/* Corrects p->report in place (by: grounded). Metrics the model has nothing for stay the machine model's. */
void ww_correct(const ww_correction *c, const ww_gpu *g, ww_arena *a, ww_prediction *p);

/* ---- training ---- */
typedef struct {
  ww_features x;
  float machine[WW_NMETRICS], measured[WW_NMETRICS]; /* NaN unknown */
  uint32_t family;   /* folds go by it */
  uint8_t split;     /* ww_split's values: 0 train, 1 validation, 2 test */
  float weight;
} ww_correct_row;
typedef struct {
  uint32_t rounds, leaves, folds; /* 0: defaults */
  double rate;
  uint64_t seed;
} ww_correct_options;
ww_status ww_correct_fit(const ww_correct_row *rows, uint32_t n, const ww_correct_options *o, ww_arena *a, ww_correction **out, ww_buf *log, ww_err *e);
void ww_correction_write(const ww_correction *c, ww_buf *out); /* JSON */

#endif
