/* verify_job.h - the same question at full size, where a device is: a job of two
 * candidates goes out, what the device found comes back. */
#ifndef WW_OPT_VERIFY_JOB_H
#define WW_OPT_VERIFY_JOB_H

#include "../query/query.h"
#include "job.h"
#include "verify.h"

/* A new file: both kernels under the launch's own size, with the same bytes in their
 * buffers. The sources have path, text and flags. */
ww_status ww_verify_propose(const ww_verify_side side[2],
                            const ww_source source[2],
                            const char *path,
                            ww_arena *a,
                            ww_err *e);
/* What a device found; *same is false where it ran the original alone. Fails where it
 * has not run yet. */
ww_status
ww_verify_resume(const char *path, ww_arena *a, ww_job *out, bool *same, ww_err *e);

#endif
