/* reference.h - a model's outputs in double precision, straight from the formulas:
 * every token of a sequence, no cache, nothing of src/lm but its configuration and the
 * places of its parameters. */
#ifndef WW_TESTS_LM_REFERENCE_H
#define WW_TESTS_LM_REFERENCE_H

#include "../../src/lm/model.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  const ww_lm_config *c;
  const ww_lm_layout *l;
  const float *flat;
} reference_model;

static const float *
reference_param(const reference_model *m, ww_param_id id, uint32_t layer) {
  const ww_lm_slot *p = ww_lm_param(m->l, id, layer);
  return p ? m->flat + p->at : NULL;
}

static void reference_apply(double *out,
                            const double *x,
                            const float *w,
                            const float *b,
                            uint32_t cols,
                            uint32_t rows) {
  for (uint32_t r = 0; r < rows; r++) {
    out[r] = b ? b[r] : 0;
    for (uint32_t i = 0; i < cols; i++)
      out[r] += (double)w[(size_t)r * cols + i] * x[i];
  }
}

static void
reference_norm(double *out, const double *x, const float *w, double eps, uint32_t n) {
  double s = 0;
  for (uint32_t i = 0; i < n; i++)
    s += x[i] * x[i];
  for (uint32_t i = 0; i < n; i++)
    out[i] = x[i] / sqrt(s / n + eps) * w[i];
}

static double reference_angle(const ww_lm_config *c,
                              uint32_t i) { /* a position, of pair i */
  double f = pow(c->rope_theta, -2.0 * i / c->head_size);
  if (c->rope == WW_ROPE_LINEAR)
    return f / c->rope_factor;
  if (c->rope != WW_ROPE_LLAMA3)
    return f;
  double wave = 2 * 3.14159265358979323846 / f;
  if (wave < c->rope_original / c->rope_high)
    return f;
  if (wave > c->rope_original / c->rope_low)
    return f / c->rope_factor;
  double s = (c->rope_original / wave - c->rope_low) / (c->rope_high - c->rope_low);
  return (1 - s) * f / c->rope_factor + s * f;
}

static void
reference_turn(double *x, const ww_lm_config *c, uint32_t heads, uint32_t pos) {
  uint32_t half = c->head_size / 2;
  for (uint32_t h = 0; h < heads; h++, x += c->head_size)
    for (uint32_t i = 0; i < half; i++) {
      double a = x[i], b = x[i + half], t = reference_angle(c, i) * pos;
      x[i] = a * cos(t) - b * sin(t);
      x[i + half] = b * cos(t) + a * sin(t);
    }
}

/* k, v: [n][kv_heads x head_size]; p: room for n. */
static void reference_attend(double *out,
                             double *p,
                             const double *q,
                             const double *k,
                             const double *v,
                             uint32_t n,
                             const ww_lm_config *c) {
  uint32_t size = c->head_size, group = c->heads / c->kv_heads,
           row = c->kv_heads * size;
  for (uint32_t h = 0; h < c->heads; h++) {
    double most = -INFINITY, sum = 0;
    for (uint32_t t = 0; t < n; t++) {
      p[t] = 0;
      for (uint32_t i = 0; i < size; i++)
        p[t] += q[h * size + i] * k[t * row + h / group * size + i];
      p[t] /= sqrt(size);
      most = fmax(most, p[t]);
    }
    for (uint32_t t = 0; t < n; t++)
      sum += p[t] = exp(p[t] - most);
    for (uint32_t i = 0; i < size; i++) {
      out[h * size + i] = 0;
      for (uint32_t t = 0; t < n; t++)
        out[h * size + i] += p[t] / sum * v[t * row + h / group * size + i];
    }
  }
}

static void reference_embed(const reference_model *m,
                            double *x,
                            uint32_t t,
                            int32_t token,
                            const float *features) {
  uint32_t C = m->c->width, X = m->c->features;
  for (uint32_t i = 0; i < C; i++) {
    x[i] = reference_param(m, WW_P_embed, 0)[(size_t)token * C + i];
    if (!features || t >= m->c->feature_tokens)
      continue;
    size_t row = (size_t)t * C + i;
    x[i] += reference_param(m, WW_P_feature_b, 0)[row];
    for (uint32_t f = 0; f < X; f++)
      x[i] += (double)reference_param(m, WW_P_feature_w, 0)[row * X + f] * features[f];
  }
}

/* logits [n][vocab], numbers [n][2 x numbers]; features, numbers may be NULL. */
static void reference(const reference_model *m,
                      const int32_t *token,
                      uint32_t n,
                      const float *features,
                      double *logits,
                      double *numbers) {
  const ww_lm_config *c = m->c;
  uint32_t C = c->width, F = c->hidden, Q = c->heads * c->head_size,
           K = c->kv_heads * c->head_size;
  double *x =
      calloc((size_t)n * (C + 2 * (size_t)K + 1) + C + 2 * (size_t)Q + 2 * (size_t)F,
             sizeof *x);
  double *k = x + (size_t)n * C, *v = k + (size_t)n * K, *p = v + (size_t)n * K,
         *xb = p + n, *q = xb + C, *y = q + Q, *gate = y + Q, *up = gate + F;
#define P(id) reference_param(m, WW_P_##id, l)
  for (uint32_t t = 0; t < n; t++)
    reference_embed(m, x + (size_t)t * C, t, token[t], features);
  for (uint32_t l = 0; l < c->layers; l++)
    for (uint32_t t = 0; t < n; t++) {
      double *xt = x + (size_t)t * C, *kt = k + (size_t)t * K;
      reference_norm(xb, xt, P(norm_attn), c->norm_eps, C);
      reference_apply(q, xb, P(q), P(qb), C, Q);
      reference_apply(kt, xb, P(k), P(kb), C, K);
      reference_apply(v + (size_t)t * K, xb, P(v), P(vb), C, K);
      reference_turn(q, c, c->heads, t);
      reference_turn(kt, c, c->kv_heads, t);
      reference_attend(y, p, q, k, v, t + 1, c);
      reference_apply(xb, y, P(o), NULL, Q, C);
      for (uint32_t i = 0; i < C; i++)
        xt[i] += xb[i];
      reference_norm(xb, xt, P(norm_mlp), c->norm_eps, C);
      reference_apply(gate, xb, P(gate), NULL, C, F);
      reference_apply(up, xb, P(up), NULL, C, F);
      for (uint32_t i = 0; i < F; i++)
        gate[i] = gate[i] / (1 + exp(-gate[i])) * up[i];
      reference_apply(xb, gate, P(down), NULL, F, C);
      for (uint32_t i = 0; i < C; i++)
        xt[i] += xb[i];
    }
  for (uint32_t t = 0, l = 0; t < n; t++) {
    reference_norm(xb, x + (size_t)t * C, P(norm_final), c->norm_eps, C);
    reference_apply(logits + (size_t)t * c->vocab, xb, c->tied ? P(embed) : P(head),
                    NULL, C, c->vocab);
    if (numbers)
      reference_apply(numbers + (size_t)t * 2 * c->numbers, xb, P(number_w),
                      P(number_b), C, 2 * c->numbers);
  }
#undef P
  free(x);
}

#endif
