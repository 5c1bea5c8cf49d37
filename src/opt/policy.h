/* policy.h - a kernel on its way to being faster as a policy sees it: its code, launch
 * and findings, and what could be done next.
 *
 * The same state makes the episodes that a policy learns from and the questions of
 * `optimize --policy`, so that training and use cannot drift apart. */
#ifndef WW_OPT_POLICY_H
#define WW_OPT_POLICY_H

#include "../predict/text/question.h"
#include "search_int.h"

typedef struct {
  const char *rewrite, *title;
  const char *name; /* rewrite and numbers, as a policy calls it; no two alike */
  ww_candidate_state state; /* ORIGINAL: not predicted yet */
  double us;                /* predicted; 0: not known */
} ww_policy_offer;

typedef struct {
  const char *rule;
  double gain;
} ww_policy_finding;

typedef struct {
  const char *name;
  double us;
} ww_policy_term;

typedef struct {
  const char *key, *family; /* of an episode: whose state it is; NULL: none */
  const char *question;     /* as the text model reads it */
  float features[WW_QUESTION_SOURCE_FEATURES];
  const char *path; /* rewrites since the original: "swap unroll", or "" */
  double us, low, high, floor_us, original_us;
  WW_VEC(ww_policy_term) terms;
  WW_VEC(ww_policy_finding) findings;
  WW_VEC(ww_policy_offer) offers;
} ww_policy_state;

/* ---- policy_state.c ---- */
/* Of a candidate that is loaded; offers[n] are rewrites of it. */
void ww_policy_state_of(const ww_search *s,
                        uint32_t id,
                        const ww_candidate *offers,
                        uint32_t n,
                        ww_policy_state *out);
void ww_policy_state_write(const ww_policy_state *p, ww_buf *out); /* a JSON line */
/* WW_EDATA: it is no state. One that only says why there is none has no offers. */
ww_status ww_policy_state_read(
    const char *line, size_t n, ww_arena *a, ww_policy_state *out, ww_err *e);

/* ---- policy_prompt.c ---- */
/* What a policy may do next, as tool calls. */
typedef enum { WW_CALL_PREDICT, WW_CALL_APPLY, WW_CALL_FINISH } ww_policy_act;
typedef struct {
  ww_policy_act act;
  uint32_t offer;
} ww_policy_call;
enum { WW_POLICY_OFFERS = 48, WW_POLICY_CALLS = 2 * WW_POLICY_OFFERS + 1 };

/* What it sees: with tools also times, terms, findings and the results of its calls; an
 * apply that is among them was refused. */
typedef struct {
  bool tools;
  uint32_t budget; /* predictions that it asks for; 0: none */
  ww_policy_call done[WW_POLICY_CALLS];
  uint32_t ndone;
} ww_policy_view;

/* Names of the offers, from rewrites and titles. */
void ww_policy_name_offers(ww_policy_state *p, ww_arena *a);
/* All that the model reads, up to where it chooses: the call's JSON begins in it. Of
 * code and launch there are half as many bytes as the model's context has tokens. */
void ww_policy_prompt(const ww_policy_state *p,
                      const ww_policy_view *v,
                      ww_policy_act act,
                      uint32_t context,
                      ww_buf *out);
/* The rest of the call's JSON: what the model chooses. */
void ww_policy_answer(const ww_policy_state *p, const ww_policy_call *c, ww_buf *out);
/* What is allowed now; out[WW_POLICY_CALLS], at least one, all of one act. With tools
 * it predicts until the budget is spent; then the fastest of what gains is applied,
 * the next where that is refused. Without tools it applies. */
uint32_t
ww_policy_calls(const ww_policy_state *p, const ww_policy_view *v, ww_policy_call *out);
uint32_t ww_policy_predicted(const ww_policy_view *v); /* predictions asked for */

/* ---- policy_model.c ---- */
typedef struct ww_policy ww_policy;
/* A .gguf or a folder, made by `train --lm` from `dataset transcripts`. */
ww_status
ww_policy_open(const char *path, uint32_t threads, ww_policy **out, ww_err *e);
void ww_policy_close(ww_policy *p); /* accepts NULL */
uint32_t ww_policy_context(const ww_policy *p);
/* The next call: the likeliest, or with a random state (not NULL) a sample. Where one
 * is allowed alone the model is not asked. */
ww_status ww_policy_choose(ww_policy *m,
                           const ww_policy_state *p,
                           const ww_policy_view *v,
                           uint64_t *random,
                           ww_policy_call *out,
                           ww_err *e);

/* ---- policy_play.c ---- */
/* Of a state that was explored: which offer is the best that is the same kernel, at
 * most WW_POLICY_OFFERS: none. */
uint32_t ww_policy_best(const ww_policy_state *p);
/* Is this offer within 2 % of the best? */
bool ww_policy_is_best(const ww_policy_state *p, uint32_t offer);

/* A way through one state: `view` has what was done before the last call. m NULL: calls
 * are chosen at random or, without a random state, by the order of findings: edits of
 * `fix` first. */
typedef struct {
  ww_policy_view view;
  ww_policy_call last; /* finish, or the apply that was taken */
  double reward;       /* ln of the gain */
} ww_policy_played;
ww_status ww_policy_play(ww_policy *m,
                         const ww_policy_state *p,
                         const ww_policy_view *begin,
                         uint64_t *random,
                         ww_policy_played *out,
                         ww_err *e);
/* A lesson of a state that has a best rewrite: calls that were made before, at random,
 * and what is right now. */
void ww_policy_lesson(const ww_policy_state *p,
                      uint64_t *random,
                      ww_policy_view *view,
                      ww_policy_call *right);

/* ---- search_policy.c ---- */
/* A round that the policy leads: it asks for predictions of rewrites and applies one,
 * which is verified. *n 0: it finished. */
ww_status ww_search_policy_round(ww_search *s, uint32_t *beam, uint32_t *n, ww_err *e);

/* ---- explore.c ---- */
typedef struct {
  const char *key, *family;
  uint32_t depth;    /* states in a row; 0: three */
  uint32_t verified; /* rewrites of a state: the slower ones are not; 0: six */
} ww_explore_options;
/* Predicts every rewrite of the kernel, verifies those that promise a gain, and goes on
 * from the best and from a random one of them: a line of JSON for each state. */
ww_status ww_explore(const ww_optimize_request *q,
                     const ww_explore_options *o,
                     ww_arena *a,
                     ww_buf *out,
                     ww_err *e);

#endif
