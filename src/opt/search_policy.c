/* search_policy.c - a round of the search that a policy leads: it sees the kernel and
 * what could be done, asks for the predictions it wants and applies one rewrite, which
 * is verified. What it does not ask for is never predicted. */
#include "policy.h"

#define PREDICTIONS 4           /* of a round, unless said otherwise */
#define MOST_REFUSED 3          /* applied ones that are not the same kernel */
#define VERIFY_BUDGET 40000000u /* as the search's */

typedef struct {
  ww_search *s;
  ww_policy_state state;
  ww_policy_view view;
  ww_candidate *offers;
  uint32_t *ids; /* per offer: its candidate; 0: not predicted yet */
} round_state;

static ww_status predict(round_state *r, uint32_t k, ww_err *e) {
  ww_search *s = r->s;
  ww_candidate *c = &r->offers[k];
  ww_status st = ww_search_predict(s, c, 1, e);
  if (st || c->state == WW_CANDIDATE_ORIGINAL)
    return st;
  if (c->state == WW_CANDIDATE_NO_GAIN && c->us < WW_SEARCH_GAIN * r->state.us)
    c->state = WW_CANDIDATE_PASSED_OVER;
  r->ids[k] = s->out->v.n;
  ww_push(s->a, &s->out->v, *c);
  r->state.offers.v[k].us = c->us;
  r->state.offers.v[k].state = c->state;
  if (s->q->tried)
    s->q->tried(s->q->ctx, c, r->ids[k]);
  return WW_OK;
}

/* *same: it was found the same kernel. */
static ww_status apply(round_state *r, uint32_t k, bool *same, ww_err *e) {
  ww_search *s = r->s;
  ww_judging how = {s->q->seed, VERIFY_BUDGET};
  ww_judgement told = {0};
  ww_status st = ww_search_judge(s, &r->ids[k], 1, &how, &told, e);
  ww_candidate *c = &s->out->v.v[r->ids[k]];
  *same = told.state == WW_CANDIDATE_VERIFIED;
  if (!st && told.state) {
    c->state = told.state;
    c->cases = told.cases;
    c->why = told.why;
  }
  return st;
}

static ww_status
follow(round_state *r, ww_policy *policy, uint32_t *beam, uint32_t *n, ww_err *e) {
  uint32_t refused = 0;
  while (!ww_search_over(r->s) && refused < MOST_REFUSED &&
         r->view.ndone + 1 < WW_POLICY_CALLS) {
    ww_policy_call call;
    bool same = false;
    ww_status st = ww_policy_choose(policy, &r->state, &r->view, NULL, &call, e);
    if (st || call.act == WW_CALL_FINISH)
      return st;
    st = call.act == WW_CALL_PREDICT ? predict(r, call.offer, e)
                                     : apply(r, call.offer, &same, e);
    if (st)
      return st;
    if (same) {
      beam[(*n)++] = r->ids[call.offer];
      return WW_OK;
    }
    refused += call.act == WW_CALL_APPLY;
    r->view.done[r->view.ndone++] = call;
  }
  return WW_OK;
}

ww_status ww_search_policy_round(ww_search *s, uint32_t *beam, uint32_t *n, ww_err *e) {
  uint32_t id = beam[0];
  ww_offers all = {0};
  ww_err why = {0};
  round_state r = {.s = s, .view = {.tools = true}};
  r.view.budget = s->q->predictions ? s->q->predictions : PREDICTIONS;
  *n = 0;
  ww_search_offers(s, id, &all, &why);
  if (why.code && !id && !all.v.n)
    s->out->stopped = ww_strdup(s->a, why.msg);
  if (!all.v.n)
    return WW_OK;
  ww_status st = ww_search_load(s, &s->out->v.v[id], e);
  if (st)
    return st;
  r.offers = WW_NEWN(s->a, ww_candidate, all.v.n);
  r.ids = WW_NEWN(s->a, uint32_t, all.v.n);
  for (uint32_t k = 0; k < all.v.n; k++)
    r.offers[k] = all.v.v[k].c;
  ww_policy_state_of(s, id, r.offers, all.v.n, &r.state);
  st = follow(&r, s->q->policy, beam, n, e);
  if (id)
    ww_search_unload(&s->out->v.v[id]);
  return st;
}
