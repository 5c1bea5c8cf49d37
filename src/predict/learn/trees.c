/* trees.c - gradient-boosted regression trees by histograms, grown best leaf first.
 *
 * Each round fits one tree to the clipped residuals (Huber's loss). Rows are 64 bins a
 * feature, so a split is found by one pass over a leaf's rows, and of two children only
 * the smaller is counted: the other is the difference. One thread and fixed orders of
 * summation: the same rows give the same forest. */
#include "trees.h"

#include <math.h>
#include <stdlib.h>

#include "../../base/random.h"

/* ---- bins ---- */

int ww_by_float(const void *a, const void *b) {
  float x = *(const float *)a;
  float y = *(const float *)b;
  return (x > y) - (x < y);
}

/* An edge in the middle of two values, unless one is there or beyond it. */
static void add_edge(float *edge, uint16_t *n, float lo, float hi) {
  float mid = lo + (hi - lo) / 2;
  if (!(mid > lo))
    mid = hi;
  if (*n < WW_TREE_BINS - 1 && (!*n || mid > edge[*n - 1]))
    edge[(*n)++] = mid;
}

/* Edges between quantiles of up to 20000 of the rows; a value that is frequent has a
 * bin of its own. */
static uint16_t edges_of(float *v, uint32_t n, float *edge) {
  uint16_t m = 0;
  qsort(v, n, sizeof *v, ww_by_float);
  for (uint32_t q = 1; q < WW_TREE_BINS; q++) {
    uint32_t at = (uint64_t)q * n / WW_TREE_BINS;
    float hi = v[at];
    float lo = at ? v[at - 1] : hi;
    if (lo == hi) { /* inside a run: an edge before it and one behind it */
      uint32_t first = at;
      uint32_t last = at;
      while (first && v[first - 1] == hi)
        first--;
      while (last + 1 < n && v[last + 1] == hi)
        last++;
      if (first)
        add_edge(edge, &m, v[first - 1], hi);
      if (last + 1 >= n)
        continue;
      lo = hi;
      hi = v[last + 1];
    }
    add_edge(edge, &m, lo, hi);
  }
  return m + 1;
}

static uint8_t bin_of(const float *edge, uint16_t nbins, float v) {
  uint32_t lo = 0;
  uint32_t hi = nbins - 1u;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (v < edge[mid])
      hi = mid;
    else
      lo = mid + 1;
  }
  return lo;
}

void ww_bin_rows(const float *x,
                 uint32_t n,
                 uint32_t stride,
                 uint32_t nfeatures,
                 ww_arena *a,
                 ww_binned *out) {
  enum { SEEN = 20000 };
  uint8_t *bin = WW_NEWN(a, uint8_t, (size_t)n * nfeatures + 1);
  float *edge = WW_NEWN(a, float, (size_t)nfeatures *WW_TREE_BINS);
  uint16_t *nbins = WW_NEWN(a, uint16_t, nfeatures);
  uint32_t seen = n < SEEN ? n : SEEN;
  float *v = ww_xcalloc(seen + 1, sizeof *v);
  for (uint32_t f = 0; f < nfeatures; f++) {
    for (uint32_t k = 0; k < seen; k++)
      v[k] = x[(uint64_t)k * n / seen * stride + f];
    nbins[f] = seen ? edges_of(v, seen, &edge[f * WW_TREE_BINS]) : 1;
    for (uint32_t k = 0; k < n; k++)
      bin[(size_t)k * nfeatures + f] =
          bin_of(&edge[f * WW_TREE_BINS], nbins[f], x[(size_t)k * stride + f]);
  }
  free(v);
  *out = (ww_binned){n, nfeatures, bin, edge, nbins};
}

/* ---- one tree ---- */

typedef struct {
  float g, w; /* sum of weighted residuals, of weights */
} cell;

typedef struct {
  uint32_t begin, end; /* its rows, in `order` */
  cell *hist;          /* [columns][WW_TREE_BINS] */
  double g, w;
  double gain; /* of its best split; 0: none */
  uint16_t column, bin;
  int32_t child[2]; /* in leaves; -1: it is a leaf */
} branch;

typedef struct {
  ww_arena *arena; /* of one fit */
  const ww_binned *b;
  const ww_trees_problem *p;
  const ww_trees_options *o;
  double lambda, least, group_most; /* in weights */
  cell *groups;                     /* [ngroups] */
  float *pred, *res;                /* [n]; res: clipped residual times weight */
  uint32_t *order, *spare;
  uint32_t nrows; /* that this tree sees */
  uint16_t *columns;
  uint32_t ncolumns;
  branch *br; /* 2 * leaves */
  uint32_t nbr;
  cell *hists;
  uint64_t random;
} grower;

static void count(const grower *t, branch *r) {
  const ww_binned *b = t->b;
  memset(r->hist, 0, sizeof(cell) * t->ncolumns * WW_TREE_BINS);
  for (uint32_t i = r->begin; i < r->end; i++) {
    uint32_t row = t->order[i];
    const uint8_t *bin = b->bin + (size_t)row * b->nfeatures;
    float g = t->res[row];
    float w = t->p->weight[row];
    for (uint32_t c = 0; c < t->ncolumns; c++) {
      cell *h = &r->hist[c * WW_TREE_BINS + bin[t->columns[c]]];
      h->g += g;
      h->w += w;
    }
  }
}

static double score(const grower *t, double g, double w) {
  return g * g / (w + t->lambda);
}

static void find_split(const grower *t, branch *r) {
  double whole = score(t, r->g, r->w);
  r->gain = 0;
  for (uint32_t c = 0; c < t->ncolumns; c++) {
    const cell *h = &r->hist[c * WW_TREE_BINS];
    uint32_t nbins = t->b->nbins[t->columns[c]];
    double g = 0;
    double w = 0;
    for (uint32_t k = 0; k + 1 < nbins; k++) {
      g += h[k].g;
      w += h[k].w;
      if (w < t->least)
        continue;
      if (r->w - w < t->least)
        break;
      double gain = score(t, g, w) + score(t, r->g - g, r->w - w) - whole;
      if (gain > r->gain + 1e-12) {
        r->gain = gain;
        r->column = c;
        r->bin = k;
      }
    }
  }
}

static void sum_rows(const grower *t, branch *r) {
  r->g = r->w = 0;
  for (uint32_t i = r->begin; i < r->end; i++) {
    r->g += t->res[t->order[i]];
    r->w += t->p->weight[t->order[i]];
  }
}

/* Rows keep their order on both sides. */
static uint32_t partition(grower *t, const branch *r) {
  uint32_t f = t->columns[r->column];
  uint32_t at = r->begin;
  uint32_t other = 0;
  for (uint32_t i = r->begin; i < r->end; i++) {
    uint32_t row = t->order[i];
    if (t->b->bin[(size_t)row * t->b->nfeatures + f] <= r->bin)
      t->order[at++] = row;
    else
      t->spare[other++] = row;
  }
  memcpy(t->order + at, t->spare, other * sizeof *t->spare);
  return at;
}

static void split(grower *t, uint32_t at) {
  branch *r = &t->br[at];
  uint32_t middle = partition(t, r);
  uint32_t cells = t->ncolumns * WW_TREE_BINS;
  branch *one = &t->br[t->nbr];
  branch *two = &t->br[t->nbr + 1];
  bool left_small = middle - r->begin <= r->end - middle;
  *one = (branch){.begin = r->begin, .end = middle, .child = {-1, -1}};
  *two = (branch){.begin = middle, .end = r->end, .child = {-1, -1}};
  branch *small = left_small ? one : two;
  branch *large = left_small ? two : one;
  /* the large one takes its parent's */
  small->hist = t->hists + (size_t)(t->nbr / 2 + 1) * cells;
  large->hist = r->hist;
  count(t, small);
  for (uint32_t k = 0; k < cells; k++) {
    large->hist[k].g -= small->hist[k].g;
    large->hist[k].w -= small->hist[k].w;
  }
  sum_rows(t, one);
  sum_rows(t, two);
  r->child[0] = t->nbr;
  r->child[1] = t->nbr + 1;
  r->hist = NULL;
  t->nbr += 2;
  find_split(t, one);
  find_split(t, two);
}

static void choose_columns(grower *t) {
  uint32_t n = t->b->nfeatures;
  uint32_t want = ceil(t->o->columns * n);
  t->ncolumns = 0;
  for (uint32_t f = 0, left = n; f < n; f++, left--)
    if (ww_random(&t->random) % left < want - t->ncolumns)
      t->columns[t->ncolumns++] = f;
}

static void choose_rows(grower *t) {
  uint64_t below = t->o->rows * 4294967296.0;
  t->nrows = 0;
  for (uint32_t k = 0; k < t->b->n; k++) {
    if (t->p->role[k] != WW_ROW_FIT || !(t->p->weight[k] > 0))
      continue;
    if ((ww_random(&t->random) & 0xffffffffu) < below)
      t->order[t->nrows++] = k;
  }
}

/* How a row pulls its leaf. Relative: against the slope of Huber's loss of predicted /
 * true - 1, so that an answer above the truth counts the more the higher it is, and one
 * far below it ever less.
 */
static double pull(const ww_trees_options *o, double r) {
  if (!o->relative)
    return fmax(-o->huber, fmin(o->huber, r));
  double ratio = exp(fmax(-1, fmin(3, r)) * -1);
  return fmax(-o->huber, fmin(o->huber, 1 - ratio)) * ratio;
}

static void residuals(grower *t) {
  for (uint32_t i = 0; i < t->nrows; i++) {
    uint32_t k = t->order[i];
    t->res[k] = t->p->weight[k] * pull(t->o, t->p->target[k] - t->pred[k]);
  }
}

static void grow(grower *t) {
  choose_rows(t);
  choose_columns(t);
  residuals(t);
  t->nbr = 1;
  t->br[0] = (branch){.end = t->nrows, .hist = t->hists, .child = {-1, -1}};
  count(t, &t->br[0]);
  sum_rows(t, &t->br[0]);
  find_split(t, &t->br[0]);
  for (uint32_t leaves = 1; leaves < t->o->leaves; leaves++) {
    uint32_t best = 0;
    double gain = 0;
    for (uint32_t k = 0; k < t->nbr; k++)
      if (t->br[k].child[0] < 0 && t->br[k].gain > gain) {
        gain = t->br[k].gain;
        best = k;
      }
    if (!(gain > 0))
      break;
    split(t, best);
  }
}

/* ---- the forest ---- */

/* What a leaf says: the mean of its rows, drawn to 0. Where only few groups of rows
 * meet in it, it tells more of these than of others. */
static double leaf_value(const grower *t, const branch *r) {
  if (!t->p->group || !(t->group_most > 0))
    return r->g / (r->w + t->lambda);
  double g = 0;
  double w = 0;
  memset(t->groups, 0, t->p->ngroups * sizeof *t->groups);
  for (uint32_t i = r->begin; i < r->end; i++) {
    cell *c = &t->groups[t->p->group[t->order[i]]];
    c->g += t->res[t->order[i]];
    c->w += t->p->weight[t->order[i]];
  }
  for (uint32_t k = 0; k < t->p->ngroups; k++) {
    const cell *c = &t->groups[k];
    if (!(c->w > 0))
      continue;
    double share = t->group_most / (t->group_most + c->w);
    g += share * c->g;
    w += share * c->w;
  }
  return g / (w + t->lambda);
}

static void keep(const grower *t, uint32_t at, ww_forest *out) {
  const branch *r = &t->br[at];
  uint32_t self = out->nnodes++;
  if (r->child[0] < 0) {
    out->nodes[self] = (ww_tree_node){-1, 0, t->o->rate * leaf_value(t, r)};
    return;
  }
  uint32_t f = t->columns[r->column];
  keep(t, r->child[0], out);
  out->nodes[self] =
      (ww_tree_node){f, out->nnodes - self, t->b->edge[f * WW_TREE_BINS + r->bin]};
  keep(t, r->child[1], out);
}

static void advance(grower *t, const ww_tree_node *tree, uint32_t nnodes) {
  const ww_binned *b = t->b;
  uint8_t *last = ww_xcalloc(nnodes + 1, 1); /* the last bin that goes left at a node */
  for (uint32_t k = 0; k < nnodes; k++) {
    int f = tree[k].feature;
    if (f >= 0)
      last[k] = bin_of(&b->edge[f * WW_TREE_BINS], b->nbins[f], tree[k].v) - 1;
  }
  for (uint32_t k = 0; k < b->n; k++) {
    if (t->p->role[k] == WW_ROW_OUT)
      continue;
    const uint8_t *bin = b->bin + (size_t)k * b->nfeatures;
    uint32_t at = 0;
    while (tree[at].feature >= 0)
      at += bin[tree[at].feature] <= last[at] ? 1 : tree[at].right;
    t->pred[k] += tree[at].v;
  }
  free(last);
}

static double held_error(const grower *t) {
  double sum = 0;
  double weights = 0;
  for (uint32_t k = 0; k < t->b->n; k++) {
    if (t->p->role[k] != WW_ROW_HELD)
      continue;
    double off = t->pred[k] - t->p->target[k];
    double error = fabs(t->o->relative ? expm1(off) : off);
    sum += t->p->weight[k] * fmin(2, error); /* an outlier is one, however far off */
    weights += t->p->weight[k];
  }
  return weights > 0 ? sum / weights : 0;
}

/* Where the rows pull to neither side. */
static float base_of(const ww_trees_problem *p, uint32_t n, const ww_trees_options *o) {
  double base = 0;
  for (int round = 0; round < 60; round++) {
    double g = 0;
    double w = 0;
    for (uint32_t k = 0; k < n; k++) {
      if (p->role[k] != WW_ROW_FIT)
        continue;
      g += p->weight[k] * pull(o, p->target[k] - base);
      w += p->weight[k];
    }
    if (!(w > 0) || fabs(g / w) < 1e-7)
      break;
    base += g / w;
  }
  return base;
}

static void start(grower *t, ww_arena *a, ww_forest *out) {
  uint32_t n = t->b->n;
  uint32_t fitted = 0;
  uint32_t leaves = t->o->leaves;
  double weight = 0;
  for (uint32_t k = 0; k < n; k++)
    if (t->p->role[k] == WW_ROW_FIT && t->p->weight[k] > 0) {
      weight += t->p->weight[k];
      fitted++;
    }
  double mean = fitted ? weight / fitted : 1;
  t->lambda = t->o->lambda * mean;
  t->least = t->o->least * mean;
  t->group_most = t->o->group_most * mean;
  t->groups = WW_NEWN(t->arena, cell, t->p->ngroups + 1);
  t->random = t->o->seed;
  t->pred = t->p->pred ? t->p->pred : WW_NEWN(t->arena, float, n + 1);
  t->res = WW_NEWN(t->arena, float, n + 1);
  t->order = WW_NEWN(t->arena, uint32_t, n + 1);
  t->spare = WW_NEWN(t->arena, uint32_t, n + 1);
  t->columns = WW_NEWN(t->arena, uint16_t, t->b->nfeatures + 1);
  t->br = WW_NEWN(t->arena, branch, 2 * leaves + 2);
  t->hists =
      WW_NEWN(t->arena, cell, (size_t)(leaves + 1) * t->b->nfeatures * WW_TREE_BINS);
  *out = (ww_forest){
      .base = base_of(t->p, n, t->o),
      .nodes = WW_NEWN(a, ww_tree_node, (size_t)t->o->rounds * 2 * leaves + 1),
      .roots = WW_NEWN(a, uint32_t, t->o->rounds + 1)};
  for (uint32_t k = 0; k < n; k++)
    t->pred[k] = out->base;
}

void ww_trees_fit(const ww_binned *b,
                  const ww_trees_problem *p,
                  const ww_trees_options *o,
                  ww_arena *a,
                  ww_forest *out) {
  grower t = {.b = b, .p = p, .o = o, .arena = ww_arena_new()};
  start(&t, a, out);
  if (p->held)
    p->held[0] = held_error(&t);
  for (uint32_t round = 0; round < o->rounds; round++) {
    grow(&t);
    out->roots[out->ntrees++] = out->nnodes;
    uint32_t from = out->nnodes;
    keep(&t, 0, out);
    advance(&t, out->nodes + from, out->nnodes - from);
    if (p->held)
      p->held[round + 1] = held_error(&t);
  }
  ww_arena_free(t.arena);
}
