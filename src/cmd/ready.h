/* ready.h - launches on their way to a device: planned from their source, compiled,
 * written down for another machine. */
#ifndef WW_CMD_READY_H
#define WW_CMD_READY_H

#include "source.h"

/* One launch. */
typedef struct {
  ww_launch l;
  const char *kernel; /* as the source has it */
  const char *compiler;
  ww_assumptions said; /* what was assumed */
  ww_err bad;          /* code WW_OK: ready */
} ww_item;

typedef struct {
  ww_cmd *c; /* its operands, if any, are the source files */
  const ww_source_options *source;
  const char *with; /* nvcc, nvrtc, or NULL */
  uint32_t jobs;    /* compilations at a time; 0: one per core */
  uint32_t limit_s; /* of nvcc for one file; 0: its own */
  bool elsewhere;   /* another machine measures: the GPU must be named */
  ww_arena *a;
} ww_ready_how;

/* What the source tells: kernel, shape, sizes, types, contents. A launch that has its
 * code, or an error, is left as it is. */
void ww_ready_plan(const ww_ready_how *h, ww_item *v, uint32_t n);
/* Everything that is to run on CUDA, in one go. */
void ww_ready_compile(const ww_ready_how *h, ww_item *v, uint32_t n);
/* The ready spec as a line of the file `plan`; its code goes into the folder plan.d. */
ww_status ww_ready_line(const char *plan, const ww_item *i, ww_buf *out, ww_err *e);

#endif
