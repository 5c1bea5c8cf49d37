/* train.c - the loop of learning.
 *
 * A step takes rows x accumulate rows from the packer, learns from them in `accumulate`
 * batches whose losses are scaled by the whole step's counts, then updates once: the
 * result does not depend on how a step is cut but for rounding. Of several ranks each
 * packs the whole step, so that all know its counts, and learns from its own batches of
 * it. Everything that decides what comes next (place in the data, step, values,
 * moments) is in a checkpoint. */
#include "train.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/json_put.h"
#include "checkpoint.h"

typedef struct {
  ww_net *net;
  const ww_lm_config *c;
  const ww_lm_plan *p;
  ww_arena *a;
  ww_lm_trained *out;
  ww_packer *packer;
  ww_packer *checker; /* of the held-out examples, NULL: none */
  ww_lm_place at;
  uint64_t data, flops; /* hash of the examples; of one step on this rank */
  ww_lm_wish wish;      /* of all ranks, when losses were last read */
  /* values at the best evaluation, or their mean so far (plan.average); NULL: not kept
   */
  float *best;
  FILE *log;
  int32_t *ask_at, *describe_at; /* of one batch of a step */
  double save_s, step_s,
      /* what the last checkpoint, the slowest step and the last evaluation took */
      check_s;
  uint32_t pending; /* steps asked for whose losses are not read yet, */
  double since;     /* and when the first of them began */
  double told;      /* when something was last said on stderr */
  float shown;      /* smoothed loss */
  ww_err *e;
} training;

/* ---- the schedule ---- */

float ww_lm_rate(const ww_lm_plan *p, uint64_t steps, uint64_t step) {
  if (step <= p->warmup && p->warmup)
    return (double)p->lr * step / p->warmup;
  double of = steps > p->warmup ? (steps - p->warmup) : 1;
  double done = fmin(1, (step - p->warmup) / of);
  double share = p->lr_least + (1 - (double)p->lr_least) * 0.5 *
                                   (1 + cos(3.14159265358979323846 * done));
  return p->lr * share;
}

uint64_t ww_lm_steps(const ww_examples *x,
                     const ww_lm_config *c,
                     uint32_t T,
                     uint64_t rows,
                     double epochs,
                     double *filled) {
  ww_packer *k = ww_packer_new(x, c, 1, T, 0);
  *filled = ww_packer_filled(k);
  double n = epochs * ww_packer_rows(k) / rows;
  ww_packer_free(k);
  return fmax(1, ceil(n - 1e-9));
}

/* ---- where the heads begin ---- */

void ww_lm_number_start(const ww_examples *x, float *bias) {
  uint32_t K = x->numbers;
  for (uint32_t k = 0; k < K; k++) {
    double sum = 0;
    double away = 0;
    double n = 0;
    for (uint64_t i = 0; i < x->n; i++)
      if (!isnan(x->number[i * K + k])) {
        sum += x->number[i * K + k];
        n++;
      }
    double mean = n > 0 ? sum / n : 0;
    for (uint64_t i = 0; i < x->n; i++)
      if (!isnan(x->number[i * K + k]))
        away += fabs(x->number[i * K + k] - mean);
    bias[k] = mean;
    bias[K + k] = n > 0 && away > 0 ? fmax(-5, fmin(5, log(away / n))) : 0;
  }
}

/* ---- signals: a step is finished and a checkpoint made before we leave ---- */

static volatile sig_atomic_t interrupted;
static void on_signal(int signal) {
  if (interrupted)
    ww_end_by_signal(signal); /* the last checkpoint stands */
  interrupted = signal;
}

static const int caught[3] = {SIGINT, SIGTERM, SIGXFSZ};

static void catch_signals(struct sigaction was[3]) {
  struct sigaction stop = {.sa_handler = on_signal};
  /* a limit on files is an error of write() */
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  interrupted = 0;
  for (int k = 0; k < 3; k++)
    sigaction(caught[k], caught[k] == SIGXFSZ ? &ignore : &stop, was + k);
}

static void release_signals(const struct sigaction was[3]) {
  for (int k = 0; k < 3; k++)
    sigaction(caught[k], was + k, NULL);
}

/* ---- checkpoints ---- */

enum { VALUES, FIRST, SECOND, HISTORY, CHECKS, BEST, NARRAYS };

static void get_array(void *ctx, uint32_t i, float *to) {
  training *t = ctx;
  const ww_lm_points *v = i == HISTORY ? &t->out->train : &t->out->check;
  if (i <= SECOND)
    ww_net_get(t->net, i, to);
  else if (i == BEST)
    memcpy(to, t->best, ww_net_learned(t->net) * sizeof *to);
  else if (v->n)
    memcpy(to, v->v, v->n * sizeof *v->v);
}

static bool first_rank(const training *t) {
  return ww_ranks_rank(t->p->ranks) == 0;
}

static ww_status save(training *t) {
  if (ww_lm_ranks_same(t->net, t->p->ranks, t->at.step, t->e))
    return t->e->code;
  if (!first_rank(t))
    return WW_OK;
  uint64_t n = ww_net_learned(t->net);
  uint64_t per = sizeof(ww_lm_point) / sizeof(float);
  const ww_checkpoint_array arrays[NARRAYS] = {{"values", n},
                                               {"first", n},
                                               {"second", n},
                                               {"history", t->out->train.n * per},
                                               {"checks", t->out->check.n * per},
                                               {"best", n}};
  ww_buf state = {0};
  double begin = ww_now();
  ww_packer_tell(t->packer, &t->at.epoch, &t->at.row);
  ww_lm_state_write(t->p, &t->at, t->data, &state);
  ww_checkpoint_plan plan = {.step = t->at.step,
                             .state = state.s,
                             .arrays = arrays,
                             .n = t->best ? NARRAYS : BEST,
                             .get = get_array,
                             .ctx = t};
  ww_status st = ww_checkpoint_save(t->p->checkpoint, &plan, t->e);
  ww_buf_free(&state);
  t->save_s = ww_now() - begin;
  return st;
}

static ww_status
read_points(training *t, const ww_checkpoint *c, const char *name, ww_lm_points *v) {
  uint64_t floats = ww_checkpoint_floats(c, name);
  uint64_t per = sizeof(ww_lm_point) / sizeof(float);
  if (floats % per || floats / per >= UINT32_MAX)
    return ww_fail(t->e, WW_EDATA, "%s: its %s is not whole", c->path, name);
  v->n = floats / per;
  v->cap = v->n + 1;
  v->v = WW_NEWN(t->a, ww_lm_point, v->cap);
  return floats ? ww_checkpoint_read(c, name, floats, (float *)v->v, t->e) : WW_OK;
}

static ww_status read_values(training *t, const ww_checkpoint *c) {
  static const char *const names[] = {"values", "first", "second"};
  uint64_t n = ww_net_learned(t->net);
  float *v = ww_xmalloc(n * sizeof *v);
  ww_status st = WW_OK;
  for (int k = 0; !st && k < 3; k++) {
    st = ww_checkpoint_read(c, names[k], n, v, t->e);
    if (!st)
      ww_net_set(t->net, k, v);
  }
  free(v);
  if (!st && t->best && ww_checkpoint_floats(c, "best"))
    st = ww_checkpoint_read(c, "best", n, t->best, t->e);
  return st;
}

static void clear_line(void) { /* of the progress bar */
  if (isatty(STDERR_FILENO))
    fputs("\r\033[K", stderr);
}

static void say(const char *what, const char *text) {
  if (ww_is_quiet())
    return;
  clear_line();
  fprintf(stderr, "%s%s\n", what, text);
}

static ww_status resume(training *t) {
  ww_checkpoint c;
  ww_buf note = {0};
  ww_status st = ww_checkpoint_open(t->p->checkpoint, &c, t->e);
  /* the first piece of a training that is always called with --resume */
  if (st == WW_EIO) {
    say("starts over: ", t->e->msg);
    *t->e = (ww_err){0};
    return WW_OK;
  }
  if (st)
    return st;
  t->at.step = c.step;
  st = ww_lm_state_read(c.path, c.state, t->p, t->data, &t->at, &note, t->e);
  if (!st)
    st = read_values(t, &c);
  if (!st)
    st = read_points(t, &c, "history", &t->out->train);
  if (!st)
    st = read_points(t, &c, "checks", &t->out->check);
  if (!st)
    ww_packer_seek(t->packer, t->at.epoch, t->at.row);
  if (!st && *c.note)
    say("a newer checkpoint is not used: ", c.note);
  if (!st && note.n)
    say("not as the checkpoint was begun: ", note.s);
  ww_buf_free(&note);
  ww_checkpoint_close(&c);
  return st;
}

static ww_status begin(training *t) {
  const ww_lm_plan *p = t->p;
  ww_checkpoint c;
  if (!p->checkpoint)
    return WW_OK;
  if (p->resume)
    return resume(t);
  ww_err none;
  ww_status st = ww_checkpoint_open(p->checkpoint, &c, &none);
  if (st == WW_EIO)
    return WW_OK; /* there is none yet */
  if (!st)
    ww_checkpoint_close(&c);
  return ww_fail(t->e, WW_EUSAGE,
                 "%s has checkpoints already: go on from them with --resume, or name "
                 "another folder",
                 p->checkpoint);
}

/* ---- when to leave ---- */

static bool late(const training *t) {
  if (!(t->p->minutes > 0))
    return false;
  return ww_now() - t->p->started + 2 * t->step_s + t->check_s + 1.5 * t->save_s >
         60 * t->p->minutes;
}

/* ---- evaluation ---- */

/* Mean losses of all ranks since the last time; a wish to leave comes along. */
static ww_status read_losses(training *t, ww_net_loss *out) {
  ww_status st = ww_net_losses(t->net, out, t->e);
  t->wish = (ww_lm_wish){interrupted != 0, late(t)};
  return st ? st : ww_lm_ranks_losses(t->p->ranks, out, &t->wish, t->e);
}

/* Mean losses over the held-out examples, or the first rows of them; each rank takes
 * batches in turn. */
static ww_status check_losses(training *t, ww_net_loss *out) {
  const ww_lm_plan *p = t->p;
  const ww_lm_batch *b;
  ww_status st = WW_OK;
  uint64_t batch = 0;
  ww_packer_seek(t->checker, 0, 0);
  for (uint64_t done = 0; !st && (!p->check_rows || done < p->check_rows) &&
                          (b = ww_packer_next_once(t->checker));
       done += p->rows, batch++)
    if (batch % ww_ranks_size(p->ranks) == ww_ranks_rank(p->ranks))
      st = ww_net_forward(t->net, b, NULL, NULL, t->e);
  return st ? st : read_losses(t, out);
}

static double total(const training *t, const ww_net_loss *l) {
  return (l->tokens ? l->token_loss : 0) +
         (l->asked ? t->p->number_weight * l->number_loss : 0);
}

/* A float's own digits: more of them say nothing. */
static double brief(double v) {
  char text[32];
  snprintf(text, sizeof text, "%.7g", v);
  return strtod(text, NULL);
}

static void log_check(training *t, const ww_net_loss *l) {
  if (!t->log)
    return;
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_json_put(
      &j,
      "{step:%lu,valid_loss:%g,valid_token_loss:%g,valid_number_loss:%g,tokens:%lu,"
      "asked:%lu}",
      t->at.step, brief(total(t, l)), l->tokens ? brief(l->token_loss) : NAN,
      l->asked ? brief(l->number_loss) : NAN, l->tokens, l->asked);
  fprintf(t->log, "%s\n", b.s);
  ww_buf_free(&b);
}

static ww_status evaluate(training *t) {
  ww_net_loss l;
  double start = ww_now();
  ww_status st = check_losses(t, &l);
  t->check_s = ww_now() - start;
  if (st)
    return st;
  double loss = total(t, &l);
  ww_lm_point q = {.step = t->at.step,
                   .loss = loss,
                   .token_loss = l.token_loss,
                   .number_loss = l.number_loss};
  ww_push(t->a, &t->out->check, q);
  log_check(t, &l);
  bool better = isnan(t->at.best) || loss < t->at.best;
  t->at.worse = better ? 0 : t->at.worse + 1;
  if (better) {
    t->at.best = loss;
    t->at.best_step = t->at.step;
    if (t->best && !(t->p->average > 0))
      ww_net_get(t->net, 0, t->best);
  }
  if (ww_is_quiet())
    return WW_OK;
  clear_line();
  fprintf(stderr,
          "step %" PRIu64 "/%" PRIu64 ": held out %.4f (tokens %.4f, numbers %.4f)%s\n",
          t->at.step, t->at.steps, loss, l.token_loss, l.number_loss,
          better ? "" : ", no better");
  return WW_OK;
}

static bool time_to_check(const training *t) {
  if (!t->checker ||
      (t->out->check.n && t->out->check.v[t->out->check.n - 1].step == t->at.step))
    return false;
  return t->at.step == t->at.steps ||
         (t->p->check_every && t->at.step % t->p->check_every == 0);
}

/* ---- a step ---- */

/* Batch k of the step's, of all ranks; places are counted from its own begin. */
static ww_lm_batch slice(training *t, const ww_lm_batch *b, uint32_t k) {
  uint32_t B = t->p->rows;
  uint32_t n = B * b->T;
  uint32_t from = k * n;
  ww_lm_batch s = {.B = B,
                   .T = b->T,
                   .token = b->token + from,
                   .target = b->target + from,
                   .first = b->first + from,
                   .weight = b->weight ? b->weight + from : NULL};
  size_t a = 0;
  size_t d = 0;
  while (a < b->asked && (uint32_t)b->ask_at[a] < from)
    a++;
  while (d < b->described && (uint32_t)b->describe_at[d] < from)
    d++;
  s.ask_at = t->ask_at;
  s.numbers = b->numbers + a * t->c->numbers;
  s.describe_at = t->describe_at;
  s.features = b->features + d * t->c->features;
  for (; a < b->asked && (uint32_t)b->ask_at[a] < from + n; a++)
    t->ask_at[s.asked++] = b->ask_at[a] - from;
  for (; d < b->described && (uint32_t)b->describe_at[d] < from + n; d++)
    t->describe_at[s.described++] = b->describe_at[d] - from;
  return s;
}

static uint64_t count_targets(const ww_lm_batch *b) {
  uint64_t n = 0;
  for (size_t k = 0; k < (size_t)b->B * b->T; k++)
    n += b->target[k] >= 0;
  return n;
}

/* Asks for a step; a GPU may still be at it on return. */
static ww_status learn(training *t) {
  const ww_lm_plan *p = t->p;
  const ww_lm_batch *b = ww_packer_next(t->packer);
  double tokens = count_targets(b);
  double asked = b->asked;
  ww_status st = WW_OK;
  uint64_t from = (uint64_t)ww_ranks_rank(p->ranks) * p->accumulate;
  for (uint64_t k = from; !st && k < from + p->accumulate; k++) {
    ww_lm_batch s = slice(t, b, k);
    ww_net_seed(t->net,
                ww_hash((uint64_t[]){t->at.step, k}, 2 * sizeof(uint64_t), p->seed));
    st = ww_net_learn(t->net, &s, fmax(1, tokens), fmax(1, asked), t->e);
  }
  if (!st)
    st = ww_net_reduce(t->net, p->ranks, t->e);
  if (st)
    return st;
  ww_net_update_options u = {.lr = ww_lm_rate(p, t->at.steps, t->at.step),
                             .beta1 = p->beta1,
                             .beta2 = p->beta2,
                             .eps = p->eps,
                             .decay = p->decay,
                             .clip = p->clip,
                             .step = t->at.step};
  ww_net_update(t->net, &u);
  return WW_OK;
}

/* Waits for what was asked for: losses are means over the steps since the last time,
 * the norm is the last step's. */
static ww_status read_point(training *t, ww_lm_point *q) {
  ww_net_loss l;
  ww_status st = read_losses(t, &l);
  if (st)
    return st;
  *q = (ww_lm_point){.step = t->at.step,
                     .loss = total(t, &l),
                     .token_loss = l.tokens ? l.token_loss : 0,
                     .number_loss = l.asked ? l.number_loss : 0,
                     .lr = ww_lm_rate(t->p, t->at.steps, t->at.step),
                     .norm = ww_net_norm(t->net)};
  return WW_OK;
}

static ww_status not_finite(training *t, const ww_lm_point *q) {
  char kept[200] = "no checkpoint was asked for (--checkpoint DIR)";
  ww_checkpoint c;
  if (t->p->checkpoint && !ww_checkpoint_open(t->p->checkpoint, &c, NULL)) {
    snprintf(kept, sizeof kept,
             "the last good checkpoint, of step %" PRIu64 ", is kept in %.120s", c.step,
             t->p->checkpoint);
    ww_checkpoint_close(&c);
  } else if (t->p->checkpoint)
    snprintf(kept, sizeof kept, "no checkpoint was made yet");
  return ww_fail(t->e, WW_EDATA,
                 "step %" PRIu64
                 ": the loss is %g and the gradient's norm %g, which is not "
                 "finite; stopped, %s. A lower --lr, a longer --warmup or a "
                 "smaller --clip helps",
                 t->at.step, q->loss, q->norm, kept);
}

/* ---- what it says ---- */

static void log_step(
    training *t, const ww_lm_point *q, double seconds, double tokens_s, double mfu) {
  if (!t->log)
    return;
  ww_buf b = {0};
  ww_json j = {0};
  uint64_t epoch;
  uint64_t row;
  ww_packer_tell(t->packer, &epoch, &row);
  ww_json_begin(&j, &b);
  ww_json_put(&j,
              "{step:%lu,loss:%g,token_loss:%g,number_loss:%g,lr:%g,norm:%g,epoch:%lu",
              t->at.step, brief(q->loss), brief(q->token_loss), brief(q->number_loss),
              brief(q->lr), brief(q->norm), epoch);
  ww_json_put(&j, "seconds:%g,tokens_per_s:%g,mfu!:%g}", round(seconds * 1e6) / 1e6,
              round(tokens_s), round(mfu * 1e4) / 1e4);
  fprintf(t->log, "%s\n", b.s);
  fflush(t->log);
  ww_buf_free(&b);
}

static void show(training *t, const ww_lm_point *q, double tokens_s, double mfu) {
  char what[128];
  char share[32] = "";
  t->shown = t->shown != 0 ? 0.95f * t->shown + 0.05f * q->loss : q->loss;
  if (isfinite(mfu))
    snprintf(share, sizeof share, ", MFU %.1f %%", 100 * mfu);
  snprintf(what, sizeof what, "loss %.4f, rate %.2e, %.0f tokens/s%s, step", t->shown,
           q->lr, tokens_s, share);
  ww_progress(what, t->at.step, t->at.steps);
  if (ww_is_quiet() || isatty(STDERR_FILENO) ||
      (ww_now() - t->told < 15 && t->at.step != t->at.steps && t->out->train.n > 1))
    return;
  t->told = ww_now();
  fprintf(stderr,
          "step %" PRIu64 "/%" PRIu64
          ": loss %.4f, norm %.3g, rate %.2e, %.0f tokens/s%s\n",
          t->at.step, t->at.steps, q->loss, q->norm, q->lr, tokens_s, share);
}

/* ---- the loop ---- */

/* The end of some steps: their losses are read, told and kept. */
static ww_status settle(training *t) {
  const ww_lm_plan *p = t->p;
  ww_lm_point q;
  if (!t->pending)
    return WW_OK;
  ww_status st = read_point(t, &q);
  if (st)
    return st;
  double tokens = (double)ww_lm_step_rows(p) * p->tokens * t->pending;
  double seconds = ww_now() - t->since;
  double mfu = p->peak > 0 ? (double)t->flops * t->pending / seconds / p->peak : NAN;
  t->step_s = fmax(t->step_s, seconds);
  t->out->seconds += seconds;
  t->out->tokens += (uint64_t)tokens;
  log_step(t, &q, seconds / t->pending, tokens / seconds, mfu);
  t->pending = 0;
  if (!isfinite(q.loss) || !isfinite(q.norm))
    return not_finite(t, &q);
  ww_push(t->a, &t->out->train, q);
  show(t, &q, tokens / seconds, mfu);
  return WW_OK;
}

/* The mean of what the last steps gave lies in a wider valley than any of them, and
 * does better on examples of another kind. How many are in it follows from the step, so
 * that a checkpoint needs to keep the mean alone. */
static void average(training *t) {
  uint64_t steps = t->at.steps;
  uint64_t from = steps - (uint64_t)((double)t->p->average * steps);
  uint64_t n = ww_net_learned(t->net);
  uint64_t every = (steps - from) / 200 + 1;
  if (!(t->p->average > 0) || t->at.step <= from || (t->at.step - from) % every)
    return;
  float share = 1 / (float)((t->at.step - from) / every);
  float *v = ww_xmalloc(n * sizeof *v);
  ww_net_get(t->net, 0, v);
  for (uint64_t k = 0; k < n; k++)
    t->best[k] += (v[k] - t->best[k]) * share;
  free(v);
}

static ww_status step(training *t) {
  const ww_lm_plan *p = t->p;
  if (!t->pending)
    t->since = ww_now();
  t->at.step++;
  ww_status st = learn(t);
  if (st)
    return st;
  average(t);
  t->pending++;
  bool check = time_to_check(t), keep = p->checkpoint && p->every &&
                                        t->at.step % p->every == 0 &&
                                        t->at.step < t->at.steps;
  if (check || keep || t->at.step == 1 || !p->log_every ||
      t->at.step % p->log_every == 0)
    st = settle(t);
  if (!st && check)
    st = evaluate(t);
  if (!st && keep)
    st = save(t);
  return st;
}

/* Alone at once; among ranks where all of them have heard of it. */
static bool out_of_time(const training *t) {
  return t->p->ranks ? t->wish.late : late(t);
}
static bool asked_to_leave(const training *t) {
  return t->p->ranks ? t->wish.stop : interrupted != 0;
}

static ww_status leave(training *t) { /* a signal came */
  ww_status st = settle(t);
  if (st)
    return st;
  if (!t->p->checkpoint)
    return ww_fail(t->e, WW_ECANCEL,
                   "interrupted at step %" PRIu64
                   "; nothing is kept without --checkpoint",
                   t->at.step);
  if ((st = save(t)))
    return st;
  return ww_fail(t->e, WW_ECANCEL,
                 "interrupted; the checkpoint of step %" PRIu64
                 " is in %s, --resume goes on",
                 t->at.step, t->p->checkpoint);
}

static ww_status loop(training *t) {
  ww_status st = WW_OK;
  t->out->ended = WW_TRAINED_ALL;
  while (!st && t->at.step < t->at.steps) {
    if (t->p->patience && t->at.worse >= t->p->patience) {
      t->out->ended = WW_TRAINED_EARLY;
      break;
    }
    if (out_of_time(t)) {
      t->out->ended = WW_TRAINED_TIME;
      break;
    }
    st = step(t);
    if (!st && asked_to_leave(t))
      return leave(t);
  }
  if (!st)
    st = settle(t);
  if (!st)
    st = t->p->checkpoint ? save(t)
                          : ww_lm_ranks_same(t->net, t->p->ranks, t->at.step, t->e);
  bool kept = t->p->average > 0 ? t->at.step == t->at.steps : !isnan(t->at.best);
  if (!st && t->best && kept && t->out->ended != WW_TRAINED_TIME)
    ww_net_set(t->net, 0, t->best);
  return st ? st : ww_ranks_end(t->p->ranks, t->e);
}

static ww_status draw(const training *t) {
  if (!t->p->curve || !t->out->train.n)
    return WW_OK;
  char title[128];
  ww_buf b = {0};
  double n = ww_net_learned(t->net);
  snprintf(title, sizeof title,
           "%.3g %s values, %" PRIu64 " steps of %" PRIu64 " tokens",
           n < 1e6 ? n / 1e3 : n / 1e6, n < 1e6 ? "thousand" : "million", t->at.step,
           ww_lm_step_rows(t->p) * t->p->tokens);
  ww_lm_curve(title, &t->out->train, &t->out->check, &b);
  ww_status st = ww_write_file_atomic(t->p->curve, b.s, b.n, t->e);
  ww_buf_free(&b);
  return st;
}

static void finish(training *t) {
  ww_lm_trained *r = t->out;
  r->step = t->at.step;
  r->steps = t->at.steps;
  r->best = t->at.best;
  r->best_step = t->at.best_step;
  double steps = r->tokens / ((double)ww_lm_step_rows(t->p) * t->p->tokens);
  r->mfu = t->p->peak > 0 && r->seconds > 0 ? steps * t->flops / r->seconds / t->p->peak
                                            : NAN;
  bool broken = t->log && ferror(t->log);
  if ((t->log && fclose(t->log)) || broken)
    say("the log is not whole: ", broken ? "it could not be written" : strerror(errno));
  ww_packer_free(t->packer);
  ww_packer_free(t->checker);
  free(t->best);
  free(t->ask_at);
  free(t->describe_at);
}

ww_status ww_lm_train(ww_net *n,
                      const ww_lm_config *c,
                      const ww_examples *x,
                      const ww_examples *valid,
                      const ww_lm_plan *p,
                      ww_arena *a,
                      ww_lm_trained *out,
                      ww_err *e) {
  training t = {
      .net = n, .c = c, .p = p, .a = a, .out = out, .at = {.best = NAN}, .e = e};
  size_t batch = (size_t)p->rows * p->tokens;
  struct sigaction was[3];
  *out = (ww_lm_trained){.best = NAN, .mfu = NAN};
  /* places in a step are 32 bits */
  if (ww_lm_step_rows(p) * p->tokens > INT32_MAX)
    return ww_fail(e, WW_EUSAGE,
                   "a step of %" PRIu64
                   " rows of %u tokens is more than 2^31 tokens: accumulate fewer",
                   ww_lm_step_rows(p), p->tokens);
  t.packer = ww_packer_new(x, c, ww_lm_step_rows(p), p->tokens, p->seed);
  ww_packer_noise(t.packer, p->noise);
  if (valid)
    t.checker = ww_packer_new(valid, c, p->rows, p->tokens, 0);
  if ((p->patience && valid) || p->average > 0)
    t.best = ww_xcalloc(ww_net_learned(n), sizeof *t.best);
  t.ask_at = ww_xmalloc(batch * sizeof *t.ask_at);
  t.describe_at = ww_xmalloc(batch * sizeof *t.describe_at);
  t.data = ww_examples_hash(x);
  /* until one was made: at 500 MB/s */
  t.save_s = 12 * (double)ww_net_learned(n) / 500e6;
  t.flops = ww_net_flops(n, p->rows, p->tokens) * p->accumulate;
  catch_signals(was);
  ww_status st = begin(&t);
  if (!st && t.at.steps != p->steps && t.at.step)
    say("not as the checkpoint was begun: ", "another number of steps");
  t.at.steps = p->steps;
  const ww_lm_begin begins = {
      .data = t.data, .valid = valid ? ww_examples_hash(valid) : 0, .step = t.at.step};
  if (!st)
    st = ww_lm_ranks_begin(n, p, &begins, e);
  if (!st)
    st = ww_lm_log_open(p->log, p->resume, t.at.step, &t.log, e);
  if (!st)
    st = loop(&t);
  release_signals(was);
  ww_err drawing = {0};
  training picture = t;
  picture.e = &drawing;
  if (draw(&picture) && !st) {
    st = drawing.code;
    *e = drawing;
  }
  finish(&t);
  return st;
}
