/* counters.h - NVIDIA's counters and how they make metrics: one place for CUPTI
 * (cupti.c) and for Nsight Compute's output (ncu.c). */
#ifndef WW_MEASURE_COUNTERS_H
#define WW_MEASURE_COUNTERS_H

#include "../report/report.h"

typedef enum {
  WW_GROUP_TIME,
  WW_GROUP_MAIN,
  WW_GROUP_REQUESTS,
  WW_GROUP_TENSOR,
  WW_NGROUPS
} ww_counter_group; /* see counters.def */

typedef enum {
#define COUNTER(id, ...) WW_C_##id,
#include "counters.def"
  WW_NCOUNTERS
} ww_device_counter;

typedef struct {
  const char *id, *name;
  uint8_t group; /* ww_counter_group */
} ww_counter_info;
extern const ww_counter_info ww_counters[WW_NCOUNTERS];

/* counters[ww_device_counter] -> metrics[ww_metric]; NaN is "not known", on both sides.
 */
void ww_counters_to_metrics(const double counters[WW_NCOUNTERS],
                            double metrics[WW_NMETRICS]);
/* Makes dram_gbps, gflops and ai follow from the time, bytes and flops that stand
 * beside them. */
void ww_metrics_derive(double metrics[WW_NMETRICS]);

#endif
