/* ops_cpu_attention.c - causal attention within documents, forward and backward, in plain C: the
 * reference of the GPU's flash attention.
 *
 * One query after the other; the probabilities of a row are made again in the backward pass from
 * lse, its log of the sum of exponentials, as flash attention does. Key heads are spread over the
 * threads; no two write the same values. */
#include <math.h>
#include <stdlib.h>

#include "ops_cpu_int.h"

static void forward_head(const ww_attention_layer *a, float *p, uint32_t b, uint32_t h) {
  const uint32_t D = a->D, ld = (a->H + 2 * a->K) * D, kv = h / (a->H / a->K);
  const float scale = 1 / sqrtf(D), *row = (const float *)a->qkv + (size_t)b * a->T * ld;
  const float *key = row + (size_t)(a->H + kv) * D, *value = key + (size_t)a->K * D;
  for (uint32_t t = 0; t < a->T; t++) {
    const float *q = row + (size_t)t * ld + (size_t)h * D;
    const uint32_t from = a->first[(size_t)b * a->T + t];
    float top = -INFINITY, sum = 0;
    for (uint32_t s = from; s <= t; s++) {
      p[s] = scale * ww_dot(q, key + (size_t)s * ld, D);
      top = fmaxf(top, p[s]);
    }
    float *out = (float *)a->out + (((size_t)b * a->T + t) * a->H + h) * D;
    for (uint32_t d = 0; d < D; d++)
      out[d] = 0;
    for (uint32_t s = from; s <= t; s++) {
      const float e = expf(p[s] - top);
      sum += e;
      ww_axpy(out, value + (size_t)s * ld, e, D);
    }
    for (uint32_t d = 0; d < D; d++)
      out[d] /= sum;
    a->lse[((size_t)b * a->H + h) * a->T + t] = top + logf(sum);
  }
}

/* p = softmax; dp = dout . value; ds = p (dp - dout . out); dq = scale ds key; dkey = scale ds q;
 * dvalue = p dout */
static void backward_head(const ww_attention_layer *a, uint32_t b, uint32_t h) {
  const uint32_t D = a->D, ld = (a->H + 2 * a->K) * D, kv = h / (a->H / a->K);
  const float scale = 1 / sqrtf(D), *row = (const float *)a->qkv + (size_t)b * a->T * ld;
  const size_t key = (size_t)(a->H + kv) * D, value = key + (size_t)a->K * D;
  float *drow = (float *)a->dqkv + (size_t)b * a->T * ld;
  for (uint32_t t = 0; t < a->T; t++) {
    const size_t at = (size_t)t * ld + (size_t)h * D,
                 mine = (((size_t)b * a->T + t) * a->H + h) * D;
    const uint32_t from = a->first[(size_t)b * a->T + t];
    const float lse = a->lse[((size_t)b * a->H + h) * a->T + t];
    const float *q = row + at, *dout = (const float *)a->dout + mine;
    const float delta = ww_dot(dout, (const float *)a->out + mine, D);
    for (uint32_t s = from; s <= t; s++) {
      const size_t there = (size_t)s * ld;
      const float p = expf(scale * ww_dot(q, row + there + key, D) - lse);
      const float ds = scale * p * (ww_dot(dout, row + there + value, D) - delta);
      ww_axpy(drow + at, row + there + key, ds, D);
      ww_axpy(drow + there + key, q, ds, D);
      ww_axpy(drow + there + value, dout, p, D);
    }
  }
}

/* i: a key head of a row of the batch, with the queries it serves */
static void forward_some(const void *ctx, float *scratch, uint64_t from, uint64_t to) {
  const ww_attention_layer *a = ctx;
  const uint32_t each = a->H / a->K;
  float *p = a->T <= WW_CPU_SCRATCH ? scratch : ww_xmalloc(a->T * sizeof *p);
  for (uint64_t i = from; i < to; i++)
    for (uint32_t h = 0; h < each; h++)
      forward_head(a, p, (i / a->K), (i % a->K) * each + h);
  if (p != scratch)
    free(p);
}

static void backward_some(const void *ctx, float *scratch, uint64_t from, uint64_t to) {
  const ww_attention_layer *a = ctx;
  const uint32_t each = a->H / a->K;
  (void)scratch;
  for (uint64_t i = from; i < to; i++)
    for (uint32_t h = 0; h < each; h++)
      backward_head(a, (i / a->K), (i % a->K) * each + h);
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
