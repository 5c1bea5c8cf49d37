/* tune_replay.h - `tune --replay`: how the search would have done, by recorded times.
 */
#ifndef WW_CMD_TUNE_REPLAY_H
#define WW_CMD_TUNE_REPLAY_H

#include "../opt/tune.h"

typedef struct {
  uint64_t pool;    /* variants of a pool; 0: 100 */
  uint64_t most;    /* variants that are predicted, pools are drawn from; 0: 400 */
  uint64_t records; /* only variants with so many recorded times */
  uint64_t seed;
  bool json;
} ww_replay;
/* t->v is made here: variants with a recorded time, and those that failed. */
ww_status ww_tune_replay(ww_tune *t,
                         const ww_tuner_file *recorded,
                         const ww_replay *how,
                         ww_err *e);

#endif
