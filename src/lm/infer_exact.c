/* infer_exact.c - the reference: one token after the other, fp32, plain loops.
 * Everything fast is tied to this by a test.
 *
 * Keys and values: [sequence][layer][key, value][position][kv_heads x head_size]
 * floats. */
#include "infer_int.h"

typedef struct {
  float *x, *xb;       /* [width] */
  float *q, *attended; /* [heads x head_size] */
  float *gate, *up;    /* [hidden] */
  float *scores;       /* [tokens] */
} work;

/* A parameter of layer `layer`, or NULL. */
static const float *param(const ww_lm *m, ww_param_id id, uint32_t layer) {
  const ww_lm_slot *p = ww_lm_param(&m->layout, id, layer);
  return p ? m->flat + p->at : NULL;
}

/* ---- layers, as in llama2.c ---- */

static void
rmsnorm(float *out, const float *x, const float *weight, float eps, uint32_t C) {
  double squares = 0;
  for (uint32_t i = 0; i < C; i++)
    squares += (double)x[i] * x[i];
  float scale = 1.0 / sqrt(squares / C + eps);
  for (uint32_t i = 0; i < C; i++)
    out[i] = weight[i] * (scale * x[i]);
}

/* out [OC] = w [OC, C] x [C] + bias */
static void matmul(float *out,
                   const float *x,
                   const float *w,
                   const float *bias,
                   uint64_t C,
                   uint64_t OC) {
  for (uint64_t o = 0; o < OC; o++) {
    float sum = 0;
    for (uint64_t i = 0; i < C; i++)
      sum += w[o * C + i] * x[i];
    out[o] = sum + (bias ? bias[o] : 0);
  }
}

/* Rotates the halves of each head: pair i is x[i] and x[i + size / 2]. */
static void
rope(float *x, const float *cos, const float *sin, uint32_t heads, uint32_t size) {
  for (uint32_t h = 0; h < heads; h++, x += size)
    for (uint32_t i = 0; i < size / 2; i++) {
      float a = x[i], b = x[i + size / 2];
      x[i] = a * cos[i] - b * sin[i];
      x[i + size / 2] = a * sin[i] + b * cos[i];
    }
}

static void softmax(float *x, uint32_t n) {
  float most = x[0], sum = 0;
  for (uint32_t i = 1; i < n; i++)
    most = fmaxf(most, x[i]);
  for (uint32_t i = 0; i < n; i++)
    sum += x[i] = expf(x[i] - most);
  for (uint32_t i = 0; i < n; i++)
    x[i] /= sum;
}

/* out, q [heads, size]; keys, values [n, kv_heads, size]: the last of the n positions
 * is the query's own. */
static void attention(float *out,
                      float *scores,
                      const float *q,
                      const float *keys,
                      const float *values,
                      uint32_t n,
                      const ww_lm_config *c) {
  size_t size = c->head_size, group = c->heads / c->kv_heads;
  for (size_t h = 0; h < c->heads; h++, q += size, out += size) {
    size_t shared = h / group * size, row = c->kv_heads * size;
    for (uint32_t t = 0; t < n; t++) {
      float sum = 0;
      for (uint32_t i = 0; i < size; i++)
        sum += q[i] * keys[t * row + shared + i];
      scores[t] = sum / sqrtf(size);
    }
    softmax(scores, n);
    memset(out, 0, size * sizeof *out);
    for (uint32_t t = 0; t < n; t++)
      for (uint32_t i = 0; i < size; i++)
        out[i] += scores[t] * values[t * row + shared + i];
  }
}

/* ---- one token ---- */

static float *
cache(const ww_lm_session *s, size_t sequence, uint32_t layer, int value) {
  const ww_lm_config *c = &s->m->c;
  size_t part = (size_t)s->tokens * c->kv_heads * c->head_size;
  return (float *)s->cache + ((sequence * c->layers + layer) * 2 + value) * part;
}

#define P(id) param(s->m, WW_P_##id, l)

static void attention_layer(ww_lm_session *s, uint32_t row, uint32_t l) {
  const ww_lm_config *c = &s->m->c;
  work *w = s->work;
  size_t C = c->width, size = c->head_size, Q = c->heads * size, K = c->kv_heads * size,
         pos = s->step.pos[row], sequence = s->step.sequence[row];
  float *keys = cache(s, sequence, l, 0), *values = cache(s, sequence, l, 1);
  float *k = keys + pos * K, *v = values + pos * K;
  const float *cos = s->cos + pos * (size / 2), *sin = s->sin + pos * (size / 2);
  rmsnorm(w->xb, w->x, P(norm_attn), c->norm_eps, C);
  matmul(w->q, w->xb, P(q), P(qb), C, Q);
  matmul(k, w->xb, P(k), P(kb), C, K);
  matmul(v, w->xb, P(v), P(vb), C, K);
  rope(w->q, cos, sin, c->heads, size);
  rope(k, cos, sin, c->kv_heads, size);
  attention(w->attended, w->scores, w->q, keys, values, pos + 1, c);
  matmul(w->xb, w->attended, P(o), NULL, Q, C);
  for (uint32_t i = 0; i < C; i++)
    w->x[i] += w->xb[i];
}

static void mlp_layer(ww_lm_session *s, uint32_t l) {
  const ww_lm_config *c = &s->m->c;
  work *w = s->work;
  uint32_t C = c->width, F = c->hidden;
  rmsnorm(w->xb, w->x, P(norm_mlp), c->norm_eps, C);
  matmul(w->gate, w->xb, P(gate), NULL, C, F);
  matmul(w->up, w->xb, P(up), NULL, C, F);
  for (uint32_t i = 0; i < F; i++)
    w->gate[i] = w->gate[i] / (1.0f + expf(-w->gate[i])) * w->up[i];
  matmul(w->xb, w->gate, P(down), NULL, F, C);
  for (uint32_t i = 0; i < C; i++)
    w->x[i] += w->xb[i];
}

static void heads(ww_lm_session *s, float *logits, float *numbers) {
  const ww_lm_config *c = &s->m->c;
  work *w = s->work;
  uint32_t l = 0;
  rmsnorm(w->xb, w->x, P(norm_final), c->norm_eps, c->width);
  if (logits)
    matmul(logits, w->xb, c->tied ? P(embed) : P(head), NULL, c->width, c->vocab);
  if (numbers)
    matmul(numbers, w->xb, P(number_w), P(number_b), c->width, 2 * c->numbers);
}

static void run_step(ww_lm_session *s, float *logits, float *numbers) {
  const ww_lm_config *c = &s->m->c;
  work *w = s->work;
  size_t nth = 0, l = 0;
  for (uint32_t r = 0; r < s->step.n; r++) {
    memcpy(w->x, P(embed) + (size_t)s->step.token[r] * c->width,
           c->width * sizeof *w->x);
    if (ww_lm_described(s, r))
      ww_lm_add_features(s, r, P(feature_w), P(feature_b), w->x);
    for (uint32_t layer = 0; layer < c->layers; layer++) {
      attention_layer(s, r, layer);
      mlp_layer(s, layer);
    }
    if (nth == s->step.nwanted || s->step.wanted[nth] != r)
      continue;
    heads(s, logits ? logits + nth * c->vocab : NULL,
          numbers ? numbers + nth * 2 * c->numbers : NULL);
    nth++;
  }
}

/* ---- memory ---- */

static size_t cache_bytes(const ww_lm *m, uint32_t tokens) {
  return (size_t)m->c.layers * 2 * tokens * m->c.kv_heads * m->c.head_size *
         sizeof(float);
}

static bool make_work(ww_lm_session *s) {
  const ww_lm_config *c = &s->m->c;
  size_t C = c->width, Q = c->heads * c->head_size, F = c->hidden;
  work *w = ww_xcalloc(1, sizeof *w);
  float *f = ww_xcalloc(2 * (C + Q + F) + s->tokens, sizeof *f);
  w->x = f;
  f += C;
  w->xb = f;
  f += C;
  w->q = f;
  f += Q;
  w->attended = f;
  f += Q;
  w->gate = f;
  f += F;
  w->up = f;
  f += F;
  w->scores = f;
  s->work = w;
  return true;
}

static void free_work(ww_lm_session *s) {
  work *w = s->work;
  if (!w)
    return;
  free(w->x);
  free(w);
}

const struct ww_lm_path ww_lm_exact = {cache_bytes, make_work, free_work, run_step};
