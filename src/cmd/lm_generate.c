/* lm_generate.c - `warpwise lm generate`: a prompt in, text out as it comes; on request
 * only what a grammar or a JSON schema allows. */
#include <signal.h>

#include "../lm/chat.h"
#include "lm.h"

typedef struct {
  const char *temperature, *top_p, *grammar, *schema, *system, *weights;
  uint64_t most, top_k, seed, threads;
  bool chat, exact, any_json, stats;
  ww_strings stop;
} options;

static const ww_option table[] = {
    WW_OPTION_AS(most, "max", "N", "tokens at most (default 256)", 'n'),
    WW_OPTION(temperature, "T", "0: always the likeliest token (default)", 't'),
    WW_OPTION_AS(top_p,
                 "top-p",
                 "P",
                 "draw from the likeliest tokens that have this share together"),
    WW_OPTION_AS(top_k, "top-k", "K", "draw from the K likeliest tokens"),
    WW_OPTION(seed, "N", "the same seed gives the same text"),
    WW_OPTION(stop, "TEXT", "end where this is written; may be given several times"),
    WW_OPTION(chat, NULL, "the prompt is a user's message"),
    WW_OPTION(system, "TEXT", "with --chat: the system's message before it"),
    WW_OPTION(grammar, "FILE", "only what this GBNF grammar allows"),
    WW_OPTION_AS(schema, "json-schema", "FILE", "only JSON of this schema"),
    WW_OPTION_AS(any_json, "any-json", NULL, "only a JSON object"),
    WW_OPTION(weights,
              "TYPE",
              "run with q8_0, f16, bf16 or f32 weights (default: as in the file)"),
    WW_OPTION(exact, NULL, "the fp32 reference, slow"),
    WW_OPTION(threads, "N", "default: one per core"),
    WW_OPTION(stats, NULL, "tokens per second on stderr behind the text"),
    {0},
};

static volatile sig_atomic_t interrupted;
static void on_interrupt(int signal) {
  interrupted = signal;
}

static bool show(void *ctx, const char *text, size_t n) {
  FILE *f = ctx;
  if (f) {
    fwrite(text, 1, n, f);
    fflush(f);
  }
  return !interrupted;
}

static ww_status grammar_of(ww_cmd *c, const options *o, ww_grammar **out) {
  char *text;
  size_t n;
  const char *file = o->grammar ? o->grammar : o->schema;
  *out = NULL;
  if (!!o->grammar + !!o->schema + o->any_json > 1)
    return ww_usage(c, "one of --grammar, --json-schema and --any-json at a time");
  if (o->any_json)
    return ww_grammar_any_json(out, &c->err);
  if (!file)
    return WW_OK;
  ww_status st = ww_read_input(c->arena, file, 16 << 20, &text, &n, &c->err);
  if (!st)
    st = o->grammar ? ww_grammar_parse(text, n, out, &c->err)
                    : ww_grammar_of_schema(text, n, out, &c->err);
  if (st && st != WW_EIO && !c->err.file)
    c->err.file = file; /* which that names itself */
  return st;
}

static void prompt_tokens(ww_cmd *c,
                          const options *o,
                          const ww_tokenizer *t,
                          const char *text,
                          size_t n,
                          ww_tokens *out) {
  if (!o->chat) {
    ww_tokenizer_encode(t, text, n, true, c->arena, out);
    return;
  }
  ww_chat chat = ww_chat_of(t);
  ww_chat_open(&chat, c->arena, out);
  if (o->system)
    ww_chat_message(&chat, "system", o->system, c->arena, out);
  ww_chat_message(&chat, "user", ww_strndup(c->arena, text, n), c->arena, out);
  ww_chat_ask(&chat, c->arena, out);
}

static void print_result(ww_cmd *c, const options *o, ww_generated *g) {
  double generating = g->s - g->prompt_s;
  if (c->json) {
    static const char *const finish[] = {"stop", "length", "cancelled"};
    for (size_t k = 0; k < g->text.n;
         k++) /* a NUL would end the text here: it is printed as what is no UTF-8 */
      if (!g->text.s[k])
        g->text.s[k] = (char)0xff;
    ww_line_print(
        "text:%s,finish:%s,prompt_tokens:%u,tokens:%u,forced:%u,prompt_s:%g,s:%g",
        g->text.s, finish[g->finish], g->prompt_tokens, g->tokens, g->forced,
        g->prompt_s, g->s);
  } else if (g->text.n && g->text.s[g->text.n - 1] != '\n')
    putchar('\n');
  if (o->stats && !ww_is_quiet())
    fprintf(stderr,
            "prompt: %u tokens, %.0f tokens/s; text: %u tokens, %u of them forced, "
            "%.1f tokens/s\n",
            g->prompt_tokens, g->prompt_tokens / g->prompt_s, g->tokens, g->forced,
            generating > 0 ? g->tokens / generating : 0);
}

static ww_status generate(ww_cmd *c, const options *o, ww_lm *m, const ww_grammar *g) {
  ww_generate_options how = {.most = o->most > UINT32_MAX ? UINT32_MAX
                                     : o->most            ? o->most
                                                          : 256,
                             .grammar = g,
                             .piece = show,
                             .ctx = c->json ? NULL : stdout};
  double temperature;
  double top_p;
  const char *text;
  size_t n;
  ww_tokens prompt = {0};
  ww_lm_session *s = NULL;
  ww_generated out;
  ww_strings stop = o->stop;
  ww_push(c->arena, &stop, NULL);
  how.stop = stop.v;
  if (ww_lm_real(c, o->temperature, "temperature", 100, 0, &temperature) ||
      ww_lm_real(c, o->top_p, "top-p", 1, 1, &top_p) || ww_lm_text(c, 1, &text, &n) ||
      ww_lm_need_tokenizer(m, c->operands[0], &c->err))
    return c->err.code;
  how.sample = (ww_sample_options){temperature, top_p,
                                   o->top_k > UINT32_MAX ? 0 : o->top_k, o->seed};
  prompt_tokens(c, o, ww_lm_tokenizer(m), text, n, &prompt);
  uint64_t room = (uint64_t)prompt.n + how.most;
  if (room > ww_lm_config_of(m)->context)
    room = ww_lm_config_of(m)->context;
  ww_status st = ww_lm_session_new(m, 1, room, &s, &c->err);
  if (st)
    return st;
  /* The first Ctrl-C ends the text, the second the program. */
  sigaction(SIGINT,
            &(struct sigaction){.sa_handler = on_interrupt,
                                .sa_flags = (int)SA_RESETHAND | SA_RESTART},
            NULL);
  st = ww_lm_generate(s, m, 0, prompt.v, prompt.n, &how, &out, &c->err);
  if (!st)
    print_result(c, o, &out);
  if (!st && out.finish == WW_FINISH_CANCEL) /* the JSON has said it */
    st = c->json
             ? WW_ECANCEL
             : ww_fail(&c->err, WW_ECANCEL, "interrupted after %u tokens", out.tokens);
  ww_buf_free(&out.text);
  ww_lm_session_free(s);
  return st;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  ww_lm *m = NULL;
  ww_grammar *g = NULL;
  ww_lm_options lo = {
      .exact = o->exact,
      .threads = o->threads,
      .weights = WW_NDTYPE,
  };
  if (c->noperands < 1 || c->noperands > 2)
    return ww_usage(c, "lm generate takes a model and a prompt ('-': stdin)");
  if (o->weights && !ww_lm_dtype(o->weights, WW_DTYPE_I8, &lo.weights))
    return ww_usage(c, "--weights takes q8_0, f16, bf16 or f32, not `%s`", o->weights);
  bool failed = grammar_of(c, o, &g) || ww_lm_open(c->operands[0], &lo, &m, &c->err);
  ww_status st = failed ? c->err.code : generate(c, o, m, g);
  ww_lm_close(m);
  ww_grammar_free(g);
  return st;
}

const ww_command ww_cmd_lm_generate = {
    "generate",
    "text out of a model",
    "MODEL [PROMPT|-] [options]",
    .examples =
        "  warpwise lm generate stories15M.gguf 'Once upon a time' -n 100 --stats\n"
        "  warpwise lm generate model/ --chat 'Is saxpy bound by bandwidth?' "
        "--json-schema "
        "answer.json\n",
    WW_OPTIONS,
    .run = run,
};
