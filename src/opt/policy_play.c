/* policy_play.c - a policy on states that were explored: all answers are in the table,
 * so that what a call leads to costs nothing, and rewards are exact. */
#include <math.h>

#include "../base/random.h"
#include "policy.h"

#define LEAST_REWARD -0.5
#define MOST_REFUSED 3
#define NEAR 1.02       /* of the best time: as good as the best */
#define MOST_FAILURES 2 /* as explore.c: the like of these were not verified */
#define MOST_BEFORE 8   /* calls before the one that is taught: fewer than these */

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
    if (p->offers.v[k].state == WW_CANDIDATE_VERIFIED && p->offers.v[k].us <= best)
      return k;
  return WW_POLICY_OFFERS;
}

bool ww_policy_is_best(const ww_policy_state *p, uint32_t offer) {
  const ww_policy_offer *o = &p->offers.v[offer];
  return o->us > 0 && is_same(p, offer) && o->us <= NEAR * best_us(p);
}

/* ---- ways ---- */

/* The first edit of `fix`, else the first call. */
static uint32_t
by_findings(const ww_policy_state *p, const ww_policy_call *calls, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (!strcmp(p->offers.v[calls[k].offer].rewrite, "fix"))
      return k;
  return 0;
}

static ww_status choose(ww_policy *m,
                        const ww_policy_state *p,
                        const ww_policy_view *v,
                        uint64_t *random,
                        ww_policy_call *out,
                        ww_err *e) {
  ww_policy_call calls[WW_POLICY_CALLS];
  if (m)
    return ww_policy_choose(m, p, v, random, out, e);
  uint32_t n = ww_policy_calls(p, v, calls);
  *out =
      calls[random ? ww_random_below(ww_random(random), n) : by_findings(p, calls, n)];
  return WW_OK;
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
    ww_status st = choose(m, p, &out->view, random, &call, e);
    if (st)
      return st;
    out->last = call;
    if (call.act == WW_CALL_FINISH)
      break;
    if (call.act == WW_CALL_APPLY && is_same(p, call.offer)) {
      out->reward = fmax(log(p->us / p->offers.v[call.offer].us), LEAST_REWARD);
      break;
    }
    refused += call.act == WW_CALL_APPLY;
    out->view.done[out->view.ndone++] = call;
  }
  return WW_OK;
}

/* ---- lessons ---- */

static bool was_called(const ww_policy_view *v, uint32_t offer) {
  for (uint32_t k = 0; k < v->ndone; k++)
    if (v->done[k].offer == offer)
      return true;
  return false;
}

/* The best of what gains and was not called yet, any of those that are as good;
 * WW_POLICY_OFFERS: none. */
static uint32_t
best_left(const ww_policy_state *p, const ww_policy_view *v, uint64_t *random) {
  double best = WW_SEARCH_GAIN * p->us;
  uint32_t out = WW_POLICY_OFFERS;
  uint32_t seen = 0;
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t k = 0; k < shown(p); k++) {
      const ww_policy_offer *o = &p->offers.v[k];
      if (!(o->us > 0) || !is_same(p, k) || was_called(v, k))
        continue;
      if (!pass)
        best = fmin(best, o->us);
      else if (o->us <= fmin(NEAR * best, WW_SEARCH_GAIN * p->us) &&
               !ww_random_below(ww_random(random), ++seen))
        out = k;
    }
  return out;
}

/* A call that was made before. With tools any prediction, every other time that of the
 * best one left; without them the apply of what is another kernel. */
static void add_before(const ww_policy_state *p, uint64_t *random, ww_policy_view *v) {
  bool good = v->tools && ww_random_below(ww_random(random), 2);
  uint32_t k =
      good ? best_left(p, v, random) : ww_random_below(ww_random(random), shown(p));
  if (k < WW_POLICY_OFFERS && !was_called(v, k) && (v->tools || !is_same(p, k)))
    v->done[v->ndone++] =
        (ww_policy_call){v->tools ? WW_CALL_PREDICT : WW_CALL_APPLY, k};
}

void ww_policy_lesson(const ww_policy_state *p,
                      uint64_t *random,
                      ww_policy_view *view,
                      ww_policy_call *right) {
  *view = (ww_policy_view){.tools = ww_random_below(ww_random(random), 4) > 0,
                           .budget = WW_POLICY_OFFERS};
  uint32_t most = view->tools ? MOST_BEFORE : MOST_REFUSED;
  uint32_t before = ww_random_below(ww_random(random), most);
  for (uint32_t k = 0; k < before; k++)
    add_before(p, random, view);
  right->act = view->tools ? WW_CALL_PREDICT : WW_CALL_APPLY;
  while ((right->offer = best_left(p, view, random)) == WW_POLICY_OFFERS)
    view->ndone--; /* all that gains was called before */
}
