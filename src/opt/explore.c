/* explore.c - what a policy learns from: a kernel's rewrites, all of them predicted and
 * those that promise a gain verified, and the same of what the best and a random one of
 * them make of it.
 *
 * Workload: thousands of kernels, one a process, each with seconds to spend. Verifying
 * costs most, so it goes from the fastest on: the first that is the same kernel is the
 * best rewrite, and after a few the rest is left as passed over. */
#include "../base/random.h"
#include "policy.h"

#define DEPTH 3
#define MOST_OFFERS 64
#define MOST_VERIFIED 6        /* of a state: the rest is slower */
#define MOST_FAILURES 2        /* of one rewrite: its like are not verified */
#define VERIFY_BUDGET 8000000u /* warp instructions: a fifth of the search's */

/* The fastest that waits for a verdict; n: none. */
static uint32_t next_waiting(const ww_candidate *v, uint32_t n, const uint32_t *fails) {
  uint32_t best = n;
  for (uint32_t k = 0; k < n; k++)
    if (v[k].state == WW_CANDIDATE_PASSED_OVER && fails[v[k].kind] < MOST_FAILURES &&
        (best == n || v[k].us < v[best].us))
      best = k;
  return best;
}

/* The fastest first, until enough are the same kernel. *known: the best rewrite is, or
 * there is none. */
static ww_status
judge(ww_search *s, uint32_t first, uint32_t n, uint32_t most, bool *known, ww_err *e) {
  uint32_t fails[WW_NREWRITES] = {0};
  uint32_t verified = 0;
  ww_judging how = {s->q->seed, VERIFY_BUDGET};
  while (verified < most && !ww_search_over(s)) {
    ww_candidate *v = s->out->v.v + first;
    uint32_t id = first + next_waiting(v, n, fails);
    ww_judgement told = {0};
    if (id == first + n)
      break;
    ww_status st = ww_search_judge(s, &id, 1, &how, &told, e);
    if (st || !told.state)
      return st;
    s->out->v.v[id].state = told.state;
    if (told.state == WW_CANDIDATE_VERIFIED)
      verified++;
    else
      fails[s->out->v.v[id].kind]++;
  }
  *known = verified || next_waiting(s->out->v.v + first, n, fails) == n;
  return WW_OK;
}

/* Rewrites of a candidate: these candidates of the search. */
typedef struct {
  uint32_t first, n;
  bool known; /* all were predicted, and the best one is known */
} rewrites;

/* Predicts and judges all rewrites of `id`. */
static ww_status
one_state(ww_search *s, uint32_t id, uint32_t verified, rewrites *r, ww_err *e) {
  ww_offers all = {0};
  ww_err why = {0};
  ww_search_offers(s, id, &all, &why);
  if (why.code && !all.v.n && !id) {
    *e = why;
    return why.code;
  }
  *r = (rewrites){s->out->v.n, ww_least(all.v.n, MOST_OFFERS), false};
  ww_candidate *v = WW_NEWN(s->a, ww_candidate, r->n + 1);
  for (uint32_t k = 0; k < r->n; k++)
    v[k] = all.v.v[k].c;
  ww_status st = ww_search_predict(s, v, r->n, e);
  for (uint32_t k = 0; k < r->n; k++) {
    if (v[k].state == WW_CANDIDATE_ORIGINAL)
      return WW_OK; /* the time was over */
    if (v[k].state == WW_CANDIDATE_NO_GAIN &&
        v[k].us < WW_SEARCH_GAIN * s->out->v.v[id].us)
      v[k].state = WW_CANDIDATE_PASSED_OVER;
    ww_push(s->a, &s->out->v, v[k]);
  }
  return st ? st : judge(s, r->first, r->n, verified, &r->known, e);
}

/* A verified one: the fastest, or any; 0: none. */
static uint32_t pick(const ww_search *s, const rewrites *r, uint64_t *random) {
  const ww_candidate *v = s->out->v.v;
  uint32_t out = 0;
  uint32_t seen = 0;
  for (uint32_t k = r->first; k < r->first + r->n; k++) {
    if (v[k].state != WW_CANDIDATE_VERIFIED || v[k].expanded)
      continue;
    bool take = random ? !ww_random_below(ww_random(random), ++seen)
                       : !out || v[k].us < v[out].us;
    if (take)
      out = k;
  }
  return out;
}

static ww_status
explore(ww_search *s, const ww_explore_options *o, ww_buf *out, ww_err *e) {
  uint32_t depth = o->depth ? o->depth : DEPTH;
  uint32_t verified = o->verified ? o->verified : MOST_VERIFIED;
  rewrites r;
  uint64_t random = s->q->seed;
  uint32_t queue[8] = {0};
  uint32_t waiting = 1;
  for (uint32_t at = 0; at < waiting && !ww_search_over(s); at++) {
    uint32_t id = queue[at];
    ww_policy_state state;
    ww_status st = one_state(s, id, verified, &r, e);
    if (!st && id)
      st = ww_search_load(s, &s->out->v.v[id], e);
    if (st)
      return at ? WW_OK : st; /* what was found before counts */
    if (!r.known)
      break;
    ww_policy_state_of(s, id, s->out->v.v + r.first, r.n, &state);
    state.key = o->key;
    state.family = o->family;
    ww_policy_state_write(&state, out);
    if (s->out->v.v[id].depth + 1 >= depth)
      continue;
    uint32_t best = pick(s, &r, NULL);
    if (best) {
      s->out->v.v[best].expanded = true;
      queue[waiting++] = best;
    }
    uint32_t other = id ? 0 : pick(s, &r, &random);
    if (other)
      queue[waiting++] = other;
  }
  return WW_OK;
}

ww_status ww_explore(const ww_optimize_request *q,
                     const ww_explore_options *o,
                     ww_arena *a,
                     ww_buf *out,
                     ww_err *e) {
  ww_optimized found;
  ww_search s = {.q = q, .a = a, .out = &found};
  ww_status st = ww_search_begin(&s, e);
  if (st)
    return st;
  st = explore(&s, o, out, e);
  for (uint32_t k = 0; k < found.v.n; k++)
    ww_search_unload(&found.v.v[k]);
  return st;
}
