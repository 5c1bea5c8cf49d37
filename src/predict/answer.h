/* answer.h - what stands between a source that was read and a prediction, for commands and servers
 * alike: which kernel, which launch, which GPUs can run it, what has to be said about the answer.
 */
#ifndef WW_PREDICT_ANSWER_H
#define WW_PREDICT_ANSWER_H

#include "../front/front.h"
#include "learn/correct.h"

/* The kernel of that name (plain or mangled), NULL: the only one. The message says which there are.
 */
ww_status ww_answer_kernel(const ww_unit *u, const char *file, const char *name, const ww_fn **fn,
                           ww_err *e);
/* Does it say all that can be said? Then nobody has to look for more. */
bool ww_answer_complete(const ww_launch *l, const ww_fn *fn);
/* The host code's launch of the kernel under what the comment says (NULL: there is none) under
 * *launch. */
ww_status ww_answer_launch(const ww_fn *fn, const char *comment, const ww_host_launch *host,
                           uint32_t nhost, ww_arena *a, ww_launch *launch, ww_assumptions *said,
                           ww_err *e);

typedef struct {
  const ww_gpu *gpus;
  uint32_t n;
  bool assumed; /* nobody named the GPU */
  const ww_params *params;
  const ww_correction *correction; /* NULL: the machine model alone */
  uint64_t budget, max_bytes;      /* as in ww_predict_options */
  bool (*cancelled)(void *ctx);
  void *cancelled_ctx;
  double (*registers)(void *ctx, const ww_gpu *g, ww_arena *a,
                      ww_assumptions *said); /* a compiler's; NULL or 0: estimated */
  void *registers_ctx;
} ww_question;
/* out[n]; a GPU without an answer has its report.error. Fails with the first error when no GPU
 * gives one. `said` goes before what the predictions assume. */
ww_status ww_answer(const ww_unit *u, const ww_fn *fn, const ww_launch *launch,
                    const ww_question *q, const ww_assumptions *said, ww_arena *a,
                    ww_prediction *out, ww_err *e);

#endif
