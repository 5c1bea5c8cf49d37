/* chain.h - one warp alone: the longest way through its dependency stream, and what it
 * waits for on that way. */
#ifndef WW_CHAIN_H
#define WW_CHAIN_H

#include "predict.h"
#include "traffic.h"

/* What of a GPU and of the launch there a chain depends on. */
typedef struct {
  ww_gpu_code *code; /* of the module, for the GPU */
  ww_ways ways;      /* how far its loads go there */
} ww_chain_gpu;

/* An observer that follows warps of each block that runs; the block's slowest warp
 * speaks for it.
 */
typedef struct ww_chainer ww_chainer;
ww_chainer *ww_chainer_new(const ww_chain_gpu *g, uint64_t block_threads, ww_arena *a);
ww_observer ww_chainer_observer(ww_chainer *c);
/* means over the blocks seen */
void ww_chainer_result(const ww_chainer *c, ww_chain *out);

/* Runs some blocks of the launch under such observers, one for each of n GPUs, all of
 * the machine's lanes. The memory's contents are as at the start afterwards. */
ww_status ww_chain_run(const ww_traced *t,
                       const ww_sampled *sampled,
                       const ww_chain_gpu *gpus,
                       uint32_t n,
                       ww_chain *out,
                       ww_err *e);

#endif
