/* oracle.h - what predict, explain and roofline share: the GPUs asked for, and a launch's
 * prediction on each of them. */
#ifndef WW_CMD_ORACLE_H
#define WW_CMD_ORACLE_H

#include "../query/answer.h"
#include "source.h"

typedef struct {
  ww_gpu *gpus;
  uint32_t n;
  bool assumed; /* none was named */
  bool compile; /* CUDA code goes through nvcc or NVRTC for its exact registers */
  ww_params params;
  const ww_correction *correction; /* NULL: the machine model alone */
} ww_targets;
/* --gpu NAME[,NAME...]; without it the H200, which is then listed as assumed. by: "machine",
 * "grounded" or NULL (grounded where it is known). */
ww_status ww_targets_load(ww_cmd *c, const char *by, ww_targets *out);
ww_status ww_correction_asked(const char *by, ww_arena *a, const ww_correction **out,
                              ww_err *e); /* the value of --by */

/* A launch and what the machine model says of it, per GPU of the targets. Lives in `arena`, made
 * per launch. */
typedef struct {
  ww_arena *arena;
  const ww_fn *fn;  /* in the source cache: gone with the next file */
  ww_launch launch; /* as given, weaker sources merged */
  ww_prediction *p; /* n of the targets; report.error says where there is none */
  uint32_t n;
} ww_answers;

/* cache: "warm", "cold" or NULL (what the launch says). On failure nothing is to be freed. A GPU
 * that cannot run the code (another warp size) gets an error of its own; the call fails when no GPU
 * gives an answer. */
ww_status ww_answers_make(ww_cmd *c, const ww_source_options *o, ww_source_cache *cache,
                          const ww_targets *t, ww_launch *launch, const char *cache_mode,
                          uint64_t budget, ww_answers *out);
void ww_answers_free(ww_answers *a);
ww_status ww_cache_check(const char *mode, ww_err *e); /* the value of --cache */

/* Writes text to a file, "-" is stdout. */
ww_status ww_write_text(const char *path, const ww_buf *b, ww_err *e);

/* clang-format off */
#define WW_PREDICT_OPTIONS(T) \
  WW_OPTION(T, cache, "cache", "STATE", \
            "warm: caches as a first launch leaves them; cold (default)"), \
  WW_OPTION(T, budget, "budget", "N", \
            "warp instructions to spend on sampling (default 500000)"), \
  WW_OPTION(T, by, "by", "MODEL", \
            "machine: the machine model alone; grounded (default): with what measurements taught; " \
   "text (predict): a language model"), \
  WW_OPTION(T, ptxas, "ptxas", NULL, \
            "CUDA: registers from nvcc or NVRTC where one is installed, else estimated")
/* clang-format on */

#endif
