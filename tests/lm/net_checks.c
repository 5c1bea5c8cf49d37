/* net_checks.c - see net_checks.h. Weights and data of the loss curve come from the
 * same formulas as in fixtures.py. */
#include "net_checks.h"

#include <math.h>
#include <stdlib.h>

#include "../../src/base/jsonread.h"

bool tell(bool passed, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  printf("%s - ", passed ? "ok" : "not ok");
  vprintf(fmt, args);
  printf("\n");
  va_end(args);
  fflush(stdout);
  return passed;
}

uint32_t hash32(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
  x = (x ^ (x >> 13)) * 0xC2B2AE35u;
  return x ^ (x >> 16);
}

float random_value(uint32_t *seed) {
  return (float)(hash32((*seed)++) >> 8) * 0x1p-23f - 1;
}

static double norm(const float *x, uint64_t n) {
  double sum = 0;
  for (uint64_t i = 0; i < n; i++)
    sum += (double)x[i] * (double)x[i];
  return sqrt(sum);
}

/* |a - b| / |b| */
static double far_from(const float *a, const float *b, uint64_t n) {
  double sum = 0;
  for (uint64_t i = 0; i < n; i++)
    sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
  const double size = norm(b, n);
  return size > 0 ? sqrt(sum) / size : sqrt(sum);
}

static double most_apart(const float *a, const float *b, uint64_t n) {
  double most = 0;
  for (uint64_t i = 0; i < n; i++) {
    const double far = fabs((double)a[i] - (double)b[i]);
    if (!(far <= most))
      most = far; /* NaN too */
  }
  return most;
}

/* ---- against PyTorch ---- */

typedef struct {
  ww_arena *a;
  ww_lm_config c;
  ww_weights *w, *expect;
  ww_lm_layout layout;
  float *flat;
} fixture;

static bool open_fixture(const net_checks *k, const char *name, fixture *f) {
  ww_err e = {0};
  *f = (fixture){.a = ww_arena_new()};
  const char *dir = ww_fmt(f->a, "%s/%s", k->fixtures, name);
  if (ww_lm_open_files(dir, f->a, &f->w, &f->c, NULL, &e) != WW_OK ||
      ww_weights_open(ww_path_join(f->a, dir, "expect.safetensors"), &f->expect, &e) !=
          WW_OK)
    return tell(false, "%s: %s", name, e.msg);
  ww_lm_layout_make(&f->c, f->a, &f->layout);
  f->flat = WW_NEWN(f->a, float, f->layout.total);
  if (ww_lm_read_params(f->w, &f->c, &f->layout, f->flat, &e) != WW_OK)
    return tell(false, "%s: %s", name, e.msg);
  return true;
}

static void close_fixture(fixture *f) {
  ww_weights_close(f->w);
  ww_weights_close(f->expect);
  ww_arena_free(f->a);
}

/* A tensor of expect.safetensors as floats. */
static float *expected(fixture *f, const char *name, uint64_t *n) {
  const ww_tensor *t = ww_weights_find(f->expect, name);
  if (!t)
    return NULL;
  *n = 1;
  for (uint32_t i = 0; i < t->ndim; i++)
    *n *= t->dim[i];
  float *out = WW_NEWN(f->a, float, *n);
  ww_to_f32(out, t->data, t->type, *n);
  return out;
}

static ww_lm_batch fixture_batch(fixture *f, const char *prefix) {
  const ww_tensor *ids = ww_weights_find(f->expect, ww_fmt(f->a, "%sids", prefix));
  const ww_tensor *target =
                      ww_weights_find(f->expect, ww_fmt(f->a, "%starget", prefix)),
                  *first = ww_weights_find(f->expect, ww_fmt(f->a, "%sfirst", prefix));
  const uint32_t B = (uint32_t)ids->dim[0], T = (uint32_t)ids->dim[1];
  int32_t *none = WW_NEWN(f->a, int32_t, B * T);
  return (ww_lm_batch){.B = B,
                       .T = T,
                       .token = ids->data,
                       .target = target ? target->data : NULL,
                       .first = first ? first->data : none};
}

/* In bf16 what counts is how far both are from fp32: PyTorch rounds elsewhere than we
 * do. */
static bool check_logits(const net_checks *k,
                         fixture *f,
                         const char *name,
                         const float *logits,
                         const char *want) {
  uint64_t n = 0, nbf16 = 0;
  const float *fp32 = expected(f, want, &n),
              *bf16 = expected(f, ww_fmt(f->a, "%s_bf16", want), &nbf16);
  if (k->o->real != WW_DTYPE_BF16) {
    const double far = most_apart(logits, fp32, n);
    return tell(far <= k->logits,
                "%s: %s differ from PyTorch's by at most %.1e (%.0e allowed)", name,
                want, far, k->logits);
  }
  const double far = far_from(logits, fp32, n),
               theirs = bf16 && nbf16 == n ? far_from(bf16, fp32, n) : 0;
  return tell(far <= k->logits,
              "%s: %s in bf16 differ from PyTorch's in fp32 by %.1e of their norm "
              "(%.0e allowed; "
              "PyTorch's in bf16 by %.1e)",
              name, want, far, k->logits, theirs);
}

static bool
check_gradients(const net_checks *k, fixture *f, const char *name, ww_net *net) {
  float *grad = WW_NEWN(f->a, float, ww_net_learned(net));
  ww_net_get(net, 3, grad);
  double worst = 0;
  const char *which = "";
  for (uint32_t i = 0; i < f->layout.n; i++) {
    const ww_lm_slot *p = &f->layout.v[i];
    uint64_t n = 0;
    const float *want = expected(f, ww_fmt(f->a, "grad.%s", p->name), &n);
    if (!want || n != p->rows * p->cols)
      return tell(false, "%s: no gradient of %s in the fixture", name, p->name);
    const double far = far_from(grad + p->at, want, n);
    if (!(far <= worst)) {
      worst = far;
      which = p->name;
    }
  }
  return tell(worst <= k->gradient,
              "%s: %u gradients differ from PyTorch's by at most %.1e of their norm "
              "(%.0e allowed): %s",
              name, f->layout.n, worst, k->gradient, which);
}

/* A net with the fixture's weights, gradients of its batch made. */
static ww_status learn_fixture(const net_checks *k,
                               fixture *f,
                               ww_net **net,
                               float *logits,
                               double *loss,
                               ww_err *e) {
  const ww_lm_batch b = fixture_batch(f, "");
  uint32_t asked = 0;
  for (uint32_t i = 0; i < b.B * b.T; i++)
    asked += b.target[i] >= 0;
  ww_status s = ww_net_new(k->o, &f->c, &(ww_net_options){0}, b.B, b.T, net, e);
  if (s != WW_OK)
    return s;
  ww_net_set_base(*net, f->flat);
  s = ww_net_forward(*net, &b, logits, NULL, e);
  ww_net_loss sums = {0};
  if (s == WW_OK)
    s = ww_net_losses(*net, &sums, e); /* those of the forward pass; then of learning */
  if (s == WW_OK)
    s = ww_net_learn(*net, &b, asked, 0, e);
  if (s == WW_OK)
    s = ww_net_losses(*net, &sums, e);
  *loss = sums.tokens == asked ? sums.token_loss : NAN;
  return s;
}

bool check_fixture(const net_checks *k, const char *name) {
  fixture f;
  ww_err e = {0};
  ww_net *net = NULL;
  bool ok = open_fixture(k, name, &f);
  if (ok) {
    uint64_t n = 0;
    double loss = 0;
    expected(&f, "logits", &n);
    float *logits = WW_NEWN(f.a, float, n);
    if (learn_fixture(k, &f, &net, logits, &loss, &e) != WW_OK) {
      ok = tell(false, "%s: %s", name, e.msg);
    } else {
      const double want = (double)*expected(&f, "loss", &n),
                   allowed = k->o->real == WW_DTYPE_BF16 ? 1e-2 : 1e-5;
      ok = check_logits(k, &f, name, logits, "logits");
      ok &= tell(fabs(loss - want) <= allowed * want, "%s: loss %.6f, PyTorch's %.6f",
                 name, loss, want);
      ok &= check_gradients(k, &f, name, net);
    }
  }
  ww_net_free(net);
  close_fixture(&f);
  return ok;
}

bool check_packed_fixture(const net_checks *k) {
  fixture f;
  ww_err e = {0};
  ww_net *net = NULL;
  bool ok = open_fixture(k, "llama3", &f);
  if (ok) {
    const ww_lm_batch b = fixture_batch(&f, "packed_");
    float *logits = WW_NEWN(f.a, float, (size_t)b.B *b.T *f.c.vocab);
    ok = ww_net_new(k->o, &f.c, &(ww_net_options){.frozen = true}, b.B, b.T, &net,
                    &e) == WW_OK;
    if (ok)
      ww_net_set_base(net, f.flat);
    ok = ok && ww_net_forward(net, &b, logits, NULL, &e) == WW_OK;
    ok = ok ? check_logits(k, &f, "packed documents", logits, "packed_logits")
            : tell(false, "packed documents: %s", e.msg);
  }
  ww_net_free(net);
  close_fixture(&f);
  return ok;
}

/* ---- the curve: as in fixtures.py ---- */

enum { ROWS = 4, TOKENS = 64, STEPS = 200, WARMUP = 20 };

static uint32_t fnv32(const char *text) {
  uint32_t h = 0x811C9DC5u;
  for (; *text; text++)
    h = (h ^ (uint8_t)*text) * 0x01000193u;
  return h;
}

static void formula_weights(const ww_lm_layout *l, float *flat) {
  for (uint32_t i = 0; i < l->n; i++) {
    const ww_lm_slot *p = &l->v[i];
    const uint32_t seed = fnv32(p->name);
    for (uint64_t j = 0; j < p->rows * p->cols; j++)
      flat[p->at + j] =
          p->cols == 1
              ? 1
              : ((float)(hash32(seed + (uint32_t)j) >> 8) * 0x1p-23f - 1) * 0.035f;
  }
}

static void formula_batch(uint32_t step, int32_t *token, int32_t *target) {
  const uint32_t n = TOKENS + 1;
  for (uint32_t r = 0; r < ROWS; r++) {
    const uint32_t seed = (step * ROWS + r) * n + 0x9E3779B9u;
    int32_t now = hash32(seed) & 255;
    for (uint32_t t = 0; t < TOKENS; t++) {
      token[r * TOKENS + t] = now;
      now = (5 * now + 17 + (int32_t)(hash32(seed + t + 1) & 7)) & 255;
      target[r * TOKENS + t] = now;
    }
  }
}

static double rate(uint32_t step) {
  if (step < WARMUP)
    return 3e-3 * (step + 1) / WARMUP;
  return 3e-4 +
         0.5 * (1 + cos(3.14159265358979323846 * (step - WARMUP) / (STEPS - WARMUP))) *
             (3e-3 - 3e-4);
}

static ww_lm_config curve_config(void) {
  return (ww_lm_config){.arch = WW_LM_LLAMA,
                        .vocab = 256,
                        .width = 128,
                        .layers = 2,
                        .heads = 4,
                        .kv_heads = 2,
                        .head_size = 32,
                        .hidden = 256,
                        .context = 512,
                        .norm_eps = 1e-5f,
                        .tied = true,
                        .rope_theta = 10000,
                        .bos = -1};
}

static bool take_steps(const net_checks *k, ww_net *net, const cJSON *want, ww_err *e) {
  static int32_t token[ROWS * TOKENS], target[ROWS * TOKENS], first[ROWS * TOKENS];
  const ww_lm_batch b = {
      .B = ROWS, .T = TOKENS, .token = token, .target = target, .first = first};
  double worst = 0, first_loss = 0, last = 0;
  uint32_t where = 0;
  const cJSON *item = want ? want->child : NULL;
  for (uint32_t step = 0; step < k->steps && item; step++, item = item->next) {
    ww_net_loss loss;
    formula_batch(step, token, target);
    if (ww_net_learn(net, &b, ROWS * TOKENS, 0, e) != WW_OK ||
        ww_net_losses(net, &loss, e) != WW_OK)
      return tell(false, "curve: %s", e->msg);
    ww_net_update(net, &(ww_net_update_options){(float)rate(step), 0.9f, 0.95f, 1e-8f,
                                                0.1f, 1, step + 1});
    const double far = fabs(loss.token_loss - item->valuedouble) / item->valuedouble;
    if (!(far <= worst)) {
      worst = far;
      where = step;
    }
    if (!step)
      first_loss = loss.token_loss;
    last = loss.token_loss;
  }
  return tell(worst <= k->curve && last < first_loss - 0.1 * (k->steps == STEPS),
              "curve: %u steps from %.4f to %.4f, at most %.1e from PyTorch's, in step "
              "%u (%.0e allowed)",
              k->steps, first_loss, last, worst, where, k->curve);
}

bool check_curve(const net_checks *k) {
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  char *text;
  size_t size;
  cJSON *json = NULL;
  ww_net *net = NULL;
  const ww_lm_config c = curve_config();
  bool ok = ww_read_file(a, ww_path_join(a, k->fixtures, "curve.json"), 1 << 20, &text,
                         &size, &e) == WW_OK &&
            (json = ww_json_read(text, size, &e)) &&
            ww_net_new(k->o, &c, &(ww_net_options){0}, ROWS, TOKENS, &net, &e) == WW_OK;
  if (ok) {
    float *flat = WW_NEWN(a, float, ww_net_layout(net)->total);
    formula_weights(ww_net_layout(net), flat);
    ww_net_set_base(net, flat);
    ok = take_steps(k, net,
                    cJSON_GetObjectItemCaseSensitive(
                        json, k->o->real == WW_DTYPE_BF16 ? "bf16" : "fp32"),
                    &e);
  } else {
    tell(false, "curve: %s", e.msg);
  }
  ww_net_free(net);
  cJSON_Delete(json);
  ww_arena_free(a);
  return ok;
}

/* ---- against itself ---- */

static ww_lm_config small_config(void) {
  return (ww_lm_config){.arch = WW_LM_QWEN2,
                        .vocab = 64,
                        .width = 64,
                        .layers = 2,
                        .heads = 4,
                        .kv_heads = 2,
                        .head_size = 32,
                        .hidden = 96,
                        .context = 256,
                        .norm_eps = 1e-5f,
                        .tied = true,
                        .qkv_bias = true,
                        .rope_theta = 10000,
                        .bos = -1,
                        .numbers = 3,
                        .features = 8,
                        .feature_tokens = 2};
}

/* Weights of a size that lets every layer matter. */
static void random_weights(const ww_lm_layout *l, float *flat, uint32_t seed) {
  for (uint32_t i = 0; i < l->n; i++) {
    const ww_lm_slot *p = &l->v[i];
    const bool scale =
        p->id == WW_P_norm_attn || p->id == WW_P_norm_mlp || p->id == WW_P_norm_final;
    for (uint64_t j = 0; j < p->rows * p->cols; j++)
      flat[p->at + j] = random_value(&seed) * 0.2f + (float)scale;
  }
}

enum { SB = 4, ST = 24, SN = SB * ST };
typedef struct {
  int32_t token[SN], target[SN], first[SN], ask_at[8], describe_at[SB];
  float numbers[8 * 3], features[SB * 8];
  ww_lm_batch b;
  uint32_t tokens; /* with a target */
} sample;

/* Each row: a document of 16 tokens, another of 8; numbers at the end of both, features
 * before the first. */
static void make_sample(sample *s, uint32_t seed) {
  s->tokens = 0;
  for (uint32_t i = 0; i < SN; i++) {
    s->token[i] = (int32_t)(hash32(seed++) % 64);
    s->first[i] = i % ST < 16 ? 0 : 16;
    s->target[i] = hash32(seed++) % 3 ? (int32_t)(hash32(seed++) % 64) : -1;
    s->tokens += s->target[i] >= 0;
  }
  for (uint32_t i = 0; i < 8; i++) {
    s->ask_at[i] = (int32_t)(i / 2 * ST + (i % 2 ? 23 : 14));
    for (uint32_t j = 0; j < 3; j++)
      s->numbers[i * 3 + j] = (hash32(seed++) & 1 ? 6.0f : -6.0f) + random_value(&seed);
  }
  s->numbers[4] = NAN;
  for (uint32_t i = 0; i < SB; i++)
    s->describe_at[i] = (int32_t)(i * ST);
  for (uint32_t i = 0; i < SB * 8; i++)
    s->features[i] = random_value(&seed);
  s->b = (ww_lm_batch){.B = SB,
                       .T = ST,
                       .token = s->token,
                       .target = s->target,
                       .first = s->first,
                       .asked = 8,
                       .ask_at = s->ask_at,
                       .numbers = s->numbers,
                       .described = SB,
                       .describe_at = s->describe_at,
                       .features = s->features};
}

typedef struct {
  ww_arena *a;
  ww_net *net;
  float *x, *grad;
  uint64_t n;
  sample s;
  ww_net_loss loss; /* of small_learn */
  bool dropping;    /* the loss is that of learning, with what dropout leaves out */
} small;

static ww_net *small_net(const net_checks *k,
                         const ww_lm_config *c,
                         uint32_t rank,
                         uint32_t rows,
                         uint32_t tokens,
                         float *flat) {
  ww_err e = {0};
  ww_net *net = NULL;
  if (ww_net_new(k->o, c,
                 &(ww_net_options){.lora_rank = rank,
                                   .lora_alpha = 2 * (float)rank,
                                   .number_weight = 0.5f,
                                   .dropout = k->dropout},
                 rows, tokens, &net, &e) != WW_OK) {
    tell(false, "a small net: %s", e.msg);
    exit(1);
  }
  if (flat)
    ww_net_set_base(net, flat);
  return net;
}

static void open_small(const net_checks *k, small *m, uint32_t rank) {
  *m = (small){.a = ww_arena_new()};
  const ww_lm_config c = small_config();
  ww_lm_layout l;
  ww_lm_layout_make(&c, m->a, &l);
  float *flat = WW_NEWN(m->a, float, l.total);
  random_weights(&l, flat, 7);
  m->net = small_net(k, &c, rank, SB, ST, flat);
  m->dropping = k->dropout > 0;
  m->n = ww_net_learned(m->net);
  m->x = WW_NEWN(m->a, float, m->n);
  m->grad = WW_NEWN(m->a, float, m->n);
  make_sample(&m->s, 99);
}

static void close_small(small *m) {
  ww_net_free(m->net);
  ww_arena_free(m->a);
}

/* The loss that learning follows: mean over tokens + 0.5 x mean over asked positions.
 */
static double small_loss(small *m) {
  ww_net_loss l = {0};
  ww_err e = {0};
  ww_status st = m->dropping ? ww_net_learn(m->net, &m->s.b, m->s.tokens, 8, &e)
                             : ww_net_forward(m->net, &m->s.b, NULL, NULL, &e);
  if (st != WW_OK || ww_net_losses(m->net, &l, &e) != WW_OK)
    return NAN;
  return l.token_loss + 0.5 * l.number_loss;
}

static void small_learn(small *m) {
  ww_err e = {0};
  if (ww_net_learn(m->net, &m->s.b, m->s.tokens, 8, &e) != WW_OK ||
      ww_net_losses(m->net, &m->loss, &e) != WW_OK)
    tell(false, "learning: %s", e.msg);
  ww_net_get(m->net, 0, m->x);
  ww_net_get(m->net, 3, m->grad);
}

/* Along the gradient of `count` values, and along it where a mask of bits lets through:
 * does the loss change as it says? */
static double slope_error(small *m, uint64_t at, uint64_t count, uint32_t mask) {
  float *x = ww_xmalloc(m->n * sizeof *x);
  double size = 0, loss[2];
  for (uint64_t i = 0; i < count; i++)
    if (!mask || hash32((uint32_t)i + mask) & 1)
      size += (double)m->grad[at + i] * (double)m->grad[at + i];
  size = sqrt(size);
  const double step = size > 0 ? 4e-3 / size : 0;
  for (int side = 0; side < 2; side++) {
    memcpy(x, m->x, m->n * sizeof *x);
    for (uint64_t i = 0; i < count; i++)
      if (!mask || hash32((uint32_t)i + mask) & 1)
        x[at + i] += (float)((side ? 1 : -1) * step / size * (double)m->grad[at + i]);
    ww_net_set(m->net, 0, x);
    loss[side] = small_loss(m);
  }
  ww_net_set(m->net, 0, m->x);
  free(x);
  return size > 0 ? fabs((loss[1] - loss[0]) / (2 * step) / size - 1)
                  : 1; /* no gradient at all is an error too */
}

bool check_slopes(const net_checks *k) {
  small m;
  open_small(k, &m, 0);
  small_learn(&m);
  const ww_lm_layout *l = ww_net_layout(m.net);
  double worst = 0;
  const char *which = "";
  for (uint32_t i = 0; i < l->n; i++)
    for (uint32_t mask = 0; mask < 3; mask++) {
      const double far =
          slope_error(&m, l->v[i].at, l->v[i].rows * l->v[i].cols, mask * 1000);
      if (!(far <= worst)) {
        worst = far;
        which = l->v[i].name;
      }
    }
  const bool ok =
      tell(worst <= 1e-2,
           "slopes: %u tensors, two heads and features, within %.1e of finite "
           "differences (1e-02 allowed): %s",
           l->n, worst, which);
  close_small(&m);
  return ok;
}

bool check_dropout(const net_checks *given) {
  net_checks k = *given;
  small m;
  k.dropout = 0.3f;
  open_small(&k, &m, 0);
  ww_net_seed(m.net, 5);
  small_learn(&m);
  const ww_lm_layout *l = ww_net_layout(m.net);
  double worst = 0, same, other, whole;
  for (uint32_t i = 0; i < l->n; i++)
    worst = fmax(worst, slope_error(&m, l->v[i].at, l->v[i].rows * l->v[i].cols, 0));
  same = small_loss(&m);
  ww_net_seed(m.net, 6);
  other = small_loss(&m);
  m.dropping = false;
  whole = small_loss(&m);
  const double learned = m.loss.token_loss + 0.5 * m.loss.number_loss;
  const bool ok =
      tell(worst <= 1e-2 && same == learned && other != same && whole != same,
           "dropout: gradients within %.1e of finite differences (1e-02 allowed); "
           "losses %.4f again %.4f, another seed %.4f, none %.4f",
           worst, learned, same, other, whole);
  close_small(&m);
  return ok;
}

/* Adapters far from 0, as after a while of learning. */
static void stir(small *m, uint32_t seed) {
  ww_net_get(m->net, 0, m->x);
  for (uint64_t i = 0; i < m->n; i++)
    m->x[i] += 0.1f * random_value(&seed);
  ww_net_set(m->net, 0, m->x);
}

bool check_lora_slopes(const net_checks *k) {
  small m;
  open_small(k, &m, 5);
  stir(&m, 3);
  small_learn(&m);
  double worst = 0;
  for (uint64_t at = 0; at < m.n;
       at += (m.n + 40) / 41) /* stretches that cut across A and B */
    for (uint32_t mask = 0; mask < 2; mask++) {
      const uint64_t each = (m.n + 40) / 41, count = m.n - at < each ? m.n - at : each;
      const double far = slope_error(&m, at, count, mask * 1000);
      if (!(far <= worst))
        worst = far;
    }
  const bool ok =
      tell(worst <= 1e-2,
           "slopes of LoRA: within %.1e of finite differences (1e-02 allowed)", worst);
  close_small(&m);
  return ok;
}

bool check_packing(const net_checks *k) {
  small m;
  open_small(k, &m, 0);
  small_learn(&m);
  /* The same documents, one a row, at the row's beginning; what is behind them is a
   * document of its own that nobody asks about. */
  static int32_t token[2 * SN], target[2 * SN], first[2 * SN], ask_at[8],
      describe_at[SB];
  for (uint32_t d = 0; d < 2 * SB; d++) {
    const uint32_t n = d % 2 ? 8 : 16, from = d / 2 * ST + (d % 2 ? 16 : 0);
    for (uint32_t t = 0; t < ST; t++) {
      token[d * ST + t] = t < n ? m.s.token[from + t] : 3;
      target[d * ST + t] = t < n ? m.s.target[from + t] : -1;
      first[d * ST + t] = t < n ? 0 : (int32_t)n;
    }
    ask_at[d] = (int32_t)(d * ST + (uint32_t)m.s.ask_at[d] - from);
    if (d % 2 == 0)
      describe_at[d / 2] = (int32_t)(d * ST);
  }
  ww_lm_batch b = m.s.b;
  b.B = 2 * SB;
  b.token = token;
  b.target = target;
  b.first = first;
  b.ask_at = ask_at;
  b.describe_at = describe_at;
  const ww_lm_config c = small_config();
  ww_net *apart = small_net(k, &c, 0, 2 * SB, ST, m.x);
  float *grad = WW_NEWN(m.a, float, m.n);
  ww_err e = {0};
  bool ok = ww_net_learn(apart, &b, m.s.tokens, 8, &e) == WW_OK;
  ww_net_get(apart, 3, grad);
  const double far = ok ? far_from(m.grad, grad, m.n) : NAN,
               allowed = k->o->real == WW_DTYPE_BF16 ? 2e-2 : 1e-5;
  ok = tell(far <= allowed,
            "packing: gradients of packed documents differ from those in rows of their "
            "own by %.1e "
            "of the norm (%.0e allowed)",
            far, allowed);
  ww_net_free(apart);
  close_small(&m);
  return ok;
}

bool check_accumulation(const net_checks *k) {
  small m;
  open_small(k, &m, 0);
  small_learn(&m);
  const ww_lm_config c = small_config();
  ww_net *halves = small_net(k, &c, 0, SB, ST, m.x);
  float *grad = WW_NEWN(m.a, float, m.n);
  ww_err e = {0};
  ww_net_loss parts = {0};
  bool ok = true;
  for (uint32_t half = 0; half < 2; half++) {
    ww_lm_batch b = m.s.b;
    const uint32_t from = half * SN / 2;
    int32_t ask_at[4], describe_at[2];
    for (int i = 0; i < 4; i++)
      ask_at[i] = m.s.ask_at[4 * half + (uint32_t)i] - (int32_t)from;
    for (int i = 0; i < 2; i++)
      describe_at[i] = m.s.describe_at[2 * half + (uint32_t)i] - (int32_t)from;
    b.B = SB / 2;
    b.token += from;
    b.target += from;
    b.first += from;
    b.asked = 4;
    b.ask_at = ask_at;
    b.numbers += 12 * half;
    b.described = 2;
    b.describe_at = describe_at;
    b.features += 16 * half;
    ok &= ww_net_learn(halves, &b, m.s.tokens, 8, &e) == WW_OK;
  }
  ok &= ww_net_losses(halves, &parts, &e) == WW_OK;
  ww_net_get(halves, 3, grad);
  const double far = ok ? far_from(grad, m.grad, m.n) : NAN,
               allowed = k->o->real == WW_DTYPE_BF16 ? 2e-2 : 1e-5;
  ok = tell(far <= allowed && fabs(m.loss.token_loss - parts.token_loss) < 1e-3 &&
                fabs(m.loss.number_loss - parts.number_loss) < 1e-2 &&
                m.loss.tokens == parts.tokens && parts.asked == 8,
            "accumulation: two halves give the gradient of the whole within %.1e of "
            "the norm (%.0e "
            "allowed)",
            far, allowed);
  ww_net_free(halves);
  close_small(&m);
  return ok;
}

bool check_lora(const net_checks *k) {
  small m, base;
  open_small(k, &m, 24);
  open_small(k, &base, 0);
  ww_err e = {0};
  const uint64_t total = ww_net_layout(m.net)->total, n = (uint64_t)SN * 64;
  float *flat = WW_NEWN(m.a, float, total), *of_base = WW_NEWN(m.a, float, n),
        *adapted = WW_NEWN(m.a, float, n), *merged = WW_NEWN(m.a, float, n);
  ww_net_get_base(base.net, flat);
  ww_net_init(m.net, 5); /* A; B is 0 */
  ww_net_set_base(m.net, flat);
  bool ok = ww_net_forward(base.net, &base.s.b, of_base, NULL, &e) == WW_OK &&
            ww_net_forward(m.net, &m.s.b, adapted, NULL, &e) == WW_OK;
  const double at_first = ok ? most_apart(adapted, of_base, n) : NAN;
  stir(&m, 11);
  ok = ok && ww_net_forward(m.net, &m.s.b, adapted, NULL, &e) == WW_OK;
  const double moved = far_from(adapted, of_base, n);
  ww_net_merged(m.net, flat);
  ww_net_set_base(base.net, flat);
  ok = ok && ww_net_forward(base.net, &base.s.b, merged, NULL, &e) == WW_OK;
  const double far = ok ? far_from(merged, adapted, n) : NAN,
               allowed = k->o->real == WW_DTYPE_BF16 ? 2e-2 : 1e-5;
  ok = tell(at_first == 0, "LoRA: with B = 0 the logits are the base's");
  ok = tell(far <= allowed && moved > 0.1,
            "LoRA: merged differs from adapted by %.1e of the norm (%.0e allowed), "
            "both from the "
            "base by %.1e",
            far, allowed, moved) &&
       ok;
  close_small(&m);
  close_small(&base);
  return ok;
}

/* Every tensor of the file is a piece of what learned, and the configuration names rank
 * and alpha.
 */
bool check_lora_files(const net_checks *k, const char *dir) {
  small m;
  open_small(k, &m, 24);
  stir(&m, 21);
  ww_err e = {0};
  ww_weights *w = NULL;
  char *config = "";
  bool ok = ww_net_lora_save(m.net, dir, "base", &e) == WW_OK &&
            ww_weights_open(ww_path_join(m.a, dir, "adapter_model.safetensors"), &w,
                            &e) == WW_OK &&
            ww_read_file(m.a, ww_path_join(m.a, dir, "adapter_config.json"), 1 << 20,
                         &config, NULL, &e) == WW_OK;
  ok = ok && strstr(config, "\"r\": 24") && strstr(config, "\"lora_alpha\": 48");
  const ww_tensor *b =
      ok ? ww_weights_find(
               w, "base_model.model.model.layers.1.self_attn.q_proj.lora_B.weight")
         : NULL;
  ok = ok && b && b->dim[0] == 128 && b->dim[1] == 24;
  ww_net_get(m.net, 0, m.x);
  uint64_t values = 0;
  for (uint32_t i = 0; ok && i < ww_weights_count(w); i++) {
    const ww_tensor *t = ww_weights_at(w, i);
    ok = memmem(m.x, m.n * sizeof *m.x, t->data, t->bytes) != NULL;
    values += t->bytes / sizeof *m.x;
  }
  ok = tell(ok && values <= m.n && values > m.n / 2, "LoRA: saved as peft does %s",
            e.msg);
  ww_weights_close(w);
  close_small(&m);
  return ok;
}

bool check_not_finite(const net_checks *k) {
  small m;
  open_small(k, &m, 0);
  ww_net_get(m.net, 0, m.x);
  float *before = WW_NEWN(m.a, float, m.n);
  const ww_net_update_options u = {1e-3f, 0.9f, 0.95f, 1e-8f, 0.1f, 1, 1};
  m.x[100] = INFINITY;
  ww_net_set(m.net, 0, m.x);
  ww_net_get(m.net, 0, before);
  ww_err e = {0};
  bool ok = ww_net_learn(m.net, &m.s.b, m.s.tokens, 8, &e) == WW_OK;
  ww_net_update(m.net, &u);
  const bool told = !isfinite(ww_net_norm(m.net));
  ww_net_get(m.net, 0, m.x);
  ok = ok && told && memcmp(m.x, before, m.n * sizeof *before) == 0;
  ww_net_get(m.net, 3, m.grad);
  ok = tell(
      ok && norm(m.grad, m.n) == 0,
      "a gradient that is not finite: told, nothing changed, gradients zero again");
  close_small(&m);
  return ok;
}

static void some_steps(small *m, uint32_t from, uint32_t to) {
  for (uint32_t step = from; step < to; step++) {
    small_learn(m);
    ww_net_update(
        m->net, &(ww_net_update_options){1e-2f, 0.9f, 0.95f, 1e-8f, 0.1f, 1, step + 1});
  }
  ww_net_get(m->net, 0, m->x);
}

bool check_repeat(const net_checks *k) {
  small whole, begun, resumed;
  const bool before = k->o->deterministic;
  k->o->deterministic = true;
  open_small(k, &whole, 0);
  open_small(k, &begun, 0);
  open_small(k, &resumed, 0);
  some_steps(&whole, 0, 4);
  some_steps(&begun, 0, 2);
  for (int which = 0; which < 3; which++) { /* values and both moments: all there is */
    ww_net_get(begun.net, which, begun.x);
    ww_net_set(resumed.net, which, begun.x);
  }
  some_steps(&resumed, 2, 4);
  const bool same = memcmp(whole.x, resumed.x, whole.n * sizeof *whole.x) == 0;
  const double moved = far_from(whole.x, begun.x, whole.n);
  k->o->deterministic = before;
  close_small(&whole);
  close_small(&begun);
  close_small(&resumed);
  return tell(same && moved > 0,
              "4 steps, and 2 steps with 2 more of a net that was given their "
              "state: the same to the last bit");
}

bool write_fixtures(const net_checks *k, const char *dir) {
  static const char *const names[] = {"llama3", "tied", "qwen2", "linear"};
  bool ok = true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    fixture f;
    ww_err e = {0};
    ok &= open_fixture(k, names[i], &f);
    if (ok) {
      ww_net *net = small_net(k, &f.c, 0, 1, 1, f.flat);
      ww_net_get_base(net, f.flat);
      const char *to = ww_fmt(f.a, "%s/%s", dir, names[i]);
      ok &= tell(ww_lm_write_folder(to, &f.c, f.flat, WW_DTYPE_F32, NULL, &e) == WW_OK,
                 "written: %s %s", to, e.msg);
      ww_net_free(net);
    }
    close_fixture(&f);
  }
  return ok;
}
