/* search.c - the beam search of `optimize`: in each round every rewrite of every kernel
 * of the beam is predicted; those that promise a gain are verified against the
 * original, the best of each kind first, until the beam is full. With a device they are
 * measured as well, and what was measured decides.
 *
 * The predictor is asked first, as it takes a tenth of verify's time. */
#include "../predict/advice/advice.h"
#include "policy.h"
#include "search_int.h"

#define BEAM 3
#define ROUNDS 5
#define MOST_CANDIDATES 400
#define MOST_MEASURED 8  /* of a round */
#define MOST_PROPOSED 16 /* for another machine: each takes seconds there */
/* Of the parent's, where a device decides: what the predictor takes for a loss of so
 * little may be a gain. */
#define GAIN_MEASURED 1.03
#define MOST_CONFIRMED 8        /* candidates that the last verification looks at */
#define AT_FLOOR 1.1            /* of what is needed: there is nothing left to gain */
#define VERIFY_BUDGET 40000000u /* warp instructions of a candidate's verification */
#define FAMILY 5           /* offers that differ in numbers: a grid is tried first */
#define MOST_FAILURES 2    /* of one rewrite on one parent: its like are left out */
#define WORTH_A_ROUND 0.95 /* of the original's speed, measured: goes on from it */

#define C(id, name, text) name,
const char *const ww_candidate_names[] = {WW_CANDIDATES(C)};
#undef C
#define C(id, name, text) text,
const char *const ww_candidate_texts[] = {WW_CANDIDATES(C)};
#undef C

bool ww_candidate_measured(const ww_candidate *c) {
  return c->result.state == WW_JOB_MEASURED;
}

double ww_candidate_us(const ww_candidate *c) {
  return ww_candidate_measured(c) ? c->result.us : c->us;
}

double ww_candidate_gain(const ww_optimized *o, uint32_t id) {
  const ww_candidate *c = &o->v.v[id];
  if (id && ww_candidate_measured(c) && c->result.ratio > 0)
    return c->result.ratio;
  return o->v.v[0].us / c->us;
}

bool ww_search_over(const ww_search *s) {
  const ww_optimize_request *q = s->q;
  return (q->deadline > 0 && ww_now() > q->deadline) ||
         (q->cancelled && q->cancelled(q->ctx));
}

static void report(const ww_search *s, uint32_t id) {
  if (s->q->tried)
    s->q->tried(s->q->ctx, &s->out->v.v[id], id);
}

/* ---- predicting ---- */

static double promise(const ww_search *s) {
  return s->q->measure ? GAIN_MEASURED : WW_SEARCH_GAIN;
}

/* By prediction alone a gain is not taken from a kernel that has more in local memory
 * than what it was made from: how much spills is known too badly. */
static bool is_trusted(const ww_search *s, const ww_candidate *c) {
  return s->q->measure || c->local_bytes <= s->out->v.v[c->parent].local_bytes;
}

/* Predicts the marked offers; they become candidates in the order of the offers. */
static ww_status
predict_some(ww_search *s, ww_offers *all, const bool *marked, ww_err *e) {
  ww_candidate *v = WW_NEWN(s->a, ww_candidate, all->v.n + 1);
  uint32_t n = 0;
  for (uint32_t k = 0; k < all->v.n && s->out->v.n + n < MOST_CANDIDATES; k++)
    if (marked[k] && !all->v.v[k].taken) {
      all->v.v[k].taken = true;
      v[n++] = all->v.v[k].c;
    }
  ww_status st = ww_search_predict(s, v, n, e);
  for (uint32_t k = 0; !st && k < n; k++) {
    double before = s->out->v.v[v[k].parent].us;
    if (v[k].state == WW_CANDIDATE_ORIGINAL)
      continue; /* the time was over */
    bool gains = v[k].state == WW_CANDIDATE_NO_GAIN && v[k].us < promise(s) * before;
    if (gains && is_trusted(s, &v[k]))
      v[k].state = WW_CANDIDATE_PASSED_OVER;
    else if (gains)
      v[k].why = "it spills registers, and how much that costs is not known well";
    ww_push(s->a, &s->out->v, v[k]);
    report(s, s->out->v.n - 1);
  }
  return st;
}

/* Of a family of many every other one is tried first, and its ends. */
static bool is_coarse(const ww_offers *all, const ww_offer *x) {
  uint32_t n = all->sizes.v[x->family];
  return n < FAMILY || x->nth % 2 == 0 || x->nth + 1 == n;
}

/* The predicted time of an offer; 0: it has none. */
static double time_of(const ww_search *s, const ww_offer *x) {
  for (uint32_t k = s->out->v.n; x->taken && k-- > 1;)
    if (s->out->v.v[k].key == x->c.key)
      return s->out->v.v[k].state == WW_CANDIDATE_FAILED ? 0 : s->out->v.v[k].us;
  return 0;
}

/* The neighbours of the best of each family. */
static bool mark_neighbours(const ww_search *s, const ww_offers *all, bool *marked) {
  bool any = false;
  for (uint32_t f = 0; f < all->sizes.n; f++) {
    uint32_t best = UINT32_MAX;
    double least = 0;
    for (uint32_t k = 0; k < all->v.n; k++) {
      double us = all->v.v[k].family == f ? time_of(s, &all->v.v[k]) : 0;
      if (us > 0 && (best == UINT32_MAX || us < least)) {
        best = all->v.v[k].nth;
        least = us;
      }
    }
    for (uint32_t k = 0; best != UINT32_MAX && k < all->v.n; k++) {
      const ww_offer *x = &all->v.v[k];
      bool near = x->family == f && (x->nth + 1 == best || x->nth == best + 1);
      marked[k] = marked[k] || (near && !x->taken);
      any = any || (near && !x->taken);
    }
  }
  return any;
}

static bool promises_any(const ww_search *s, uint32_t first) {
  for (uint32_t k = first; k < s->out->v.n; k++)
    if (s->out->v.v[k].state == WW_CANDIDATE_PASSED_OVER)
      return true;
  return false;
}

/* A coarse grid, what lies near its best, and what gained nothing before only where
 * nothing else does. */
static ww_status predict_round(ww_search *s, ww_offers *all, ww_err *e) {
  uint32_t first = s->out->v.n;
  ww_status st = WW_OK;
  for (int late = 0; !st && late < 2; late++) {
    bool *marked = WW_NEWN(s->a, bool, all->v.n + 1);
    if (late && (promises_any(s, first) || ww_search_over(s)))
      break;
    for (uint32_t k = 0; k < all->v.n; k++)
      marked[k] = all->v.v[k].late == late && is_coarse(all, &all->v.v[k]);
    st = predict_some(s, all, marked, e);
    if (!st && mark_neighbours(s, all, marked))
      st = predict_some(s, all, marked, e);
  }
  return st;
}

/* ---- verifying ---- */

/* What is known of those that wait, while a round's verdicts come in. */
typedef struct {
  ww_search *s;
  uint32_t first;           /* candidates of this round begin here */
  ww_judgement *told;       /* per candidate from `first`: what verify said, if asked */
  bool *done;               /* and whether its turn was */
  uint32_t *failures;       /* per parent and kind */
  bool kinds[WW_NREWRITES]; /* that passed */
} verdicts;

static uint32_t *failures_of(const verdicts *x, const ww_candidate *c) {
  return &x->failures[c->parent * WW_NREWRITES + c->kind];
}

/* Even the best that its interval allows is slower than what was measured. */
static bool is_excluded(const ww_search *s, const ww_candidate *c) {
  const ww_optimized *o = s->out;
  const ww_candidate *p = &o->v.v[c->parent];
  const ww_candidate *best = &o->v.v[o->best];
  if (!s->q->measure || !ww_candidate_measured(p) || !ww_candidate_measured(best))
    return false;
  return c->low / p->us > best->result.us / p->result.us;
}

/* 0: a kind that has none in the beam yet; 1: more of the same; 2: its like were not
 * the same kernel; 3: not at all. */
static int class_of(const verdicts *x, uint32_t id) {
  const ww_candidate *c = &x->s->out->v.v[id];
  if (c->state != WW_CANDIDATE_PASSED_OVER || x->done[id - x->first] ||
      *failures_of(x, c) >= MOST_FAILURES || is_excluded(x->s, c))
    return 3;
  if (*failures_of(x, c))
    return 2;
  return x->kinds[c->kind] ? 1 : 0;
}

/* The next one to be verified; 0: none. */
static uint32_t next_waiting(const verdicts *x) {
  const ww_optimized *o = x->s->out;
  uint32_t out = 0;
  int least = 3;
  for (uint32_t k = x->first; k < o->v.n; k++) {
    int class = class_of(x, k);
    if (class < least || (class == least && out && o->v.v[k].us < o->v.v[out].us)) {
      out = k;
      least = class;
    }
  }
  return out;
}

static void take_verdict(verdicts *x, uint32_t id, bool same) {
  const ww_candidate *c = &x->s->out->v.v[id];
  x->done[id - x->first] = true;
  if (same)
    x->kinds[c->kind] = true;
  else
    ++*failures_of(x, c);
}

/* Judges `id`, and beside it what would be next if all were the same kernel: as many
 * as there are processes. What comes of these counts when their turn comes. */
static ww_status judge_wave(verdicts *x, uint32_t id, uint32_t most, ww_err *e) {
  ww_search *s = x->s;
  uint32_t n = s->out->v.n;
  uint32_t *ids = WW_NEWN(s->a, uint32_t, n + 1);
  ww_judgement *told = WW_NEWN(s->a, ww_judgement, n + 1);
  verdicts guess = *x;
  uint32_t count = 0;
  guess.done = WW_NEWN(s->a, bool, n - x->first + 1);
  memcpy(guess.done, x->done, (n - x->first) * sizeof *x->done);
  uint32_t wave = ww_least(most, ww_search_processes(s));
  for (uint32_t k = id; k && count < wave; k = next_waiting(&guess)) {
    if (!x->told[k - x->first].state)
      ids[count++] = k;
    take_verdict(&guess, k, true);
  }
  ww_judging how = {s->q->seed, VERIFY_BUDGET};
  ww_status st = ww_search_judge(s, ids, count, &how, told, e);
  for (uint32_t k = 0; k < count; k++)
    x->told[ids[k] - x->first] = told[k];
  return st;
}

static void say_why_not(const verdicts *x) {
  ww_optimized *o = x->s->out;
  for (uint32_t k = x->first; k < o->v.n; k++) {
    ww_candidate *c = &o->v.v[k];
    if (c->state != WW_CANDIDATE_PASSED_OVER)
      continue;
    if (*failures_of(x, c) >= MOST_FAILURES)
      c->why = "its like are not the same kernel";
    else if (is_excluded(x->s, c))
      c->why = "its interval ends above what was measured";
  }
}

/* The next beam; *n 0: nothing is left. */
static ww_status verify_round(ww_search *s,
                              uint32_t first,
                              uint32_t *beam,
                              uint32_t most,
                              uint32_t *n,
                              ww_err *e) {
  ww_optimized *o = s->out;
  uint32_t waiting = o->v.n - first;
  verdicts x = {.s = s,
                .first = first,
                .told = WW_NEWN(s->a, ww_judgement, waiting + 1),
                .done = WW_NEWN(s->a, bool, waiting + 1),
                .failures = WW_NEWN(s->a, uint32_t, o->v.n * WW_NREWRITES)};
  *n = 0;
  for (uint32_t k; *n < most && !ww_search_over(s) && (k = next_waiting(&x));) {
    ww_judgement *told = &x.told[k - first];
    ww_status st = told->state ? WW_OK : judge_wave(&x, k, most - *n, e);
    if (st)
      return st;
    if (!told->state)
      break; /* the time is over */
    o->v.v[k].state = told->state;
    o->v.v[k].cases = told->cases;
    o->v.v[k].why = told->why;
    take_verdict(&x, k, told->state == WW_CANDIDATE_VERIFIED);
    report(s, k);
    if (told->state == WW_CANDIDATE_VERIFIED)
      beam[(*n)++] = k;
  }
  say_why_not(&x);
  return WW_OK;
}

/* ---- measuring ---- */

static void take_result(ww_search *s, uint32_t id, const ww_job_candidate *k) {
  ww_candidate *c = &s->out->v.v[id];
  c->result = k->result;
  if (!id)
    return;
  c->state = ww_job_faster(k)           ? WW_CANDIDATE_FASTER
             : ww_candidate_measured(c) ? WW_CANDIDATE_NOT_FASTER
                                        : WW_CANDIDATE_FAILED;
  if (k->result.why)
    c->why = ww_fmt(s->a, "%s: %s", ww_job_state_names[k->result.state], k->result.why);
  report(s, id);
}

/* What was verified in this round runs beside the original. */
ww_status ww_search_measure(ww_search *s, const uint32_t *ids, uint32_t n, ww_err *e) {
  ww_job *j = s->q->job;
  uint32_t *numbers = WW_NEWN(s->a, uint32_t, n + 1);
  uint32_t *of = WW_NEWN(s->a, uint32_t, n + 1);
  uint32_t count = 0;
  uint32_t original;
  if (!n)
    return WW_OK;
  ww_status st = ww_optimized_add(s->out, s->q, 0, &original, e);
  for (uint32_t k = 0; !st && k < n; k++) {
    ww_candidate *c = &s->out->v.v[ids[k]];
    ww_err ignored = {0};
    if (ww_search_load(s, c, &ignored) || !c->planned.grid[0])
      continue; /* it was verified, but cannot be made ready for a device */
    of[count] = ids[k];
    st = ww_optimized_add(s->out, s->q, ids[k], &numbers[count], e);
    count += !st;
    ww_search_unload(c);
  }
  if (!st && count)
    st = ww_job_measure(j, numbers, count, s->q->measure, e);
  if (!st && count)
    take_result(s, 0, &j->v.v[original]);
  for (uint32_t k = 0; !st && k < count; k++)
    take_result(s, of[k], &j->v.v[numbers[k]]);
  return st;
}

/* The fastest by measurement whose own rewrites were not tried yet. */
static uint32_t measured_beam(const ww_search *s, uint32_t *beam, uint32_t most) {
  const ww_optimized *o = s->out;
  uint32_t n = 0;
  while (n < most) {
    uint32_t best = 0;
    for (uint32_t k = 1; k < o->v.n; k++) {
      const ww_candidate *c = &o->v.v[k];
      bool listed = c->expanded;
      for (uint32_t i = 0; i < n; i++)
        listed |= beam[i] == k;
      if (!listed && ww_candidate_measured(c) && c->result.ratio > WORTH_A_ROUND &&
          (!best || c->result.ratio > o->v.v[best].result.ratio))
        best = k;
    }
    if (!best)
      break;
    beam[n++] = best;
  }
  return n;
}

/* ---- proposing ---- */

/* The fastest of the verified ones that is not listed yet; 0: none. */
static uint32_t next_best(const ww_optimized *o, const uint32_t *ids, uint32_t n) {
  uint32_t out = 0;
  for (uint32_t k = 1; k < o->v.n; k++) {
    const ww_candidate *c = &o->v.v[k];
    bool listed = false;
    for (uint32_t i = 0; i < n; i++)
      listed |= ids[i] == k;
    if (!listed && c->state == WW_CANDIDATE_VERIFIED &&
        (!out || c->us < o->v.v[out].us))
      out = k;
  }
  return out;
}

/* A device will decide: what time is left goes to those that promise little, as what
 * the predictor takes for a loss of so little may be a gain. */
static ww_status fill_up(ww_search *s, ww_err *e) {
  ww_optimized *o = s->out;
  uint32_t beam[MOST_PROPOSED];
  uint32_t verified = 0;
  uint32_t n;
  for (uint32_t k = 1; k < o->v.n; k++) {
    ww_candidate *c = &o->v.v[k];
    if (c->state == WW_CANDIDATE_NO_GAIN && c->us < GAIN_MEASURED * o->v.v[0].us)
      c->state = WW_CANDIDATE_PASSED_OVER;
    verified += c->state == WW_CANDIDATE_VERIFIED;
  }
  if (verified >= MOST_PROPOSED || o->v.n == 1)
    return WW_OK;
  return verify_round(s, 1, beam, MOST_PROPOSED - verified, &n, e);
}

/* The original and what was verified, the fastest by prediction first, as candidates
 * of the job. */
static ww_status propose(ww_search *s, ww_err *e) {
  uint32_t ids[MOST_PROPOSED];
  uint32_t number;
  ww_optimized *o = s->out;
  if (!o->v.v[0].planned.grid[0])
    return ww_fail(e, WW_EUNSUPPORTED,
                   "the launch of the original cannot be made ready for a device");
  ww_status st = ww_optimized_add(o, s->q, 0, &number, e);
  for (uint32_t n = 0; !st && n < MOST_PROPOSED; n++) {
    uint32_t k = ids[n] = next_best(o, ids, n);
    ww_err ignored = {0};
    if (!k)
      break;
    if (ww_search_load(s, &o->v.v[k], &ignored) || !o->v.v[k].planned.grid[0])
      continue;
    st = ww_optimized_add(o, s->q, k, &number, e);
    if (k != o->best)
      ww_search_unload(&o->v.v[k]);
  }
  return st;
}

/* ---- the best ---- */

/* By measurement nothing but what is surely faster; by prediction what is beyond the
 * predictor's doubt. */
static bool may_be_best(const ww_search *s, const ww_candidate *c) {
  if (s->q->measure)
    return c->state == WW_CANDIDATE_FASTER;
  return c->state == WW_CANDIDATE_VERIFIED && c->us * WW_SURE_GAIN <= s->out->v.v[0].us;
}

void ww_search_take_best(ww_search *s) {
  ww_optimized *o = s->out;
  o->best = 0;
  for (uint32_t k = 1; k < o->v.n; k++)
    if (may_be_best(s, &o->v.v[k]) &&
        (!o->best || ww_candidate_gain(o, k) > ww_candidate_gain(o, o->best)))
      o->best = k;
}

/* Predicted to be faster than the best, and never compared: the fastest; 0: none. */
static uint32_t fastest_passed_over(const ww_search *s) {
  const ww_optimized *o = s->out;
  uint32_t out = 0;
  for (uint32_t k = 1; k < o->v.n; k++) {
    const ww_candidate *c = &o->v.v[k];
    if (c->state == WW_CANDIDATE_PASSED_OVER && !c->why &&
        c->us * WW_SURE_GAIN <= o->v.v[0].us && c->us < o->v.v[o->best].us &&
        (!out || c->us < o->v.v[out].us))
      out = k;
  }
  return out;
}

/* The best one has to hold over more cases, with other contents; else the next, those
 * that it outshone among them. */
ww_status ww_search_confirm(ww_search *s, ww_err *e) {
  ww_optimized *o = s->out;
  ww_judging how = {s->q->seed + 1, 0};
  for (uint32_t tries = 0; o->best && tries < MOST_CONFIRMED; tries++) {
    ww_candidate *c = &o->v.v[o->best];
    ww_judgement told = {0};
    ww_status st = ww_search_judge(s, &o->best, 1, &how, &told, e);
    if (st)
      return st;
    if (told.state == WW_CANDIDATE_VERIFIED) {
      c->state = s->q->measure ? c->state : told.state;
      c->cases = told.cases;
      return WW_OK;
    }
    bool was_verified = c->state != WW_CANDIDATE_PASSED_OVER;
    if (was_verified && told.state != WW_CANDIDATE_DIFFERENT)
      return WW_OK; /* no time for more cases */
    c->state = told.state ? told.state : WW_CANDIDATE_UNJUDGED;
    c->why = told.why;
    ww_search_take_best(s);
    uint32_t next = s->q->measure ? 0 : fastest_passed_over(s);
    if (next)
      o->best = next;
  }
  ww_search_take_best(s);
  return WW_OK;
}

/* ---- rounds ---- */

static bool at_the_floor(const ww_search *s) {
  const ww_optimized *o = s->out;
  const ww_candidate *best = &o->v.v[o->best];
  return !s->q->measure && o->floor_us > 0 && best->us < AT_FLOOR * o->floor_us;
}

static ww_status
one_round(ww_search *s, uint32_t *beam, uint32_t *n, uint32_t most, ww_err *e) {
  ww_optimized *o = s->out;
  uint32_t first = o->v.n;
  ww_offers all = {0};
  ww_err why = {0};
  for (uint32_t k = 0; k < *n; k++)
    ww_search_offers(s, beam[k], &all, &why);
  if (why.code && first == 1 && !all.v.n)
    o->stopped = ww_strdup(s->a, why.msg);
  ww_status st = predict_round(s, &all, e);
  uint32_t verified = s->q->measure ? MOST_MEASURED : most;
  if (!st)
    st = verify_round(s, first, beam, verified, n, e);
  if (!st && s->q->measure) {
    st = ww_search_measure(s, beam, *n, e);
    *n = measured_beam(s, beam, most);
  }
  return st;
}

static ww_status run_rounds(ww_search *s, ww_err *e) {
  ww_optimized *o = s->out;
  uint32_t most = s->q->beam ? s->q->beam : BEAM;
  uint32_t rounds = s->q->rounds ? s->q->rounds : ROUNDS;
  uint32_t *beam = WW_NEWN(s->a, uint32_t, ww_most(most, MOST_MEASURED));
  uint32_t n = 1;
  o->stopped = s->q->measure ? "nothing is left that may be faster"
                             : "no rewrite promises a further gain";
  for (uint32_t round = 0; n && round < rounds; round++) {
    if (at_the_floor(s)) {
      o->stopped = "it takes hardly longer than its bytes and operations need";
      return WW_OK;
    }
    ww_status st = s->q->policy ? ww_search_policy_round(s, beam, &n, e)
                                : one_round(s, beam, &n, most, e);
    ww_search_take_best(s);
    if (st)
      return st;
    if (ww_search_over(s)) {
      o->stopped = "the time is over";
      return WW_OK;
    }
  }
  if (n)
    o->stopped = "the last round that was asked for";
  return WW_OK;
}

ww_status ww_search_begin(ww_search *s, ww_err *e) {
  const ww_optimize_request *q = s->q;
  ww_optimized *out = s->out;
  char *text;
  size_t n;
  *out = (ww_optimized){.path = q->source.path};
  ww_status st = ww_read_file(s->a, q->source.path, 32 << 20, &text, &n, e);
  if (st)
    return st;
  ww_candidate original = {.text = q->source.text ? q->source.text : text};
  ww_launch_copy(&q->launch, s->a, &original.launch);
  st = ww_search_load(s, &original, e);
  if (st)
    return st;
  out->kernel = ww_strdup(s->a, original.fn->name);
  out->floor_us = ww_needs_floor(&original.needs, q->targets->gpus);
  original.key = ww_candidate_key(&original);
  ww_push(s->a, &out->v, original);
  return WW_OK;
}

ww_status
ww_optimize(const ww_optimize_request *q, ww_arena *a, ww_optimized *out, ww_err *e) {
  ww_search s = {
      .q = q,
      .a = a,
      .out = out,
  };
  ww_status st = ww_search_begin(&s, e);
  if (st)
    return st;
  st = run_rounds(&s, e);
  if (!st)
    st = ww_search_confirm(&s, e);
  if (!st && q->job && !q->measure)
    st = fill_up(&s, e);
  ww_optimize_request late = *q; /* what was found is handed over all the same */
  late.deadline = 0;
  s.q = &late;
  if (!st && out->best) { /* its report, for the page */
    ww_err ignored = {0};
    ww_search_load(&s, &out->v.v[out->best], &ignored);
  }
  if (!st && q->job && !q->measure)
    st = propose(&s, e);
  if (!st && q->job && !ww_optimized_complete(q->job))
    st = ww_job_note(q->job, "{\"searched\":true}", e);
  for (uint32_t k = 0; k < out->v.n; k++)
    ww_search_unload(&out->v.v[k]);
  return st;
}
