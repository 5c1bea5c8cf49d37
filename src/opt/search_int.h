/* search_int.h - what the files of the search share.
 *
 * Candidates are only ever added, and their answers come in the order of their numbers:
 * what is found does not depend on how many processes worked on it. */
#ifndef WW_OPT_SEARCH_INT_H
#define WW_OPT_SEARCH_INT_H

#include "optimize.h"

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
  const char *why;
} ww_judgement;

bool ww_search_over(const ww_search *s);

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
