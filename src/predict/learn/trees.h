/* trees.h - gradient-boosted regression trees: fitted on binned columns, evaluated on
 * plain floats; deterministic.
 *
 * A forest is a sum: base + one leaf of each tree. A row goes left where its feature is
 * below the node's threshold. */
#ifndef WW_PREDICT_TREES_H
#define WW_PREDICT_TREES_H

#include "../../base/base.h"

typedef struct {
  int16_t feature; /* -1: a leaf */
  uint16_t right;  /* from this node on; the left child is the next node */
  float v;         /* threshold, or the leaf's value */
} ww_tree_node;

typedef struct {
  float base;
  ww_tree_node *nodes; /* tree after tree, each in preorder */
  uint32_t nnodes;
  uint32_t *roots; /* of the trees, in nodes */
  uint32_t ntrees;
} ww_forest;
/* correct.c: what it says of a row, and how large it is */
double ww_forest_eval(const ww_forest *f, const float *x);
uint32_t ww_forest_leaves(const ww_forest *f);

/* Text form: base, then a token a node: `17<0.53` goes left below it, `=0.02` is a
 * leaf. */
void ww_forest_write(const ww_forest *f, ww_buf *out);
ww_status ww_forest_parse(
    const char *text, uint32_t nfeatures, ww_arena *a, ww_forest *out, ww_err *e);

/* ---- fitting ---- */

int ww_by_float(const void *a, const void *b); /* qsort's: the smallest first */

enum { WW_TREE_BINS = 64 };

/* Rows as bins of their features; made once, fitted on often. */
typedef struct {
  uint32_t n, nfeatures;
  const uint8_t *bin; /* [n][nfeatures] */
  /* [nfeatures][WW_TREE_BINS]: bin b holds values below edge b; the last one is unused
   */
  const float *edge;
  const uint16_t *nbins;
} ww_binned;
/* x: [n][stride] floats, the first nfeatures of a row count. */
void ww_bin_rows(const float *x,
                 uint32_t n,
                 uint32_t stride,
                 uint32_t nfeatures,
                 ww_arena *a,
                 ww_binned *out);

typedef struct {
  uint32_t rounds, leaves;
  double rate;       /* of each tree's own answer */
  double huber;      /* residuals are clipped at +- this */
  double lambda;     /* weight of a prior at 0 in every leaf, in mean row weights */
  double least;      /* weight of a leaf at least, in mean row weights */
  double group_most; /* in mean row weights; 0: no limit */
  double columns;    /* share of the features that a tree may use */
  double rows;       /* share of the rows that a tree sees */
  /* targets are logs, and what counts is |predicted / true - 1|: where rows spread, the
   * answer lies below their middle */
  bool relative;
  uint64_t seed;
} ww_trees_options;

enum {
  WW_ROW_OUT,
  WW_ROW_FIT,
  WW_ROW_HELD
}; /* left alone; fitted on; predicted and scored, not fitted on */
typedef struct {
  const float *target, *weight; /* [n]; weight 0: not fitted on */
  const uint8_t *role;          /* [n] */
  /* [n] below ngroups, or NULL: rows of a group are alike, and all of them together
   * weigh at most `group_most` in a leaf */
  const uint32_t *group;
  uint32_t ngroups;
  /* [n]: filled for fitted and held rows, as of the last round; may be NULL */
  float *pred;
  double *held; /* [rounds + 1]: weighted mean error of held rows after so many rounds;
                   may be NULL */
} ww_trees_problem;
void ww_trees_fit(const ww_binned *b,
                  const ww_trees_problem *p,
                  const ww_trees_options *o,
                  ww_arena *a,
                  ww_forest *out);

#endif
