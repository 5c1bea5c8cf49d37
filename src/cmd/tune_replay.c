/* tune_replay.c - `tune --replay`: pools of variants whose times somebody has recorded;
 * how many measurements until one is within 5 % of the pool's best, with the predictor,
 * without it, and by chance; what the first choice is worth; what is refused.
 *
 * Pools are drawn from one set of predicted variants. The set's predictions are kept in
 * WARPWISE_REPLAY where that names a file, so that another run has them. */
#include "tune_replay.h"

#include <math.h>

#include "../base/random.h"
#include "cmd.h"

#define POOLS 40
#define SET 400
#define MOST_STEPS 100
#define NEAR 1.05

typedef struct {
  ww_tune *t;
  const ww_tuner_file *f;
  const ww_recorded **of; /* per variant */
  ww_arena *a;
} replay;

static double truth(const replay *r, uint32_t k) {
  return 1e3 * r->of[k]->ms / r->t->v[k].work;
}

/* ---- the set ---- */

static ww_status make_set(replay *r, const ww_replay *how, ww_err *e) {
  uint32_t n = r->f->v.n;
  uint32_t most = how->most ? how->most : SET;
  uint32_t failed = 0;
  uint32_t *order = WW_NEWN(r->a, uint32_t, n + 1);
  ww_config *configs = ww_alloc(r->a, ((size_t)2 * most + 1) * sizeof *configs);
  r->of = WW_NEWN(r->a, const ww_recorded *, (size_t)2 * most + 1);
  uint64_t state = how->seed;
  uint32_t taken = 0;
  for (uint32_t k = 0; k < n; k++)
    order[k] = k;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t with = k + ww_random(&state) % (n - k);
    uint32_t one = order[with];
    const ww_recorded *v = &r->f->v.v[one];
    order[with] = order[k];
    bool wanted = v->error ? failed < most : taken - failed < most;
    if (!v->error && v->records < how->records)
      continue;
    if (!wanted || taken == 2 * most)
      continue;
    failed += v->error != NULL;
    memcpy(configs[taken], v->c, sizeof *configs);
    r->of[taken++] = v;
  }
  if (taken == failed)
    return ww_fail(e, WW_EDATA, "no variant has %lu recorded times",
                   how->records > 1 ? how->records : 1);
  return ww_tune_begin(r->t, configs, taken, e);
}

/* ---- one pool ---- */

/* The search over a pool, until it is near its best; blind: without the predictor. */
static uint32_t steps(const replay *r, const uint32_t *pool, uint32_t n, bool blind) {
  ww_tune t = *r->t;
  double best = INFINITY;
  t.a = ww_arena_new();
  t.v = WW_NEWN(t.a, ww_tuned, n);
  t.n = n;
  for (uint32_t k = 0; k < n; k++) {
    t.v[k] = r->t->v[pool[k]];
    t.v[k].measured_us = NAN;
    if (!r->of[pool[k]]->error)
      best = fmin(best, truth(r, pool[k]));
    if (blind) {
      t.v[k].refused = NULL;
      t.v[k].known = false;
    }
  }
  uint32_t done = 0;
  for (; done < n; done++) {
    uint32_t next;
    ww_search_state state;
    if (!ww_tune_next(&t, 1, &next, &state)) {
      done = n - 1; /* what is near the best was refused */
      break;
    }
    bool failed = r->of[pool[next]]->error != NULL;
    t.v[next].measured_us = failed ? INFINITY : truth(r, pool[next]) * t.v[next].work;
    if (!failed && truth(r, pool[next]) <= NEAR * best)
      break;
  }
  ww_arena_free(t.a);
  return done + 1;
}

static double by_chance(const replay *r, const uint32_t *pool, uint32_t n) {
  double best = INFINITY;
  uint32_t near = 0;
  for (uint32_t k = 0; k < n; k++)
    if (!r->of[pool[k]]->error)
      best = fmin(best, truth(r, pool[k]));
  for (uint32_t k = 0; k < n; k++)
    near += !r->of[pool[k]]->error && truth(r, pool[k]) <= NEAR * best;
  return (n + 1.0) / (near + 1.0);
}

/* What the best predicted is worth, of the pool's best; 0: it cannot run. */
static double first_choice(const replay *r, const uint32_t *pool, uint32_t n) {
  double best = INFINITY;
  double least = INFINITY;
  double got = INFINITY;
  for (uint32_t k = 0; k < n; k++) {
    const ww_tuned *v = &r->t->v[pool[k]];
    bool runs = !r->of[pool[k]]->error;
    if (runs)
      best = fmin(best, truth(r, pool[k]));
    if (v->refused || !v->known || v->us / v->work >= least)
      continue;
    least = v->us / v->work;
    got = runs ? truth(r, pool[k]) : INFINITY;
  }
  return best / got;
}

/* What the records themselves allow: the first time of each as its prediction, judged
 * by the second one. */
typedef struct {
  double first;
  uint32_t steps;
} repetition;

static repetition repeat(const replay *r, const uint32_t *pool, uint32_t n) {
  double best = INFINITY;
  double least = INFINITY;
  double enough = INFINITY; /* the smallest first time of those near the best */
  repetition out = {0, 1};
  for (uint32_t k = 0; k < n; k++)
    best = fmin(best, r->of[pool[k]]->each[1] / r->t->v[pool[k]].work);
  for (uint32_t k = 0; k < n; k++) {
    double work = r->t->v[pool[k]].work;
    double guess = r->of[pool[k]]->each[0] / work;
    double got = r->of[pool[k]]->each[1] / work;
    if (guess < least) {
      least = guess;
      out.first = best / got;
    }
    if (got <= NEAR * best)
      enough = fmin(enough, guess);
  }
  for (uint32_t k = 0; k < n; k++)
    out.steps += r->of[pool[k]]->each[0] / r->t->v[pool[k]].work < enough;
  return out;
}

/* ---- all of them ---- */

static double rank_correlation(const replay *r, const uint32_t *v, uint32_t n) {
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    double a = 0;
    double b = 0;
    for (uint32_t j = 0; j < n; j++) {
      a +=
          r->t->v[v[j]].us / r->t->v[v[j]].work < r->t->v[v[i]].us / r->t->v[v[i]].work;
      b += truth(r, v[j]) < truth(r, v[i]);
    }
    sum += (a - b) * (a - b);
  }
  return n > 1 ? 1 - 6 * sum / ((double)n * ((double)n * n - 1)) : NAN;
}

static int by_value(const void *x, const void *y) {
  double a = *(const double *)x;
  double b = *(const double *)y;
  return a < b ? -1 : a > b;
}

typedef struct {
  uint32_t n, failed, failed_refused, good_refused, unpredicted;
  double error, spearman; /* median of |p/m - 1| */
  double with[POOLS], blind[POOLS], chance[POOLS], first[POOLS];
  bool repeated; /* all that ran were recorded twice */
  double again[POOLS], again_first[POOLS];
} figures;

static void tell(const replay *r, figures *f) {
  uint32_t *good = WW_NEWN(r->a, uint32_t, r->t->n + 1);
  double *errors = WW_NEWN(r->a, double, r->t->n + 1);
  uint32_t n = 0;
  for (uint32_t k = 0; k < r->t->n; k++) {
    const ww_tuned *v = &r->t->v[k];
    bool failed = r->of[k]->error != NULL;
    f->n++;
    f->failed += failed;
    f->failed_refused += failed && v->refused;
    f->good_refused += !failed && v->refused;
    f->unpredicted += !v->known && !v->refused;
    if (failed || !v->known)
      continue;
    errors[n] = fabs(v->us / v->work / truth(r, k) - 1);
    good[n++] = k;
  }
  f->spearman = rank_correlation(r, good, n);
  qsort(errors, n, sizeof *errors, by_value);
  f->error = n ? errors[n / 2] : NAN;
}

/* Pools of variants that ran; one that failed belongs to no pool's best. */
static void play(const replay *r, uint32_t size, uint64_t seed, figures *f) {
  uint32_t *good = WW_NEWN(r->a, uint32_t, r->t->n + 1);
  uint64_t state = seed + 77;
  uint32_t n = 0;
  f->repeated = true;
  for (uint32_t k = 0; k < r->t->n; k++)
    if (!r->of[k]->error) {
      f->repeated &= r->of[k]->records > 1;
      good[n++] = k;
    }
  size = size < n ? size : n;
  for (uint32_t p = 0; p < POOLS; p++) {
    for (uint32_t k = 0; k < size; k++) {
      uint32_t with = k + ww_random(&state) % (n - k);
      uint32_t one = good[with];
      good[with] = good[k];
      good[k] = one;
    }
    f->with[p] = steps(r, good, size, false);
    f->blind[p] = steps(r, good, size, true);
    f->chance[p] = by_chance(r, good, size);
    f->first[p] = first_choice(r, good, size);
    repetition again = repeat(r, good, size);
    f->again[p] = again.steps;
    f->again_first[p] = again.first;
    ww_progress("pools", p + 1, POOLS);
  }
}

static double mean(const double *v) {
  double sum = 0;
  for (int k = 0; k < POOLS; k++)
    sum += v[k] / POOLS;
  return sum;
}

static double middle(const double *v) {
  double copy[POOLS];
  memcpy(copy, v, sizeof copy);
  qsort(copy, POOLS, sizeof *copy, by_value);
  return copy[POOLS / 2];
}

static void show(const replay *r, const figures *f, bool json) {
  uint32_t good = f->n - f->failed;
  if (json) {
    ww_line_print("kernel:%s,variants:%u,failed:%u,failed_refused:%u,good_refused:%u,"
                  "unpredicted:%u,median_error!:%g,spearman!:%g,measurements:%g,"
                  "without_predictor:%g,by_chance:%g,first_choice_mean:%g,"
                  "first_choice_median:%g,repeat_measurements!:%g,"
                  "repeat_first_choice_median!:%g",
                  r->t->over.kernel, f->n, f->failed, f->failed_refused,
                  f->good_refused, f->unpredicted, f->error, f->spearman, mean(f->with),
                  mean(f->blind), mean(f->chance), mean(f->first), middle(f->first),
                  f->repeated ? mean(f->again) : NAN,
                  f->repeated ? middle(f->again_first) : NAN);
    return;
  }
  printf("%s: %u variants that ran, %u that failed\n", r->t->over.kernel, good,
         f->failed);
  printf("  prediction: %.0f %% off in the median, Spearman %.2f, %u without one\n",
         100 * f->error, f->spearman, f->unpredicted);
  printf("  refused: %u of %u that failed, %u of %u that ran\n", f->failed_refused,
         f->failed, f->good_refused, good);
  printf("  measurements until within 5 %% of the best, average of %d pools: %.1f; "
         "without the predictor %.1f, by chance %.1f\n",
         POOLS, mean(f->with), mean(f->blind), mean(f->chance));
  printf("  first choice, of the pool's best: %.1f %% on average, %.1f %% in the "
         "median pool\n",
         100 * mean(f->first), 100 * middle(f->first));
  if (f->repeated)
    printf("  one recorded time as the prediction of another: %.1f measurements, first "
           "choice %.1f %% on average, %.1f %% in the median pool\n",
           mean(f->again), 100 * mean(f->again_first), 100 * middle(f->again_first));
}

ww_status ww_tune_replay(ww_tune *t,
                         const ww_tuner_file *recorded,
                         const ww_replay *how,
                         ww_err *e) {
  replay r = {
      .t = t,
      .f = recorded,
      .a = t->a,
  };
  figures *f = WW_NEW(t->a, figures);
  const char *kept = getenv("WARPWISE_REPLAY");
  ww_job *job = WW_NEW(t->a, ww_job);
  if (!recorded->recorded)
    return ww_fail(e, WW_EUSAGE, "--replay needs a cache of Kernel Tuner with times");
  ww_status st = WW_OK;
  if (kept && *kept) {
    st = ww_file_exists(kept)
             ? ww_job_read(kept, t->a, job, e)
             : ww_job_create(&(ww_job){.path = kept, .tool = "replay", .a = t->a}, e);
    job->path = kept;
    job->a = t->a;
    t->job = job;
  }
  if (!st)
    st = make_set(&r, how, e);
  if (!st)
    st = ww_tune_rank(t, e);
  if (st)
    return st;
  tell(&r, f);
  play(&r, how->pool ? how->pool : 100, how->seed, f);
  show(&r, f, how->json);
  return WW_OK;
}
