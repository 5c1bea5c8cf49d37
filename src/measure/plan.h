/* plan.h - from a launch spec and a kernel's IR to a spec that a device runs without
 * knowing the IR. */
#ifndef WW_MEASURE_PLAN_H
#define WW_MEASURE_PLAN_H

#include "../trace/run.h"

/* Completes *launch as a trace would and writes down what only the IR tells: the
 * kernel's mangled name, scalars as hex, every buffer's element type, the symbols'
 * mangled names and sizes. Written with ww_launch_write and read back, it gives a
 * device the bytes a trace sees. *assumed gets what was assumed (starts zeroed). Needs
 * a kernel that can be interpreted only where something is missing from the launch. */
ww_status ww_plan(const ww_module *m,
                  const ww_fn *fn,
                  ww_launch *launch,
                  ww_assumed *assumed,
                  ww_arena *a,
                  ww_err *e);

#endif
