/* features.h - a prediction of the machine model as numbers for those who learn. */
#ifndef WW_PREDICT_FEATURES_H
#define WW_PREDICT_FEATURES_H

/* A prediction as numbers that mean the same on every GPU: ratios, logs of quantities
 * of one SM. What is learned from measurements is learned from these. */
typedef enum {
#define FEATURE(name, ...) WW_F_##name,
#include "features.def"
  WW_NFEATURES
} ww_feature;
extern const char *const ww_feature_names[WW_NFEATURES];
typedef struct {
  float v[WW_NFEATURES]; /* finite */
} ww_features;

#endif
