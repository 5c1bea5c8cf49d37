/* backend.h - what a device can do for measure.c: a struct of functions, one for CUDA
 * (cuda.c), one for OpenCL (opencl.c).
 *
 * measure.c owns the convention (warm-up, restore, flush, repetitions, medians); a
 * backend only does what it is told. A status other than WW_OK after the device was
 * touched (WW_EDEVICE) means the context may be broken: the batch ends. */
#ifndef WW_MEASURE_BACKEND_H
#define WW_MEASURE_BACKEND_H

#include "measure.h"

#define WW_BATCH 256 /* launches of a batch, unless the options say otherwise */

typedef struct ww_device ww_device; /* each backend's own */
/* a launch loaded on the device: code, buffers, pristine copies, parameters */
typedef struct ww_ready ww_ready;

typedef enum {
  WW_SET_TIME, /* time_us and sm_clock_mhz, one pass */
  /* every metric of metrics.def that the device counts; flops_tensor only where it is
     zero */
  WW_SET_COUNTERS,
  /* flops_tensor of launches that COUNTERS left it unknown for: six more passes, few
     kernels need them */
  WW_SET_TENSOR,
} ww_counter_set;

typedef struct {
  const char *name; /* "cuda" */
  /* `device`: a part of its name or NULL. None that fits is WW_EDEVICE, with the
   * devices there are in the message. */
  ww_status (*open)(const char *device,
                    ww_arena *a,
                    ww_device **out,
                    ww_device_info *info,
                    ww_err *e);
  void (*close)(ww_device *d); /* accepts NULL */

  /* Code, buffers with their contents, symbols, a pristine copy of each on the device.
   * WW_ELIMIT: does not fit now. */
  ww_status (*load)(ww_device *d, const ww_launch *l, ww_ready **out, ww_err *e);
  void (*unload)(ww_device *d, ww_ready *r); /* accepts NULL */
  /* registers, shared_bytes, local_bytes, occupancy_limit_pct: what is known without
   * running. */
  void (*resources)(ww_device *d, const ww_ready *r, ww_report *out);

  /* every buffer and symbol that a run has changed */
  ww_status (*restore)(ww_device *d, ww_ready *r, ww_err *e);
  /* caches, by reading at least four times L2 */
  ww_status (*flush)(ww_device *d, ww_err *e);
  /* enqueues one launch, no waiting */
  ww_status (*launch)(ww_device *d, ww_ready *r, ww_err *e);
  ww_status (*sync)(ww_device *d, ww_err *e);
  /* A hash of all that the kernel may have written, computed on the device; and which
   * buffers differ from their pristine copy, remembered so that restore leaves the
   * others alone (only ever widened). */
  ww_status (*digest)(ww_device *d, ww_ready *r, uint64_t *out, ww_err *e);

  /* Counting: begin; for each pass: pass_begin, one `count` per launch in the same
   * order, pass_end; end gives values[range][metric]; what the set does not have stays
   * NaN, as it begins. */
  ww_status (*begin)(
      ww_device *d, ww_counter_set set, uint32_t ranges, uint32_t *passes, ww_err *e);
  ww_status (*pass_begin)(ww_device *d, ww_err *e); /* NULL: nothing to do */
  /* one launch, as one range */
  ww_status (*count)(ww_device *d, ww_ready *r, ww_err *e);
  ww_status (*pass_end)(ww_device *d, ww_err *e);
  ww_status (*end)(ww_device *d, double values[][WW_NMETRICS], ww_err *e);

  /* Every argument's buffer as it is now, as DIR/arg<i>.bin; NULL: cannot. */
  ww_status (*dump)(ww_device *d, ww_ready *r, const char *dir, ww_err *e);
  /* "sm_90" of the device that open would take, without a context on it; NULL: nothing
   * is compiled ahead for it. */
  ww_status (*architecture)(const char *device, char out[16], ww_err *e);
} ww_backend;

extern const ww_backend ww_backend_cuda, ww_backend_opencl;
/* What a device says of itself, opened in a process of its own: a driver that aborts
 * (PoCL does where it gets no thread) is an error here, not the end. Not for CUDA once
 * this process has called it, it does not survive a fork. */
ww_status ww_device_describe(const ww_backend *b,
                             const char *device,
                             ww_arena *a,
                             ww_device_info *out,
                             ww_err *e);
/* The one that can run a launch: OpenCL for .cl sources and code, CUDA for the rest. */
const ww_backend *ww_backend_of(const ww_launch *l);

#endif
