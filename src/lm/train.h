/* train.h - the loop of learning: batches in, steps of AdamW on a schedule, evaluation,
 * log, checkpoints.
 *
 * The same examples, plan and device give the same weights bit for bit (on a GPU: with
 * ops->deterministic), whether trained at once or resumed from checkpoints in pieces.
 * Several ranks share the rows of each step and hold the same values throughout: but
 * for rounding those of one process that takes all rows.
 */
#ifndef WW_LM_TRAIN_H
#define WW_LM_TRAIN_H

#include "examples.h"

typedef struct {
  uint64_t steps; /* in all */
  /* a step is rows x accumulate rows of `tokens` tokens on each rank; the net has room
   * for `rows` */
  uint32_t rows, tokens, accumulate;
  /* peak; what the cosine ends at, as a share of it */
  float lr, lr_least;
  uint64_t warmup; /* steps */
  float decay, clip, beta1, beta2, eps, number_weight;
  /* share of prompts' tokens and of features that is disturbed while learning */
  float noise;
  uint64_t seed;
  double minutes, started; /* 0: no limit; ww_now() that they count from */
  const char *checkpoint;  /* folder, NULL: none */
  uint64_t every;          /* steps between checkpoints; 0: at the end alone */
  bool resume;
  const char *log, *curve; /* files or NULL */
  /* steps between readings of the loss, which wait for the device; 0: each */
  uint64_t log_every;
  /* steps between evaluations on the held-out examples; 0: at the end alone */
  uint64_t check_every;
  uint64_t check_rows; /* at most so many rows each time; 0: all */
  /* the values are the mean over this share of the steps, the last ones; 0: those of
   * the last step */
  float average;
  /* stop after so many evaluations without a better one and take the best values; 0: do
   * not */
  uint32_t patience;
  double peak; /* FLOP/s of the device, for MFU; 0: not known */
  /* hash of what stays as it is: configuration, frozen weights; a resumed one must be
   * the same */
  uint64_t model;
  /* others that train it too, NULL: none. Rank 0 alone writes checkpoints; log and
   * curve are to be given to it alone. */
  ww_ranks *ranks;
} ww_lm_plan;

/* rows of a step, of all ranks */
static inline uint64_t ww_lm_step_rows(const ww_lm_plan *p) {
  return (uint64_t)p->rows * p->accumulate * ww_ranks_size(p->ranks);
}

typedef enum { WW_TRAINED_ALL, WW_TRAINED_TIME, WW_TRAINED_EARLY } ww_lm_ended;

/* One step, or one evaluation; floats, because checkpoints keep them. */
typedef struct {
  float step, loss, token_loss, number_loss, lr, norm;
} ww_lm_point;
typedef WW_VEC(ww_lm_point) ww_lm_points;

typedef struct {
  uint64_t step, steps; /* done, planned */
  ww_lm_ended ended;
  ww_lm_points train, check; /* in the arena given */
  double seconds;            /* of this call's steps */
  /* learned from in this call by all ranks, padding included */
  uint64_t tokens;
  double best; /* least loss of the evaluations, NaN: none */
  uint64_t best_step;
  double mfu; /* of this call, NaN: not known */
} ww_lm_trained;

/* WW_EDATA: the loss or the gradient is not finite, the last good checkpoint is kept.
 * WW_ECANCEL: interrupted by a signal, a checkpoint made. */
ww_status ww_lm_train(ww_net *n,
                      const ww_lm_config *c,
                      const ww_examples *x,
                      const ww_examples *valid,
                      const ww_lm_plan *p,
                      ww_arena *a,
                      ww_lm_trained *out,
                      ww_err *e);

/* How many steps of `rows` rows so many epochs are; *filled: the share of the rows'
 * tokens that is no padding. */
uint64_t ww_lm_steps(const ww_examples *x,
                     const ww_lm_config *c,
                     uint32_t T,
                     uint64_t rows,
                     double epochs,
                     double *filled);
/* learning rate of a step from 1: linear up, then cosine down */
float ww_lm_rate(const ww_lm_plan *p, uint64_t steps, uint64_t step);
/* Where the regression head begins: means [numbers], then log of the mean absolute
 * deviations. */
void ww_lm_number_start(const ww_examples *x, float *bias);

/* curve.c: loss over steps as a picture. */
void ww_lm_curve(const char *title,
                 const ww_lm_points *train,
                 const ww_lm_points *check,
                 ww_buf *svg);
/* train_state.c: what a checkpoint knows besides values, and the log. */
typedef struct {
  uint64_t step, epoch, row, steps;
  double best;
  uint64_t best_step;
  uint32_t worse; /* evaluations since the best */
} ww_lm_place;
void ww_lm_state_write(const ww_lm_plan *p,
                       const ww_lm_place *at,
                       uint64_t data,
                       ww_buf *json);
/* A plan or data that would go another way than the checkpoint's is an error; what may
 * differ but changes the result goes to `note`. */
ww_status ww_lm_state_read(const char *path,
                           const void *state /* cJSON */,
                           const ww_lm_plan *p,
                           uint64_t data,
                           ww_lm_place *at,
                           ww_buf *note,
                           ww_err *e);
/* Member k of what a checkpoint remembers of a plan, and the option it comes from;
 * NULL: there is none. */
const char *ww_lm_plan_member(const ww_lm_plan *p, uint32_t k, double *value);
ww_status ww_lm_log_open(const char *path,
                         bool resume,
                         uint64_t step,
                         FILE **out,
                         ww_err *e); /* keeps a resumed log's lines up to `step` */

/* train_ranks.c: what the ranks of a training have to agree on. Alone: nothing. */
typedef struct {
  uint64_t data, valid; /* hash of the examples */
  uint64_t step;        /* that the training begins behind */
} ww_lm_begin;
/* Before the first step: the same plan, data, place and values on all ranks. */
ww_status
ww_lm_ranks_begin(ww_net *n, const ww_lm_plan *p, const ww_lm_begin *b, ww_err *e);
/* WW_EDATA: the values are no longer the same on all ranks. */
ww_status ww_lm_ranks_same(ww_net *n, ww_ranks *r, uint64_t step, ww_err *e);
/* Losses of this rank's rows become those of all; a wish of one is everybody's. */
typedef struct {
  bool stop, late; /* a signal came; the time is nearly over */
} ww_lm_wish;
ww_status ww_lm_ranks_losses(ww_ranks *r, ww_net_loss *l, ww_lm_wish *wish, ww_err *e);

#endif
