/* ops_cpu_attention.c - causal attention within documents, forward and backward, in plain C: the
 * reference of the GPU's flash attention.
 *
 * One query after the other; the probabilities of a row are made again in the backward pass from
 * lse, its log of the sum of exponentials, as flash attention does. Key heads are spread over the
 * threads; no two write the same values. */
#include <math.h>
#include <stdlib.h>

#include "ops_cpu_int.h"

typedef struct {
  float *out, *lse;
  const float *qkv;
  const int32_t *first;
  float *dqkv;
  const float *dout;
  uint32_t B, T, H, K, D;
  float scale; /* 1 / sqrt(D) */
} attention;

static void forward_head(const attention *a, float *p, uint32_t b, uint32_t h) {
  const uint32_t D = a->D, ld = (a->H + 2 * a->K) * D, kv = h / (a->H / a->K);
  const float *row = a->qkv + (size_t)b * a->T * ld;
  const float *key = row + (size_t)(a->H + kv) * D, *value = key + (size_t)a->K * D;
  for (uint32_t t = 0; t < a->T; t++) {
    const float *q = row + (size_t)t * ld + (size_t)h * D;
    const uint32_t from = (uint32_t)a->first[(size_t)b * a->T + t];
    float top = -INFINITY, sum = 0;
    for (uint32_t s = from; s <= t; s++) {
      p[s] = a->scale * ww_dot(q, key + (size_t)s * ld, D);
      top = fmaxf(top, p[s]);
    }
    float *out = a->out + (((size_t)b * a->T + t) * a->H + h) * D;
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
static void backward_head(const attention *a, uint32_t b, uint32_t h) {
  const uint32_t D = a->D, ld = (a->H + 2 * a->K) * D, kv = h / (a->H / a->K);
  const float *row = a->qkv + (size_t)b * a->T * ld;
  const size_t key = (size_t)(a->H + kv) * D, value = key + (size_t)a->K * D;
  float *drow = a->dqkv + (size_t)b * a->T * ld;
  for (uint32_t t = 0; t < a->T; t++) {
    const size_t at = (size_t)t * ld + (size_t)h * D,
                 mine = (((size_t)b * a->T + t) * a->H + h) * D;
    const uint32_t from = (uint32_t)a->first[(size_t)b * a->T + t];
    const float lse = a->lse[((size_t)b * a->H + h) * a->T + t];
    const float *q = row + at, *dout = a->dout + mine;
    const float delta = ww_dot(dout, a->out + mine, D);
    for (uint32_t s = from; s <= t; s++) {
      const size_t there = (size_t)s * ld;
      const float p = expf(a->scale * ww_dot(q, row + there + key, D) - lse);
      const float ds = a->scale * p * (ww_dot(dout, row + there + value, D) - delta);
      ww_axpy(drow + at, row + there + key, ds, D);
      ww_axpy(drow + there + key, q, ds, D);
      ww_axpy(drow + there + value, dout, p, D);
    }
  }
}

/* i: a key head of a row of the batch, with the queries it serves */
static void forward_some(const void *ctx, float *scratch, uint64_t from, uint64_t to) {
  const attention *a = ctx;
  const uint32_t each = a->H / a->K;
  float *p = a->T <= WW_CPU_SCRATCH ? scratch : ww_xmalloc(a->T * sizeof *p);
  for (uint64_t i = from; i < to; i++)
    for (uint32_t h = 0; h < each; h++)
      forward_head(a, p, (uint32_t)(i / a->K), (uint32_t)(i % a->K) * each + h);
  if (p != scratch)
    free(p);
}

static void backward_some(const void *ctx, float *scratch, uint64_t from, uint64_t to) {
  const attention *a = ctx;
  const uint32_t each = a->H / a->K;
  (void)scratch;
  for (uint64_t i = from; i < to; i++)
    for (uint32_t h = 0; h < each; h++)
      backward_head(a, (uint32_t)(i / a->K), (uint32_t)(i % a->K) * each + h);
}

void ww_cpu_attention_forward(ww_ops *o, void *out, float *lse, const void *qkv,
                              const int32_t *first, uint32_t B, uint32_t T, uint32_t H, uint32_t K,
                              uint32_t D) {
  const attention a = {.out = out,
                       .lse = lse,
                       .qkv = qkv,
                       .first = first,
                       .B = B,
                       .T = T,
                       .H = H,
                       .K = K,
                       .D = D,
                       .scale = 1 / sqrtf((float)D)};
  ww_cpu_split(o, forward_some, &a, (uint64_t)B * K, 1, 2.0 * B * H * T * T * D);
}

void ww_cpu_attention_backward(ww_ops *o, void *dqkv, const void *dout, const void *qkv,
                               const void *out, const float *lse, const int32_t *first, uint32_t B,
                               uint32_t T, uint32_t H, uint32_t K, uint32_t D) {
  const attention a = {.out = (float *)out,
                       .lse = (float *)lse,
                       .qkv = qkv,
                       .first = first,
                       .dqkv = dqkv,
                       .dout = dout,
                       .B = B,
                       .T = T,
                       .H = H,
                       .K = K,
                       .D = D,
                       .scale = 1 / sqrtf((float)D)};
  memset(dqkv, 0, (size_t)B * T * (H + 2 * K) * D * sizeof(float));
  ww_cpu_split(o, backward_some, &a, (uint64_t)B * K, 1, 5.0 * B * H * T * T * D);
}
