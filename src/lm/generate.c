/* generate.c - prompt, then token by token: sample, check the grammar, run; what the grammar forces is run as one pass.
 *
 * Drawing, refusing what the grammar does not allow and drawing again gives exactly the distribution restricted to what is allowed, and
 * nearly always asks the grammar about one token instead of the whole vocabulary. */
#include "generate.h"

#include <math.h>
#include <stdlib.h>

#define MOST_FORCED 4096 /* bytes at a time */

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
  float *logits;
  size_t sent; /* bytes of out->text that were handed out */
  bool ended;
} run;

static ww_status feed(run *r, const int32_t *token, uint32_t n, const float *features, ww_err *e) {
  uint32_t *sequence = ww_xmalloc(n * sizeof *sequence);
  for (uint32_t k = 0; k < n; k++) sequence[k] = r->sequence;
  ww_status st = ww_lm_run(r->s, &(ww_lm_pass){.n = n, .token = token, .sequence = sequence, .features = features}, r->logits, NULL, e);
  free(sequence);
  return st;
}

static bool ends(const run *r, int32_t token) {
  for (uint32_t k = 0; k < r->c->neos; k++)
    if (r->c->eos[k] == token) return true;
  return false;
}

/* ---- what has been written ---- */

/* Bytes at the end that may be the beginning of a longer character. */
static size_t unfinished(const char *s, size_t n) {
  for (size_t back = 1; back <= 3 && back <= n; back++) {
    unsigned char c = (unsigned char)s[n - back];
    if (c < 0x80) return 0;
    if (c >= 0xc0) return (size_t)(c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

/* Bytes at the end that may be the beginning of a stop text. */
static size_t may_stop(const run *r) {
  size_t most = 0;
  for (const char *const *s = r->o->stop; s && *s; s++)
    for (size_t n = strlen(*s) - 1; n > most; n--)
      if (n <= r->out->text.n && !memcmp(r->out->text.s + r->out->text.n - n, *s, n)) most = n;
  return most;
}

static void hand_out(run *r, bool all) {
  ww_buf *b = &r->out->text;
  size_t held = all ? 0 : unfinished(b->s, b->n), stop = all ? 0 : may_stop(r);
  if (stop > held) held = stop;
  if (b->n - held <= r->sent) return;
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
  for (const char *const *s = r->o->stop; s && *s; s++) {
    size_t len = strlen(*s), from = before > len ? before - len : 0;
    char *at = len ? memmem(b->s + from, b->n - from, *s, len) : NULL;
    if (!at) continue;
    b->n = (size_t)(at - b->s);
    b->s[b->n] = 0;
    r->ended = true;
  }
  hand_out(r, r->ended);
}

/* ---- the next token ---- */

/* Drawn, and allowed; -1: the model or the grammar ends here. */
static int32_t draw(run *r, ww_err *e, ww_status *st) {
  for (;;) {
    int32_t id = ww_sampler_next(r->sampler, r->logits);
    if (id < 0) {
      if (r->g && ww_grammar_complete(r->g)) return -1;
      *st = r->g ? ww_fail(e, WW_EDATA, "no token of this model may follow here by the grammar; is its vocabulary complete?")
                 : ww_fail(e, WW_EDATA, "the model's outputs are not numbers: are its weights damaged?");
      return -1;
    }
    uint32_t n = 0;
    bool end = ends(r, id), special = ww_tokenizer_special(r->t, id);
    const char *text = ww_tokenizer_text(r->t, id, &n);
    if (end && (!r->g || ww_grammar_complete(r->g))) return -1;
    if (!r->g && !end) return id;
    if (!end && !special && text && n && ww_grammar_take(r->g, text, n)) return id;
    r->logits[id] = -INFINITY;
  }
}

/* The run of tokens that the grammar leaves no choice of. Its last token is left to the model where it might have been a longer one. */
static ww_status take_forced(run *r, bool *took, ww_err *e) {
  ww_buf text = {0};
  ww_status st = WW_OK;
  *took = false;
  ww_grammar_forced(r->g, MOST_FORCED, &text);
  if (text.n) {
    ww_arena *a = ww_arena_new();
    ww_tokens tokens = {0};
    ww_tokenizer_encode(r->t, text.s, text.n, false, a, &tokens);
    if (tokens.n > r->room) tokens.n = r->room;
    *took = tokens.n > 0;
    for (uint32_t k = 0; k < tokens.n; k++) {
      uint32_t n;
      const char *piece = ww_tokenizer_text(r->t, tokens.v[k], &n);
      ww_grammar_take(r->g, piece, n);
      write_text(r, piece, n);
    }
    r->out->tokens += tokens.n;
    r->out->forced += tokens.n;
    r->room -= tokens.n;
    if (*took && !r->ended && !ww_grammar_finished(r->g)) st = feed(r, tokens.v, tokens.n, NULL, e);
    ww_arena_free(a);
  }
  ww_buf_free(&text);
  return st;
}

static ww_status loop(run *r, ww_err *e) {
  ww_status st = WW_OK;
  r->out->finish = WW_FINISH_LENGTH;
  while (!st && !r->ended && r->room) {
    bool took = false;
    if (r->g && ww_grammar_finished(r->g)) break;
    if (r->g && (st = take_forced(r, &took, e))) break;
    if (took) continue;
    int32_t id = draw(r, e, &st);
    if (id < 0) break;
    uint32_t n = 0;
    const char *text = ww_tokenizer_text(r->t, id, &n);
    r->out->tokens++;
    r->room--;
    if (text && !ww_tokenizer_special(r->t, id)) write_text(r, text, n);
    if (!r->ended && r->room) st = feed(r, &id, 1, NULL, e);
  }
  if (r->out->finish != WW_FINISH_CANCEL && (r->room || r->ended || (r->g && ww_grammar_finished(r->g)))) r->out->finish = WW_FINISH_STOP;
  if (!st && !r->ended) hand_out(r, true);
  return st;
}

ww_status ww_lm_generate(ww_lm_session *s, const ww_lm *m, uint32_t sequence, const int32_t *prompt, uint32_t n, const ww_generate_options *o,
                         ww_generated *out, ww_err *e) {
  const ww_lm_config *c = ww_lm_config_of(m);
  run r = {.s = s, .m = m, .t = ww_lm_tokenizer(m), .c = c, .o = o, .out = out, .sequence = sequence};
  double t0 = ww_now();
  *out = (ww_generated){.prompt_tokens = n};
  ww_buf_puts(&out->text, "");
  if (!r.t) return ww_fail(e, WW_EDATA, "the model has no tokenizer: put its tokenizer.json beside the weights");
  if (!n) return ww_fail(e, WW_EUSAGE, "the prompt is empty: a model needs at least one token to begin with");
  uint32_t used = ww_lm_session_length(s, sequence) + n, room = ww_lm_session_room(s);
  if (used >= room)
    return ww_fail(e, WW_ELIMIT, "the prompt takes %u tokens, the model has room for %u; shorten it", used, room);
  r.room = room - used;
  if (o->most && o->most < r.room) r.room = o->most;
  r.logits = ww_xmalloc(c->vocab * sizeof *r.logits);
  r.sampler = ww_sampler_new(&o->sample, c->vocab);
  if (o->grammar) r.g = ww_grammar_begin(o->grammar);
  ww_status st = feed(&r, prompt, n, o->features, e);
  out->prompt_s = ww_now() - t0;
  if (!st) st = loop(&r, e);
  out->s = ww_now() - t0;
  ww_grammar_end(r.g);
  ww_sampler_free(r.sampler);
  free(r.logits);
  return st;
}
