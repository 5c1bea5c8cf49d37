/* ops_cpu_attention.c - causal attention within documents, forward and backward, in
 * plain C: the reference of the GPU's flash attention.
 *
 * One query after the other; the probabilities of a row are made again in the backward
 * pass from lse, its log of the sum of exponentials, as flash attention does. Key heads
 * are spread over the threads; no two write the same values. */

#include "ops_cpu_int.h"

static void forward_head(const ww_attention_layer *a, float *p, size_t b, size_t h) {
  size_t D = a->D;
  size_t ld = (a->H + 2 * a->K) * D;
  size_t kv = h / (a->H / a->K);
  const float scale = 1 / sqrtf(D);
  const float *row = (const float *)a->qkv + b * a->T * ld;
  const float *key = row + (a->H + kv) * D;
  const float *value = key + a->K * D;
  for (size_t t = 0; t < a->T; t++) {
    const float *q = row + t * ld + h * D;
    uint32_t from = a->first[b * a->T + t];
    float top = -INFINITY;
    float sum = 0;
    for (size_t s = from; s <= t; s++) {
      p[s] = scale * ww_dot(q, key + s * ld, D);
      top = fmaxf(top, p[s]);
    }
    float *out = (float *)a->out + ((b * a->T + t) * a->H + h) * D;
    for (uint32_t d = 0; d < D; d++)
      out[d] = 0;
    for (size_t s = from; s <= t; s++) {
      float e = expf(p[s] - top);
      sum += e;
      ww_axpy(out, value + s * ld, e, D);
    }
    for (uint32_t d = 0; d < D; d++)
      out[d] /= sum;
    a->lse[(b * a->H + h) * a->T + t] = top + logf(sum);
  }
}

/* p = softmax; dp = dout . value; ds = p (dp - dout . out); dq = scale ds key; dkey =
 * scale ds q; dvalue = p dout */
static void backward_head(const ww_attention_layer *a, size_t b, size_t h) {
  size_t D = a->D;
  size_t ld = (a->H + 2 * a->K) * D;
  size_t kv = h / (a->H / a->K);
  const float scale = 1 / sqrtf(D);
  const float *row = (const float *)a->qkv + b * a->T * ld;
  size_t key = (a->H + kv) * D;
  size_t value = key + a->K * D;
  float *drow = (float *)a->dqkv + b * a->T * ld;
  for (size_t t = 0; t < a->T; t++) {
    size_t at = t * ld + h * D;
    size_t mine = ((b * a->T + t) * a->H + h) * D;
    uint32_t from = a->first[b * a->T + t];
    float lse = a->lse[(b * a->H + h) * a->T + t];
    const float *q = row + at;
    const float *dout = (const float *)a->dout + mine;
    float delta = ww_dot(dout, (const float *)a->out + mine, D);
    for (size_t s = from; s <= t; s++) {
      size_t there = s * ld;
      float p = expf(scale * ww_dot(q, row + there + key, D) - lse);
      float ds = scale * p * (ww_dot(dout, row + there + value, D) - delta);
      ww_axpy(drow + at, row + there + key, ds, D);
      ww_axpy(drow + there + key, q, ds, D);
      ww_axpy(drow + there + value, dout, p, D);
    }
  }
}

/* i: a key head of a row of the batch, with the queries it serves */
static void forward_some(const void *ctx, ww_cpu_part part) {
  const ww_attention_layer *a = ctx;
  uint32_t each = a->H / a->K;
  float *p = a->T <= WW_CPU_SCRATCH ? part.scratch : ww_xmalloc(a->T * sizeof *p);
  for (uint64_t i = part.from; i < part.to; i++)
    for (uint32_t h = 0; h < each; h++)
      forward_head(a, p, i / a->K, (i % a->K) * each + h);
  if (p != part.scratch)
    free(p);
}

static void backward_some(const void *ctx, ww_cpu_part part) {
  const ww_attention_layer *a = ctx;
  uint32_t each = a->H / a->K;
  for (uint64_t i = part.from; i < part.to; i++)
    for (uint32_t h = 0; h < each; h++)
      backward_head(a, i / a->K, (i % a->K) * each + h);
}

/* Products of a pair of a query and a key, about. */
static double pairs(const ww_attention_layer *a) {
  return (double)a->B * a->H * a->T * a->T * a->D;
}

void ww_cpu_attention_forward(ww_ops *o, const ww_attention_layer *a) {
  ww_cpu_split(o, forward_some, a, (uint64_t)a->B * a->K, 1, 2 * pairs(a));
}

void ww_cpu_attention_backward(ww_ops *o, const ww_attention_layer *a) {
  memset(a->dqkv, 0, (size_t)a->B * a->T * (a->H + 2 * a->K) * a->D * sizeof(float));
  ww_cpu_split(o, backward_some, a, (uint64_t)a->B * a->K, 1, 5 * pairs(a));
}
