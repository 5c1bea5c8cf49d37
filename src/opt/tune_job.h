/* tune_job.h - variants of a kernel as candidates of a job. */
#ifndef WW_OPT_TUNE_JOB_H
#define WW_OPT_TUNE_JOB_H

#include "tune.h"
#include "verify.h"

/* Adds the variant to t->job; the first one is the original. */
ww_status ww_tune_propose(ww_tune *t, uint32_t which, ww_err *e);
/* What the job knows of its candidates, into t->v. */
void ww_tune_take(ww_tune *t);
/* The variant that is nearest to what the source has; UINT32_MAX: none can run. */
uint32_t ww_tune_original(const ww_tune *t);
/* Are the two the same? Fills new->verdict. */
ww_status ww_tune_verify(const ww_tune *t,
                         const ww_tuned *old,
                         ww_tuned *new,
                         const ww_verify_options *how,
                         ww_err *e);

#endif
