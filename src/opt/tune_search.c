/* tune_search.c - which variant to measure next, and how sure the best is the best.
 *
 * Two Gaussian processes see the same measurements: one of ln(measured / predicted),
 * one of ln(measured). The one with the higher evidence says what is expected of the
 * others. With the predictor the variant that is expected to be the fastest is next:
 * where to look is known, and few measurements are better spent there than on what is
 * least known. Without it the one with the highest expected improvement is. Before
 * anything is measured the prediction's order counts. */
#include <math.h>

#include "../base/random.h"
#include "tune.h"

#define MIN_SPREAD 0.05 /* of ln: what a prediction is never surer of */
#define WEIGHT 6        /* observations that a prior's spread is worth */
#define DRAWS 2000
#define MOST_DRAWN 200 /* variants that can be the best */

/* What is known of all variants, in logarithms of time a unit of work. */
typedef struct {
  const ww_tune *t;
  ww_arena *a;
  uint32_t *pool; /* those that can run */
  uint32_t n;
  uint32_t d;     /* coordinates: axes with a choice, and the prediction */
  double *x;      /* [n][d] */
  double *guess;  /* [n] ln predicted */
  double *value;  /* [n] ln measured; NaN: not */
  uint32_t *seen; /* [nseen] of pool, measured */
  uint32_t nseen;
  bool predicted;      /* something is */
  double spread;       /* of ln(measured / predicted), as the intervals say */
  double middle, wide; /* of the guesses */
} view;

static int by_value(const void *x, const void *y) {
  double a = *(const double *)x;
  double b = *(const double *)y;
  return a < b ? -1 : a > b;
}

static double median(const double *v, uint32_t n, ww_arena *a) {
  double *copy = WW_NEWN(a, double, n + 1);
  memcpy(copy, v, n * sizeof *v);
  qsort(copy, n, sizeof *copy, by_value);
  return n ? copy[n / 2] : 0;
}

static void guesses(view *w) {
  const ww_tune *t = w->t;
  double *known = WW_NEWN(w->a, double, w->n + 1);
  double *spread = WW_NEWN(w->a, double, w->n + 1);
  uint32_t n = 0;
  for (uint32_t k = 0; k < w->n; k++) {
    const ww_tuned *v = &t->v[w->pool[k]];
    if (!v->known)
      continue;
    known[n] = log(v->us / v->work);
    spread[n++] = log(fmax(v->high, v->us) / fmin(v->low, v->us)) / (2 * 1.645);
  }
  w->predicted = n > 0;
  w->middle = median(known, n, w->a);
  w->spread = fmax(MIN_SPREAD, median(spread, n, w->a));
  double sum = 0;
  for (uint32_t k = 0; k < n; k++)
    sum += (known[k] - w->middle) * (known[k] - w->middle);
  w->wide = fmax(0.2, n ? sqrt(sum / n) : 0.5);
  w->guess = WW_NEWN(w->a, double, w->n + 1);
  for (uint32_t k = 0; k < w->n; k++) {
    const ww_tuned *v = &t->v[w->pool[k]];
    w->guess[k] = v->known ? log(v->us / v->work) : w->middle + w->wide;
  }
}

static void coordinates(view *w) {
  const ww_axes *s = w->t->space;
  uint32_t axis[WW_MOST_AXES];
  for (uint32_t k = 0; k < s->n; k++)
    if (s->axes[k].n > 1)
      axis[w->d++] = k;
  w->x = WW_NEWN(w->a, double, (size_t)w->n *(w->d + 1) + 1);
  for (uint32_t k = 0; k < w->n; k++)
    for (uint32_t i = 0; i < w->d; i++)
      w->x[(size_t)k * w->d + i] =
          ww_space_place(&s->axes[axis[i]], w->t->v[w->pool[k]].c[axis[i]]);
}

static void open_view(const ww_tune *t, view *w) {
  *w = (view){.t = t, .a = ww_arena_new()};
  w->pool = WW_NEWN(w->a, uint32_t, t->n + 1);
  w->seen = WW_NEWN(w->a, uint32_t, t->n + 1);
  w->value = WW_NEWN(w->a, double, t->n + 1);
  for (uint32_t k = 0; k < t->n; k++) {
    if (t->v[k].refused || isinf(t->v[k].measured_us))
      continue;
    w->value[w->n] = log(t->v[k].measured_us / t->v[k].work);
    if (!isnan(t->v[k].measured_us))
      w->seen[w->nseen++] = w->n;
    w->pool[w->n++] = k;
  }
  guesses(w);
  coordinates(w);
}

/* How much slower than predicted something is says nothing of others once it is far
 * more than the rest: a prediction that misses what a variant does at all would make
 * all of its neighbours slow. */
static void bound_misses(const view *w, double *y) {
  double most = median(y, w->nseen, w->a) + w->spread;
  for (uint32_t k = 0; k < w->nseen; k++)
    y[k] = fmin(y[k], most);
}

/* The process of ln(measured), or of ln(measured / predicted); bounded: for what to
 * expect, not for how well it explains what was measured. */
static void fit(const view *w, bool predictor, bool bounded, ww_gp *out) {
  double *x = WW_NEWN(w->a, double, (size_t)w->nseen * w->d + 1);
  double *y = WW_NEWN(w->a, double, w->nseen + 1);
  for (uint32_t k = 0; k < w->nseen; k++) {
    uint32_t i = w->seen[k];
    memcpy(&x[(size_t)k * w->d], &w->x[(size_t)i * w->d], w->d * sizeof *x);
    y[k] = w->value[i] - (predictor ? w->guess[i] : 0);
  }
  if (bounded)
    bound_misses(w, y);
  ww_gp_prior prior = {.mean = predictor ? 0 : w->middle,
                       .sd = predictor ? w->spread : w->wide,
                       .weight = WEIGHT};
  ww_gp_fit(x, y, w->nseen, w->d, &prior, w->a, out);
}

/* The process to go by. */
static bool choose(const view *w, ww_gp *out, double evidence[2]) {
  ww_gp g[2];
  fit(w, false, false, &g[0]);
  fit(w, true, false, &g[1]);
  evidence[0] = g[0].evidence;
  evidence[1] = g[1].evidence;
  bool predictor = w->predicted && (!w->nseen || g[1].evidence >= g[0].evidence);
  *out = g[0];
  if (predictor)
    fit(w, true, true, out);
  return predictor;
}

static void expect(
    const view *w, const ww_gp *g, bool predictor, uint32_t k, double *m, double *sd) {
  ww_gp_at(g, &w->x[(size_t)k * w->d], m, sd);
  if (predictor)
    *m += w->guess[k];
}

typedef struct {
  double gain;
  uint32_t k;
} gain;

static int by_gain(const void *x, const void *y) {
  const gain *a = x;
  const gain *b = y;
  return a->gain > b->gain   ? -1
         : a->gain < b->gain ? 1
         : a->k < b->k       ? -1
                             : a->k > b->k;
}

/* The best that was seen; infinite: nothing was. */
static double best_seen(const view *w, uint32_t *which) {
  double best = INFINITY;
  for (uint32_t k = 0; k < w->nseen; k++)
    if (w->value[w->seen[k]] < best) {
      best = w->value[w->seen[k]];
      *which = w->pool[w->seen[k]];
    }
  return best;
}

/* The next of the pool, and the highest gain that is expected of any; false: all were
 * seen. */
static bool
most_promising(const view *w, const ww_gp *g, bool predictor, double best, gain *out) {
  double most = -INFINITY;
  *out = (gain){-INFINITY, UINT32_MAX};
  for (uint32_t k = 0; k < w->n; k++) {
    double m;
    double sd;
    if (!isnan(w->value[k]))
      continue;
    expect(w, g, predictor, k, &m, &sd);
    double improved = isinf(best) ? -m : ww_gp_gain(best, m, sd);
    double now = predictor ? -m : improved;
    out->gain = fmax(out->gain, improved);
    if (now > most) {
      most = now;
      out->k = k;
    }
  }
  return out->k != UINT32_MAX;
}

uint32_t
ww_tune_next(const ww_tune *t, uint32_t most, uint32_t *out, ww_search_state *state) {
  view w;
  uint32_t n = 0;
  open_view(t, &w);
  *state = (ww_search_state){.best = UINT32_MAX, .expected_gain = INFINITY};
  for (; n < most; n++) {
    ww_gp g;
    gain next;
    uint32_t best = UINT32_MAX;
    double evidence[2];
    bool predictor = choose(&w, &g, evidence);
    double least = best_seen(&w, &best);
    if (!most_promising(&w, &g, predictor, least, &next))
      break;
    if (!n) {
      state->predictor = predictor;
      state->best = best;
      memcpy(state->evidence, evidence, sizeof evidence);
      if (!isinf(least))
        state->expected_gain = next.gain;
    }
    out[n] = w.pool[next.k];
    /* of several at a time, each but the first supposes that those before it turn out
     * as expected */
    double sd;
    expect(&w, &g, predictor, next.k, &w.value[next.k], &sd);
    w.seen[w.nseen++] = next.k;
  }
  if (!n)
    state->expected_gain = 0;
  ww_arena_free(w.a);
  return n;
}

/* ---- how sure ---- */

static double normal(uint64_t *state) {
  double u = ((ww_random(state) >> 11) + 0.5) * 0x1p-53;
  double v = ((ww_random(state) >> 11) + 0.5) * 0x1p-53;
  return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Those that are expected to be quickest, what can be the best; where something was
 * measured, first the best of that. */
static uint32_t quickest(const view *w, const ww_gp *g, bool predictor, gain *out) {
  for (uint32_t k = 0; k < w->n; k++) {
    double m;
    double sd;
    expect(w, g, predictor, k, &m, &sd);
    out[k] = (gain){-(isnan(w->value[k]) ? m : w->value[k]), k};
  }
  qsort(out, w->n, sizeof *out, by_gain);
  for (uint32_t k = 0; k < w->n && w->nseen; k++)
    if (!isnan(w->value[out[k].k])) {
      gain best = out[k];
      memmove(out + 1, out, k * sizeof *out);
      out[0] = best;
      break;
    }
  return w->n < MOST_DRAWN ? w->n : MOST_DRAWN;
}

/* Draws of all of them together: neighbours err alike. What was measured is known. */
static void draw_best(const view *w,
                      const ww_gp *g,
                      bool predictor,
                      const gain *of,
                      uint32_t n,
                      uint64_t seed,
                      ww_tune_verdict *out) {
  double *c = WW_NEWN(w->a, double, (size_t)n *n + 1);
  double *mean = WW_NEWN(w->a, double, n);
  double *sd = WW_NEWN(w->a, double, n);
  double *z = WW_NEWN(w->a, double, n);
  uint64_t state = seed + 1;
  for (uint32_t i = 0; i < n; i++) {
    const ww_tuned *v = &w->t->v[w->pool[of[i].k]];
    expect(w, g, predictor, of[i].k, &mean[i], &sd[i]);
    if (!w->nseen)
      sd[i] = w->spread; /* what all have in common changes no order */
    if (!isnan(v->measured_us)) {
      mean[i] = w->value[of[i].k];
      sd[i] = 0;
    }
    for (uint32_t j = 0; j <= i; j++)
      c[(size_t)i * n + j] =
          ww_gp_kernel(&w->x[(size_t)of[i].k * w->d], &w->x[(size_t)of[j].k * w->d],
                       w->d, g->length) +
          (i == j) * 1e-6;
  }
  if (!ww_cholesky(c, n))
    return;
  for (int k = 0; k < DRAWS; k++) {
    double least = INFINITY;
    double first = 0;
    for (uint32_t i = 0; i < n; i++)
      z[i] = normal(&state);
    for (uint32_t i = 0; i < n; i++) {
      double e = 0;
      for (uint32_t j = 0; j <= i; j++)
        e += c[(size_t)i * n + j] * z[j];
      double value = mean[i] + sd[i] * e;
      first = i ? first : value;
      least = fmin(least, value);
    }
    out->sure += (first <= least) / (double)DRAWS;
    out->within += (first <= least + log(1.05)) / (double)DRAWS;
    out->loss += (exp(first - least) - 1) / DRAWS;
  }
}

bool ww_tune_best(const ww_tune *t, uint64_t seed, ww_tune_verdict *out) {
  view w;
  ww_gp g;
  double evidence[2];
  open_view(t, &w);
  *out = (ww_tune_verdict){.best = UINT32_MAX};
  bool any = false;
  for (uint32_t k = 0; k < w.n; k++)
    any |= t->v[w.pool[k]].known || !isnan(t->v[w.pool[k]].measured_us);
  if (any) {
    gain *of = WW_NEWN(w.a, gain, w.n + 1);
    bool predictor = choose(&w, &g, evidence);
    uint32_t n = quickest(&w, &g, predictor, of);
    const ww_tuned *v = &t->v[w.pool[of[0].k]];
    double m;
    double sd;
    expect(&w, &g, predictor, of[0].k, &m, &sd);
    bool seen = !isnan(v->measured_us);
    out->best = w.pool[of[0].k];
    out->us = seen ? v->measured_us : w.nseen ? exp(m) * v->work : v->us;
    out->low = seen ? v->measured_us : w.nseen ? out->us * exp(-1.645 * sd) : v->low;
    out->high = seen ? v->measured_us : w.nseen ? out->us * exp(1.645 * sd) : v->high;
    draw_best(&w, &g, predictor, of, n, seed, out);
  }
  ww_arena_free(w.a);
  return any;
}
