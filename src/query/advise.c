/* advise.c - findings that hold: the launch is predicted again at half, twice and four
 * times its size, and a finding that is none there is dropped.
 *
 * Only a launch with findings is looked at again, and with a part of the trace's
 * budget: whether a cause is there at all needs no fine figures. */
#include "../trace/sizes.h"
#include "predict.h"

enum { CHECKS = 3, BUDGET = 125000 };

static const struct {
  double by;
  const char *word;
} steps[] = {{0.5, "half"}, {2, "twice"}, {4, "four times"}, {0.25, "a quarter of"}};

typedef struct {
  const ww_unit *u;
  const ww_fn *fn;
  const ww_query_targets *q;
  ww_arena *a;
  ww_prediction *p;
  ww_advice *advice;
} advising;

/* The launch, complete, of the first answer with findings that may depend on its size;
 * NULL: there is none. */
static const ww_launch *launch_of(const advising *x) {
  for (uint32_t g = 0; g < x->q->n; g++)
    for (uint32_t k = 0; !x->p[g].report.error.code && k < x->advice[g].nitems; k++)
      if (!ww_rule_of_grid(x->advice[g].items[k].rule))
        return &x->p[g].trace.launch;
  return NULL;
}

static bool found(const ww_advice *d, ww_rule rule) {
  for (uint32_t k = 0; k < d->nitems; k++)
    if (d->items[k].rule == rule)
      return true;
  return false;
}

/* Drops what is not found at another size. */
static void filter(ww_advice *d, const ww_advice *there) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < d->nitems; k++)
    if (ww_rule_of_grid(d->items[k].rule) || found(there, d->items[k].rule))
      d->items[n++] = d->items[k];
  d->nitems = n;
}

/* The code is the one that was predicted, whatever the size. */
static ww_built same_code(void *ctx, const ww_gpu *g, ww_arena *a, ww_assumptions *s) {
  const advising *x = ctx;
  (void)a;
  (void)s;
  return x->p[g - x->q->gpus].built;
}

static bool check(advising *x, const ww_launch *l) {
  ww_query_targets q = *x->q;
  ww_err why = {0};
  ww_prediction *p = WW_NEWN(x->a, ww_prediction, q.n);
  q.budget = q.budget ? q.budget / 4 : BUDGET;
  q.correction = NULL; /* gains are ratios of the model's own times */
  q.built = same_code;
  q.built_ctx = x;
  if (ww_query_predict(x->u, x->fn, l, &q, NULL, x->a, p, &why))
    return false;
  for (uint32_t g = 0; g < q.n; g++) {
    ww_advice there = {0};
    if (x->p[g].report.error.code || p[g].report.error.code)
      continue;
    ww_advise(&x->u->module, x->fn, &q.gpus[g], q.params, &p[g], x->a, &there);
    filter(&x->advice[g], &there);
  }
  return true;
}

/* "half, twice and four times the size (n)"; NULL: at no other size. */
static const char *check_all(advising *x, const ww_launch *l) {
  const char *done[CHECKS];
  const char *names = "";
  uint32_t n = 0;
  for (uint32_t k = 0; k < WW_COUNT(steps) && n < CHECKS; k++) {
    ww_launch other;
    if (!launch_of(x))
      break; /* nothing is left to check */
    if (!ww_launch_scale(x->fn, l, steps[k].by, x->a, &other, &names))
      return NULL;
    if (check(x, &other))
      done[n++] = steps[k].word;
  }
  ww_buf b = {0};
  for (uint32_t k = 0; k < n; k++)
    ww_buf_fmt(&b, "%s%s", k == 0 ? "" : k + 1 < n ? ", " : " and ", done[k]);
  ww_buf_fmt(&b, " the size (%s)", names);
  const char *text = ww_buf_text(&b, x->a);
  return n ? text : NULL;
}

void ww_query_advise(const ww_unit *u,
                     const ww_fn *fn,
                     const ww_query_targets *q,
                     ww_arena *a,
                     ww_prediction *p,
                     ww_advice *out) {
  advising x = {u, fn, q, a, p, out};
  for (uint32_t g = 0; g < q->n; g++)
    if (!p[g].report.error.code)
      ww_advise(&u->module, fn, &q->gpus[g], q->params, &p[g], a, &out[g]);
  const ww_launch *l = launch_of(&x);
  const char *held = l ? check_all(&x, l) : NULL;
  for (uint32_t g = 0; g < q->n; g++) {
    if (p[g].report.error.code)
      continue;
    ww_advice_report(&out[g], a, &p[g].report);
    p[g].report.held = held;
  }
}
