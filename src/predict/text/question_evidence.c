/* question_evidence.c - evidence as text and features of a question, and the
 * explanation that is learned from it.
 *
 * In the text, metrics stand as in the answer's JSON, so that repeating one is copying
 * it; bounds and facts stand in whole percent, as the explanation says them. */
#include "question_evidence.h"

#include <math.h>

#include "../show/show.h"

_Static_assert((int)WW_F_cold - (int)WW_F_launch == (int)WW_TERM_COLD,
               "features have the bounds in the order of terms.def");

enum {
  BOUND_LEAST = 10, /* percent of the time that a bound needs to be told */
  BOUNDS = 4,       /* of them at most */
  CLOSE = 70,       /* percent of the time: the next bound is said as well */
  FULL = 75,        /* percent of occupancy at which nothing limits it */
  REASONS = 3,      /* facts of an explanation */
  PERCENT_MOST = 999
};

/* ---- evidence ---- */

static const ww_metric resources[] = {WW_M_occupancy_limit_pct, WW_M_registers,
                                      WW_M_shared_bytes, WW_M_local_bytes};

void ww_evidence_of(const ww_prediction *p, ww_evidence *out) {
  *out = (ww_evidence){.form = WW_EVIDENCE_TRACED,
                       .features = p->features,
                       .bottleneck = p->timing.bottleneck,
                       .busiest = p->timing.busiest,
                       .limiter = p->work.occupancy.limiter};
  for (int m = 0; m < WW_NMETRICS; m++)
    out->metrics[m] = p->report.m[m].known ? (float)p->report.m[m].value : NAN;
}

void ww_evidence_weaken(ww_evidence *x, ww_evidence_form form) {
  ww_evidence all = *x;
  if (form >= x->form)
    return;
  *x = (ww_evidence){.form = form, .limiter = all.limiter};
  for (int m = 0; m < WW_NMETRICS; m++)
    x->metrics[m] = NAN;
  for (size_t k = 0; form && k < sizeof resources / sizeof *resources; k++)
    x->metrics[resources[k]] = all.metrics[resources[k]];
}

/* ---- facts ---- */

#define BIT(term) (1u << WW_TERM_##term)
#define ANY ((1u << WW_NTERMS) - 1)
#define MEMORY (BIT(L1) | BIT(L2) | BIT(DRAM) | BIT(LATENCY))
#define WAITING (BIT(LATENCY) | BIT(BARRIER))

enum {
#define FACT(name, ...) F_##name,
#include "question_facts.def"
  NFACTS
};

typedef struct {
  const char *name, *words;
  uint32_t terms; /* bottlenecks of which it is said */
  int least, below;
} fact;

static const fact facts[NFACTS] = {
#define FACT(name, value, terms, least, below, words) \
  {#name, words, terms, least, below},
#include "question_facts.def"
};

static int percent(double v) {
  return (int)lround(fmin(fmax(v, 0), PERCENT_MOST));
}

/* -1: not known */
static void fact_values(const ww_evidence *x, int *out) {
#define f(name) ((double)x->features.v[WW_F_##name])
  const double v[NFACTS] = {
#define FACT(name, value, ...) [F_##name] = (value),
#include "question_facts.def"
  };
#undef f
  for (int k = 0; k < NFACTS; k++)
    out[k] = isfinite(v[k]) ? percent(v[k]) : -1;
}

/* Percent of the time that a resource alone would take. */
static int bound_of(const ww_evidence *x, ww_term t) {
  return percent(100 * (double)x->features.v[WW_F_launch + t]);
}

/* The largest bound below `below`; NTERMS: none that is worth telling. */
static ww_term next_bound(const ww_evidence *x, uint32_t *told) {
  ww_term best = WW_NTERMS;
  int most = BOUND_LEAST - 1;
  for (int t = 0; t < WW_NTERMS; t++)
    if (!(*told & 1u << t) && bound_of(x, t) > most) {
      best = t;
      most = bound_of(x, t);
    }
  if (best < WW_NTERMS)
    *told |= 1u << best;
  return best;
}

static bool is_limited(const ww_evidence *x) {
  return x->metrics[WW_M_occupancy_limit_pct] < FULL;
}

/* ---- text ---- */

static void tell_bounds(const ww_evidence *x, ww_buf *b) {
  uint32_t told = 1u << x->bottleneck;
  ww_term t = x->bottleneck;
  ww_buf_puts(b, " limit");
  for (int n = 0; n < BOUNDS && t < WW_NTERMS; n++) {
    ww_buf_fmt(b, "%s %s %d", n ? "," : "", ww_term_words[t], bound_of(x, t));
    t = next_bound(x, &told);
  }
  if (x->bottleneck == WW_TERM_PIPE)
    ww_buf_fmt(b, " pipe %s", ww_pipe_names[x->busiest]);
}

static void tell_facts(const ww_evidence *x, ww_buf *b) {
  int v[NFACTS];
  fact_values(x, v);
  for (int k = 0; k < NFACTS; k++)
    if (v[k] >= 0)
      ww_buf_fmt(b, " %s %d", facts[k].name, v[k]);
}

static void tell(const ww_evidence *x, ww_buf *b) {
  ww_buf_puts(b, "\ntold ");
  ww_question_known(x->metrics, b);
  if (is_limited(x))
    ww_buf_fmt(b, " by %s", ww_limit_names[x->limiter]);
  if (x->form == WW_EVIDENCE_TRACED) {
    tell_bounds(x, b);
    tell_facts(x, b);
  }
}

/* ---- features ---- */

/* Shares stay what they are about; 30 octaves become 3. */
static float squashed(float v) {
  return copysignf(log2f(1 + fabsf(v)) / 1.6f, v);
}

static void add_features(const ww_evidence *x, float *f) {
  *f++ = x->form >= WW_EVIDENCE_COMPILED;
  *f++ = x->form >= WW_EVIDENCE_TRACED;
  for (int m = 0; m < WW_NMETRICS; m++)
    *f++ = isfinite(x->metrics[m]) ? ww_question_number(m, x->metrics[m]) : 0;
  for (int k = 0; k < WW_NFEATURES; k++)
    *f++ = x->form == WW_EVIDENCE_TRACED ? squashed(x->features.v[k]) : 0;
}

void ww_question_tell(ww_text_question *q, const ww_evidence *x, ww_arena *a) {
  ww_buf b = {0};
  q->form = x->form;
  if (!x->form)
    return;
  ww_buf_add(&b, q->text, q->n - strlen(WW_QUESTION_END));
  tell(x, &b);
  ww_buf_puts(&b, WW_QUESTION_END);
  q->n = b.n;
  q->text = ww_buf_text(&b, a);
  add_features(x, q->features + WW_QUESTION_SOURCE_FEATURES);
  for (int m = 0; m < WW_NMETRICS; m++)
    q->base[m] = isfinite(x->metrics[m]) ? ww_question_number(m, x->metrics[m]) : 0;
}

void ww_question_tell_prediction(ww_text_question *q,
                                 const ww_prediction *p,
                                 ww_evidence_form form,
                                 ww_arena *a) {
  ww_evidence x;
  ww_evidence_of(p, &x);
  ww_evidence_weaken(&x, form);
  ww_question_tell(q, &x, a);
}

/* ---- the explanation ---- */

static void add_reason(
    ww_buf *b, size_t from, uint32_t *left, const char *words, const char *what) {
  size_t before = b->n;
  if (!*left)
    return;
  ww_buf_fmt(b, "; %s%s", words, what);
  if (b->n - from > WW_EXPLANATION_MOST)
    b->n = before;
  else
    --*left;
}

static void add_facts(const ww_evidence *x, size_t from, uint32_t *left, ww_buf *b) {
  int v[NFACTS];
  char words[96];
  fact_values(x, v);
  for (int k = 0; k < NFACTS; k++) {
    const fact *t = &facts[k];
    if (!(t->terms & 1u << x->bottleneck) || v[k] < t->least || v[k] >= t->below)
      continue;
    snprintf(words, sizeof words, t->words, v[k]);
    add_reason(b, from, left, words, "");
  }
}

void ww_evidence_explain(const ww_evidence *x, ww_buf *out) {
  size_t from = out->n;
  uint32_t left = REASONS;
  uint32_t told = 1u << x->bottleneck;
  bool waits = (MEMORY | WAITING) & 1u << x->bottleneck;
  if (x->form != WW_EVIDENCE_TRACED)
    return;
  ww_buf_fmt(out, "limited by %s", ww_term_words[x->bottleneck]);
  if (x->bottleneck == WW_TERM_PIPE)
    add_reason(out, from, &left, ww_pipe_names[x->busiest], " is the busiest pipe");
  add_facts(x, from, &left, out);
  if (waits && is_limited(x))
    add_reason(out, from, &left, "occupancy is limited by ",
               ww_limit_names[x->limiter]);
  ww_term next = next_bound(x, &told);
  if (next < WW_NTERMS && bound_of(x, next) >= CLOSE)
    add_reason(out, from, &left, "close behind: ", ww_term_words[next]);
}
