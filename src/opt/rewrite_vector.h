/* rewrite_vector.h - several neighbouring elements at a time: which accesses of a piece
 * of code walk through memory with one counter, and that piece for several of its
 * values, loads and stores by vectors.
 *
 * A walk is an access base[rest + stride * counter + offset]: what `width` values of
 * the counter reach lies side by side. It is held in an array that the compiler keeps
 * in registers; whether its address is a multiple of the vector's size is asked at run
 * time, and the code as it was remains for where it is not. */
#ifndef WW_OPT_REWRITE_VECTOR_H
#define WW_OPT_REWRITE_VECTOR_H

#include "rewrite_int.h"

typedef struct {
  uint32_t base;     /* node: declaration of the pointer */
  const char *index; /* of offset 0, in terms of the counter */
  int64_t stride;    /* elements from one value of the counter to the next */
  int64_t low, high; /* offsets that are used */
  bool loaded;       /* before it is stored, or stored only */
  bool stored;
  uint32_t bytes;   /* of an element */
  const char *type; /* of an element */
  bool taken;       /* by vectors */
  const char *name; /* of the array in registers */
  int64_t origin;   /* offset of its first element */
  uint32_t vector;  /* bytes of a vector */
} ww_walk;

/* An access of a walk. */
typedef struct {
  uint32_t node, walk;
  const char *place; /* in the array, but for the constant: "item + d" */
  int64_t constant;
} ww_walk_use;

typedef struct {
  ww_rewriting *x;
  uint32_t decl;        /* the counter's declaration */
  const char *counter;  /* its name */
  uint32_t first, last; /* nodes [first, last) of the code, whole statements */
  uint32_t begin, end;  /* bytes of it */
  uint32_t width;
  const char *item; /* name that counts from 0 to width */
  bool statements;  /* several: they need braces */
  bool leaves;      /* it may go on with the next element early */
  WW_VEC(ww_walk) walks;
  WW_VEC(ww_walk_use) uses;
  bool apart; /* right only where no two buffers overlap */
} ww_vector;

/* Finds the walks of the code; false: there are none worth a vector. */
bool ww_vector_find(ww_vector *v);
/* Whether all of them are aligned, for the counter as it stands. */
const char *ww_vector_aligned(const ww_vector *v);
/* Whether the first of them is not. */
const char *ww_vector_before(const ww_vector *v);
/* Loads, a `for` over the elements, stores: lines with that indent. NULL: a macro
 * stands in the way. */
const char *ww_vector_text(const ww_vector *v, const char *indent);
/* The bases of the walks, for titles: "x, y". */
const char *ww_vector_names(const ww_vector *v);

#endif
