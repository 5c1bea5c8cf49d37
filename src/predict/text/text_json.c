/* text_json.c - JSON of counters out of a language model, by a grammar that allows
 * nothing else.
 *
 * The form is ww_question_answer's: every key in its order, each value `null`, `0`, or
 * three digits and an exponent (525e-2). Keys and punctuation are known, so they are
 * never asked for: they go into the pass of the next token that is. Tokens are those
 * that the tokenizer makes of the text itself, since a value begins and ends where a
 * word of the tokenizer does. Sequences go in step; one that is done waits. */

#include "text_int.h"

/* Where a value stands. A state's characters are in `next_state`. */
typedef enum {
  V_BEGIN,
  V_N,
  V_NU,
  V_NUL,
  V_D1,
  V_D2,
  V_D3,
  V_E,
  V_MINUS,
  V_X,
  V_END,
  V_BAD
} state;

enum { VALUE_MOST = 12 }; /* characters of a value */

struct ww_text_grammar {
  const ww_tokenizer *t;
  /* forced: ,"name": ; the last one is } */
  const char *text[WW_NMETRICS + 1];
  ww_tokens key[WW_NMETRICS + 1];
  ww_tokens words; /* tokens that are made of a value's characters alone */
};

static state next_state(state s, char c) {
  bool digit = c >= '0' && c <= '9';
  switch (s) {
  case V_BEGIN:
    return c == 'n' ? V_N : c == '0' ? V_END : digit ? V_D1 : V_BAD;
  case V_N:
    return c == 'u' ? V_NU : V_BAD;
  case V_NU:
    return c == 'l' ? V_NUL : V_BAD;
  case V_NUL:
    return c == 'l' ? V_END : V_BAD;
  case V_D1:
    return digit ? V_D2 : V_BAD;
  case V_D2:
    return digit ? V_D3 : V_BAD;
  case V_D3:
    return c == 'e' ? V_E : V_BAD;
  case V_E:
    return c == '-' ? V_MINUS : c == '0' ? V_END : digit ? V_X : V_BAD;
  case V_MINUS:
    return digit && c != '0' ? V_X : V_BAD;
  case V_X:
    return digit ? V_END : V_BAD; /* or the value ends here */
  default:
    return V_BAD;
  }
}

static state walk(state s, const char *text, uint32_t n) {
  for (uint32_t i = 0; i < n && s != V_BAD; i++)
    s = next_state(s, text[i]);
  return s;
}

ww_text_grammar *ww_text_grammar_new(const ww_tokenizer *t, ww_arena *a) {
  ww_text_grammar *g = WW_NEW(a, ww_text_grammar);
  g->t = t;
  for (int m = 0; m <= WW_NMETRICS; m++) {
    const char *text = m < WW_NMETRICS
                           ? ww_fmt(a, "%s\"%s\":", m ? "," : "{", ww_metrics[m].name)
                           : "}";
    g->text[m] = text;
    ww_tokenizer_encode(t, text, strlen(text), false, a, &g->key[m]);
  }
  for (uint32_t id = 0; id < ww_tokenizer_vocab(t); id++) {
    uint32_t n = 0;
    const char *s = ww_tokenizer_special(t, id) ? NULL : ww_tokenizer_text(t, id, &n);
    bool fits = s && n && n <= VALUE_MOST;
    for (uint32_t i = 0; fits && i < n; i++)
      fits = (s[i] >= '0' && s[i] <= '9') || memchr("nule-", s[i], 5);
    if (fits)
      ww_push(a, &g->words, id);
  }
  return g;
}

/* ---- one sequence ---- */

typedef struct {
  int metric; /* whose value it is at; WW_NMETRICS: done */
  state at;
  ww_tokens pending; /* to be run */
  ww_buf text;
} writer;

/* The next key, or the end. */
static void force(const ww_text_grammar *g, writer *w, ww_arena *a) {
  const ww_tokens *key = &g->key[++w->metric];
  for (uint32_t i = 0; i < key->n; i++)
    ww_push(a, &w->pending, key->v[i]);
  ww_buf_puts(&w->text, g->text[w->metric]);
  w->at = V_BEGIN;
}

/* The token to go on with: -1 where the value ends. logits NULL: -2 unless there is
 * only one way.
 */
static int32_t choose(const ww_text_grammar *g, const writer *w, const float *logits) {
  int32_t best = -2;
  uint32_t ways = 0;
  float most = -INFINITY;
  if (w->at == V_X) { /* the next key, or another digit */
    ways++;
    best = -1;
    if (logits)
      most = logits[g->key[w->metric + 1].v[0]];
  }
  for (uint32_t k = 0; k < g->words.n; k++) {
    int32_t id = g->words.v[k];
    uint32_t n;
    const char *s = ww_tokenizer_text(g->t, id, &n);
    if (walk(w->at, s, n) == V_BAD)
      continue;
    ways++;
    if (best == -2 || (logits && logits[id] > most)) {
      best = id;
      most = logits ? logits[id] : most;
    }
  }
  return logits || ways == 1 ? best : -2;
}

/* Goes on as far as nothing has to be asked; false: nothing is left to write. */
static bool
advance(const ww_text_grammar *g, writer *w, const float *logits, ww_arena *a) {
  while (w->metric < WW_NMETRICS) {
    if (w->at == V_END) {
      force(g, w, a);
      continue;
    }
    int32_t id = choose(g, w, logits);
    if (id == -2)
      return true;
    if (id == -1)
      force(g, w, a);
    else {
      uint32_t n;
      const char *s = ww_tokenizer_text(g->t, id, &n);
      ww_push(a, &w->pending, id);
      ww_buf_add(&w->text, s, n);
      w->at = walk(w->at, s, n);
    }
    logits = NULL;
  }
  return false;
}

/* ---- all of them ---- */

void ww_text_pass_add(
    ww_text_pass *p, ww_arena *a, int32_t token, uint32_t sequence, bool wanted) {
  ww_push(a, &p->token, token);
  ww_push(a, &p->sequence, sequence);
  ww_push(a, &p->wanted, wanted);
}

ww_status ww_text_pass_run(const ww_text_pass *p,
                           ww_lm_session *s,
                           const float *features,
                           float *logits,
                           float *numbers,
                           ww_err *e) {
  ww_lm_pass all = {.n = p->token.n,
                    .token = p->token.v,
                    .sequence = p->sequence.v,
                    .wanted = p->wanted.v,
                    .features = features};
  return all.n ? ww_lm_run(s, &all, logits, numbers, e) : WW_OK;
}

static void
take_pending(writer *w, uint32_t n, const bool *open, ww_arena *a, ww_text_pass *p) {
  p->token.n = p->sequence.n = p->wanted.n = 0;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; open[i] && k < w[i].pending.n; k++)
      ww_text_pass_add(p, a, w[i].pending.v[k], i, k + 1 == w[i].pending.n);
    w[i].pending.n = 0;
  }
}

ww_status ww_text_json(const ww_text_grammar *g,
                       ww_lm_session *s,
                       uint32_t vocab,
                       uint32_t n,
                       float *logits,
                       ww_arena *a,
                       const char **out,
                       ww_err *e) {
  writer *w = WW_NEWN(a, writer, n);
  bool *open = WW_NEWN(a, bool, n);
  ww_text_pass p = {0};
  uint32_t left = n;
  ww_status st = WW_OK;
  for (uint32_t i = 0; i < n; i++) {
    w[i].metric = -1;
    force(g, &w[i], a);
    open[i] = true;
  }
  while (left && !st) {
    take_pending(w, n, open, a, &p);
    st = ww_text_pass_run(&p, s, NULL, logits, NULL, e);
    for (uint32_t i = 0, row = 0; i < n && !st; i++) {
      if (!open[i])
        continue;
      open[i] = advance(g, &w[i], logits + (size_t)row++ * vocab, a);
      left -= !open[i];
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    out[i] = st ? NULL : ww_strndup(a, w[i].text.s, w[i].text.n);
    ww_buf_free(&w[i].text);
  }
  return st;
}
