/* session.c - sequences and their keys and values; a pass is checked whole before
 * anything changes, then run in steps. */
#include "infer_int.h"

#include <sys/mman.h>

void *ww_lm_map(size_t bytes) {
  void *p = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return NULL;
  if (bytes >= (2u << 20))
    madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

void ww_lm_unmap(void *p, size_t bytes) {
  if (p)
    munmap(p, bytes ? bytes : 1);
}

/* ---- sessions ---- */

/* False: no memory for it. */
static bool fill_rope(ww_lm_session *s) {
  size_t n = (size_t)s->tokens * (s->m->c.head_size / 2);
  float *table = malloc(n * 2 * sizeof *table);
  s->cos = malloc(n * sizeof *s->cos);
  s->sin = malloc(n * sizeof *s->sin);
  bool ok = table && s->cos && s->sin;
  if (ok)
    ww_lm_rope_table(&s->m->c, s->tokens, table);
  for (size_t i = 0; ok && i < n; i++) {
    s->cos[i] = table[2 * i];
    s->sin[i] = table[2 * i + 1];
  }
  free(table);
  return ok;
}

/* What a session holds besides keys and values. */
static bool fill_session(ww_lm_session *s) {
  const ww_lm *m = s->m;
  s->sequence = ww_xcalloc(s->sequences, sizeof *s->sequence);
  s->seen = ww_xcalloc(s->sequences, sizeof *s->seen);
  for (uint32_t i = 0; i < s->sequences && m->c.features; i++)
    s->sequence[i].features = ww_xcalloc(m->c.features, sizeof(float));
  return fill_rope(s) && m->path->make(s);
}

ww_status ww_lm_session_new(
    ww_lm *m, uint32_t sequences, uint32_t tokens, ww_lm_session **out, ww_err *e) {
  *out = NULL;
  if (!sequences || !tokens)
    return ww_fail(e, WW_EUSAGE,
                   "a session needs room for one sequence of one token at least");
  if (tokens > m->c.context)
    return ww_fail(e, WW_ELIMIT,
                   "%u tokens a sequence, but the model's context is %u tokens: ask "
                   "for %u at most",
                   tokens, m->c.context, m->c.context);
  size_t each = m->path->cache(m, tokens);
  size_t bytes;
  ww_lm_session *s = ww_xcalloc(1, sizeof *s);
  *s = (ww_lm_session){.m = m, .sequences = sequences, .tokens = tokens};
  bool ok =
      !__builtin_mul_overflow(each, sequences, &bytes) && (s->cache = ww_lm_map(bytes));
  if (ok) {
    s->cache_bytes = bytes;
    ok = fill_session(s);
  }
  if (!ok) {
    ww_lm_session_free(s);
    return ww_fail(e, WW_ELIMIT,
                   "keys and values of %u sequences of %u tokens take %.1f GB, more "
                   "than there is: "
                   "ask for fewer",
                   sequences, tokens, (double)each * sequences * 1e-9);
  }
  *out = s;
  return WW_OK;
}

void ww_lm_session_free(ww_lm_session *s) {
  if (!s)
    return;
  s->m->path->free(s);
  for (uint32_t i = 0; s->sequence && i < s->sequences; i++)
    free(s->sequence[i].features);
  ww_lm_unmap(s->cache, s->cache_bytes);
  free(s->sequence);
  free(s->seen);
  free(s->cos);
  free(s->sin);
  free(s);
}

void ww_lm_session_clear(ww_lm_session *s, uint32_t sequence) {
  ww_lm_session_cut(s, sequence, 0);
}

void ww_lm_session_cut(ww_lm_session *s, uint32_t sequence, uint32_t keep) {
  if (sequence >= s->sequences)
    return;
  ww_lm_sequence *q = s->sequence + sequence;
  if (keep < q->length)
    q->length = keep;
  if (!q->length)
    q->described = false;
}

uint32_t ww_lm_session_length(const ww_lm_session *s, uint32_t sequence) {
  return sequence < s->sequences ? s->sequence[sequence].length : 0;
}

uint32_t ww_lm_session_room(const ww_lm_session *s) {
  return s->tokens;
}

/* ---- features ---- */

bool ww_lm_described(const ww_lm_session *s, uint32_t row) {
  return s->sequence[s->step.sequence[row]].described &&
         s->step.pos[row] < s->m->c.feature_tokens;
}

void ww_lm_add_features(
    const ww_lm_session *s, uint32_t row, const float *w, const float *b, float *x) {
  uint32_t C = s->m->c.width;
  uint32_t X = s->m->c.features;
  const float *f = s->sequence[s->step.sequence[row]].features;
  size_t first = (size_t)s->step.pos[row] * C; /* of feature_w's rows */
  for (uint32_t i = 0; i < C; i++) {
    float sum = b[first + i];
    for (uint32_t k = 0; k < X; k++)
      sum += w[(first + i) * X + k] * f[k];
    x[i] += sum;
  }
}

/* ---- a pass ---- */

static uint32_t sequence_of(const ww_lm_pass *p, uint32_t i) {
  return p->sequence ? p->sequence[i] : 0;
}
static bool wanted(const ww_lm_pass *p, uint32_t i) {
  return p->wanted ? p->wanted[i] : i + 1 == p->n;
}

static ww_status
check(ww_lm_session *s, const ww_lm_pass *p, const float *numbers, ww_err *e) {
  const ww_lm_config *c = &s->m->c;
  memset(s->seen, 0, s->sequences * sizeof *s->seen);
  if (numbers && !c->numbers)
    return ww_fail(e, WW_EUSAGE, "numbers are asked of a model without a numbers head");
  if (p->features && !c->features)
    return ww_fail(e, WW_EUSAGE, "features are given to a model that takes none");
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t q = sequence_of(p, i);
    if (q >= s->sequences)
      return ww_fail(
          e, WW_EUSAGE,
          "token %u is of sequence %u, but the session has room for %u sequences", i, q,
          s->sequences);
    if (p->token[i] < 0 || (uint32_t)p->token[i] >= c->vocab)
      return ww_fail(
          e, WW_EDATA,
          "token %u is id %d, but the model's vocabulary has %u ids: is the tokenizer "
          "the model's own?",
          i, p->token[i], c->vocab);
    if (s->sequence[q].length + ++s->seen[q] > s->tokens)
      return ww_fail(
          e, WW_ELIMIT,
          "sequence %u is full: %u tokens are there, the pass adds more than the "
          "session's %u allow",
          q, s->sequence[q].length, s->tokens);
  }
  return WW_OK;
}

/* Features of sequences that begin in this pass, in the order of their first tokens. */
static void describe(ww_lm_session *s, const ww_lm_pass *p) {
  uint32_t X = s->m->c.features;
  const float *f = p->features;
  for (uint32_t i = 0; f && i < p->n; i++) {
    ww_lm_sequence *q = &s->sequence[sequence_of(p, i)];
    if (q->length || q->described)
      continue;
    memcpy(q->features, f, X * sizeof *f);
    q->described = true;
    f += X;
  }
}

ww_status ww_lm_run(
    ww_lm_session *s, const ww_lm_pass *p, float *logits, float *numbers, ww_err *e) {
  const ww_lm_config *c = &s->m->c;
  ww_status st = check(s, p, numbers, e);
  if (st)
    return st;
  describe(s, p);
  for (uint32_t i = 0; i < p->n;) {
    ww_lm_step *t = &s->step;
    for (t->n = 0, t->nwanted = 0; t->n < WW_STEP_ROWS && i < p->n; i++, t->n++) {
      ww_lm_sequence *q = &s->sequence[sequence_of(p, i)];
      t->token[t->n] = p->token[i];
      t->sequence[t->n] = sequence_of(p, i);
      t->pos[t->n] = q->length++;
      if (wanted(p, i) && (logits || numbers))
        t->wanted[t->nwanted++] = t->n;
    }
    s->m->path->step(s, logits, numbers);
    if (logits)
      logits += (size_t)t->nwanted * c->vocab;
    if (numbers)
      numbers += (size_t)t->nwanted * 2 * c->numbers;
  }
  return WW_OK;
}
