/* tune.h - variants of a kernel, ranked by prediction, then by what was measured of
 * some of them.
 *
 * A variant that cannot run is refused with the reason: it does not compile, its block
 * is too large, its shared memory or its registers do not fit. Predictions and
 * measurements are kept in a job (job.h), so that whatever ends a run, the next goes on
 * where it was. */
#ifndef WW_OPT_TUNE_H
#define WW_OPT_TUNE_H

#include "../query/query.h"
#include "gp.h"
#include "job.h"
#include "space.h"

#define WW_NOT_PROPOSED UINT32_MAX

typedef struct {
  ww_config c;
  const char *label;
  bool asked;                    /* a prediction was made, or failed */
  bool known;                    /* us, low and high are */
  double us, low, high;          /* predicted */
  double registers, spill_bytes; /* a thread */
  double shared_bytes;           /* a block, static */
  uint64_t threads;              /* a block */
  bool bounded;                  /* the compiler knows its block: __launch_bounds__ */
  uint32_t compiled;             /* registers that ptxas gave; 0: it was not asked */
  bool compile_failed;
  const char *refused; /* why it cannot run; NULL: it can */
  const char *error;   /* why there is no prediction though it may run; NULL */
  ww_job_needs needs;
  double work;            /* that one launch does; times are divided by it */
  ww_job_verdict verdict; /* verify's, beside the original */
  const char *difference; /* that it found; NULL */
  uint32_t candidate;     /* its number in the job; WW_NOT_PROPOSED */
  double measured_us;     /* NaN: not measured; infinite: it failed */
} ww_tuned;

typedef struct {
  ww_source source; /* path, flags, lang; its text is `text` */
  const char *text;
  /* the launch as comment or host code write it; its block is what launch bounds are
   * for
   */
  ww_launch written;
  ww_launch over; /* what is known of the launch; names of axes may stand in it */
  const ww_axes *space;
  const ww_query_targets *targets; /* one GPU */
  const char *work;                /* expression over the axes; NULL: 1 */
  const char *self;   /* the program's own path: compilers run in children of it */
  uint32_t processes; /* 0: one per core */
  double limit_s;     /* of one variant */
  bool ptxas;         /* registers from nvcc or NVRTC where one is installed */
  ww_job *job;        /* where predictions are kept; NULL: nowhere */
  ww_tuned *v;
  uint32_t n;
  ww_arena *a;
  ww_err unkept; /* why a prediction could not be kept */
} ww_tune;

/* ---- tune.c ---- */
/* The variants to choose from: *configs, each once. */
ww_status ww_tune_begin(ww_tune *t, ww_config *configs, uint32_t n, ww_err *e);
/* Predicts those that have no prediction yet, asks ptxas about the best tenth and about
 * those whose registers may not fit, and predicts these again. */
ww_status ww_tune_rank(ww_tune *t, ww_err *e);
/* The order of what can run: best predicted first, those without a prediction last. */
uint32_t *ww_tune_order(const ww_tune *t, uint32_t *n);
/* Its source as the compiler gets it; read, the launch as it is written; predicted with
 * everything that belongs to it: all in this process. */
void ww_tune_source(const ww_tune *t, const ww_tuned *v, ww_arena *a, ww_source *out);
ww_status ww_tune_read(const ww_tune *t,
                       const ww_tuned *v,
                       ww_arena *a,
                       ww_query_unit *unit,
                       ww_query_kernel *k,
                       ww_err *e);
ww_status ww_tune_one(const ww_tune *t,
                      const ww_tuned *v,
                      ww_arena *a,
                      ww_query_unit *unit,
                      ww_query_kernel *k,
                      ww_prediction *p,
                      ww_err *e);

/* ---- tune_search.c ---- */
typedef struct {
  bool predictor;       /* ln(measured / predicted) explains more than ln(measured) */
  double evidence[2];   /* without and with it */
  uint32_t best;        /* of what was measured; UINT32_MAX: nothing yet */
  double expected_gain; /* of the best one that is left, as a share of the time */
} ww_search_state;
/* The next ones to measure, best first, at most `most`; fewer where nothing is left. */
uint32_t
ww_tune_next(const ww_tune *t, uint32_t most, uint32_t *out, ww_search_state *state);
/* How sure the best is the best: by drawing from what is known of all of them. */
typedef struct {
  uint32_t best;        /* of what was measured, where something was */
  double us, low, high; /* expected of it, 90 % */
  double sure;          /* that none is faster */
  double within;        /* that none is faster by more than 5 % */
  double loss;          /* expected, as a share of the time */
} ww_tune_verdict;
bool ww_tune_best(const ww_tune *t, uint64_t seed, ww_tune_verdict *out);

/* ---- tune_show.c ---- */
void ww_tune_svg(const ww_tune *t, const ww_tune_verdict *best, ww_buf *out);
/* Kernel Tuner's T4 result form. */
void ww_tune_results(const ww_tune *t, ww_json *j);
void ww_tuned_write(const ww_tune *t, const ww_tuned *v, ww_json *j); /* members */

#endif
