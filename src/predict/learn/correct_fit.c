/* correct_fit.c - learns the correction of the machine model from measured launches.
 *
 * Families of kernels stay together everywhere: a launch is always predicted by trees
 * that saw nothing of its family. Per metric, in the space of correct_int.h: the size
 * of the trees is chosen by cross-validation on the training split; trees fitted on
 * that split decide on the validation split whether the metric is corrected at all; the
 * trees that are shipped are fitted on both. Always several forests speak, each of
 * which has not seen a part of the families: how far they agree shows how far what was
 * learned carries over. What cross-validation missed by gives the interval: trees for
 * the size of the residual, and the quantiles of residual over size (conformal). */
#include <stdlib.h>

#include "correct_int.h"
#include "score.h"

enum { FOLDS = 6, MOST_FOLDS = 32, ROUNDS = 160, LEAST_ROWS = 40 };
enum { SIZE_LEAVES = 10, SIZE_ROUNDS = 60 }; /* of the trees for a residual's size */
#define STRETCH 1.4                          /* ln size by held-out Winkler score */
#define FAMILIES 0.7    /* of the families that an interval is wide enough for */
#define SIZE_LEAST 0.01 /* ln: what is as good as nothing */
#define COVER 0.90
#define WEIGHT_POWER 0.2
#define WRITTEN \
  0.8 /* of the weight where intervals are learned, written kernels' share */
#define SPARE 1.005 /* of time: so many times the least error is as good */
#define COSTS 0.25  /* of what all kernels gain, what written ones may lose */
#define HELPS 0.99  /* of the machine model's error, what is left at most */

typedef struct {
  const ww_correct_row *rows;
  uint32_t n, nfolds;
  const ww_correct_options *o;
  ww_arena *a;
  ww_buf *log;
  ww_binned b;
  /* [n] of the metric at hand; NaN targets have weight 0 */
  float *target, *weight, *scaled;
  float *row_weight;           /* [n], of any metric */
  float *interval_weight;      /* [n], where intervals are learned */
  ww_members *pred;            /* [n] held-out */
  uint8_t *role, *fold;        /* [n] */
  uint32_t *family, nfamilies; /* [n] */
} fitting;

/* ---- weights and folds ---- */

static uint32_t most_of(const ww_correct_row *rows, uint32_t n, bool kernels) {
  uint32_t m = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t v = kernels ? rows[k].kernel : rows[k].family;
    if (v >= m)
      m = v + 1;
  }
  return m;
}

/* A row weighs 1 / sqrt(rows of its kernel), a family sqrt of its rows' sum, written
 * kernels together `written` of all: all of that to a power. For the correction it is
 * WEIGHT_POWER only, as families that were left out were predicted best so: what many
 * rows tell of a kind of kernel carries over. For intervals it is 1: they are to hold
 * on code by hand, and in each of its families. */
static void weigh(const ww_correct_row *rows,
                  uint32_t n,
                  double written,
                  double power,
                  float *weight) {
  uint32_t nk = most_of(rows, n, true);
  uint32_t nf = most_of(rows, n, false);
  double *kernel = ww_xcalloc(nk + 1, sizeof *kernel);
  double *family = ww_xcalloc(nf + 1, sizeof *family);
  double origin[2] = {0};
  for (uint32_t k = 0; k < n; k++)
    kernel[rows[k].kernel]++;
  for (uint32_t k = 0; k < n; k++)
    family[rows[k].family] += weight[k] = 1 / sqrt(kernel[rows[k].kernel]);
  for (uint32_t k = 0; k < n; k++) {
    weight[k] /= (float)sqrt(family[rows[k].family]);
    origin[rows[k].origin == 1] += weight[k];
  }
  for (uint32_t k = 0; k < n; k++) {
    double all = origin[rows[k].origin == 1];
    double share = rows[k].origin == 1 ? 1 - written : written;
    if (!(origin[0] > 0 && origin[1] > 0))
      share = 1;
    weight[k] = pow(weight[k] * share * n / all, power);
  }
  free(kernel);
  free(family);
}

typedef struct {
  uint32_t family;
  double weight;
} heavy;

static int by_weight(const void *a, const void *b) {
  const heavy *x = a;
  const heavy *y = b;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  return (x->family > y->family) - (x->family < y->family);
}

/* The heaviest family first, each to the lightest fold. */
static void make_folds(fitting *f) {
  uint32_t nf = f->nfamilies;
  uint32_t *of = ww_xcalloc(nf + 1, sizeof *of);
  heavy *w = ww_xcalloc(nf + 1, sizeof *w);
  double fold[MOST_FOLDS] = {0};
  for (uint32_t k = 0; k < nf; k++)
    w[k].family = k;
  for (uint32_t k = 0; k < f->n; k++)
    w[f->rows[k].family].weight += f->row_weight[k];
  qsort(w, nf, sizeof *w, by_weight);
  for (uint32_t k = 0; k < nf; k++) {
    uint32_t least = 0;
    for (uint32_t i = 1; i < f->nfolds; i++)
      if (fold[i] < fold[least])
        least = i;
    fold[least] += w[k].weight;
    of[w[k].family] = least;
  }
  for (uint32_t k = 0; k < f->n; k++)
    f->fold[k] = of[f->rows[k].family];
  free(w);
  free(of);
}

/* ---- one metric: fits ---- */

/* Time: large trees of few rows and columns each, by relative error, which is what it
 * is judged by.
 */
static ww_trees_options for_time(const fitting *f, ww_trees_options o) {
  o.relative = true;
  o.huber = 0.15;
  o.columns = 0.3;
  o.rows = 0.5;
  if (!(f->o->rate > 0))
    o.rate = 0.1;
  return o;
}

static ww_trees_options
options_of(const fitting *f, uint32_t leaves, uint32_t rounds, double huber) {
  double few = fmin(20, 2 + f->n / 100.0); /* rows that are too few to believe */
  return (ww_trees_options){.rounds = rounds,
                            .leaves = leaves,
                            .rate = f->o->rate > 0 ? f->o->rate : 0.07,
                            .huber = huber,
                            .lambda = few,
                            .least = few,
                            /* a family says no more than so many rows do */
                            .group_most = few / 2,
                            .columns = 0.4,
                            .rows = 0.7,
                            .seed = f->o->seed + 1};
}

/* Who is fitted on when fold `held` is to be predicted and fold `left` is left out (-1:
 * none): rows of splits up to `last`. */
static void roles(fitting *f, int held, int left, uint8_t last) {
  for (uint32_t k = 0; k < f->n; k++) {
    bool out = f->rows[k].split > last || !(f->weight[k] > 0) ||
               (f->fold[k] == left && left != held);
    f->role[k] = out ? WW_ROW_OUT : f->fold[k] == held ? WW_ROW_HELD : WW_ROW_FIT;
  }
}

static double held_weight(const fitting *f) {
  double sum = 0;
  for (uint32_t k = 0; k < f->n; k++)
    if (f->role[k] == WW_ROW_HELD)
      sum += f->weight[k];
  return sum;
}

/* Trees of the rows whose role it is; what they say of rows, and their error of those
 * held out after each round, where it is asked for. */
static void fit(const fitting *f,
                const ww_trees_options *t,
                const float *target,
                float *pred,
                double *held,
                ww_arena *a,
                ww_forest *out) {
  ww_trees_problem p = {target,       f->weight, f->role, f->family,
                        f->nfamilies, pred,      held};
  ww_trees_fit(&f->b, &p, t, a, out);
}

/* Mean held-out error after each number of rounds; returns the best number. */
static uint32_t cross(fitting *f, const ww_trees_options *t, double *best) {
  double *sum = ww_xcalloc(t->rounds + 1, sizeof *sum);
  double *held = ww_xcalloc(t->rounds + 1, sizeof *held);
  double weights = 0;
  for (uint32_t i = 0; i < f->nfolds; i++) {
    ww_arena *a = ww_arena_new();
    ww_forest forest;
    roles(f, i, -1, 0);
    double w = held_weight(f);
    fit(f, t, f->target, NULL, held, a, &forest);
    for (uint32_t r = 0; r <= t->rounds; r++)
      sum[r] += w * held[r];
    weights += w;
    ww_arena_free(a);
  }
  uint32_t at = 0;
  for (uint32_t r = 1; r <= t->rounds; r++)
    if (sum[r] < sum[at])
      at = r;
  *best = weights > 0 ? sum[at] / weights : INFINITY;
  free(sum);
  free(held);
  return at;
}

/* Trees that saw nothing of folds `held` and `left`; what they say of the rows of
 * `held` is added up. */
static void add_held(fitting *f,
                     const ww_trees_options *t,
                     const float *target,
                     int held,
                     int left,
                     ww_members *sums) {
  float *pred = ww_xcalloc(f->n + 1, sizeof *pred);
  ww_arena *a = ww_arena_new();
  ww_forest forest;
  roles(f, held, left, 1);
  fit(f, t, target, pred, NULL, a, &forest);
  for (uint32_t k = 0; k < f->n; k++)
    if (f->role[k] == WW_ROW_HELD) {
      sums[k].mean += pred[k];
      sums[k].variance += pred[k] * pred[k];
    }
  ww_arena_free(a);
  free(pred);
}

static void divide(ww_members *v, uint32_t n, uint32_t members) {
  for (uint32_t k = 0; k < n; k++) {
    v[k].mean /= members;
    v[k].variance = fmax(0, v[k].variance / members - v[k].mean * v[k].mean);
  }
}

/* Predicts every row of splits 0 and 1 by trees that saw nothing of its fold; as
 * `members`, each leaves another fold out as well. */
static void out_of_fold(fitting *f,
                        const ww_trees_options *t,
                        const float *target,
                        bool members,
                        ww_members *out) {
  memset(out, 0, f->n * sizeof *out);
  for (uint32_t i = 0; i < f->nfolds; i++)
    for (uint32_t j = 0; j < (members ? f->nfolds : 1); j++)
      if (!members || j != i)
        add_held(f, t, target, i, members ? (int)j : -1, out);
  divide(out, f->n, members ? f->nfolds - 1 : 1);
}

/* One forest for each fold, which it has not seen. */
static void
fit_members(fitting *f, const ww_trees_options *t, uint8_t last, ww_metric_model *out) {
  out->members = f->nfolds < WW_MOST_MEMBERS ? f->nfolds : WW_MOST_MEMBERS;
  for (uint32_t j = 0; j < out->members; j++) {
    roles(f, -1, j, last);
    fit(f, t, f->target, NULL, NULL, f->a, &out->forest[j]);
  }
}

/* ---- one metric: how the trees' answer is used ---- */

/* Error of a correction `by` where `truth` was needed: relative, or in hundredths of
 * points. */
static double error_of(const ww_metric_space *s, double by, double truth) {
  return fmin(3, s->space == WW_IN_POINTS ? fabs(by - truth) : fabs(expm1(by - truth)));
}

/* Mean error over a split, without trees (m NULL) or with; origin 0: of written
 * kernels, -1: of all. */
static double mean_error(const fitting *f,
                         const ww_metric_space *s,
                         const ww_metric_model *m,
                         const ww_members *pred,
                         int split,
                         int origin) {
  double sum = 0;
  double weights = 0;
  for (uint32_t k = 0; k < f->n; k++) {
    if (f->rows[k].split != split || !(f->weight[k] > 0) ||
        (origin == 0 && f->rows[k].origin == 1))
      continue;
    sum += f->weight[k] *
           error_of(s, m ? ww_metric_model_use(m, pred[k]) : 0, f->target[k]);
    weights += f->weight[k];
  }
  return weights > 0 ? sum / weights : NAN;
}

/* Share, shift, dead zone and limit that the held-out predictions of the training split
 * ask for, and more shrinkage where its error is at most `spare` times the least:
 * families that are like none of these need it. */
static void tune(const fitting *f,
                 const ww_metric_space *s,
                 const ww_members *pred,
                 double spare,
                 ww_metric_model *m) {
  static const double shares[] = {0.6, 0.7, 0.8, 0.9, 1, 1.1};
  static const double shifts[] = {-0.06, -0.04, -0.02, 0, 0.02};
  static const double deads[] = {0, 0.01, 0.03, 0.08};
  static const double clips[] = {1.6, 1, 0.6};
  static const double shrinkages[] = {0, 0.5, 1, 2, 4};
  enum { SHRINKAGES = 5, EACH = 6 * 5 * 4 * 3 };
  double best[SHRINKAGES];
  double least = INFINITY;
  ww_metric_model at = *m;
  ww_metric_model found[SHRINKAGES];
  for (int d = 0; d < SHRINKAGES; d++) {
    best[d] = INFINITY;
    found[d] = *m;
  }
  for (uint32_t i = 0; i < SHRINKAGES * EACH; i++) {
    at.share = shares[i % 6];
    at.shift = shifts[i / 6 % 5];
    at.dead = deads[i / 30 % 4];
    at.clip = clips[i / 120 % 3];
    at.shrinkage = shrinkages[i / EACH];
    if (at.shift != 0 && at.dead > 0)
      continue; /* a shift moves what the dead zone leaves alone */
    double now = mean_error(f, s, &at, pred, 0, -1);
    if (now < best[i / EACH] - 1e-5) {
      best[i / EACH] = now;
      found[i / EACH] = at;
    }
    if (now < least - 1e-5) {
      least = now;
      *m = at;
    }
  }
  for (int d = 0; d < SHRINKAGES; d++)
    if (best[d] <= spare * least && found[d].shrinkage > m->shrinkage)
      *m = found[d];
}

/* ---- one metric: intervals ---- */

typedef struct {
  double v, w; /* sorted by v */
} weighted;

static double quantile(const weighted *v, uint32_t n, double q) {
  double all = 0;
  double sum = 0;
  for (uint32_t k = 0; k < n; k++)
    all += v[k].w;
  for (uint32_t k = 0; k < n; k++)
    if ((sum += v[k].w) >= q * all)
      return v[k].v;
  return n ? v[n - 1].v : 0;
}

/* What held-out predictions missed by, and what the size of that is predicted from. */
static double *residuals(const fitting *f,
                         const ww_correction *c,
                         const ww_metric_model *m,
                         ww_doubts *doubts) {
  double *r = ww_xcalloc(f->n + 1, sizeof *r);
  for (uint32_t k = 0; k < f->n; k++) {
    double by = m->members ? ww_metric_model_use(m, f->pred[k]) : 0;
    ww_doubts_of(c, &f->rows[k].x, f->pred[k], by, &doubts[k]);
    r[k] = f->target[k] - by;
  }
  return r;
}

/* Residuals over their sizes, of the rows that quantiles are taken of: families alike,
 * written ones where there are some, and the rows of a family one after the other. */
typedef struct {
  weighted *v;
  uint32_t *begin, nfamilies; /* [nfamilies + 1], in v */
} ratios;

static bool counts_in(const fitting *f, uint32_t k, bool written) {
  return f->rows[k].split <= 1 && f->weight[k] > 0 &&
         (!written || f->rows[k].origin != 1);
}

static ratios
ratios_of(const fitting *f, const double *r, const ww_members *said, ww_arena *a) {
  ratios out = {WW_NEWN(a, weighted, f->n + 1), WW_NEWN(a, uint32_t, f->nfamilies + 2),
                0};
  bool written = false;
  uint32_t n = 0;
  for (uint32_t k = 0; k < f->n; k++)
    written |= f->rows[k].origin != 1 && counts_in(f, k, false);
  for (uint32_t family = 0; family < f->nfamilies; family++) {
    double all = 0;
    uint32_t from = n;
    for (uint32_t k = 0; k < f->n; k++)
      if (f->family[k] == family && counts_in(f, k, written)) {
        out.v[n++] = (weighted){r[k] / exp(said[k].mean), f->weight[k]};
        all += f->weight[k];
      }
    for (uint32_t k = from; k < n; k++)
      out.v[k].w /= all;
    if (n > from)
      out.begin[++out.nfamilies] = n;
  }
  return out;
}

/* What a family's interval would have to be widened by to hold 90 % of its rows. */
static double needed(weighted *v, uint32_t n, const ww_metric_model *m) {
  for (uint32_t k = 0; k < n; k++) {
    double end = v[k].v < 0 ? m->low : m->high;
    v[k].v = end != 0 ? v[k].v / end : 0;
  }
  qsort(v, n, sizeof *v, ww_by_double);
  return quantile(v, n, COVER);
}

/* The quantiles of residual over size between which 90 % lie, wide enough for FAMILIES
 * of the families: how far off a kernel's prediction is depends on its family, and the
 * next one is another. */
static void
between(const fitting *f, const double *r, const ww_members *said, ww_metric_model *m) {
  ww_arena *a = ww_arena_new();
  ratios all = ratios_of(f, r, said, a);
  uint32_t n = all.begin[all.nfamilies];
  weighted *sorted = WW_NEWN(a, weighted, n + 1);
  double *wider = WW_NEWN(a, double, all.nfamilies + 1);
  uint32_t nwider = 0;
  memcpy(sorted, all.v, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, ww_by_double);
  m->low = fmin(0, quantile(sorted, n, (1 - COVER) / 2));
  m->high = fmax(0, quantile(sorted, n, (1 + COVER) / 2));
  m->least = 0.01;
  for (uint32_t k = 0; k < all.nfamilies; k++)
    if (all.begin[k + 1] - all.begin[k] >= 10) /* fewer have no 90 % */
      wider[nwider++] =
          needed(all.v + all.begin[k], all.begin[k + 1] - all.begin[k], m);
  double by = nwider ? fmax(1, ww_stat_share(wider, nwider, FAMILIES)) : 1;
  m->low *= by;
  m->high *= by;
  ww_arena_free(a);
}

/* The size that trees predict varies less than the true one: they are fitted to means.
 */
static void stretch(ww_forest *f, ww_members *said, uint32_t n) {
  f->base *= STRETCH;
  for (uint32_t k = 0; k < f->nnodes; k++)
    if (f->nodes[k].feature < 0)
      f->nodes[k].v *= STRETCH;
  for (uint32_t k = 0; k < n; k++)
    said[k].mean *= STRETCH;
}

/* Residuals of held-out predictions -> trees for their size, then the quantiles of
 * residual over (held-out) size. Families count by interval_weight. */
static void intervals(fitting *f, const ww_correction *c, ww_metric_model *m) {
  float *size = f->scaled;
  float *fitted = f->weight;
  ww_binned features = f->b;
  ww_arena *a = ww_arena_new();
  ww_doubts *doubts = ww_xcalloc(f->n + 1, sizeof *doubts);
  ww_members *said = ww_xcalloc(f->n + 1, sizeof *said);
  double *r = residuals(f, c, m, doubts);
  ww_trees_options t = options_of(f, SIZE_LEAVES, SIZE_ROUNDS, 1.5);
  t.least *= 3;
  f->weight = WW_NEWN(a, float, f->n + 1);
  for (uint32_t k = 0; k < f->n; k++) {
    f->weight[k] = fitted[k] > 0 ? f->interval_weight[k] : 0;
    size[k] = log(SIZE_LEAST + fabs(r[k]));
    if (!isfinite(size[k]))
      size[k] = 0; /* its weight is 0 */
  }
  ww_bin_rows(doubts->v, f->n, WW_NDOUBTS, WW_NDOUBTS, a, &f->b);
  out_of_fold(f, &t, size, false, said);
  roles(f, -1, -1, 1);
  fit(f, &t, size, NULL, NULL, f->a, &m->scale);
  stretch(&m->scale, said, f->n);
  between(f, r, said, m);
  f->b = features;
  f->weight = fitted;
  ww_arena_free(a);
  free(r);
  free(said);
  free(doubts);
}

/* ---- one metric ---- */

static uint32_t targets(fitting *f, int m) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < f->n; k++) {
    const ww_correct_row *r = &f->rows[k];
    double y = ww_space_between(&ww_metric_spaces[m], r->machine[m], r->measured[m]);
    bool known = isfinite(y);
    f->target[k] = known ? fmax(-5, fmin(5, y)) : 0;
    f->weight[k] = known ? f->row_weight[k] : 0;
    n += known && f->row_weight[k] > 0 && r->split <= 1;
  }
  return n;
}

/* The size of trees that cross-validates best; 0 rounds: none helps. */
static ww_trees_options choose(fitting *f, bool time) {
  /* of time; those of all others are 10 */
  static const uint32_t sizes[] = {12, 30, 60};
  uint32_t rounds = f->o->rounds ? f->o->rounds : time ? ROUNDS : 100;
  ww_trees_options best = options_of(f, 8, 0, 0.3);
  double least = INFINITY;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (f->o->leaves ? i > 0 : !time && i != 1)
      continue;
    ww_trees_options t = options_of(f,
                                    f->o->leaves ? f->o->leaves
                                    : time       ? sizes[i]
                                                 : 10,
                                    rounds, 0.3);
    if (time)
      t = for_time(f, t);
    double now;
    t.rounds = cross(f, &t, &now);
    if (now < least - 2e-4) {
      least = now;
      best = t;
    }
  }
  return best;
}

typedef struct {
  double all[2], written[2]; /* mean error without and with; of written kernels alone */
} compared;

static compared compare(const fitting *f,
                        int m,
                        const ww_metric_model *how,
                        const ww_members *pred,
                        int split) {
  const ww_metric_space *s = &ww_metric_spaces[m];
  return (compared){
      {mean_error(f, s, NULL, NULL, split, -1), mean_error(f, s, how, pred, split, -1)},
      {mean_error(f, s, NULL, NULL, split, 0), mean_error(f, s, how, pred, split, 0)}};
}

/* Trees of the training split alone, on the validation split: better in all, and what
 * written kernels lose is a small part of it. */
static bool helps(fitting *f,
                  int m,
                  const ww_trees_options *t,
                  const ww_metric_model *how,
                  ww_metric_model *out) {
  ww_metric_model trial = {0};
  ww_members *pred = ww_xcalloc(f->n + 1, sizeof *pred);
  fit_members(f, t, 0, &trial);
  for (uint32_t k = 0; k < f->n; k++) {
    bool seen = f->rows[k].split == 1 && f->weight[k] > 0;
    if (seen)
      pred[k] = ww_members_eval(trial.forest, trial.members, f->rows[k].x.v);
    out->launches += seen;
  }
  compared v = compare(f, m, how, pred, 1);
  out->before = v.all[0];
  out->after = v.all[1];
  free(pred);
  if (!out->launches)
    return true; /* no validation split: cross-validation has decided */
  ww_buf_fmt(
      f->log,
      "  %-18s validation %6.2f -> %6.2f %%, written kernels %6.2f -> %6.2f %%\n",
      ww_metrics[m].name, 100 * v.all[0], 100 * v.all[1], 100 * v.written[0],
      100 * v.written[1]);
  /* not known where there are none */
  double written_loss = v.written[1] - v.written[0];
  return v.all[1] < HELPS * v.all[0] &&
         !(written_loss > fmax(0.02 * v.written[0], COSTS * (v.all[0] - v.all[1])));
}

static void
say_held_out(fitting *f, int m, const ww_trees_options *t, const ww_metric_model *how) {
  compared v = compare(f, m, how, f->pred, 0);
  ww_buf_fmt(f->log,
             "  %-18s held out   %6.2f -> %6.2f %%, written kernels %6.2f -> %6.2f %%; "
             "%u trees of "
             "%u leaves, share %.2f, "
             "shift %+.2f, dead %.2f, clip %.1f, doubt %.1f\n",
             ww_metrics[m].name, 100 * v.all[0], 100 * v.all[1], 100 * v.written[0],
             100 * v.written[1], t->rounds, t->leaves, how->share, how->shift,
             how->dead, how->clip, how->shrinkage);
}

/* What the trees ask most, by the number of splits. */
static void say_features(fitting *f, const ww_metric_model *m) {
  uint32_t splits[WW_NFEATURES] = {0};
  for (uint32_t v = 0; v < m->members; v++)
    for (uint32_t k = 0; k < m->forest[v].nnodes; k++)
      if (m->forest[v].nodes[k].feature >= 0)
        splits[m->forest[v].nodes[k].feature]++;
  ww_buf_puts(f->log, "  asks for");
  for (int shown = 0; shown < 16; shown++) {
    int best = 0;
    for (int k = 1; k < WW_NFEATURES; k++)
      if (splits[k] > splits[best])
        best = k;
    ww_buf_fmt(f->log, " %s %u", ww_feature_names[best], splits[best]);
    splits[best] = 0;
  }
  ww_buf_puts(f->log, "\n");
}

static uint32_t leaves_of(const ww_metric_model *m) {
  uint32_t n = 0;
  for (uint32_t v = 0; v < m->members; v++)
    n += ww_forest_leaves(&m->forest[v]);
  return n;
}

static void fit_metric(fitting *f, int m, ww_correction *c) {
  ww_metric_model how = {.known = true, .share = 1, .clip = 1.6};
  uint32_t n = targets(f, m);
  if (n < LEAST_ROWS)
    return;
  double begin = ww_now();
  ww_trees_options t = choose(f, m == WW_M_time_us);
  memset(f->pred, 0, f->n * sizeof *f->pred);
  bool good = t.rounds > 0;
  if (good) {
    out_of_fold(f, &t, f->target, true, f->pred);
    tune(f, &ww_metric_spaces[m], f->pred, m == WW_M_time_us ? SPARE : 0, &how);
    say_held_out(f, m, &t, &how);
    good = helps(f, m, &t, &how, &how);
  }
  c->m[m] = how;
  if (good)
    fit_members(f, &t, 1, &c->m[m]);
  if (good && m == WW_M_time_us)
    say_features(f, &c->m[m]);
  intervals(f, c, &c->m[m]);
  ww_buf_fmt(f->log, "  %-18s %s: %u rows, %u leaves, %.1f s\n", ww_metrics[m].name,
             good ? "corrected" : "stays the machine model's", n, leaves_of(&c->m[m]),
             ww_now() - begin);
}

/* ---- all ---- */

/* All but the outermost 1 in 2000 rows. */
static void ranges(const fitting *f, ww_correction *c) {
  float *v = ww_xcalloc(f->n + 1, sizeof *v);
  for (int i = 0; i < WW_NFEATURES; i++) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->n; k++)
      if (f->rows[k].split <= 1)
        v[n++] = f->rows[k].x.v[i];
    if (!n)
      continue;
    qsort(v, n, sizeof *v, ww_by_float);
    c->lo[i] = v[n / 2000];
    c->hi[i] = v[n - 1 - n / 2000];
  }
  free(v);
}

/* What every metric is fitted with; an error where there is too little. */
static ww_status prepare(fitting *f, ww_err *e) {
  ww_arena *a = f->a;
  uint32_t n = f->n;
  f->nfolds = f->o->folds ? f->o->folds : FOLDS;
  f->nfamilies = most_of(f->rows, n, false);
  if (f->nfolds > MOST_FOLDS)
    f->nfolds = MOST_FOLDS;
  if (f->nfamilies < f->nfolds || n < LEAST_ROWS)
    return ww_fail(
        e, WW_EDATA,
        "%u rows of %u families: learning needs at least %d rows and %u families", n,
        f->nfamilies, LEAST_ROWS, f->nfolds);
  f->target = WW_NEWN(a, float, n + 1);
  f->weight = WW_NEWN(a, float, n + 1);
  f->row_weight = WW_NEWN(a, float, n + 1);
  f->interval_weight = WW_NEWN(a, float, n + 1);
  f->pred = WW_NEWN(a, ww_members, n + 1);
  f->scaled = WW_NEWN(a, float, n + 1);
  f->role = WW_NEWN(a, uint8_t, n + 1);
  f->fold = WW_NEWN(a, uint8_t, n + 1);
  f->family = WW_NEWN(a, uint32_t, n + 1);
  weigh(f->rows, n, 0.5, WEIGHT_POWER, f->row_weight);
  weigh(f->rows, n, WRITTEN, 1, f->interval_weight);
  ww_bin_rows(f->rows[0].x.v, n, sizeof *f->rows / sizeof(float), WW_NFEATURES, a,
              &f->b);
  for (uint32_t k = 0; k < n; k++)
    f->family[k] = f->rows[k].family;
  make_folds(f);
  return WW_OK;
}

ww_status ww_correct_fit(const ww_correct_row *rows,
                         uint32_t n,
                         const ww_correct_options *o,
                         ww_arena *a,
                         ww_correction **out,
                         ww_buf *log,
                         ww_err *e) {
  fitting f = {.rows = rows, .n = n, .o = o, .a = a, .log = log};
  ww_correction *c = WW_NEW(a, ww_correction);
  ww_status st = prepare(&f, e);
  if (st)
    return st;
  c->gpu = o->gpu ? ww_strdup(a, o->gpu) : NULL;
  c->data = o->data ? ww_strdup(a, o->data) : NULL;
  ranges(&f, c);
  for (int m = 0; m < WW_NMETRICS; m++)
    if (ww_metric_spaces[m].space != WW_IN_NOTHING) {
      ww_progress("learning", m, WW_NMETRICS);
      fit_metric(&f, m, c);
    }
  ww_progress("learning", WW_NMETRICS, WW_NMETRICS);
  *out = c;
  return WW_OK;
}

ww_status ww_correct_intervals(
    const ww_correct_row *rows, uint32_t n, ww_arena *a, ww_correction *c, ww_err *e) {
  ww_correct_options o = {0};
  ww_buf log = {0};
  fitting f = {.rows = rows, .n = n, .o = &o, .a = a, .log = &log};
  ww_metric_model *m = &c->m[WW_M_time_us];
  ww_status st = prepare(&f, e);
  if (st)
    return st;
  if (targets(&f, WW_M_time_us) < LEAST_ROWS)
    return ww_fail(e, WW_EDATA, "too few of the rows have a time");
  if (m->members) {
    uint32_t rounds = m->forest[0].ntrees;
    uint32_t leaves = ww_forest_leaves(&m->forest[0]) / (rounds ? rounds : 1);
    ww_trees_options t = for_time(&f, options_of(&f, leaves, rounds, 0.3));
    out_of_fold(&f, &t, f.target, true, f.pred);
  }
  intervals(&f, c, m);
  return WW_OK;
}

/* ---- scores ---- */

void ww_correct_score_of(const ww_correction *c,
                         const ww_correct_row *rows,
                         uint32_t n,
                         ww_metric m,
                         int split,
                         int origin,
                         ww_correct_score *out) {
  double *before = ww_xcalloc(n + 1, sizeof *before);
  double *after = ww_xcalloc(n + 1, sizeof *after);
  double inside = 0;
  uint32_t count = 0;
  bool points = ww_rule_of(m).points;
  for (uint32_t k = 0; k < n; k++) {
    const ww_correct_row *r = &rows[k];
    double truth = r->measured[m];
    double machine = r->machine[m];
    if ((split >= 0 && r->split != split) || (origin >= 0 && r->origin != origin) ||
        !isfinite(truth) || !isfinite(machine) || (!points && !(truth > 0)))
      continue;
    ww_quantity q = {.value = machine, .low = machine, .high = machine};
    ww_correction_value(c, m, &r->x, ww_correction_trust(c, &r->x), machine, &q);
    before[count] = fabs(machine - truth) / (points ? 1 : truth);
    after[count++] = fabs(q.value - truth) / (points ? 1 : truth);
    inside += q.low <= truth && truth <= q.high;
  }
  *out = (ww_correct_score){.n = count,
                            .machine_mean = ww_stat_mean(before, count),
                            .mean = ww_stat_mean(after, count),
                            .inside = count ? inside / count : NAN};
  out->machine_median = ww_stat_median(before, count);
  out->median = ww_stat_median(after, count);
  free(before);
  free(after);
}
