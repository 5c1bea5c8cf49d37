/* watchdog.h - ends this process when what it does now takes too long or too much
 * memory, whatever it is doing.
 *
 * For work that nobody can ask to stop: a pass of LLVM, a loop that does not look at
 * its deadline. Who can be asked looks at ww_watchdog_over and ends in an orderly way,
 * before this does. One limit at a time; one thread begins and ends it. */
#ifndef WW_BASE_WATCHDOG_H
#define WW_BASE_WATCHDOG_H

#include "base.h"

typedef struct {
  double seconds;           /* from now; 0: none */
  double grace;             /* seconds behind that, in which it may end by itself */
  uint64_t bytes;           /* of memory on top of what the process has now; 0: none */
  const char *late, *large; /* written to fd at the end; NULL: nothing. They stay until
                               ww_watchdog_end */
  int fd;
  int late_code, large_code; /* exit codes */
} ww_watchdog;

void ww_watchdog_begin(const ww_watchdog *l);
void ww_watchdog_end(void);
/* its seconds have passed; false when there is none. Fits ww_query_targets.cancelled */
bool ww_watchdog_over(void *unused);

#endif
