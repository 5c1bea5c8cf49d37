/* lm_bench.c - how fast a Llama learns on the GPU: steps on random tokens, one line of
 * JSON, the same models as bench/lm_torch.py.
 *
 *   lm_bench MODEL [STEPS [BATCH]]    MODEL: 25m, 125m, 1b, lora3b (Llama-3.2-3B's
 * shape, LoRA of rank 24)
 *
 * A step is forward, backward, clipping and AdamW over a whole batch that comes from
 * the host. Steps are timed in groups of five, the device waited for behind each group;
 * the time of a step is the median group's fifth. */
#include <stdlib.h>

#include "../../src/lm/net.h"

#define CONTEXT 1024
#define GROUP 5
#define BATCHES 8
#define PEAK 989e12 /* FLOP/s of an H100 or H200, dense bf16 */

typedef struct {
  const char *name;
  uint32_t width, layers, heads, kv_heads, head_size, hidden, vocab, batch, rank;
} model;
static const model models[] = {{"25m", 512, 6, 8, 8, 64, 1536, 8192, 32, 0},
                               {"125m", 768, 12, 12, 12, 64, 2048, 32000, 32, 0},
                               {"1b", 2048, 16, 32, 8, 64, 8192, 128256, 8, 0},
                               {"lora3b", 3072, 28, 24, 8, 128, 8192, 128256, 2, 24}};

static ww_lm_config config_of(const model *m) {
  return (ww_lm_config){.arch = WW_LM_LLAMA,
                        .vocab = m->vocab,
                        .width = m->width,
                        .layers = m->layers,
                        .heads = m->heads,
                        .kv_heads = m->kv_heads,
                        .head_size = m->head_size,
                        .hidden = m->hidden,
                        .context = CONTEXT,
                        .norm_eps = 1e-5f,
                        .tied = true,
                        .rope_theta = 10000,
                        .bos = -1,
                        .eos = {-1, -1, -1, -1}};
}

/* BATCHES of random tokens, each with the next one as its target. */
static int32_t *random_tokens(uint32_t vocab, size_t n) {
  int32_t *t = ww_xmalloc((n + 1) * sizeof *t);
  uint64_t x = 88172645463325252u;
  for (size_t i = 0; i <= n; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    t[i] = (int32_t)(x % vocab);
  }
  return t;
}

typedef struct {
  ww_net *net;
  uint32_t batch, step;
  const int32_t *tokens, *first;
} run;

static ww_status one_step(run *r, ww_err *e) {
  const size_t n = (size_t)r->batch * CONTEXT, at = r->step % BATCHES * n;
  ww_lm_batch b = {.B = r->batch,
                   .T = CONTEXT,
                   .token = r->tokens + at,
                   .target = r->tokens + at + 1,
                   .first = r->first};
  ww_status s = ww_net_learn(r->net, &b, (double)n, 0, e);
  if (s)
    return s;
  ww_net_update_options u = {.lr = 3e-4f,
                             .beta1 = 0.9f,
                             .beta2 = 0.95f,
                             .eps = 1e-8f,
                             .decay = 0.1f,
                             .clip = 1,
                             .step = ++r->step};
  ww_net_update(r->net, &u);
  return WW_OK;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Seconds of a step. */
static ww_status time_steps(
    run *r, ww_ops *o, uint32_t groups, double *seconds, ww_net_loss *loss, ww_err *e) {
  double *took = ww_xcalloc(groups, sizeof *took);
  ww_status s = WW_OK;
  for (uint32_t i = 0; i < GROUP && !s; i++)
    s = one_step(r, e);
  if (!s)
    s = o->finish(o, e);
  for (uint32_t g = 0; g < groups && !s; g++) {
    if (!s)
      s = ww_net_losses(r->net, loss, e);
    const double began = ww_now();
    for (int i = 0; i < GROUP && !s; i++)
      s = one_step(r, e);
    if (!s)
      s = o->finish(o, e);
    took[g] = (ww_now() - began) / GROUP;
  }
  if (!s)
    s = ww_net_losses(r->net, loss, e);
  qsort(took, groups, sizeof *took, by_size);
  *seconds = took[groups / 2];
  free(took);
  return s;
}

static void print(const model *m,
                  const ww_ops *o,
                  ww_net *net,
                  uint32_t batch,
                  double seconds,
                  double loss,
                  uint64_t memory) {
  ww_buf out = {0};
  ww_json j = {0};
  const double tokens = (double)batch * CONTEXT;
  ww_json_begin(&j, &out);
  ww_json_obj(&j);
  ww_json_kstr(&j, "by", "warpwise");
  ww_json_kstr(&j, "device", o->name);
  ww_json_kstr(&j, "model", m->name);
  ww_json_kuint(&j, "batch", batch);
  ww_json_kuint(&j, "context", CONTEXT);
  ww_json_kuint(&j, "parameters", ww_net_layout(net)->total);
  ww_json_kuint(&j, "learned", ww_net_learned(net));
  ww_json_knum(&j, "ms", seconds * 1e3);
  ww_json_knum(&j, "tokens_per_s", (double)(uint64_t)(tokens / seconds));
  ww_json_knum(&j, "mfu", (double)ww_net_flops(net, batch, CONTEXT) / seconds / PEAK);
  ww_json_knum(&j, "memory_gib", (double)memory / (1u << 30));
  ww_json_knum(&j, "loss", loss);
  ww_json_end_obj(&j);
  puts(out.s);
  ww_buf_free(&out);
}

static ww_status bench(const model *m, uint32_t steps, uint32_t batch, ww_err *e) {
  ww_ops *o = NULL;
  ww_lm_config c = config_of(m);
  ww_net_options opt = {
      .lora_rank = m->rank, .lora_alpha = 2.f * (float)m->rank, .number_weight = 1};
  const size_t n = (size_t)batch * CONTEXT;
  int32_t *tokens = random_tokens(m->vocab, n * BATCHES),
          *first = ww_xcalloc(n, sizeof *first);
  run r = {.batch = batch, .tokens = tokens, .first = first};
  ww_net_loss loss = {0};
  double seconds = 0;
  ww_status s = ww_lm_config_check(&c, e);
  if (!s)
    s = ww_ops_cuda(0, WW_DTYPE_BF16, &o, e);
  if (!s)
    s = ww_net_new(o, &c, &opt, batch, CONTEXT, &r.net, e);
  if (!s) {
    ww_net_init(r.net, 1);
    s = time_steps(&r, o, (steps + GROUP - 1) / GROUP, &seconds, &loss, e);
  }
  if (!s)
    print(m, o, r.net, batch, seconds, loss.token_loss, o->memory(o));
  ww_net_free(r.net);
  if (o)
    o->close(o);
  free(tokens);
  free(first);
  return s;
}

int main(int argc, char **argv) {
  const long steps = argc > 2 ? strtol(argv[2], NULL, 10) : 30,
             batch = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
  for (size_t i = 0; argc > 1 && i < sizeof models / sizeof *models; i++)
    if (!strcmp(models[i].name, argv[1])) {
      ww_err e = {0};
      if (!bench(&models[i], steps > 0 ? (uint32_t)steps : 30,
                 batch > 0 ? (uint32_t)batch : models[i].batch, &e))
        return 0;
      fprintf(stderr, "lm_bench: %s\n", e.msg);
      return ww_exit_code(e.code);
    }
  fprintf(stderr, "usage: lm_bench 25m|125m|1b|lora3b [STEPS [BATCH]]\n");
  return 2;
}
