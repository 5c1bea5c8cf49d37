/* inputs.h - completes a launch: what nobody gave is found out by running the kernel,
 * or assumed, and said. */
#ifndef WW_INPUTS_H
#define WW_INPUTS_H

#include "../report/assume.h"
#include "likely.h"
#include "setup.h"

/* An argument whose contents nobody gave and that decide how the kernel runs, and what
 * it might hold as well. */
typedef struct {
  uint32_t arg;
  uint8_t decides; /* WW_DECIDES_* */
  ww_fill fill[WW_OTHER_FILLS];
  uint32_t nfills;
  uint64_t targets; /* parameters (bit p, p < 64) that its integers lead into */
} ww_deciding;

typedef struct {
  ww_assumptions list; /* for the report */
  bool *args;          /* per parameter: its size or contents were assumed */
  bool *sized;         /* per parameter: its size came from the memory analysis */
  WW_VEC(ww_deciding) deciding;
  /* for ww_run_spec: parameters whose assumed contents decide these */
  uint64_t addresses, paths;
  bool loops; /* they decide how often loops run, so that one may not end */
} ww_assumed;

/* The runtime's own argument of an OpenMP region, which no source names: null unless
 * given. */
bool ww_is_omp_state(const ww_module *m, const ww_fn *fn, uint32_t p);

/* The kernel's parameters, for ww_launch_resolve. */
ww_launch_params ww_kernel_params(const ww_module *m, const ww_fn *fn, ww_arena *a);

/* When to give up. */
typedef struct {
  /* polled now and then; true ends it with WW_ECANCEL; NULL: never */
  bool (*cancelled)(void *ctx);
  void *ctx;
  uint64_t bytes; /* of buffers' contents; beyond it WW_ELIMIT; 0: none */
} ww_until;
/* l is resolved (args[i] is parameter i). Afterwards grid, block, every scalar, and
 * every buffer's size and contents are given; `l` can be written down and run anywhere.
 * until NULL: never. */
ww_status ww_inputs_complete(const ww_module *m,
                             const ww_fn *fn,
                             ww_launch *l,
                             const ww_until *until,
                             ww_assumed *said,
                             ww_arena *a,
                             ww_err *e);

#endif
