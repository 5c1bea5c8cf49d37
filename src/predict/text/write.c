/* write.c - what the language model writes: the JSON of counters, by a grammar that
 * allows nothing else, and where its question has what was traced, an explanation.
 *
 * The JSON's form is ww_question_answer's: every key in its order, each value `null`,
 * `0`, or three digits and an exponent (525e-2). Keys and punctuation are known, so
 * they are never asked for: they go into the pass of the next token that is. Tokens are
 * those that the tokenizer makes of the text itself, since a value begins and ends
 * where a word of the tokenizer does. Sequences go in step; one that is done waits. The
 * explanation is free text of bounded length. */
#include "text_int.h"

/* ---- the grammar of an answer ---- */

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
  int32_t why;     /* begins an explanation; below 0: the model gives none */
  ww_tokens prose; /* tokens of an explanation: printable ASCII */
};
typedef ww_text_grammar grammar;

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

static bool all_printable(const char *s, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (s[i] < ' ' || s[i] > '~')
      return false;
  return n > 0;
}

ww_text_grammar *ww_text_grammar_new(const ww_tokenizer *t, ww_arena *a) {
  grammar *g = WW_NEW(a, grammar);
  g->t = t;
  g->why = ww_tokenizer_id(t, WW_ANSWER_WHY);
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
    if (s && all_printable(s, n))
      ww_push(a, &g->prose, id);
  }
  return g;
}

/* ---- one sequence ---- */

typedef struct {
  int metric; /* whose value it is at; WW_NMETRICS: the JSON is done */
  state at;
  ww_tokens pending; /* to be run */
  ww_buf text;
  bool explains, explaining; /* behind the JSON; is doing so */
  ww_buf why;
  uint32_t said; /* tokens of it, its mark included */
} writer;

/* The next key, or the end. */
static void force(const grammar *g, writer *w, ww_arena *a) {
  const ww_tokens *key = &g->key[++w->metric];
  for (uint32_t i = 0; i < key->n; i++)
    ww_push(a, &w->pending, key->v[i]);
  ww_buf_puts(&w->text, g->text[w->metric]);
  w->at = V_BEGIN;
}

/* The token to go on with: -1 where the value ends. logits NULL: -2 unless there is
 * only one way.
 */
static int32_t choose(const grammar *g, const writer *w, const float *logits) {
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
static bool advance(const grammar *g, writer *w, const float *logits, ww_arena *a) {
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

/* One token of the explanation, or its end. */
static bool explain(const grammar *g, writer *w, const float *logits, ww_arena *a) {
  int32_t end = ww_tokenizer_id(g->t, WW_ANSWER_END);
  float most = end >= 0 ? logits[end] : -INFINITY;
  int32_t best = -1;
  uint32_t n;
  for (uint32_t k = 0; k < g->prose.n; k++)
    if (logits[g->prose.v[k]] > most) {
      best = g->prose.v[k];
      most = logits[best];
    }
  if (best < 0)
    return false;
  const char *s = ww_tokenizer_text(g->t, best, &n);
  if (w->why.n + n > WW_EXPLANATION_MOST || w->said == WW_TEXT_WHY_ROOM)
    return false;
  w->said++;
  ww_buf_add(&w->why, s, n);
  ww_push(a, &w->pending, best);
  return true;
}

/* The next step of either; false: nothing is left to write. */
static bool next(const grammar *g, writer *w, const float *logits, ww_arena *a) {
  if (w->explaining)
    return explain(g, w, logits, a);
  if (advance(g, w, logits, a))
    return true;
  w->explaining = w->explains;
  if (w->explaining) {
    ww_push(a, &w->pending, g->why);
    w->said = 1;
  }
  return w->explaining;
}

/* ---- all of them ---- */

static void
take_pending(writer *w, uint32_t n, const bool *open, ww_arena *a, ww_text_pass *p) {
  p->token.n = p->sequence.n = p->wanted.n = 0;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; open[i] && k < w[i].pending.n; k++)
      ww_text_pass_add(p, a, w[i].pending.v[k], i, k + 1 == w[i].pending.n);
    w[i].pending.n = 0;
  }
}

static void write_steps(const ww_text_writing *x, writer *w, ww_arena *a, ww_err *e) {
  bool *open = WW_NEWN(a, bool, x->n);
  ww_text_pass p = {0};
  uint32_t left = x->n;
  for (uint32_t i = 0; i < x->n; i++) {
    w[i].metric = -1;
    w[i].explains = x->g->why >= 0 && x->questions[i].form == WW_EVIDENCE_TRACED;
    force(x->g, &w[i], a);
    open[i] = true;
  }
  while (left) {
    take_pending(w, x->n, open, a, &p);
    if (ww_text_pass_run(&p, x->session, NULL, x->logits, NULL, e))
      return;
    const float *row = x->logits;
    for (uint32_t i = 0; i < x->n; i++) {
      if (!open[i])
        continue;
      open[i] = next(x->g, &w[i], row, a);
      row += x->vocab;
      left -= !open[i];
    }
  }
}

ww_status
ww_text_write(const ww_text_writing *x, ww_text_answer *out, ww_arena *a, ww_err *e) {
  writer *w = WW_NEWN(a, writer, x->n);
  e->code = WW_OK;
  write_steps(x, w, a, e);
  for (uint32_t i = 0; i < x->n; i++) {
    out[i].text = e->code ? NULL : ww_strndup(a, w[i].text.s, w[i].text.n);
    out[i].why = e->code || !w[i].why.n ? NULL : ww_strndup(a, w[i].why.s, w[i].why.n);
    ww_buf_free(&w[i].text);
    ww_buf_free(&w[i].why);
  }
  return e->code;
}
