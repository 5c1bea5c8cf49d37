/* correct_int.h - a learned correction in memory: what correct.c applies and
 * correct_fit.c makes.
 *
 * A metric is corrected in a space where errors are alike for small and large:
 * ln((value + floor) / (machine + floor)), or points of a percentage over 100. There,
 * several forests, each learned without some of the families, say what to add: machine
 * + share * mean + shift, where |mean| is above `dead`. As far as they disagree, what
 * they say depends on which families they saw, and the mean shrinks. */
#ifndef WW_PREDICT_CORRECT_INT_H
#define WW_PREDICT_CORRECT_INT_H

#include "correct.h"
#include "trees.h"

typedef enum { WW_IN_NOTHING, WW_IN_LOG, WW_IN_POINTS } ww_correct_in;
typedef struct {
  ww_correct_in space; /* NOTHING: the metric is never corrected */
  double floor;        /* LOG: in the metric's unit, what is too little to matter */
} ww_metric_space;
extern const ww_metric_space ww_metric_spaces[WW_NMETRICS];
/* From the machine model's value to `value`; NaN where there is no way. */
double ww_space_between(const ww_metric_space *s, double machine, double value);

enum { WW_MOST_MEMBERS = 8 };
typedef struct {
  double mean, variance; /* of the forests' answers */
} ww_members;

/* What the size of a residual is predicted from: the launch's features, and behind them
 * what the forests' own answer says of its error. Each forest lacks other families, so
 * how far they disagree is the distance of this launch to what was learned. */
enum {
  WW_DOUBT_SPREAD = WW_NFEATURES, /* ln of the forests' standard deviation */
  WW_DOUBT_SIZE,                  /* of the correction */
  WW_DOUBT_BY,                    /* the correction, with its sign */
  WW_DOUBT_OUTSIDE,               /* features outside the range of the data */
  WW_NDOUBTS
};
typedef struct {
  float v[WW_NDOUBTS];
} ww_doubts;

typedef struct {
  bool known; /* it has intervals, and a correction where it has forests */
  ww_forest forest[WW_MOST_MEMBERS];
  uint32_t members;
  double shrinkage; /* the mean shrinks by mean^2 / (mean^2 + shrinkage * variance) */
  double share, shift, dead, clip;
  ww_forest scale;      /* ln of the residual's size */
  double low, high;     /* of the residual over that size: what 90 % lie between */
  double least;         /* width on either side at least */
  double before, after; /* mean error on the validation split, without and with */
  uint32_t launches;    /* of that split */
} ww_metric_model;

struct ww_correction {
  const char *gpu, *data;
  float lo[WW_NFEATURES], hi[WW_NFEATURES]; /* of the data it was trained on */
  ww_metric_model m[WW_NMETRICS];
};

ww_members ww_members_eval(const ww_forest *f, uint32_t n, const float *x);
/* from what the forests say to the correction */
double ww_metric_model_use(const ww_metric_model *m, ww_members v);
/* by: the correction that was made of what the forests said */
void ww_doubts_of(const ww_correction *c,
                  const ww_features *x,
                  ww_members said,
                  double by,
                  ww_doubts *out);

#endif
