/* limits.h - how long a command may be at one kernel, and with how much memory. */
#ifndef WW_CMD_LIMITS_H
#define WW_CMD_LIMITS_H

#include "cmd.h"

typedef struct {
  const char *seconds, *memory; /* as given; NULL: the default */
} ww_limit_options;

/* Rows of the table of a command whose options struct T has a `ww_limit_options
 * limits`. */
/* clang-format off */
#define WW_LIMIT_OPTIONS(T, SECONDS) \
  WW_OPTION_OF(T, limits.seconds, "seconds", "N", \
            "time that a file or a kernel may take (default " SECONDS "; 0: no limit)"), \
  WW_OPTION_OF(T, limits.memory, "memory", "MB", \
            "memory that a kernel may take (default: three quarters of the machine's; 0: no limit)")
/* clang-format on */

/* Both numbers, or their defaults, to c->limits; 0: no limit. `memory`: the default in
 * MB, 0: of the machine's. */
ww_status
ww_limits_read(const ww_limit_options *o, double seconds, uint64_t memory, ww_cmd *c);
/* From now on until ww_limits_end, as c->limits say, about `what` ("kernel `k`"). Past
 * a limit the program ends with a message that names it; who can be asked to stop
 * before that looks at ww_watchdog_over and says ww_limits_late. */
void ww_limits_begin(ww_cmd *c, const char *what);
void ww_limits_end(ww_cmd *c);
ww_status ww_limits_late(const ww_cmd *c, const char *what, ww_err *e);

#endif
