/* cupti.h - hardware counters of the CUDA backend, through CUPTI's range profiler.
 *
 * Each launch is announced by ww_cupti_kernel, our helpers' too, and only the counted
 * ones come out. Of the timed set every kernel in a pass is a range of its own (auto
 * range, what Nsight Compute does): a range around the launch would add 1.2 us to its
 * time. The other sets take no times and have ranges around the counted launches (user
 * range): helpers then run at full speed, which makes a pass twice as fast. Replay is
 * the caller's (user replay), so that a whole batch shares a pass. */
#ifndef WW_MEASURE_CUPTI_H
#define WW_MEASURE_CUPTI_H

#include "backend.h"
#include "../cuda/cuda_api.h"

typedef struct ww_cupti ww_cupti;

/* `context` is the current context of device number `device`. No library, no
 * permission: WW_EDEVICE that says what to do. */
ww_status ww_cupti_open(void *context, int device, ww_cupti **out, ww_err *e);
void ww_cupti_close(ww_cupti *c); /* accepts NULL */
/* `kernels`: at most that many are launched in a pass, counted or not. */
ww_status ww_cupti_begin(
    ww_cupti *c, ww_counter_set set, uint32_t kernels, uint32_t *passes, ww_err *e);
ww_status ww_cupti_pass_begin(ww_cupti *c, ww_err *e);
/* Before and after each launch of a kernel; nothing outside a pass; c may be NULL. */
ww_status ww_cupti_kernel(ww_cupti *c, bool counted, ww_err *e);
ww_status ww_cupti_kernel_end(ww_cupti *c, bool counted, ww_err *e);
ww_status ww_cupti_pass_end(ww_cupti *c, ww_err *e);
/* values[i] are the metrics of the i-th counted launch. */
ww_status ww_cupti_end(ww_cupti *c, double values[][WW_NMETRICS], ww_err *e);

#endif
