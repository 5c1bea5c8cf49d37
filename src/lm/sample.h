/* sample.h - the next token out of logits: greedy, temperature, top-k, top-p. */
#ifndef WW_LM_SAMPLE_H
#define WW_LM_SAMPLE_H

#include "../base/base.h"

typedef struct {
  float temperature; /* 0: greedy */
  float top_p;       /* 0 or 1: all */
  uint32_t top_k;    /* 0: all */
  uint64_t seed;     /* the same seed gives the same text */
} ww_sample_options;

typedef struct ww_sampler ww_sampler;
ww_sampler *ww_sampler_new(const ww_sample_options *o, uint32_t vocab);
void ww_sampler_free(ww_sampler *s); /* accepts NULL */
/* Logits of -INFINITY are never taken; -1 where all are, or where one is NaN. */
int32_t ww_sampler_next(ww_sampler *s, const float *logits);
/* log softmax of one entry */
double ww_log_prob(const float *logits, uint32_t n, int32_t of);

#endif
