/* measure_job.h - `measure --job`, and how measured candidates are shown. */
#ifndef WW_CMD_MEASURE_JOB_H
#define WW_CMD_MEASURE_JOB_H

#include "../opt/job.h"
#include "cmd.h"

/* Measures what has no result yet; `how` lacks the program's path, the gate and the
 * sink. */
ww_status ww_cmd_measure_job(ww_cmd *c, const char *path, ww_job_how *how);
/* One candidate's result as a line: JSON or for people. */
void ww_cmd_show_result(const ww_cmd *c, const ww_job_candidate *k);

#endif
