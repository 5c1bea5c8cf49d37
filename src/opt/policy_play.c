/* policy_play.c - a policy on states that were explored: all answers are in the table,
 * so that what a call leads to costs nothing, and rewards are exact. */
#include <math.h>

#include "../base/random.h"
#include "policy.h"

#define PREDICTION_COST 0.01 /* of ln(gain): what is not worth 1 % is not asked */
#define LEAST_REWARD -0.5
#define MOST_REFUSED 3
#define NEAR 1.02         /* of the best time: as good as the best */
#define NEAR_LESSON 1.005 /* the first of those is what is taught */
#define MOST_FAILURES 2   /* as explore.c: the like of these were not verified */
#define MOST_BEFORE 4     /* predictions before the one that is taught */

/* Is it the same kernel as far as is known? Those that were passed over are slower than
 * several that are, unless their like failed. */
static bool is_same(const ww_policy_state *p, uint32_t offer) {
  const ww_policy_offer *o = &p->offers.v[offer];
  uint32_t failures = 0;
  if (o->state == WW_CANDIDATE_VERIFIED || o->state == WW_CANDIDATE_NO_GAIN)
    return true;
  if (o->state != WW_CANDIDATE_PASSED_OVER)
    return false;
  for (uint32_t k = 0; k < p->offers.n; k++) {
    ww_candidate_state s = p->offers.v[k].state;
    failures += !strcmp(p->offers.v[k].rewrite, o->rewrite) &&
                (s == WW_CANDIDATE_DIFFERENT || s == WW_CANDIDATE_UNJUDGED);
  }
  return failures < MOST_FAILURES;
}

static uint32_t shown(const ww_policy_state *p) {
  return ww_least(p->offers.n, WW_POLICY_OFFERS);
}

/* The time of the best verified one; 0: there is none. */
static double best_us(const ww_policy_state *p) {
  double best = 0;
  for (uint32_t k = 0; k < p->offers.n; k++) {
    const ww_policy_offer *o = &p->offers.v[k];
    if (o->state == WW_CANDIDATE_VERIFIED && (best == 0 || o->us < best))
      best = o->us;
  }
  return best;
}

uint32_t ww_policy_best(const ww_policy_state *p) {
  double best = best_us(p);
  for (uint32_t k = 0; k < shown(p); k++)
    if (p->offers.v[k].state == WW_CANDIDATE_VERIFIED &&
        p->offers.v[k].us <= NEAR_LESSON * best)
      return k;
  return WW_POLICY_OFFERS;
}

bool ww_policy_is_best(const ww_policy_state *p, uint32_t offer) {
  const ww_policy_offer *o = &p->offers.v[offer];
  return o->us > 0 && is_same(p, offer) && o->us <= NEAR * best_us(p);
}

uint32_t ww_policy_first_fix(const ww_policy_state *p) {
  for (uint32_t k = 0; k < p->offers.n; k++)
    if (!strcmp(p->offers.v[k].rewrite, "fix"))
      return k;
  return 0;
}

ww_status ww_policy_play(ww_policy *m,
                         const ww_policy_state *p,
                         const ww_policy_view *begin,
                         uint64_t *random,
                         ww_policy_played *out,
                         ww_err *e) {
  uint32_t refused = 0;
  *out = (ww_policy_played){.view = *begin, .last = {WW_CALL_FINISH, 0}};
  while (refused < MOST_REFUSED) {
    ww_policy_call call;
    ww_status st = ww_policy_choose(m, p, &out->view, random, &call, e);
    if (st)
      return st;
    out->last = call;
    if (call.act == WW_CALL_FINISH)
      break;
    if (call.act == WW_CALL_APPLY && is_same(p, call.offer)) {
      out->reward = log(p->us / p->offers.v[call.offer].us);
      break;
    }
    refused += call.act == WW_CALL_APPLY;
    out->view.done[out->view.ndone++] = call;
  }
  if (out->reward < LEAST_REWARD)
    out->reward = LEAST_REWARD;
  out->reward -= PREDICTION_COST * (ww_policy_predicted(&out->view) + refused);
  return WW_OK;
}

/* A call that others made before: a prediction of what is not `best`, and the apply of
 * what was predicted fast and is another kernel. */
static void add_before(const ww_policy_state *p,
                       uint32_t best,
                       uint64_t *random,
                       ww_policy_view *v) {
  uint32_t k = ww_random_below(ww_random(random), shown(p));
  const ww_policy_offer *o = &p->offers.v[k];
  if (k == best)
    return;
  for (uint32_t i = 0; i < v->ndone; i++)
    if (v->done[i].offer == k)
      return;
  v->done[v->ndone++] = (ww_policy_call){WW_CALL_PREDICT, k};
  if (o->us > 0 && o->us < WW_SEARCH_GAIN * p->us && !is_same(p, k))
    v->done[v->ndone++] = (ww_policy_call){WW_CALL_APPLY, k};
}

void ww_policy_lesson(const ww_policy_state *p,
                      uint64_t *random,
                      ww_policy_view *view,
                      ww_policy_call *right) {
  uint32_t best = ww_policy_best(p);
  bool none = best == WW_POLICY_OFFERS;
  uint32_t kind = ww_random_below(ww_random(random), 5);
  *view = (ww_policy_view){.tools = kind > 0, .budget = WW_POLICY_OFFERS};
  *right = (ww_policy_call){none ? WW_CALL_FINISH : WW_CALL_APPLY, none ? 0 : best};
  if (!view->tools)
    return;
  uint32_t before = ww_random_below(ww_random(random), MOST_BEFORE);
  for (uint32_t k = 0; k < before && shown(p); k++)
    add_before(p, best, random, view);
  if (none)
    return;
  if (kind == 1)
    view->done[view->ndone++] = (ww_policy_call){WW_CALL_PREDICT, best};
  else
    right->act = WW_CALL_PREDICT;
}
