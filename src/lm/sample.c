/* sample.c - draws a token: logits / temperature, the top_k best, the smallest set of
 * these that has top_p of the probability.
 *
 * Candidates far below the best cannot be drawn in any case that a float shows, and are
 * left out. The rest is sorted only where an order is asked for: by top_k or top_p. */
#include "sample.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  float logit;
  int32_t id;
  double weight; /* e^((logit - best) / temperature) */
} candidate;

struct ww_sampler {
  ww_sample_options o;
  uint32_t vocab;
  uint64_t drawn; /* the generator is counter-based */
  candidate *c;   /* [vocab] */
};

ww_sampler *ww_sampler_new(const ww_sample_options *o, uint32_t vocab) {
  ww_sampler *s = ww_xcalloc(1, sizeof *s);
  s->o = *o;
  s->vocab = vocab;
  s->c = ww_xmalloc(vocab * sizeof *s->c);
  return s;
}

void ww_sampler_free(ww_sampler *s) {
  if (s)
    free(s->c);
  free(s);
}

/* [0, 1) */
static double uniform(ww_sampler *s) {
  uint64_t k = s->drawn++;
  return (ww_hash(&k, sizeof k, s->o.seed) >> 11) * 0x1p-53;
}

/* Higher first; of equal ones the lower id, so that the order is the same everywhere.
 */
static int by_logit(const void *a, const void *b) {
  const candidate *x = a;
  const candidate *y = b;
  if (x->logit != y->logit)
    return x->logit < y->logit ? 1 : -1;
  return x->id < y->id ? -1 : x->id > y->id;
}

static int32_t greedy(const float *logits, uint32_t n) {
  int32_t best = -1;
  for (uint32_t k = 0; k < n; k++) {
    if (isnan(logits[k]))
      return -1;
    if (logits[k] > -INFINITY && (best < 0 || logits[k] > logits[best]))
      best = k;
  }
  return best;
}

int32_t ww_sampler_next(ww_sampler *s, const float *logits) {
  const ww_sample_options *o = &s->o;
  int32_t best = greedy(logits, s->vocab);
  if (best < 0 || o->temperature <= 0)
    return best;
  uint32_t n = 0;
  float floor = logits[best] - 30 * o->temperature; /* e^-30: never drawn */
  for (uint32_t k = 0; k < s->vocab; k++)
    if (logits[k] >= floor)
      s->c[n++] = (candidate){logits[k], k,
                              exp((double)(logits[k] - logits[best]) / o->temperature)};
  bool nucleus = o->top_p > 0 && o->top_p < 1;
  if (o->top_k || nucleus)
    qsort(s->c, n, sizeof *s->c, by_logit);
  if (o->top_k && n > o->top_k)
    n = o->top_k;
  double all = 0;
  double sum = 0;
  for (uint32_t k = 0; k < n; k++)
    all += s->c[k].weight;
  if (nucleus) {
    uint32_t m = 0;
    while (m < n && sum < o->top_p * all)
      sum += s->c[m++].weight;
    n = m;
    all = sum;
  }
  double left = uniform(s) * all;
  for (uint32_t k = 0; k < n; k++)
    if ((left -= s->c[k].weight) < 0)
      return s->c[k].id;
  return s->c[n - 1].id;
}

double ww_log_prob(const float *logits, uint32_t n, int32_t of) {
  double most = -INFINITY;
  double sum = 0;
  for (uint32_t k = 0; k < n; k++)
    most = fmax(most, logits[k]);
  for (uint32_t k = 0; k < n; k++)
    sum += exp(logits[k] - most);
  return logits[of] - most - log(sum);
}
