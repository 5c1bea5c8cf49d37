/* generate.c - prompt, then token by token: sample, check the grammar, run; what the
 * grammar forces is run as one pass.
 *
 * Drawing, refusing what the grammar does not allow and drawing again gives exactly the
 * distribution restricted to what is allowed, and nearly always asks the grammar about
 * one token instead of the whole vocabulary. After a few refusals it is asked about all
 * of them at once.
 *
 * By a grammar the text always comes to an end: a token is refused as well if the
 * shortest end behind it would not fit into the room that is left, and where nothing
 * else fits that end is written. */
#include "generate.h"
#include "order.h"

#include <math.h>
#include <stdlib.h>

#define MOST_FORCED 4096 /* bytes at a time */
#define FEW_REFUSED 4    /* draws, before the whole vocabulary is looked at */
#define MOST_REFUSED 64  /* and then: before the text is ended */

typedef struct {
  ww_lm_session *s;
  const ww_lm *m;
  const ww_tokenizer *t;
  const ww_lm_config *c;
  const ww_generate_options *o;
  ww_generated *out;
  uint32_t sequence, room; /* tokens that may still come */
  ww_sampler *sampler;
  ww_grammar_state *g;
  /* what the grammar writes: a forced run, or the shortest end */
  ww_buf forced;
  ww_tokens tokens, end; /* a run, an end */
  ww_arena *a;           /* of these */
  /* texts of the tokens that a grammar may take, in their order; made when needed first
   */
  ww_word *words;
  int32_t *ids; /* their tokens */
  uint32_t nwords;
  float *logits;
  size_t sent;        /* bytes of out->text that were handed out */
  bool ended, closed; /* closed: by the shortest end, for want of room */
  /* the last mask left less than half of the vocabulary: the next one likely does too
   */
  bool narrow;
} run;

static ww_status
feed(run *r, const int32_t *token, uint32_t n, const float *features, ww_err *e) {
  uint32_t *sequence = ww_xmalloc(n * sizeof *sequence);
  for (uint32_t k = 0; k < n; k++)
    sequence[k] = r->sequence;
  ww_status st = ww_lm_run(
      r->s,
      &(ww_lm_pass){.n = n, .token = token, .sequence = sequence, .features = features},
      r->logits, NULL, e);
  free(sequence);
  return st;
}

static bool ends(const run *r, int32_t token) {
  for (uint32_t k = 0; k < r->c->neos; k++)
    if (r->c->eos[k] == token)
      return true;
  return false;
}

/* ---- what has been written ---- */

/* Bytes at the end that may be the beginning of a longer character. */
static size_t unfinished(const char *s, size_t n) {
  for (size_t back = 1; back <= 3 && back <= n; back++) {
    unsigned char c = s[n - back];
    if (c < 0x80)
      return 0;
    if (c >= 0xc0)
      return (c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

/* Bytes at the end that may be the beginning of a stop text. */
static size_t may_stop(const run *r) {
  size_t most = 0;
  for (const char *const *s = r->o->stop; s && *s; s++)
    for (size_t n = strlen(*s); n-- > most + 1;)
      if (n <= r->out->text.n && !memcmp(r->out->text.s + r->out->text.n - n, *s, n)) {
        most = n;
        break;
      }
  return most;
}

static void hand_out(run *r, bool all) {
  ww_buf *b = &r->out->text;
  size_t held = all ? 0 : unfinished(b->s, b->n);
  size_t stop = all ? 0 : may_stop(r);
  if (stop > held)
    held = stop;
  if (b->n - held <= r->sent)
    return;
  if (r->o->piece && !r->o->piece(r->o->ctx, b->s + r->sent, b->n - held - r->sent)) {
    r->ended = true;
    r->out->finish = WW_FINISH_CANCEL;
  }
  r->sent = b->n - held;
}

static void write_text(run *r, const char *text, size_t n) {
  ww_buf *b = &r->out->text;
  size_t before = b->n;
  ww_buf_add(b, text, n);
  /* of several the first in the text */
  for (const char *const *s = r->o->stop; s && *s; s++) {
    size_t len = strlen(*s);
    size_t from = before > len ? before - len : 0;
    char *at = len && from < b->n ? memmem(b->s + from, b->n - from, *s, len) : NULL;
    if (!at)
      continue;
    b->n = at - b->s;
    b->s[b->n] = 0;
    r->ended = true;
  }
  hand_out(r, r->ended);
}

/* ---- the grammar's words ---- */

typedef struct {
  ww_word w;
  int32_t id;
} entry;

static int by_text(const void *a, const void *b) {
  const entry *x = a;
  const entry *y = b;
  int order = memcmp(x->w.text, y->w.text, ww_least(x->w.n, y->w.n));
  if (order)
    return order;
  return x->w.n != y->w.n ? ww_order(x->w.n, y->w.n) : ww_order(x->id, y->id);
}

static bool takes(const run *r, int32_t id) {
  return !ends(r, id) && !ww_tokenizer_special(r->t, id);
}

static void sort_words(run *r) {
  uint32_t n = 0;
  entry *v = ww_xmalloc(r->c->vocab * sizeof *v);
  for (int32_t id = 0; id < (int32_t)r->c->vocab; id++) {
    ww_word w = {0};
    w.text = ww_tokenizer_text(r->t, id, &w.n);
    if (w.text && w.n && takes(r, id))
      v[n++] = (entry){w, id};
  }
  qsort(v, n, sizeof *v, by_text);
  r->words = ww_xmalloc((n + 1) * sizeof *r->words);
  r->ids = ww_xmalloc((n + 1) * sizeof *r->ids);
  for (uint32_t k = 0; k < n; k++) {
    const ww_word *last = k ? &v[k - 1].w : NULL;
    while (last && v[k].w.shared < v[k].w.n && v[k].w.shared < last->n &&
           v[k].w.text[v[k].w.shared] == last->text[v[k].w.shared])
      v[k].w.shared++;
    r->words[k] = v[k].w;
    r->ids[k] = v[k].id;
  }
  r->nwords = n;
  free(v);
}

/* The token that has the most of the text's beginning; the vocabulary is `words`. */
static int32_t longest(run *r, const char *text, size_t n, uint32_t *len) {
  int32_t best = -1;
  *len = 0;
  if (!r->words)
    sort_words(r);
  for (uint32_t k = 0; k < r->nwords; k++) {
    const ww_word *w = r->words + k;
    if (w->n > *len && w->n <= n && !memcmp(w->text, text, w->n)) {
      best = r->ids[k];
      *len = w->n;
    }
  }
  return best;
}

/* r->forced as tokens that are exactly it. Tokenizers that put a blank in front of a
 * text do not give that: the longest token each time does. False: the vocabulary has
 * not all of it. */
static bool spell(run *r, ww_tokens *out) {
  const ww_buf *text = &r->forced;
  size_t at = 0;
  out->n = 0;
  ww_tokenizer_encode(r->t, text->s, text->n, false, r->a, out);
  for (uint32_t k = 0; k < out->n && at <= text->n; k++) {
    uint32_t n = 0;
    const char *piece = ww_tokenizer_text(r->t, out->v[k], &n);
    bool same = piece && n <= text->n - at && !memcmp(piece, text->s + at, n);
    at = same ? at + n : text->n + 1;
  }
  if (at == text->n)
    return true;
  out->n = 0;
  at = 0;
  for (uint32_t n; at < text->n; at += n) {
    int32_t id = longest(r, text->s + at, text->n - at, &n);
    if (id < 0)
      return false;
    ww_push(r->a, out, id);
  }
  return true;
}

/* Tokens of the shortest end; UINT32_MAX: it cannot be written. */
static uint32_t end_tokens(run *r, bool tried) {
  if (ww_grammar_left(r->g, tried) == UINT32_MAX)
    return UINT32_MAX;
  r->forced.n = 0;
  ww_grammar_shortest(r->g, tried, &r->forced);
  return spell(r, &r->end) ? r->end.n : UINT32_MAX;
}

/* Whether the shortest end behind what was tried fits. Its bytes tell it nearly always:
 * there are no more tokens than that. */
static bool end_fits(run *r, uint32_t room) {
  return ww_grammar_left(r->g, true) <= room || end_tokens(r, true) <= room;
}

/* Logits of all that the grammar refuses here become -INFINITY. */
static void mask(run *r) {
  if (!r->words)
    sort_words(r);
  bool *allowed = ww_xcalloc(r->nwords + 1, sizeof *allowed);
  float *kept = ww_xmalloc(r->c->vocab * sizeof *kept);
  /* Where bytes are more than the room: as many more as the end may take more tokens
   * than it does now; end_fits() looks closer. */
  uint32_t left = ww_grammar_left(r->g, false);
  uint32_t most = r->room - 1;
  if (left > most)
    most = left + r->room;
  ww_grammar_mask(r->g, r->words, r->nwords, most, allowed);
  for (uint32_t id = 0; id < r->c->vocab; id++)
    kept[id] = ends(r, id) && ww_grammar_complete(r->g) ? r->logits[id] : -INFINITY;
  uint32_t n = 0;
  for (uint32_t k = 0; k < r->nwords; k++)
    if (allowed[k]) {
      kept[r->ids[k]] = r->logits[r->ids[k]];
      n++;
    }
  r->narrow = n < r->nwords / 2;
  memcpy(r->logits, kept, r->c->vocab * sizeof *kept);
  free(allowed);
  free(kept);
}

/* ---- the next token ---- */

/* By the grammar, with room for its shortest end behind it. */
static bool allowed(run *r, int32_t id) {
  uint32_t n = 0;
  const char *text = ww_tokenizer_text(r->t, id, &n);
  return takes(r, id) && text && n && ww_grammar_allows(r->g, text, n) &&
         end_fits(r, r->room - 1) && ww_grammar_take(r->g, text, n);
}

/* Drawn, and allowed; -1: the model or the grammar ends here; -2: nothing is left to
 * draw from. */
static int32_t draw(run *r, ww_err *e, ww_status *st) {
  uint32_t refused = 0;
  if (r->g && r->narrow && !isnan(r->logits[0])) {
    mask(r);
    refused = FEW_REFUSED;
  }
  for (;;) {
    int32_t id = ww_sampler_next(r->sampler, r->logits);
    if (id < 0 && r->g && refused)
      return ww_grammar_complete(r->g) ? -1 : -2;
    if (id < 0) {
      *st = ww_fail(e, WW_EDATA,
                    "the model's outputs are not numbers: are its weights damaged?");
      return -1;
    }
    if (ends(r, id) ? !r->g || ww_grammar_complete(r->g) : false)
      return -1;
    if (r->g ? allowed(r, id) : !ends(r, id))
      return id;
    r->logits[id] = -INFINITY;
    if (++refused == FEW_REFUSED && r->g)
      mask(r);
    if (refused == MOST_REFUSED && r->g)
      return ww_grammar_complete(r->g) ? -1 : -2;
  }
}

/* Writes the text as tokens that nobody draws, in one pass. */
static ww_status write_forced(run *r, const ww_tokens *tokens, ww_err *e) {
  for (uint32_t k = 0; k < tokens->n; k++) {
    uint32_t n;
    const char *piece = ww_tokenizer_text(r->t, tokens->v[k], &n);
    ww_grammar_take(r->g, piece, n);
    if (!r->ended)
      write_text(r, piece, n);
  }
  r->out->tokens += tokens->n;
  r->out->forced += tokens->n;
  r->room -= tokens->n;
  if (r->ended || !r->room || ww_grammar_finished(r->g))
    return WW_OK;
  return feed(r, tokens->v, tokens->n, NULL, e);
}

/* The run of tokens that the grammar leaves no choice of. */
static ww_status take_forced(run *r, bool *took, ww_err *e) {
  r->forced.n = 0;
  ww_grammar_forced(r->g, MOST_FORCED, &r->forced);
  *took =
      r->forced.n && spell(r, &r->tokens) && r->tokens.n <= r->room &&
      (ww_grammar_left(r->g, true) == UINT32_MAX || end_fits(r, r->room - r->tokens.n));
  return *took ? write_forced(r, &r->tokens, e) : WW_OK;
}

/* No token that is left may come: the shortest end. */
static ww_status close_text(run *r, ww_err *e) {
  uint32_t n = end_tokens(r, false);
  r->closed = true;
  if (n && n <= r->room)
    return write_forced(r, &r->end, e);
  return ww_fail(e, WW_EDATA,
                 "no token of this model may follow here by the grammar; is its "
                 "vocabulary complete?");
}

static ww_status loop(run *r, ww_err *e) {
  ww_status st = WW_OK;
  r->out->finish = WW_FINISH_LENGTH;
  while (!st && !r->ended && r->room) {
    bool took = false;
    if (r->g && ww_grammar_finished(r->g))
      break;
    if (r->g && (st = take_forced(r, &took, e)))
      break;
    if (took)
      continue;
    int32_t id = draw(r, e, &st);
    if (id == -2)
      st = close_text(r, e);
    if (id < 0)
      break;
    uint32_t n = 0;
    const char *text = ww_tokenizer_text(r->t, id, &n);
    r->out->tokens++;
    r->room--;
    if (text && !ww_tokenizer_special(r->t, id))
      write_text(r, text, n);
    if (!r->ended && r->room)
      st = feed(r, &id, 1, NULL, e);
  }
  if (r->out->finish != WW_FINISH_CANCEL && !r->closed &&
      (r->room || r->ended || (r->g && ww_grammar_finished(r->g))))
    r->out->finish = WW_FINISH_STOP;
  if (!st && !r->ended)
    hand_out(r, true);
  return st;
}

ww_status ww_lm_generate(ww_lm_session *s,
                         const ww_lm *m,
                         uint32_t sequence,
                         const int32_t *prompt,
                         uint32_t n,
                         const ww_generate_options *o,
                         ww_generated *out,
                         ww_err *e) {
  const ww_lm_config *c = ww_lm_config_of(m);
  run r = {.s = s,
           .m = m,
           .t = ww_lm_tokenizer(m),
           .c = c,
           .o = o,
           .out = out,
           .sequence = sequence};
  double t0 = ww_now();
  *out = (ww_generated){.prompt_tokens = n};
  ww_buf_puts(&out->text, "");
  if (!r.t)
    return ww_fail(
        e, WW_EDATA,
        "the model has no tokenizer: put its tokenizer.json beside the weights");
  if (!n)
    return ww_fail(
        e, WW_EUSAGE,
        "the prompt is empty: a model needs at least one token to begin with");
  uint32_t used = ww_lm_session_length(s, sequence) + n;
  uint32_t room = ww_lm_session_room(s);
  if (used >= room)
    return ww_fail(e, WW_ELIMIT,
                   "the prompt takes %u tokens, the model has room for %u; shorten it",
                   used, room);
  r.room = room - used;
  if (o->most && o->most < r.room)
    r.room = o->most;
  r.a = ww_arena_new();
  r.logits = ww_xmalloc(c->vocab * sizeof *r.logits);
  r.sampler = ww_sampler_new(&o->sample, c->vocab);
  if (o->grammar)
    r.g = ww_grammar_begin(o->grammar);
  ww_status st = WW_OK;
  if (r.g && ww_grammar_left(r.g, false) > r.room && end_tokens(&r, false) > r.room)
    st = ww_fail(
        e, WW_ELIMIT,
        "the shortest text of this grammar takes %u bytes, and there is room for %u "
        "tokens; allow more of them",
        ww_grammar_left(r.g, false), r.room);
  if (!st)
    st = feed(&r, prompt, n, o->features, e);
  out->prompt_s = ww_now() - t0;
  if (!st)
    st = loop(&r, e);
  out->s = ww_now() - t0;
  ww_grammar_end(r.g);
  ww_sampler_free(r.sampler);
  ww_buf_free(&r.forced);
  ww_arena_free(r.a);
  free(r.words);
  free(r.ids);
  free(r.logits);
  return st;
}
