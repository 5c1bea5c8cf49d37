/* gpu.h - GPU descriptions: gpus/<name>.json of this project, or a user's own file. */
#ifndef WW_GPU_H
#define WW_GPU_H

#include "../base/base.h"

typedef struct {
  const char *name, *full_name;
  const char *vendor;       /* "nvidia" or "amd" */
  const char *architecture; /* sm_90, gfx90a */
  uint32_t lanes;           /* of a warp: 32 or 64 */
  uint32_t sms;             /* multiprocessors, compute units */
} ww_gpu;

/* `which`: a name (h200) or the path of a description. An unknown name is an error that lists the known ones. */
ww_status ww_gpu_load(const char *which, ww_arena *a, ww_gpu *out, ww_err *e);

#endif
