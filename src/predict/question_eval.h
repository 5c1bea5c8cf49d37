/* question_eval.h - values of expressions in a source under one launch, for question_walk.c alone. */
#ifndef WW_PREDICT_QUESTION_EVAL_H
#define WW_PREDICT_QUESTION_EVAL_H

#include "question_int.h"

typedef struct {
  double at[4]; /* thread 0, thread 1 of its row, the middle, the last; NaN: not known */
} ww_qval;

/* What a buffer holds as far as the launch tells: element i is about base + slope * i (row pointers, indices); NaN: not known. */
typedef struct {
  double base, slope;
} ww_qline;

typedef struct {
  const ww_qtoken *t;
  uint32_t i, end;
  const ww_qval *value; /* [symbols] */
  const ww_qline *line; /* [symbols]; NULL: none */
  bool real;            /* a float took part: division is not whole */
  uint32_t depth;
} ww_qeval;

ww_qval ww_qval_of(double v);
ww_qval ww_qval_builtin(const ww_launch *l, uint32_t kind, uint32_t dim);
ww_qval ww_qval_range(const ww_qtoken *t, uint32_t from, uint32_t to, const ww_qval *value, const ww_qline *line);

#endif
