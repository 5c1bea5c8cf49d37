/* traffic.h - accesses of a launch -> what L1, L2 and DRAM see of them. */
#ifndef WW_TRAFFIC_H
#define WW_TRAFFIC_H

#include "predict.h"

/* For ww_trace_options.after. `warm`: the launch has run before, so what fits stays in L2. `budget`: warp instructions to run again
 * for the caches; 0: a default. */
ww_status ww_traffic_measure(ww_machine *machine, const ww_run_spec *spec, const ww_sampled *sampled, const ww_gpu *g,
                             const ww_occupancy *occ, bool warm, uint64_t budget, ww_arena *a, ww_traffic *out, ww_err *e);

#endif
