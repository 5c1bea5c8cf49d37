/* answer.h - from a kernel and its launch to predictions: which GPUs can run it, what
 * has to be said about the answer. */
#ifndef WW_QUERY_ANSWER_H
#define WW_QUERY_ANSWER_H

#include "../front/front.h"
#include "../predict/learn/correct.h"

typedef struct {
  const ww_gpu *gpus;
  uint32_t n;
  bool assumed; /* nobody named the GPU */
  const ww_params *params;
  const ww_correction *correction; /* NULL: the machine model alone */
  uint64_t budget, max_bytes;      /* as in ww_predict_options */
  bool (*cancelled)(void *ctx);
  void *cancelled_ctx;
  double (*registers)(void *ctx,
                      const ww_gpu *g,
                      ww_arena *a,
                      ww_assumptions *said); /* a compiler's; NULL or 0: estimated */
  void *registers_ctx;
} ww_query_targets;
/* Can the GPU run the code as it was read? OpenCL and OpenMP code takes the GPU's
 * lanes; CUDA and HIP code is compiled for one vendor's. `hint`: the end of the
 * message. */
ww_status
ww_lanes_fit(const ww_module *m, const ww_gpu *g, const char *hint, ww_err *e);
/* out[n]; a GPU without an answer has its report.error. Fails with the first error when
 * no GPU gives one. `said` goes before what the predictions assume. */
ww_status ww_query_predict(const ww_unit *u,
                           const ww_fn *fn,
                           const ww_launch *launch,
                           const ww_query_targets *q,
                           const ww_assumptions *said,
                           ww_arena *a,
                           ww_prediction *out,
                           ww_err *e);
/* What the report rests on: the GPU where nobody named it, what was said before, what
 * it assumes.
 */
void ww_query_assume(const ww_query_targets *q,
                     const ww_assumptions *said,
                     ww_arena *a,
                     ww_report *r);

#endif
