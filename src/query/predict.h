/* predict.h - from a kernel and its launch to predictions: which GPUs can run it, what
 * has to be said about the answer. */
#ifndef WW_QUERY_PREDICT_H
#define WW_QUERY_PREDICT_H

#include "../front/front.h"
#include "../predict/advice/advice.h"
#include "../predict/learn/correct.h"

typedef struct {
  const ww_gpu *gpus;
  uint32_t n;
  bool assumed; /* nobody named the GPU */
  const ww_params *params;
  const ww_correction *correction; /* NULL: the machine model alone */
  uint64_t budget;                 /* of the trace; 0: its default */
  /* contents that nobody gave are what was assumed first: no others are tried, and the
   * interval does not cover them */
  bool one_contents;
  bool ran; /* see ww_trace_options */
  /* of buffers' contents made at a time; beyond it WW_ELIMIT; 0: no limit */
  uint64_t max_bytes;
  /* polled now and then; true ends it with WW_ECANCEL; NULL: never */
  bool (*cancelled)(void *ctx);
  void *cancelled_ctx;
  /* what a compiler makes of the kernel; NULL, or no registers: estimated */
  ww_built (*built)(void *ctx, const ww_gpu *g, ww_arena *a, ww_assumptions *said);
  void *built_ctx;
} ww_query_targets;
/* Can the GPU run the kernel as it was read? OpenCL and OpenMP code takes the GPU's
 * lanes; CUDA and HIP code is compiled for one vendor's, and HIP code for wavefronts of
 * 64, which matters where lanes see each other. `hint`: the end of the message. */
ww_status ww_lanes_fit(
    const ww_module *m, const ww_fn *fn, const ww_gpu *g, const char *hint, ww_err *e);
/* A resolved launch on every GPU: out[n]; one without an answer has its report.error.
 * Fails with the first error when no GPU gives one. `said` (NULL: nothing) goes before
 * what the predictions assume.
 *
 * What does not depend on the GPU is done once: inputs, sampled blocks, the blocks
 * under the chain's observers; L1 replays once for each shape. GPUs of another warp
 * size are traced apart, and each one alone where the code asks for its multiprocessor
 * or allocates memory. Many may run at a time in as many threads, each with its own
 * arena.
 */
ww_status ww_query_predict(const ww_unit *u,
                           const ww_fn *fn,
                           const ww_launch *launch,
                           const ww_query_targets *q,
                           const ww_assumptions *said,
                           ww_arena *a,
                           ww_prediction *out,
                           ww_err *e);
/* advise.c: ww_advise for every GPU with an answer (p, out: one for each of q);
 * findings that do not hold at other sizes are dropped, and the reports say at which
 * they do. */
void ww_query_advise(const ww_unit *u,
                     const ww_fn *fn,
                     const ww_query_targets *q,
                     ww_arena *a,
                     ww_prediction *p,
                     ww_advice *out);
/* What the report rests on: the GPU where nobody named it, what was said before, what
 * it assumes.
 */
void ww_query_assume(const ww_query_targets *q,
                     const ww_assumptions *said,
                     ww_arena *a,
                     ww_report *r);

#endif
