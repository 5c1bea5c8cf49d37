/* modules.h - kernels compiled at run time. */
#ifndef WW_LM_CUDA_MODULES_H
#define WW_LM_CUDA_MODULES_H

#include "runtime.h"

/* A unit through NVRTC for "sm_80"; needs no device. WW_EDEVICE where there is no
 * NVRTC. */
ww_status ww_accel_compile(ww_accel_unit unit,
                           const char *architecture,
                           ww_arena *a,
                           char **code,
                           size_t *n,
                           ww_err *e);

#endif
