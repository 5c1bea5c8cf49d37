/* gpus.h - what the files of `warpwise gpus` share. */
#ifndef WW_CMD_GPUS_H
#define WW_CMD_GPUS_H

#include "../gpu/gpu.h"
#include "cmd.h"

typedef struct {
  const char *output, *verify, *base, *threshold, *raw, *from, *launch, *plan, *with;
  bool no_counters;
} ww_gpus_options;

/* A file's name for a device without a description: "NVIDIA L40S" gives l40s. */
const char *ww_gpus_short_name(const char *device, ww_arena *a);
/* To --output, else to stdout. */
ww_status ww_gpus_write(ww_cmd *c, const ww_gpu *g);

/* gpus_calibrate.c: a description brought closer to the device by 50 launches. */
ww_status ww_gpus_calibrate(ww_cmd *c);

#endif
