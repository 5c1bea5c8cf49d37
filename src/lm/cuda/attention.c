/* attention.c - from the shape of an attention to its launches.
 *
 * bf16 with a head size that is a multiple of 8 up to 128 goes to the tensor core
 * kernels, padded to 64 or 128; all else to the plain ones. */
#include <math.h>

#include "attention.h"

#define QUERIES 64u /* of a tile in the backward pass */
#define ROWS 128u   /* of a block: queries, or keys in the backward pass */
#ifndef CACHE_BYTES /* of the device's L2 that a group of heads may fill */
#define CACHE_BYTES (40ull << 20)
#endif

static uint32_t ceil_div(uint64_t a, uint32_t b) {
  return (a + b - 1) / b;
}

/* Head size as the fast kernels pad it, or 0: they do not take it. */
static uint32_t padded_head(const ww_attention_runner *r, uint32_t D) {
  return !r->bf16 || D % 8 || D > 128 ? 0 : D <= 64 ? 64 : 128;
}

/* The blocks of a head differ in length (a late query sees many keys): the longest go
 * first, so that the short ones fill up the end. But they also share what they read,
 * and the cache does not hold all heads: heads go in groups that fit. `bytes`: what the
 * blocks of a head share. */
static void launch_heads(const ww_attention_runner *r,
                         ww_attention_kernel k,
                         uint32_t heads,
                         uint32_t T,
                         uint64_t bytes,
                         uint32_t threads,
                         uint32_t shared,
                         void **args) {
  uint32_t group = CACHE_BYTES / bytes;
  uint32_t groups = ceil_div(heads, ww_most(group, 1));
  r->launch(r->ctx, k, ceil_div(heads, groups), ceil_div(T, ROWS), groups, threads,
            shared, args);
}

static ww_attention_kernel of_head(ww_attention_kernel for64, uint32_t padded) {
  return padded == 64 ? for64 : for64 + 1;
}
static ww_attention_kernel of_real(ww_attention_kernel for_bf16, bool bf16) {
  return bf16 ? for_bf16 : for_bf16 + 1;
}

/* A kernel of attention_plain.cu: a warp for each head of each token. */
static void launch_plain(const ww_attention_runner *r,
                         ww_attention_kernel for_bf16,
                         const ww_attention_layer *a,
                         uint32_t heads,
                         void **args) {
  uint64_t warps = (uint64_t)a->B * a->T * heads;
  r->launch(r->ctx, of_real(for_bf16, r->bf16), ceil_div(warps, 8), 1, 1, 256, 0, args);
}

void ww_attention_forward(const ww_attention_runner *r,
                          const ww_attention_layer *layer) {
  ww_attention_layer a = *layer;
  float scale = 1 / sqrtf(a.D);
  uint32_t P = padded_head(r, a.D);
  uint32_t heads = P ? a.B * a.H : a.B;
  void *args[] = {&a.out, &a.lse, &a.qkv, &a.first, &heads,
                  &a.T,   &a.H,   &a.K,   &a.D,     &scale};
  if (!P) {
    launch_plain(r, WW_K_attention_plain_forward_bf16, &a, a.H, args);
    return;
  }
  uint32_t shared = (ROWS + 4 * 64) * P * 2; /* Q; two stages of K and V */
  launch_heads(
      r,
      of_head(r->hopper ? WW_K_attention_hopper_forward_64 : WW_K_attention_forward_64,
              P),
      heads, a.T, 4ull * a.T * a.D, r->hopper ? 256 : 128, shared, args);
}

static void plain_backward(const ww_attention_runner *r, ww_attention_layer a) {
  size_t bytes = (size_t)a.B * a.T * a.H * sizeof(float);
  float scale = 1 / sqrtf(a.D);
  float *delta = r->scratch(r->ctx, bytes);
  if (!delta)
    return;
  void *sums[] = {&delta, &a.dout, &a.out, &a.B, &a.T, &a.H, &a.D};
  launch_plain(r, WW_K_attention_plain_delta_bf16, &a, a.H, sums);
  void *args[] = {&a.dqkv, &a.dout, &a.qkv, &a.lse, &delta, &a.first,
                  &a.B,    &a.T,    &a.H,   &a.K,   &a.D,   &scale};
  launch_plain(r, WW_K_attention_plain_queries_bf16, &a, a.H, args);
  launch_plain(r, WW_K_attention_plain_keys_bf16, &a, a.K, args);
}

void ww_attention_backward(const ww_attention_runner *r, const ww_attention_layer *a) {
  uint32_t P = padded_head(r, a->D);
  uint32_t B = a->B;
  uint32_t T = a->T;
  uint32_t H = a->H;
  uint32_t K = a->K;
  uint32_t D = a->D;
  if (!P) {
    plain_backward(r, *a);
    return;
  }
  const void *qkv = a->qkv;
  const void *out = a->out;
  const void *dout = a->dout;
  const void *lse = a->lse;
  const void *first = a->first;
  void *dqkv = a->dqkv;
  float scale = 1 / sqrtf(D);
  uint32_t padded = ceil_div(T, QUERIES) * QUERIES;
  uint32_t threads = P == 64 ? 128 : 256;
  size_t rows = (size_t)B * padded * H;
  size_t delta_bytes = ((size_t)B * T * H * sizeof(float) + 255) & ~255;
  char *scratch = r->scratch(
      r->ctx, delta_bytes + (r->deterministic ? 0 : rows * P * sizeof(float)));
  if (!scratch)
    return;
  float *delta = (float *)scratch;
  float *dq = r->deterministic ? NULL : (float *)(scratch + delta_bytes);

  void *before[] = {&delta, &dq, &dout, &out, &T, &H, &D, &padded, &rows};
  r->launch(r->ctx, of_head(WW_K_attention_prepare_64, P),
            ceil_div(rows * (P / 8), 256), 1, 1, 256, 0, before);
  uint32_t keys = 2 * ROWS * P * 2;
  uint32_t stage = 2 * QUERIES * P * 2 + 1024; /* K and V; Q, dO, lse, delta, first */
  uint32_t heads = B * H;
  uint32_t key_heads = B * K;
  uint64_t share = 4ull * T * D * (1 + 2 * (H / K));
  if (r->deterministic) {
    void *args[] = {&dqkv,      &dout, &qkv, &lse, &delta, &first,
                    &key_heads, &T,    &H,   &K,   &D,     &scale};
    launch_heads(r, of_head(WW_K_attention_backward_keys_64, P), key_heads, T, share,
                 threads, keys + 2 * stage, args);
    args[6] = &heads;
    launch_heads(r, of_head(WW_K_attention_backward_queries_64, P), heads, T,
                 4ull * T * D, threads, (2 * ROWS + 4 * 64) * P * 2, args);
    return;
  }
  void *args[] = {&dqkv,      &dq, &dout, &qkv, &lse, &delta, &first,
                  &key_heads, &T,  &H,    &K,   &D,   &scale};
  launch_heads(r,
               of_head(r->hopper ? WW_K_attention_hopper_backward_64
                                 : WW_K_attention_backward_64,
                       P),
               key_heads, T, share, threads, keys + 2 * stage + ROWS * QUERIES * 2,
               args);
  size_t n = rows / 2 * (P / 8);
  void *after[] = {&dqkv, &dq, &T, &H, &K, &D, &scale, &n};
  r->launch(
      r->ctx,
      of_head(r->hopper ? WW_K_attention_hopper_finish_64 : WW_K_attention_finish_64,
              P),
      ceil_div(n, 256), 1, 1, 256, 0, after);
}
