/* advice_int.h - what the files of the advice share: the kernel under study and how to
 * cost a change. */
#ifndef WW_ADVICE_INT_H
#define WW_ADVICE_INT_H

#include "../../trace/roles.h"
#include "advice.h"

/* One IR instruction as it was executed. */
typedef struct {
  const ww_fn *fn;
  uint32_t block, index;
  const ww_ins *ins;
  ww_cost cost;
  double warps, lanes; /* executions, of the launch */
} ww_site;

/* Where most of something happens. */
typedef struct {
  ww_loc at; /* line 0: no place is known */
  double most;
} ww_worst;

/* Work of some instructions, to be taken out of a ww_work or put in. */
typedef struct {
  double inst[WW_NPIPES];
  double latency; /* warps times cycles */
} ww_part;

/* Where a value goes. */
typedef struct {
  bool shared;   /* into shared memory */
  uint32_t uses; /* instructions of float arithmetic and matrix products */
} ww_flow_to;

typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  const ww_gpu *g;
  const ww_params *params;
  const ww_prediction *p;
  const ww_work *work; /* the prediction's */
  const ww_tally *t;
  ww_arena *a;
  /* every instruction of every executed block */
  ww_site *sites, *sites_end;
  const ww_line_counts *lines, *lines_end; /* of the tally, by file and line */
  ww_part all;                             /* their sum */
  const ww_block_counts **of; /* per block of fn: its counts, NULL where it never ran */
  const ww_flow_to *flow;     /* per value of fn */
  WW_VEC(ww_advice_item) items;
} ww_advisor;

/* words.def: what a finding names, as the file's own language calls it */
typedef enum {
#define WORD(name, ...) WW_WORD_##name,
#include "words.def"
  WW_NWORDS
} ww_word;
extern const char *const ww_words[WW_NWORDS][WW_NDIALECTS];
static inline const char *ww_word_of(const ww_advisor *x, ww_word w) {
  return ww_words[w][x->m->dialect];
}

/* ---- advice.c ---- */
static inline ww_loc ww_site_loc(const ww_advisor *x, const ww_site *s) {
  return x->m->locs[s->ins->loc];
}
/* executions by warps */
static inline double ww_per_thread(const ww_advisor *x, double warps) {
  return warps / (x->t->c.warps > 0 ? x->t->c.warps : 1);
}
double ww_site_inst(const ww_site *s); /* machine instructions of one execution */
void ww_worst_add(const ww_advisor *x, const ww_site *s, double n, ww_worst *w);
/* share of its executions */
void ww_part_add(ww_part *to, const ww_site *s, double share);
/* Takes the part out of the work: instructions, pipe cycles, and its share of the
 * dependency chain.
 */
void ww_part_remove(const ww_advisor *x, const ww_part *part, ww_work *w);
/* All instructions of the given pipes times f (bit p of pipes: pipe p). */
void ww_work_scale_pipes(ww_work *w, uint32_t pipes, double f);
/* The work was changed so: what would it gain? Added when that is worth saying. */
void ww_advice_add(ww_advisor *x,
                   ww_rule rule,
                   ww_loc at,
                   const ww_work *without,
                   const char *cause,
                   const char *remedy);
const ww_line_counts *ww_advice_line(const ww_advisor *x,
                                     ww_loc at); /* NULL: nothing was counted there */
/* Bytes of the argument that the launch touches: what its footprints enclose where they
 * move evenly with the block, else the range that the sampled blocks touched; no more
 * than the distinct sectors that they touch one by one. */
double ww_advice_touched(const ww_advisor *x, const ww_arg_counts *g);
/* where it is declared: for what concerns the launch as a whole */
ww_loc ww_advice_kernel(const ww_advisor *x);

const ww_flow_to *ww_advice_flow(const ww_fn *fn, ww_arena *a); /* advice_flow.c */
/* advice_serial.c: most of what it does in loops is one turn after the other */
bool ww_advice_is_serial(const ww_advisor *x);

/* ---- the searches ---- */
/* advice_memory.c: coalescing, banks, narrow accesses, local memory, atomics */
void ww_advise_access(ww_advisor *x);
/* advice_reuse.c: accumulators in memory, tiles */
void ww_advise_reuse(ww_advisor *x);
/* advice_code.c: double constants, division, recomputation */
void ww_advise_code(ww_advisor *x);
void ww_advise_width(ww_advisor *x);  /* advice_width.c: neighbours of a thread */
void ww_advise_matrix(ww_advisor *x); /* advice_matrix.c: matrix units */
void ww_advise_sync(ww_advisor *x);   /* advice_sync.c: barriers within a warp */
void ww_advise_flow(ww_advisor *x);   /* advice_launch.c: divergence */
/* advice_launch.c: occupancy, grid, tail, barriers */
void ww_advise_launch(ww_advisor *x);

#endif
