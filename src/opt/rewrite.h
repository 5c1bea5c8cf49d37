/* rewrite.h - other ways to write a kernel: each rewrite looks for what it can do and
 * offers it as edits of the text and a change of the launch.
 *
 * Edits are made of libclang's ranges, so that all that is not edited stays as it was
 * typed; what comes out of a macro is never touched. What is offered is meant to be the
 * same kernel: preconditions (rewrite.def) are checked here, and whoever takes an offer
 * lets `verify` judge it. */
#ifndef WW_OPT_REWRITE_H
#define WW_OPT_REWRITE_H

#include "../front/syntax.h"
#include "../predict/advice/fixes.h"

typedef enum {
#define REWRITE(id, ...) WW_REWRITE_##id,
#include "rewrite.def"
  WW_NREWRITES
} ww_rewrite_kind;
typedef struct {
  const char *id, *what, *needs;
} ww_rewrite_info;
extern const ww_rewrite_info ww_rewrites[WW_NREWRITES];

/* What becomes of a launch. All zero: it stays. */
typedef struct {
  bool swap;         /* x and y of grid and block change places, before the rest */
  uint32_t block[3]; /* threads; 0: as they were */
  /* elements that a block covers, before and now: the grid follows; 0: unchanged */
  uint32_t was[3], now[3];
} ww_reshape;

typedef struct {
  ww_rewrite_kind kind;
  const char *title; /* "block of 128 threads" */
  ww_edit *edits;    /* sorted, apart from one another */
  uint32_t n;
  ww_reshape shape;
  /* right only where no two buffers overlap */
  bool apart;
} ww_rewritten;

typedef struct {
  const ww_syntax *syntax;
  const char *kernel; /* its plain name */
  uint32_t line;      /* where it is declared */
  ww_dialect dialect;
  const ww_launch *launch; /* complete, in numbers */
  const ww_report *report; /* what was predicted, with findings */
  bool overlap;            /* buffers may overlap */
  bool approximate;        /* other results are granted */
} ww_rewrite_input;

/* All offers, in the table's order; lives in the arena. e: why there can be none. */
uint32_t
ww_rewrite_all(const ww_rewrite_input *in, ww_arena *a, ww_rewritten **out, ww_err *e);

/* The text with the body of the function that the kernel only calls in the place of the
 * call; NULL: the kernel does more. */
const char *ww_rewrite_inlined(const ww_rewrite_input *in, ww_arena *a);

/* The launch behind a rewrite; `complete`: the one before it in numbers. Expressions
 * stay expressions. */
void ww_reshape_launch(const ww_reshape *r,
                       const ww_launch *complete,
                       ww_arena *a,
                       ww_launch *l);

#endif
