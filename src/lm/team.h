/* team.h - threads that run one function together, for passes of well under a
 * millisecond.
 *
 * Workers wait for the next pass spinning a few dozen microseconds, then asleep. One
 * pass at a time: who comes second waits. A child of fork() starts workers of its own
 * at its first pass. */
#ifndef WW_LM_TEAM_H
#define WW_LM_TEAM_H

#include "../base/base.h"

typedef struct ww_team ww_team;
uint32_t ww_team_cores(void); /* that this process may use */
/* 0: one per core; workers start at the first run */
ww_team *ww_team_new(uint32_t threads);
void ww_team_free(ww_team *t); /* accepts NULL; nobody runs on it any more */
uint32_t ww_team_size(const ww_team *t);
/* fn(ctx, rank, size) on every thread of the team, the caller as rank 0; returns when
 * all have. */
void ww_team_run(ww_team *t,
                 void (*fn)(void *ctx, uint32_t rank, uint32_t size),
                 void *ctx);
void ww_team_barrier(ww_team *t); /* inside fn: everybody waits for everybody */

#endif
