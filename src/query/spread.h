/* spread.h - how much of a predicted time depends on contents that nobody gave. */
#ifndef WW_QUERY_SPREAD_H
#define WW_QUERY_SPREAD_H

#include "../predict/model/predict.h"

/* The d-th argument whose contents decide holds its k-th other fill; the launch is that
 * of the trace otherwise, and complete. */
ww_launch
ww_spread_launch(const ww_trace_result *t, uint32_t d, uint32_t k, ww_arena *a);

/* Says that the likely contents of an argument gave no answer. */
void ww_spread_instead(ww_assumptions *list,
                       const ww_fn *fn,
                       const ww_deciding *d,
                       ww_arena *a);

/* The shortest and the longest time with other contents of one argument, us. */
typedef struct {
  double low, high;
  uint32_t n; /* contents that gave an answer */
} ww_other_times;
void ww_spread_add(ww_other_times *s, const ww_prediction *other);
/* Says in the report what the argument's contents decide and what it may cost, and
 * widens the time's interval so that it covers that. */
void ww_spread_say(const ww_other_times *s,
                   const ww_fn *fn,
                   const ww_deciding *d,
                   ww_arena *a,
                   ww_prediction *p);

#endif
