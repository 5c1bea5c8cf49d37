/* ops.h - the layers of training, as a table of functions: one implementation in plain
 * C (ops_cpu.c, the reference), one on CUDA (cuda/).
 *
 * net.c writes forward and backward once, over this table. Outputs first, dimensions
 * last, `d` for gradients. `void *` is "real": fp32 on the CPU, bf16 (or fp32, for
 * checks) on the GPU; float and int32_t are just that. All pointers but those of
 * upload's and download's far side are the device's. A function that fails remembers
 * it: finish() waits for all that was asked and reports the first failure. Every
 * function is deterministic: the same inputs give the same bits (attention_backward
 * only with `deterministic`). N is tokens (B rows of T), C width. */
#ifndef WW_LM_OPS_H
#define WW_LM_OPS_H

#include "weights.h"

#define WW_SPREAD_WEIGHT \
  0.0625f /* of the spreads' likelihood in number_loss; loss.cu has the same */

/* Causal attention within documents: token t of row b sees first[b * T + t] .. t (a
 * place in its row; never decreasing along a row). qkv is [B * T, (H + 2 K) * D]: H
 * query heads, K key heads, K value heads of size D, each K serving H / K neighbouring
 * queries. out [B * T, H * D]; lse [B, H, T]: forward writes both, backward reads them
 * and writes all of dqkv. */
typedef struct {
  const void *qkv;
  const int32_t *first;
  void *out;
  float *lse;
  const void *dout; /* backward */
  void *dqkv;       /* backward */
  uint32_t B, T, H, K, D;
} ww_attention_layer;

/* AdamW on n values. squares (device): sum of squares of all gradients; gradients are
 * scaled by min(1, clip / sqrt(*squares)) (clip 0: not), and nothing at all is changed
 * where *squares is not finite. param gets the new master in real (may be the master
 * itself where real is fp32). */
typedef struct {
  void *param;
  float *master, *m, *v;
  const float *grad, *squares;
  uint64_t n;
  float lr, beta1, beta2, eps, decay, clip;
  uint32_t step; /* from 1 */
} ww_adamw;

/* d [rows, cols] (row stride ldd) = a . b + bias (+ d) */
typedef struct {
  uint32_t rows, cols, depth;
  void *d;
  const void *a, *b; /* real */
  uint32_t ldd, lda, ldb;
  bool a_turned;    /* a is stored [depth, rows] */
  bool b_turned;    /* b is stored [cols, depth] */
  bool d_float;     /* d is fp32 whatever the real is */
  bool add;         /* d += */
  const void *bias; /* [cols] in real, or NULL */
} ww_matmul;

typedef struct ww_ops ww_ops;
struct ww_ranks;
struct ww_ops {
  char name[96];      /* "cpu", "NVIDIA H200 (bf16)" */
  ww_dtype real;      /* WW_DTYPE_F32 or WW_DTYPE_BF16 */
  bool deterministic; /* may be set by who trains; costs speed */
  void (*close)(ww_ops *o);

  /* ---- memory ---- */
  /* zeroed, 256-byte aligned; NULL: there is not so much */
  void *(*alloc)(ww_ops *o, size_t bytes);
  void (*release)(ww_ops *o, void *p); /* accepts NULL */
  void (*upload)(ww_ops *o,
                 void *to,
                 const void *from,
                 size_t bytes); /* the host's bytes may be changed after the return */
  void (*download)(ww_ops *o, void *to, const void *from, size_t bytes); /* waits */
  void (*zero)(ww_ops *o, void *p, size_t bytes);
  void (*copy)(ww_ops *o, void *to, const void *from, size_t bytes);
  void (*to_real)(ww_ops *o, void *to, const float *from, uint64_t n);
  void (*to_f32)(ww_ops *o, float *to, const void *from, uint64_t n);
  ww_status (*finish)(ww_ops *o, ww_err *e);
  uint64_t (*memory)(ww_ops *o); /* bytes taken now */

  /* ---- layers ---- */
  /* dweight[id[u], :] += sum of dout[order[i], :] for first[u] <= i < first[u + 1]:
   * positions sorted by token, U different tokens */
  void (*embed_backward)(ww_ops *o,
                         float *dweight,
                         const void *dout,
                         const int32_t *order,
                         const int32_t *first,
                         const int32_t *id,
                         uint32_t U,
                         uint32_t N,
                         uint32_t C);
  void (*multiply)(ww_ops *o, const ww_matmul *p);
  /* to[c] += sum over N rows of x (row stride ld) */
  void (*add_columns)(
      ww_ops *o, float *to, const void *x, uint32_t ld, uint32_t N, uint32_t C);
  /* sum = inp + branch (branch NULL: sum is not written, inp is taken); out = sum *
   * rstd * weight; rstd[N] */
  void (*rmsnorm_forward)(ww_ops *o,
                          void *out,
                          float *rstd,
                          void *sum,
                          const void *inp,
                          const void *branch,
                          const void *weight,
                          float eps,
                          uint32_t N,
                          uint32_t C);
  /* dinp += gradient through the norm (dinp already holds the residual's); dweight +=
   * (NULL: the weight does not learn) */
  void (*rmsnorm_backward)(ww_ops *o,
                           void *dinp,
                           float *dweight,
                           const void *dout,
                           const void *inp,
                           const void *weight,
                           const float *rstd,
                           uint32_t N,
                           uint32_t C);
  /* Rotates halves of the first `heads` heads of each row (stride ld) in place by
   * position[n]; table as ww_lm_rope_table; back: the other way. */
  void (*rope)(ww_ops *o,
               void *qk,
               uint32_t ld,
               const int32_t *position,
               const float *table,
               uint32_t N,
               uint32_t heads,
               uint32_t head_size,
               bool back);
  void (*attention_forward)(ww_ops *o, const ww_attention_layer *a);
  void (*attention_backward)(ww_ops *o, const ww_attention_layer *a);
  /* gu [N, 2 F]: gate, then up. out [N, F] = silu(gate) * up */
  void (*swiglu_forward)(ww_ops *o, void *out, const void *gu, uint32_t N, uint32_t F);
  void (*swiglu_backward)(
      ww_ops *o, void *dgu, const void *dout, const void *gu, uint32_t N, uint32_t F);
  /* logits [N, V] become their gradient: (softmax - one-hot(target)) * scale, 0 where
   * target < 0; loss[n] = -log p(target) or 0, unscaled. weight [N] multiplies both
   * (below 0: the target becomes less likely); NULL: 1 */
  void (*token_loss)(ww_ops *o,
                     float *loss,
                     void *logits,
                     const int32_t *target,
                     const float *weight,
                     float scale,
                     uint32_t N,
                     uint32_t V);
  /* out [n, 2 K]: means, then log spreads. |y - mean| + WW_SPREAD_WEIGHT (|y - mean|
   * exp(-s) + s), s kept in -5..5 and without gradient beyond: means by absolute error,
   * where every example counts alike (by likelihood alone the easy ones would rule),
   * spreads by Laplace's likelihood. target [n, K], NaN: none. dout is its gradient
   * times scale; loss[n] is the sum over the K of a row. */
  void (*number_loss)(ww_ops *o,
                      float *loss,
                      void *dout,
                      const void *out,
                      const float *target,
                      float scale,
                      uint32_t n,
                      uint32_t K);
  /* out[i] = inp[row[i]]; of the embedding's rows: what tokens come in as */
  void (*gather_rows)(ww_ops *o,
                      void *out,
                      const void *inp,
                      const int32_t *row,
                      uint32_t n,
                      uint32_t C);
  /* out[row[i]] += inp[i]; rows differ */
  void (*scatter_add_rows)(ww_ops *o,
                           void *out,
                           const void *inp,
                           const int32_t *row,
                           uint32_t n,
                           uint32_t C);
  void (*column_scale)(ww_ops *o, void *x, float by, uint64_t n); /* x *= by */
  /* out = inp with a share of its values 0 and the others times 1 / (1 - share); which
   * ones follows from seed and place (ww_dropped). out may be inp. */
  void (*dropout)(
      ww_ops *o, void *out, const void *inp, float share, uint64_t seed, uint64_t n);

  /* ---- the optimiser ---- */
  void (*sum)(ww_ops *o,
              float *out,
              const float *x,
              uint64_t n,
              bool add); /* *out = (or +=) sum of x */
  void (*sum_squares)(ww_ops *o, float *out, const float *x, uint64_t n, bool add);
  void (*adamw)(ww_ops *o, const ww_adamw *a);

  /* ---- over the ranks of a training (ranks.h) ---- */
  /* The device's own way to sum over them, made ready: all ranks call it together.
   * NULL: it has none. */
  ww_status (*join_ranks)(ww_ops *o, struct ww_ranks *r, ww_err *e);
  /* x [n] becomes its sum over the ranks, the same bits on all */
  void (*sum_ranks)(ww_ops *o, float *x, uint64_t n);
};

/* Whether dropout makes value i 0; the same on every device. */
static inline bool ww_dropped(uint64_t seed, uint64_t i, float share) {
  uint32_t x = (uint32_t)i * 0x9e3779b1u + (uint32_t)seed;
  x ^= (uint32_t)(seed >> 32) + (uint32_t)(i >> 32);
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return (float)((x ^ x >> 16) >> 8) * 0x1p-24f < share;
}

/* ---- the three products of a linear layer ---- */

/* out [N, OC] (row stride ldo) = inp [N, C] (row stride ldi) . weight [OC, C]^T */
typedef struct {
  const void *weight;
  uint32_t N, C, OC, ldi, ldo;
} ww_linear;

/* Rows lie behind one another. */
static inline ww_linear
ww_dense(const void *weight, uint32_t N, uint32_t C, uint32_t OC) {
  return (ww_linear){weight, N, C, OC, C, OC};
}

/* add: +=; bias [OC] or NULL */
static inline void ww_linear_forward(ww_ops *o,
                                     const ww_linear *l,
                                     void *out,
                                     const void *inp,
                                     const void *bias,
                                     bool add) {
  o->multiply(o, &(ww_matmul){.rows = l->N,
                              .cols = l->OC,
                              .depth = l->C,
                              .d = out,
                              .a = inp,
                              .b = l->weight,
                              .ldd = l->ldo,
                              .lda = l->ldi,
                              .ldb = l->C,
                              .b_turned = true,
                              .add = add,
                              .bias = bias});
}

/* dinp = dout . weight; add: += */
static inline void
ww_linear_dinp(ww_ops *o, const ww_linear *l, void *dinp, const void *dout, bool add) {
  o->multiply(o, &(ww_matmul){.rows = l->N,
                              .cols = l->C,
                              .depth = l->OC,
                              .d = dinp,
                              .a = dout,
                              .b = l->weight,
                              .ldd = l->ldi,
                              .lda = l->ldo,
                              .ldb = l->C,
                              .add = add});
}

/* dweight += dout^T . inp; dbias [OC] += sum of dout (NULL: no bias) */
static inline void ww_linear_dweight(ww_ops *o,
                                     const ww_linear *l,
                                     float *dweight,
                                     float *dbias,
                                     const void *dout,
                                     const void *inp) {
  o->multiply(o, &(ww_matmul){.rows = l->OC,
                              .cols = l->C,
                              .depth = l->N,
                              .d = dweight,
                              .a = dout,
                              .b = inp,
                              .ldd = l->C,
                              .lda = l->ldo,
                              .ldb = l->ldi,
                              .a_turned = true,
                              .d_float = true,
                              .add = true});
  if (dbias)
    o->add_columns(o, dbias, dout, l->ldo, l->N, l->OC);
}

ww_status ww_ops_cpu(ww_ops **out, ww_err *e);
/* Device `ordinal`; real WW_DTYPE_BF16 or WW_DTYPE_F32. WW_EDEVICE where there is none,
 * with what is missing. */
ww_status ww_ops_cuda(int ordinal, ww_dtype real, ww_ops **out, ww_err *e);

#endif
