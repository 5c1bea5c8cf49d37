/* likely.h - contents for a buffer that nobody described: what is likely by what the
 * kernel does with its numbers and by its first recorded bytes, and what else it might
 * hold. */
#ifndef WW_TRACE_LIKELY_H
#define WW_TRACE_LIKELY_H

#include "../report/launch.h"
#include "roles.h"

typedef struct {
  const ww_role *role;
  const ww_buffer *buffer; /* its type is known */
  uint64_t elements;       /* of it; 0: not known yet */
  uint64_t range;          /* elements that integers in it may name */
  uint64_t entries;        /* that row pointers lead into, where given; 0: not given */
  /* what its integers are compared with, constants and arguments; none where
   * least > most */
  double least, most;
} ww_unfilled;

/* By its first bytes; false: they tell nothing, or none were recorded. */
bool ww_likely_recorded(const ww_unfilled *c, ww_fill *out);
/* By its role alone. */
ww_fill ww_likely_fill(const ww_unfilled *c);

enum { WW_OTHER_FILLS = 3 };
/* Contents that it might have as well as `assumed`; returns how many. */
uint32_t ww_likely_others(const ww_unfilled *c,
                          const ww_fill *assumed,
                          ww_fill out[WW_OTHER_FILLS]);

#endif
