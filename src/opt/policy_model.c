/* policy_model.c - a language model that chooses among tool calls: the calls that are
 * allowed are a tree of tokens, and the model is asked where it branches.
 *
 * What has one way on is not asked, so that an answer costs two or three passes. The
 * answer is always a call that is allowed. */
#include <math.h>
#include <stdlib.h>

#include "../base/random.h"
#include "../lm/infer.h"
#include "policy.h"

struct ww_policy {
  ww_lm *lm;
  ww_lm_session *session;
  const ww_tokenizer *t;
  uint32_t context;
  /* what the session holds: the next prompt mostly begins alike */
  int32_t *seen;
  uint32_t nseen;
  float features[WW_QUESTION_SOURCE_FEATURES];
};

enum { ANSWER_TOKENS = 80 };

ww_status
ww_policy_open(const char *path, uint32_t threads, ww_policy **out, ww_err *e) {
  ww_policy *p = ww_xcalloc(1, sizeof *p);
  ww_status st = ww_lm_open(
      path, &(ww_lm_options){.weights = WW_NDTYPE, .threads = threads}, &p->lm, e);
  const ww_lm_config *c = st ? NULL : ww_lm_config_of(p->lm);
  if (!st)
    p->t = ww_lm_tokenizer(p->lm);
  if (!st && (!p->t || ww_tokenizer_id(p->t, WW_QUESTION_END) < 0 ||
              c->context < 2 * ANSWER_TOKENS || /* no room for a prompt */
              (c->features && c->features != WW_QUESTION_SOURCE_FEATURES)))
    st = ww_fail(e, WW_EDATA,
                 "'%s' is no policy: train one from `dataset transcripts` "
                 "(docs/policy.md)",
                 path);
  if (!st) {
    p->context = c->context;
    p->seen = ww_xcalloc(c->context, sizeof *p->seen);
    st = ww_lm_session_new(p->lm, 1, c->context, &p->session, e);
  }
  if (st) {
    ww_policy_close(p);
    return st;
  }
  *out = p;
  return WW_OK;
}

void ww_policy_close(ww_policy *p) {
  if (!p)
    return;
  ww_lm_session_free(p->session);
  ww_lm_close(p->lm);
  free(p->seen);
  free(p);
}

uint32_t ww_policy_context(const ww_policy *p) {
  return p->context;
}

/* The calls as tokens, and how far the answer has come. */
typedef struct {
  ww_tokens text[WW_POLICY_CALLS];
  bool open[WW_POLICY_CALLS]; /* still possible */
  uint32_t n, depth;
} choices;

/* The tokens that may come next, each once. */
static uint32_t next_tokens(const choices *c, int32_t *out) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < c->n; k++) {
    int32_t t = c->text[k].v[c->depth];
    bool known = !c->open[k];
    for (uint32_t i = 0; i < n; i++)
      known |= out[i] == t;
    if (!known)
      out[n++] = t;
  }
  return n;
}

static void take(choices *c, int32_t token) {
  for (uint32_t k = 0; k < c->n; k++)
    c->open[k] = c->open[k] && c->text[k].v[c->depth] == token;
  c->depth++;
}

/* The likeliest of the tokens, or one at random by their likelihood. */
static int32_t
pick(const float *logits, const int32_t *token, uint32_t n, uint64_t *random) {
  uint32_t best = 0;
  double sum = 0;
  for (uint32_t k = 1; k < n; k++)
    if (logits[token[k]] > logits[token[best]])
      best = k;
  if (!random)
    return token[best];
  float top = logits[token[best]];
  for (uint32_t k = 0; k < n; k++)
    sum += exp((double)(logits[token[k]] - top));
  double at = ww_random_unit(ww_random(random)) * sum;
  for (uint32_t k = 0; k < n; k++)
    if ((at -= exp((double)(logits[token[k]] - top))) < 0)
      return token[k];
  return token[best];
}

static uint32_t open_ones(const choices *c, uint32_t *last) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < c->n; k++)
    if (c->open[k]) {
      *last = k;
      n++;
    }
  return n;
}

/* Leaves out what the session has already: at least the last token is asked for. */
static void begin(ww_policy *m, const ww_policy_state *p, ww_tokens *prompt) {
  uint32_t same = 0;
  if (memcmp(m->features, p->features, sizeof m->features) != 0)
    m->nseen = 0;
  while (same < m->nseen && same + 1 < prompt->n && m->seen[same] == prompt->v[same])
    same++;
  memcpy(m->features, p->features, sizeof m->features);
  if (same)
    ww_lm_session_cut(m->session, 0, same);
  else
    ww_lm_session_clear(m->session, 0);
  m->nseen = same;
  memmove(prompt->v, prompt->v + same, (prompt->n - same) * sizeof *prompt->v);
  prompt->n -= same;
}

/* `pending` are tokens that the model has not seen yet. */
static ww_status walk(ww_policy *m,
                      choices *c,
                      ww_tokens *pending,
                      const ww_policy_state *p,
                      uint64_t *random,
                      ww_arena *a,
                      uint32_t *chosen,
                      ww_err *e) {
  float *logits = WW_NEWN(a, float, ww_lm_config_of(m->lm)->vocab);
  while (open_ones(c, chosen) > 1) {
    int32_t token[WW_POLICY_CALLS];
    uint32_t n = next_tokens(c, token);
    if (n > 1) {
      ww_lm_pass pass = {.n = pending->n,
                         .token = pending->v,
                         .features = m->nseen ? NULL : p->features};
      ww_status st = ww_lm_run(m->session, &pass, logits, NULL, e);
      if (st)
        return st;
      memcpy(m->seen + m->nseen, pending->v, pending->n * sizeof *m->seen);
      m->nseen += pending->n;
      pending->n = 0;
      token[0] = pick(logits, token, n, random);
    }
    take(c, token[0]);
    ww_push(a, pending, token[0]);
  }
  return WW_OK;
}

/* A prompt that is too long loses its middle, as in training. */
static void cut(ww_tokens *t, uint32_t most) {
  if (t->n <= most)
    return;
  uint32_t head = most / 2;
  memmove(t->v + head, t->v + t->n - (most - head), (most - head) * sizeof *t->v);
  t->n = most;
}

ww_status ww_policy_choose(ww_policy *m,
                           const ww_policy_state *p,
                           const ww_policy_view *v,
                           uint64_t *random,
                           ww_policy_call *out,
                           ww_err *e) {
  ww_policy_call calls[WW_POLICY_CALLS];
  uint32_t n = ww_policy_calls(p, v, calls);
  *out = calls[0];
  if (n == 1)
    return WW_OK;
  ww_arena *a = ww_arena_new();
  choices *c = WW_NEW(a, choices);
  ww_tokens prompt = {0};
  ww_buf text = {0};
  uint32_t chosen = 0;
  c->n = n;
  for (uint32_t k = 0; k < c->n; k++) {
    ww_policy_answer(p, &calls[k], &text);
    ww_tokenizer_encode(m->t, text.s, text.n, false, a, &c->text[k]);
    c->open[k] = true;
    text.n = 0;
  }
  ww_policy_prompt(p, v, calls[0].act, m->context, &text);
  ww_tokenizer_encode(m->t, text.s, text.n, true, a, &prompt);
  cut(&prompt, m->context - ANSWER_TOKENS);
  begin(m, p, &prompt);
  ww_status st = walk(m, c, &prompt, p, random, a, &chosen, e);
  *out = calls[chosen];
  ww_buf_free(&text);
  ww_arena_free(a);
  return st;
}
