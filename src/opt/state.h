/* state.h - what is known of one version of a kernel, as text that a small model reads:
 * ASCII, one fact a line, the same words in the same order each time.
 *
 * docs/agent.md has the form. A model that was trained on it reads it everywhere: from
 * the agent's tools and from a search. */
#ifndef WW_OPT_STATE_H
#define WW_OPT_STATE_H

#include "optimize.h"

/* The candidate's report is there (ww_search_load); `offers`: its rewrites, which are
 * called r1 .. rn. */
void ww_state_write(const ww_optimized *o,
                    uint32_t id,
                    const ww_candidate *offers,
                    uint32_t n,
                    ww_buf *out);
/* Its time as parts of what its bytes and operations need; 0: not known. */
double ww_state_above_floor(const ww_optimized *o, uint32_t id);

#endif
