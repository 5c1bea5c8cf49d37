/* metrics.c - the table behind metrics.def. */
#include "report.h"

#define ABS WW_ZERO_ABS
#define SKIP WW_ZERO_SKIP
#define NEVER WW_ZERO_NEVER
const ww_metric_info ww_metrics[WW_NMETRICS] = {
#define METRIC(name, unit, meaning, nvidia, amd, zero) \
  {#name, unit, meaning, nvidia, amd, zero},
#include "metrics.def"
};

int ww_metric_named(const char *name) {
  for (int i = 0; i < WW_NMETRICS; i++)
    if (!strcmp(ww_metrics[i].name, name))
      return i;
  return -1;
}
