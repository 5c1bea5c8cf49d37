/* train_lm.c - `warpwise train --lm`: a language model from questions and answers, new,
 * trained further, or by adapters.
 *
 * And `train --tokenizer`: a tokenizer from their texts. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../data/collect.h"
#include "../lm/train.h"
#include "../predict/text/question.h"
#include "parts.h"
#include "train.h"

typedef ww_train_options options;

typedef struct {
  ww_cmd *c;
  const options *o;
  const char *out;
  bool new_model, new_heads; /* number and feature heads that no file has */
  ww_lm_config config;
  ww_weights *weights; /* NULL: a new model */
  const char *tokenizer_path;
  ww_tokenizer *tokenizer;
  ww_examples data, valid;
  ww_ops *ops;
  ww_net *net;
  ww_net_options net_options;
  ww_lm_plan plan;
  ww_ranks_way way;
  double wait_s;
  ww_dtype save_as;
  double filled; /* share of the rows that is no padding */
  float *flat;   /* layout.total floats of host memory */
} job;

/* ---- options ---- */

static ww_status number(ww_cmd *c,
                        const char *text,
                        const char *name,
                        double otherwise,
                        double least,
                        double most,
                        double *out) {
  *out = otherwise;
  if (!text || ww_real(text, "", least, most, out))
    return WW_OK;
  return ww_usage(c, "--%s: expected a number of %g to %g, not '%.40s'", name, least,
                  most, text);
}

static ww_status sizes_ok(ww_cmd *c, const options *o) {
  const struct {
    const char *name;
    uint64_t v, most;
  } table[] = {
      {"width", o->width, 1 << 16},        {"layers", o->layers, 1 << 10},
      {"heads", o->heads, 1 << 10},        {"kv-heads", o->kv_heads, 1 << 10},
      {"hidden", o->hidden, 1 << 18},      {"context", o->context, 1 << 20},
      {"vocab", o->vocab, 1 << 20},        {"feature-tokens", o->feature_tokens, 64},
      {"batch", o->batch, 1 << 14},        {"tokens", o->tokens, 1 << 17},
      {"accumulate", o->accumulate, 4096}, {"lora", o->lora, 1024},
      {"steps", o->steps, 10000000},       {"patience", o->patience, 1 << 20},
  };
  for (size_t k = 0; k < WW_COUNT(table); k++)
    if (table[k].v > table[k].most)
      return ww_usage(c, "--%s: at most %" PRIu64 ", not %" PRIu64, table[k].name,
                      table[k].most, table[k].v);
  return WW_OK;
}

static uint64_t given(uint64_t v, uint64_t otherwise) {
  return v ? v : otherwise;
}

/* All that is no matter of data: what may be wrong on the command line is said before
 * anything is read. */
static ww_status plan_of(job *j) {
  const options *o = j->o;
  ww_cmd *c = j->c;
  ww_net_options *n = &j->net_options;
  ww_lm_plan *p = &j->plan;
  double peak;
  *p = (ww_lm_plan){.steps = o->steps,
                    .rows = given(o->batch, 16),
                    .accumulate = given(o->accumulate, 1),
                    .beta1 = 0.9f,
                    .eps = 1e-8f,
                    .seed = given(o->seed, 1),
                    .started = ww_now(),
                    .checkpoint = o->checkpoint,
                    .every = given(o->every, 500),
                    .resume = o->resume,
                    .log = o->log,
                    .curve = o->curve,
                    .log_every = o->log_every,
                    .check_every = o->check_every,
                    .check_rows = given(o->check_rows, 512),
                    .patience = o->patience};
  const struct {
    const char *text, *name;
    double otherwise, most;
    float *out;
  } reals[] = {
      {o->lr, "lr",
       o->lora        ? 2e-4
       : j->new_model ? 1e-3
                      : 2e-5,
       1e38, &p->lr},
      {o->lr_least, "lr-least", 0.1, 1, &p->lr_least},
      {o->decay, "decay", o->lora ? 0 : 0.1, 100, &p->decay},
      {o->clip, "clip", 1, 1e9, &p->clip},
      {o->beta2, "beta2", 0.95, 0.9999999, &p->beta2},
      {o->alpha, "alpha", 2 * o->lora, 1e6, &n->lora_alpha},
      {o->number_weight, "number-weight", 1, 1e6, &n->number_weight},
      {o->average, "average", 0, 1, &p->average},
      {o->dropout, "dropout", 0, 0.9, &n->dropout},
      {o->noise, "noise", 0, 0.9, &p->noise},
  };
  if (sizes_ok(c, o))
    return WW_EUSAGE;
  for (size_t k = 0; k < WW_COUNT(reals); k++) {
    double v;
    if (number(c, reals[k].text, reals[k].name, reals[k].otherwise, 0, reals[k].most,
               &v))
      return WW_EUSAGE;
    *reals[k].out = v;
  }
  if (p->average > 0 && o->patience)
    return ww_usage(
        c, "--average and --patience both say which values are written: take one");
  n->lora_rank = o->lora;
  p->number_weight = n->number_weight;
  if (number(c, o->minutes, "minutes", 0, 0, 1e6, &p->minutes) ||
      number(c, o->peak, "peak-tflops", 0, 0, 1e6, &peak) ||
      number(c, o->wait, "wait", 600, 1, 1e6, &j->wait_s))
    return WW_EUSAGE;
  p->peak = peak * 1e12;
  return WW_OK;
}

static ww_status words_ok(job *j) {
  const options *o = j->o;
  ww_cmd *c = j->c;
  static const ww_dtype types[] = {WW_DTYPE_F32, WW_DTYPE_F16, WW_DTYPE_BF16};
  if (!o->data.n)
    return ww_usage(c, "name the examples: --data FILE.jsonl");
  if (!j->out)
    return ww_usage(c, "say where the model goes: -o DIR");
  if (o->resume && !o->checkpoint)
    return ww_usage(c, "--resume needs the folder: --checkpoint DIR");
  if (o->patience && !o->valid)
    return ww_usage(c, "--patience needs held-out examples: --valid FILE");
  if (o->merge && !o->lora)
    return ww_usage(c, "--merge is for adapters: --lora R");
  if (o->lora && j->new_model)
    return ww_usage(c, "--lora adapts a model that is there: --lm DIR");
  if (o->steps && o->epochs)
    return ww_usage(c, "choose one of --steps and --epochs");
  if (j->new_model && !o->tokenizer)
    return ww_usage(c, "a new model needs --tokenizer FILE; `warpwise train "
                       "--tokenizer FILE --vocab N "
                       "--data ...` makes one");
  int type;
  if (ww_word_option(c, "device", c->device, "cpu cuda auto") < 0 ||
      ww_word_option(c, "precision", o->precision, "bf16 fp32") < 0 ||
      (type = ww_word_option(c, "save-as", o->save_as, "f32 f16 bf16")) < 0)
    return WW_EUSAGE;
  j->save_as = types[type];
  return WW_OK;
}

/* ---- ranks ---- */

/* Joins the other processes of a parallel job. Rank 0 alone speaks and writes. */
static ww_status open_ranks(job *j) {
  static const ww_ranks_way ways[] = {WW_RANKS_AUTO, WW_RANKS_NCCL, WW_RANKS_SOCKETS};
  ww_cmd *c = j->c;
  ww_parts parts;
  ww_rank r;
  int way = ww_word_option(c, "ranks", j->o->ranks, "auto nccl sockets none");
  if (way < 0)
    return WW_EUSAGE;
  if (way == WW_COUNT(ways))
    return WW_OK;
  j->way = ways[way];
  if (ww_rank_find(&r, &c->err) || ww_parts_open(c, j->o->parts, j->out, &parts))
    return c->err.code;
  if (r.size < 2 && j->way == WW_RANKS_AUTO)
    return WW_OK;
  ww_rank_device(&r);
  const ww_ranks_plan plan = {.rank = r.rank,
                              .size = r.size,
                              .folder = parts.folder,
                              .key = parts.key,
                              .wait_s = j->wait_s,
                              .one_node = ww_rank_one_node(&r)};
  ww_status st = ww_ranks_open(&plan, &j->plan.ranks, &c->err);
  if (r.rank) {
    ww_set_quiet(c->quiet = true);
    j->plan.log = j->plan.curve = NULL;
  }
  return st;
}

/* ---- model and tokenizer ---- */

/* The first of these that the tokenizer has ends a document. */
static void end_token(job *j) {
  static const char *const ends[] = {WW_ANSWER_END,   "<|im_end|>",      "<|eot_id|>",
                                     "<|endoftext|>", "<|end_of_text|>", "</s>"};
  ww_lm_config *c = &j->config;
  c->bos = -1;
  for (int k = 0; k < 4; k++)
    c->eos[k] = -1;
  for (size_t k = 0; k < WW_COUNT(ends) && !c->neos; k++) {
    int32_t id = ww_tokenizer_id(j->tokenizer, ends[k]);
    if (id >= 0)
      c->eos[c->neos++] = id;
  }
}

static ww_status new_config(job *j) {
  const options *o = j->o;
  uint32_t width = given(o->width, 256);
  uint32_t entries = ww_tokenizer_vocab(j->tokenizer);
  uint32_t heads = given(o->heads, width >= 128 ? width / 64 : 1);
  if (width % heads)
    return ww_usage(j->c, "a width of %u does not fit %u heads: take a multiple", width,
                    heads);
  j->config =
      (ww_lm_config){.arch = WW_LM_LLAMA,
                     .vocab = o->vocab > entries ? o->vocab : (entries + 63) / 64 * 64,
                     .width = width,
                     .layers = given(o->layers, 8),
                     .heads = heads,
                     .kv_heads = given(o->kv_heads, heads),
                     .head_size = width / heads,
                     .hidden = given(o->hidden, (width * 8 / 3 + 63) / 64 * 64),
                     .context = given(o->context, 1024),
                     .norm_eps = 1e-5f,
                     .tied = !o->untied,
                     .rope_theta = 10000};
  end_token(j);
  return WW_OK;
}

/* NULL behind the last. */
static const char *const *paths_of(const ww_strings *all, ww_arena *a) {
  const char **v = WW_NEWN(a, const char *, all->n + 1);
  memcpy(v, all->v, all->n * sizeof *v);
  return v;
}

/* Heads for what the data has: a new model's always, a model's that is there where it
 * has none and
 * --add-heads asks for it. */
static ww_status heads_of(job *j) {
  ww_examples_shape shape;
  ww_lm_config *c = &j->config;
  ww_status st = ww_examples_peek(paths_of(&j->o->data, j->c->arena), j->tokenizer,
                                  &shape, &j->c->err);
  if (st || !(j->new_model || j->o->add_heads))
    return st;
  if (!c->numbers && shape.numbers) {
    c->numbers = shape.numbers;
    j->new_heads = true;
  }
  if (c->features || !shape.features)
    return WW_OK;
  c->features = shape.features;
  c->feature_tokens = given(j->o->feature_tokens, shape.feature_tokens);
  j->new_heads = true;
  if (!c->feature_tokens)
    return ww_fail(
        &j->c->err, WW_EDATA,
        "the examples have features, but their prompts begin with no special token to "
        "take them: say --feature-tokens N");
  return WW_OK;
}

static ww_status open_model(job *j) {
  const options *o = j->o;
  ww_cmd *c = j->c;
  struct stat there;
  if (!j->new_model && ww_lm_open_files(o->model, c->arena, &j->weights, &j->config,
                                        &j->tokenizer_path, &c->err))
    return c->err.code;
  if (o->tokenizer)
    j->tokenizer_path = o->tokenizer;
  if (!j->tokenizer_path)
    return ww_usage(c, "%s has no tokenizer: give --tokenizer FILE", o->model);
  if (!stat(j->tokenizer_path, &there) && S_ISDIR(there.st_mode))
    j->tokenizer_path = ww_path_join(c->arena, j->tokenizer_path, "tokenizer.json");
  if (ww_tokenizer_open(j->tokenizer_path, &j->tokenizer, &c->err) ||
      (j->new_model && new_config(j)) || heads_of(j) ||
      ww_lm_config_check(&j->config, &c->err))
    return c->err.code;
  if (ww_tokenizer_vocab(j->tokenizer) > j->config.vocab)
    return ww_fail(
        &c->err, WW_EDATA,
        "%s has %u entries, the model an embedding of %u: they do not belong together",
        j->tokenizer_path, ww_tokenizer_vocab(j->tokenizer), j->config.vocab);
  uint32_t usual = j->config.context < 1024 ? j->config.context : 1024;
  j->plan.tokens = given(o->tokens, usual);
  return WW_OK;
}

/* ---- examples ---- */

static ww_status read_examples(job *j, const char *const *paths, ww_examples *x) {
  uint32_t most =
      j->plan.tokens < j->config.context ? j->plan.tokens : j->config.context;
  double begin = ww_now();
  ww_status st = ww_examples_read(paths, j->tokenizer, &j->config, most, j->o->jobs, x,
                                  &j->c->err);
  if (st || j->c->quiet)
    return st;
  fprintf(stderr, "%s%s: %u examples, %" PRIu64 " tokens in %.1f s", *paths,
          paths[1] ? " and others" : "", x->n, x->tokens, ww_now() - begin);
  if (x->cut)
    fprintf(stderr, "; %u of them lost the middle of a prompt, to fit %u tokens",
            x->cut, most);
  fputs("\n", stderr);
  return st;
}

static ww_status schedule(job *j) {
  ww_cmd *c = j->c;
  ww_lm_plan *p = &j->plan;
  double epochs;
  double warmup;
  if (number(c, j->o->epochs, "epochs", 1, 1e-6, 1e6, &epochs))
    return WW_EUSAGE;
  uint64_t steps = ww_lm_steps(&j->data, &j->config, p->tokens, ww_lm_step_rows(p),
                               epochs, &j->filled);
  if (!p->steps)
    p->steps = steps;
  if (number(c, j->o->warmup, "warmup", ceil(0.03 * p->steps), 0, 1e9, &warmup))
    return WW_EUSAGE;
  p->warmup = warmup;
  if (!p->check_every)
    p->check_every = (p->steps + 19) / 20;
  return WW_OK;
}

/* ---- the device ---- */

/* Dense bf16, from the makers' data sheets. */
static double peak_of(const char *name) {
  static const struct {
    const char *name;
    double tflops;
  } known[] = {{"B200", 2250},   {"GH200", 989}, {"H200", 989}, {"H100 PCIe", 756},
               {"H100", 989},    {"A100", 312},  {"L40S", 362}, {"RTX 4090", 165},
               {"RTX 3090", 71}, {"A10", 125},   {"L4", 121}};
  for (size_t k = 0; k < WW_COUNT(known); k++)
    if (strstr(name, known[k].name))
      return known[k].tflops * 1e12;
  return 0;
}

static ww_status open_device(job *j) {
  ww_cmd *c = j->c;
  ww_dtype type = ww_is(j->o->precision, "fp32") ? WW_DTYPE_F32 : WW_DTYPE_BF16;
  ww_status st = WW_EDEVICE;
  if (!ww_is(c->device, "cpu"))
    st = ww_ops_cuda(0, type, &j->ops, &c->err);
  if (st && ww_is(c->device, "cuda"))
    return st;
  if (st)
    st = ww_ops_cpu(&j->ops, &c->err);
  if (st)
    return st;
  c->err = (ww_err){0};
  j->ops->deterministic = j->o->deterministic;
  if (j->plan.peak <= 0 && j->ops->real == WW_DTYPE_BF16)
    j->plan.peak = peak_of(j->ops->name);
  return ww_ranks_join(j->plan.ranks, j->ops, j->way, &c->err);
}

/* Weights of a file into j->flat; heads that it does not have stay as they began. */
static ww_status load(job *j, const ww_lm_layout *l) {
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < l->n; k++) {
    const ww_lm_slot *p = &l->v[k];
    bool head = p->id == WW_P_feature_w || p->id == WW_P_feature_b ||
                p->id == WW_P_number_w || p->id == WW_P_number_b;
    if (head && j->new_heads && !ww_weights_find(j->weights, p->name))
      continue;
    st = ww_lm_read_param(j->weights, &j->config, p, j->flat + p->at, &j->c->err);
    ww_progress("reading weights", k + 1, l->n);
  }
  return st;
}

/* From the file, from the seed, and from the data's numbers. */
static ww_status first_values(job *j) {
  const ww_lm_layout *l = ww_net_layout(j->net);
  const ww_lm_slot *b = ww_lm_param(l, WW_P_number_b, 0);
  ww_status st = WW_OK;
  ww_net_init(j->net, j->plan.seed);
  if (j->new_model || j->new_heads)
    ww_net_get_base(j->net, j->flat);
  else
    memset(j->flat, 0, l->total * sizeof *j->flat);
  if (j->weights)
    st = load(j, l);
  if (st)
    return st;
  if (b && j->new_heads && j->data.numbers)
    ww_lm_number_start(&j->data, j->flat + b->at);
  ww_net_set_base(j->net, j->flat);
  return WW_OK;
}

static ww_status make_net(job *j) {
  ww_status st = ww_net_new(j->ops, &j->config, &j->net_options, j->plan.rows,
                            j->plan.tokens, &j->net, &j->c->err);
  if (st)
    return st;
  uint64_t total = ww_net_layout(j->net)->total;
  j->flat = ww_xmalloc(total * sizeof *j->flat);
  st = first_values(j);
  if (st)
    return st;
  ww_buf config = {0};
  ww_lm_config_print(&j->config, &config);
  uint64_t h = ww_hash(config.s, config.n, j->net_options.lora_rank);
  h = ww_hash(&j->net_options.lora_alpha, sizeof j->net_options.lora_alpha, h);
  if (j->net_options.lora_rank)
    h = ww_hash(j->flat, total * sizeof *j->flat, h); /* what is frozen */
  j->plan.model = h;
  ww_buf_free(&config);
  return WW_OK;
}

/* ---- what comes out ---- */

static void summary(const job *j, const ww_lm_trained *r, ww_buf *b) {
  static const char *const ended[] = {"all steps", "out of time",
                                      "no better for --patience evaluations"};
  ww_json w = {
      .out = b,
      .pretty = !j->c->json,
  };
  const ww_lm_point *last = r->train.n ? &r->train.v[r->train.n - 1] : NULL;
  const ww_lm_point *check = r->check.n ? &r->check.v[r->check.n - 1] : NULL;
  ww_json_put(
      &w,
      "{schema_version:1,device:%s,learned:%lu,examples:%u,example_tokens:%lu,step:%lu,"
      "steps:%lu,ended:%s,rows:%lu,tokens:%u,lr:%g,seed:%lu,ranks:%u",
      j->ops->name, ww_net_learned(j->net), j->data.n, j->data.tokens, r->step,
      r->steps, ended[r->ended], ww_lm_step_rows(&j->plan), j->plan.tokens, j->plan.lr,
      j->plan.seed, ww_ranks_size(j->plan.ranks));
  if (j->plan.ranks)
    ww_json_kstr(&w, "ranks_by", ww_ranks_by(j->plan.ranks));
  ww_json_put(&w,
              "loss:%g,valid_loss:%g,best_valid_loss:%g,best_step:%lu,seconds:%g,"
              "tokens_per_s:%g,"
              "mfu:%g}",
              last ? last->loss : NAN, check ? check->loss : NAN, r->best, r->best_step,
              round(1e3 * r->seconds) / 1e3,
              r->seconds > 0 ? round(r->tokens / r->seconds) : NAN,
              isfinite(r->mfu) ? round(1e4 * r->mfu) / 1e4 : NAN);
  ww_buf_puts(b, "\n");
}

/* What stands beside a tokenizer and others read: the chat template, names of special
 * tokens. */
static ww_status copy_beside(job *j) {
  static const char *const names[] = {"tokenizer_config.json",
                                      "special_tokens_map.json",
                                      "generation_config.json", "chat_template.jinja"};
  ww_arena *a = j->c->arena;
  const char *dir = ww_path_dir(a, j->tokenizer_path);
  ww_status st = WW_OK;
  for (int k = 0; !st && k < 4; k++) {
    const char *from = ww_fmt(a, "%s/%s", dir, names[k]);
    char *text;
    size_t n;
    if (!ww_file_regular(from))
      continue;
    st = ww_read_file(a, from, 64 << 20, &text, &n, &j->c->err);
    if (!st)
      st = ww_write_file_atomic(ww_fmt(a, "%s/%s", j->out, names[k]), text, n,
                                &j->c->err);
  }
  return st;
}

static ww_status write_model(job *j, const ww_lm_trained *r) {
  ww_err *e = &j->c->err;
  const char *tokenizer =
      ww_ends(j->tokenizer_path, ".json") ? j->tokenizer_path : NULL;
  ww_buf b = {0};
  ww_status st;
  if (j->o->lora && !j->o->merge)
    st = ww_net_lora_save(j->net, j->out, j->o->model, e);
  else {
    ww_net_merged(j->net, j->flat);
    st = ww_lm_write_folder(j->out, &j->config, j->flat, j->save_as, tokenizer, e);
    if (!st && tokenizer)
      st = copy_beside(j);
  }
  summary(j, r, &b);
  if (!st && !j->c->json)
    st = ww_write_file_atomic(ww_fmt(j->c->arena, "%s/training.json", j->out), b.s, b.n,
                              e);
  if (!st && j->c->json)
    fputs(b.s, stdout);
  ww_buf_free(&b);
  return st;
}

static void print_result(const job *j, const ww_lm_trained *r) {
  const ww_lm_point *last = r->train.n ? &r->train.v[r->train.n - 1] : NULL;
  if (j->c->json)
    return;
  printf("%s: step %" PRIu64 " of %" PRIu64 ", %s, %.0f tokens/s", j->out, r->step,
         r->steps, j->ops->name, r->seconds > 0 ? r->tokens / r->seconds : 0);
  if (isfinite(r->mfu))
    printf(", MFU %.1f %%", 100 * r->mfu);
  if (last)
    printf("\nloss %.4f (tokens %.4f, numbers %.4f)", last->loss, last->token_loss,
           last->number_loss);
  if (isfinite(r->best))
    printf(", held out %.4f at best, after step %" PRIu64, r->best, r->best_step);
  if (r->ended == WW_TRAINED_TIME)
    printf("\nout of time; --resume goes on where it stopped");
  if (r->ended == WW_TRAINED_EARLY)
    printf("\nno better for %u evaluations: the weights are those of step %" PRIu64,
           j->plan.patience, r->best_step);
  printf("\n");
}

static ww_status train(job *j) {
  ww_lm_trained r;
  const ww_lm_plan *p = &j->plan;
  char ranks[80] = "";
  if (p->ranks)
    snprintf(ranks, sizeof ranks, ", %u rank%s by %s", ww_ranks_size(p->ranks),
             ww_ranks_size(p->ranks) > 1 ? "s" : "", ww_ranks_by(p->ranks));
  if (!j->c->quiet)
    fprintf(stderr,
            "%.2f million values learn on %s%s: %" PRIu64 " steps of %" PRIu64
            " rows of %u tokens, %.1f %% padding, %.1f GB on the device\n",
            ww_net_learned(j->net) / 1e6, j->ops->name, ranks, p->steps,
            ww_lm_step_rows(p), p->tokens, 100 * (1 - j->filled),
            j->ops->memory(j->ops) / 1e9);
  ww_status st =
      ww_lm_train(j->net, &j->config, &j->data, j->o->valid ? &j->valid : NULL, p,
                  j->c->arena, &r, &j->c->err);
  if (ww_ranks_rank(p->ranks))
    return st;
  if (!st)
    st = write_model(j, &r);
  if (!st)
    print_result(j, &r);
  return st;
}

static ww_status make_out(job *j) {
  if (mkdir(j->out, 0777) && errno != EEXIST)
    return ww_fail(&j->c->err, WW_EIO, "cannot make the folder %s: %s", j->out,
                   strerror(errno));
  return WW_OK;
}

ww_status ww_train_lm(ww_cmd *c, const options *o) {
  job j = {
      .c = c,
      .o = o,
      .out = o->out,
      .new_model = !strcmp(o->model, "new"),
  };
  bool failed = words_ok(&j) || plan_of(&j) || open_ranks(&j) || open_model(&j) ||
                make_out(&j) ||
                read_examples(&j, paths_of(&o->data, c->arena), &j.data) ||
                (o->valid &&
                 read_examples(&j, (const char *const[]){o->valid, NULL}, &j.valid)) ||
                schedule(&j) || open_device(&j) || make_net(&j);
  ww_status st = failed ? c->err.code : train(&j);
  ww_ranks_close(j.plan.ranks, &c->err);
  ww_net_free(j.net);
  if (j.ops)
    j.ops->close(j.ops);
  ww_weights_close(j.weights);
  ww_tokenizer_free(j.tokenizer);
  ww_examples_free(&j.data);
  ww_examples_free(&j.valid);
  free(j.flat);
  return st;
}

/* ---- a tokenizer ---- */

ww_status ww_train_tokenizer(ww_cmd *c, const options *o) {
  static const char *const ours[] = {WW_ANSWER_END, WW_QUESTION_END,
                                     WW_QUESTION_FEATURE, WW_ANSWER_WHY, NULL};
  ww_strings special = o->special;
  ww_texts *texts;
  if (!o->data.n)
    return ww_usage(c, "name the texts: --data FILE.jsonl");
  if (o->vocab < 300 || o->vocab > 1 << 20)
    return ww_usage(c, "--vocab: expected 300 to 1048576 entries, not %" PRIu64,
                    o->vocab);
  ww_push(c->arena, &special, (const char *)NULL);
  ww_status st = ww_texts_open(paths_of(&o->data, c->arena), &texts, &c->err);
  if (st)
    return st;
  ww_bpe_plan plan = {.vocab = o->vocab,
                      .special = o->special.n ? special.v : ours,
                      .next = ww_texts_next,
                      .ctx = texts};
  ww_err why = {0};
  st = ww_bpe_train(&plan, o->tokenizer, &c->err);
  if (ww_texts_close(texts, &why)) {
    st = why.code;
    c->err = why;
  } /* what it was trained on is not all of it */
  if (!st && !c->quiet)
    fprintf(stderr, "%s: %" PRIu64 " entries\n", o->tokenizer, o->vocab);
  return st;
}
