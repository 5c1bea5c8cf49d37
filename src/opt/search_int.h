/* search_int.h - what the files of the search share.
 *
 * Candidates are only ever added, and their answers come in the order of their numbers:
 * what is found does not depend on how many processes worked on it. */
#ifndef WW_OPT_SEARCH_INT_H
#define WW_OPT_SEARCH_INT_H

#include "optimize.h"

/* What is handed back by prediction alone is predicted at least so many times as fast
 * as the original. Of two kernels of the corpus that do the same work the predicted
 * ratio is off by 6 % in the median; of 51 pairs that are predicted more than 5 % apart
 * none is in the wrong order on an H200, of 7 that are nearer 6 are. */
#define WW_SURE_GAIN 1.1

typedef struct {
  const ww_optimize_request *q;
  ww_arena *a;
  ww_optimized *out;
  ww_err unkept; /* why the job could not be written */
} ww_search;

/* What verify said of a candidate; state WW_CANDIDATE_ORIGINAL: it was not asked. */
typedef struct {
  ww_candidate_state state;
  uint32_t cases;
  uint32_t unreached; /* a line of it that no case reached, where it has more such code
                         than the original; 0: none */
  const char *why;
} ww_judgement;

bool ww_search_over(const ww_search *s);

/* ---- search_offers.c ---- */
#define WW_SEARCH_GAIN 0.99 /* of the parent's time: less is a gain */

/* A rewrite of a candidate that nobody has predicted yet. */
typedef struct {
  ww_candidate c;
  uint32_t family, nth; /* offers of one family edit the same places */
  bool late;            /* it gained nothing before */
  bool taken;
} ww_offer;

typedef struct {
  WW_VEC(ww_offer) v;
  WW_VEC(uint32_t) sizes; /* of each family */
} ww_offers;

/* Of its text and launch, wherever the file lies. */
uint64_t ww_candidate_key(const ww_candidate *c);
/* Adds all rewrites of a candidate. e: why the text cannot be taken apart. */
void ww_search_offers(ww_search *s, uint32_t parent, ww_offers *all, ww_err *e);

/* ---- search.c ---- */
/* Reads and predicts the original, which becomes candidate 0. */
ww_status ww_search_begin(ww_search *s, ww_err *e);
/* Candidates that were verified run beside the original (q->measure, q->job). */
ww_status ww_search_measure(ww_search *s, const uint32_t *ids, uint32_t n, ww_err *e);
/* The best of what may be handed back: verified and surely faster, or none. */
void ww_search_take_best(ww_search *s);
/* It has to hold over more cases, with other contents; else the next. */
ww_status ww_search_confirm(ww_search *s, ww_err *e);

/* ---- search_ask.c ---- */
/* Reads and predicts it in this process: unit, fn, launches, report, and what a device
 * needs to run it. */
ww_status ww_search_load(ww_search *s, ww_candidate *c, ww_err *e);
void ww_search_unload(ww_candidate *c);
/* Predicts candidates in children, as many at a time as there are cores. One that the
 * time did not suffice for keeps the state WW_CANDIDATE_ORIGINAL. */
ww_status ww_search_predict(ww_search *s, ww_candidate *v, uint32_t n, ww_err *e);
/* Compares candidates with the original, in the same way. */
typedef struct {
  uint64_t seed, budget; /* budget 0: verify's own */
} ww_judging;
ww_status ww_search_judge(ww_search *s,
                          const uint32_t *ids,
                          uint32_t n,
                          const ww_judging *how,
                          ww_judgement *out,
                          ww_err *e);
/* How many run at a time. */
uint32_t ww_search_processes(const ww_search *s);

#endif
