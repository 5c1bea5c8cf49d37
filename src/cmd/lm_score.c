/* lm_score.c - `warpwise lm score`: the log probability a model gives to texts, many at
 * a time. */
#include <math.h>
#include <stdlib.h>

#include "../base/jsonread.h"
#include "lm.h"

#define MOST_TOKENS 8192                /* of texts that are scored together */
#define MOST_LOGITS ((uint64_t)1 << 26) /* of one pass: 256 MB */

typedef struct {
  uint64_t threads;
  bool exact;
} options;

static const ww_option table[] = {
    WW_OPTION(exact, NULL, "the fp32 reference, slow"),
    WW_OPTION(threads, "N", "default: one per core"),
    {0},
};

typedef struct {
  ww_tokens token;
  uint32_t prompt; /* tokens whose probability is not asked */
  uint32_t line;
  double log_prob;
} text;

/* The two as one text, where the prompt's tokens are the first of it: a tokenizer may
 * put a blank in front of each. Else one behind the other. */
static void encode_pair(
    ww_cmd *c, const ww_tokenizer *t, const char *prompt, const char *rest, text *out) {
  ww_tokens whole = {0};
  ww_tokens more = {0};
  ww_tokens *p = &out->token;
  ww_tokenizer_encode(t, prompt, strlen(prompt), true, c->arena, p);
  const char *both = ww_fmt(c->arena, "%s%s", prompt, rest);
  ww_tokenizer_encode(t, both, strlen(both), true, c->arena, &whole);
  out->prompt = p->n ? p->n : 1;
  if (p->n && whole.n >= p->n && !memcmp(whole.v, p->v, p->n * sizeof *p->v)) {
    *p = whole;
    return;
  }
  ww_tokenizer_encode(t, rest, strlen(rest), true, c->arena, &more);
  /* the prompt has it already */
  bool begins = more.n && more.v[0] == ww_tokenizer_bos(t);
  for (uint32_t k = begins; k < more.n; k++)
    ww_push(c->arena, p, more.v[k]);
}

/* {"prompt","completion"}, {"text"}, or a plain line. */
static ww_status
read_line(ww_cmd *c, const ww_tokenizer *t, char *line, uint32_t at, text *out) {
  *out = (text){.prompt = 1, .line = at};
  if (*line != '{') {
    ww_tokenizer_encode(t, line, strlen(line), true, c->arena, &out->token);
    return WW_OK;
  }
  cJSON *o = ww_json_read(line, strlen(line), &c->err);
  if (!o) {
    c->err.line = at;
    return c->err.code;
  }
  const char *all = ww_json_text(o, "text", c->arena);
  const char *prompt = ww_json_text(o, "prompt", c->arena);
  const char *rest = ww_json_text(o, "completion", c->arena);
  cJSON_Delete(o);
  if (!all && !(prompt && rest))
    return c->err.line = at,
           ww_fail(&c->err, WW_EDATA,
                   "line %u has neither \"text\" nor \"prompt\" and \"completion\"",
                   at);
  if (all)
    ww_tokenizer_encode(t, all, strlen(all), true, c->arena, &out->token);
  else
    encode_pair(c, t, prompt, rest, out);
  return WW_OK;
}

/* One pass over the tokens from..to of all that follow each other: adds what is known
 * behind it to the texts' sums. */
static ww_status score_pass(ww_lm_session *s,
                            text *v,
                            const int32_t *token,
                            const uint32_t *of,
                            const bool *want,
                            uint32_t n,
                            uint32_t vocab,
                            ww_err *e) {
  uint32_t wanted = 0;
  for (uint32_t k = 0; k < n; k++)
    wanted += want[k];
  float *logits = ww_xmalloc(((size_t)wanted * vocab + 1) * sizeof *logits);
  float *l = logits;
  ww_status st = ww_lm_run(
      s, &(ww_lm_pass){.n = n, .token = token, .sequence = of, .wanted = want},
      wanted ? logits : NULL, NULL, e);
  for (uint32_t k = 0; !st && k < n; k++)
    if (want[k]) {
      v[of[k]].log_prob += ww_log_prob(l, vocab, token[k + 1]);
      l += vocab;
    }
  free(logits);
  return st;
}

static ww_status score_group(
    ww_cmd *c, ww_lm *m, text *v, uint32_t n, uint32_t longest, uint32_t tokens) {
  uint32_t vocab = ww_lm_config_of(m)->vocab;
  uint32_t most = MOST_LOGITS / vocab + 1;
  uint32_t at = 0;
  int32_t *token = ww_xmalloc((tokens + 1) * sizeof *token);
  uint32_t *of = ww_xmalloc((tokens + 1) * sizeof *of);
  bool *want = ww_xcalloc(tokens + 1, sizeof *want);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < v[i].token.n; j++, at++) {
      token[at] = v[i].token.v[j];
      of[at] = i;
      want[at] = j + 1 >= v[i].prompt && j + 1 < v[i].token.n;
    }
  ww_lm_session *s = NULL;
  ww_status st = ww_lm_session_new(m, n, longest ? longest : 1, &s, &c->err);
  for (at = 0; !st && at < tokens; at += most)
    st = score_pass(s, v, token + at, of + at, want + at,
                    tokens - at < most ? tokens - at : most, vocab, &c->err);
  ww_lm_session_free(s);
  free(token);
  free(of);
  free(want);
  return st;
}

static void print_score(ww_cmd *c, const text *x) {
  uint32_t n = x->token.n > x->prompt ? x->token.n - x->prompt : 0;
  double perplexity = n ? exp(-x->log_prob / n) : NAN;
  if (c->json)
    ww_line_print("log_prob:%g,tokens:%u,perplexity:%g", x->log_prob, n, perplexity);
  else
    printf("%12.4f  %6u tokens  perplexity %.4g\n", x->log_prob, n, perplexity);
}

static ww_status score_all(ww_cmd *c, ww_lm *m, text *v, uint32_t n) {
  ww_status st = WW_OK;
  for (uint32_t from = 0, to; !st && from < n; from = to) {
    uint32_t tokens = 0;
    uint32_t longest = 0;
    for (to = from; to < n && (to == from || tokens + v[to].token.n <= MOST_TOKENS);
         to++) {
      tokens += v[to].token.n;
      if (v[to].token.n > longest)
        longest = v[to].token.n;
      if (longest > ww_lm_config_of(m)->context)
        return ww_fail(&c->err, WW_ELIMIT,
                       "line %u has %u tokens, the model reads %u at most", v[to].line,
                       longest, ww_lm_config_of(m)->context);
    }
    st = score_group(c, m, v + from, to - from, longest, tokens);
    ww_progress("scoring", to, n);
  }
  for (uint32_t k = 0; !st && k < n; k++)
    print_score(c, &v[k]);
  return st;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  ww_lm *m = NULL;
  WW_VEC(text) texts = {0};
  char *data;
  char *line;
  size_t n;
  ww_lm_options lo = {
      .exact = o->exact,
      .threads = o->threads,
      .weights = WW_NDTYPE,
  };
  if (c->noperands != 2)
    return ww_usage(c, "lm score takes a model and a file of texts ('-': stdin)");
  const char *path = strcmp(c->operands[1], "-") ? c->operands[1] : "/dev/stdin";
  bool failed = ww_input_packed(c->arena, path, 1 << 30, &data, &n, &c->err) ||
                ww_lm_open(c->operands[0], &lo, &m, &c->err) ||
                ww_lm_need_tokenizer(m, c->operands[0], &c->err);
  ww_status st = failed ? c->err.code : WW_OK;
  for (uint32_t at = 1; !st && (line = strsep(&data, "\n")); at++) {
    text x;
    if (!*line)
      continue;
    st = read_line(c, ww_lm_tokenizer(m), line, at, &x);
    if (st)
      c->err.file = path;
    else
      ww_push(c->arena, &texts, x);
  }
  if (!st)
    st = score_all(c, m, texts.v, texts.n);
  ww_lm_close(m);
  return st;
}

const ww_command ww_cmd_lm_score = {
    "score",
    "how likely a model finds texts",
    "MODEL FILE|- [options]",
    .details = "One text a line: plain, or JSON with \"text\", or with \"prompt\" and "
               "\"completion\", where the completion alone is scored. The\n"
               "sum of the natural logarithms of its tokens' probabilities, and the "
               "perplexity.",
    .examples = "  warpwise lm score model.gguf texts.jsonl --json\n",
    WW_OPTIONS,
    .run = run,
};
