/* half_ops.c - ops.h in bf16 without a GPU: every value called "real" is stored as
 * bf16, what is in between is the CPU's fp32.
 *
 * So the path that trains on the GPU (reals of two bytes, fp32 masters, rounded
 * activations) is checked where there is none, against what PyTorch computed in bf16.
 * Each function unpacks what it reads, calls the CPU's, and packs what it wrote. */
#include <stdlib.h>

#include "net_checks.h"

typedef struct {
  ww_ops o; /* first */
  ww_ops *cpu;
  float *unpacked[5]; /* room of the function at hand */
  size_t room[5];
} half_ops;

static half_ops *of(ww_ops *o) {
  return (half_ops *)o;
}

/* n reals at p as floats, in the room of that number. */
static float *in(ww_ops *o, int slot, const void *p, uint64_t n) {
  half_ops *h = of(o);
  if (!p)
    return NULL;
  if (h->room[slot] < n) {
    free(h->unpacked[slot]);
    h->unpacked[slot] = ww_xmalloc(n * sizeof(float));
    h->room[slot] = n;
  }
  ww_to_f32(h->unpacked[slot], p, WW_DTYPE_BF16, n);
  return h->unpacked[slot];
}

static void out(ww_ops *o, int slot, void *p, uint64_t n) {
  ww_from_f32(p, WW_DTYPE_BF16, of(o)->unpacked[slot], n);
}
static uint64_t strided(uint32_t rows, uint32_t ld, uint32_t cols) {
  return rows ? (uint64_t)(rows - 1) * ld + cols : 0;
}

static void *half_alloc(ww_ops *o, size_t bytes) {
  return of(o)->cpu->alloc(of(o)->cpu, bytes);
}
static void half_release(ww_ops *o, void *p) {
  of(o)->cpu->release(of(o)->cpu, p);
}
static uint64_t half_memory(ww_ops *o) {
  return of(o)->cpu->memory(of(o)->cpu);
}
static void half_to_real(ww_ops *o, void *to, const float *from, uint64_t n) {
  (void)o;
  ww_from_f32(to, WW_DTYPE_BF16, from, n);
}
static void half_to_f32(ww_ops *o, float *to, const void *from, uint64_t n) {
  (void)o;
  ww_to_f32(to, from, WW_DTYPE_BF16, n);
}

static void half_gather(
    ww_ops *o, void *to, const void *from, const int32_t *row, uint32_t n, uint32_t C) {
  (void)o;
  for (uint32_t i = 0; i < n; i++)
    memcpy((char *)to + (size_t)i * C * 2, (const char *)from + (size_t)row[i] * C * 2,
           (size_t)C * 2);
}

static void half_embed_backward(ww_ops *o,
                                float *dweight,
                                const void *dout,
                                const int32_t *order,
                                const int32_t *first,
                                const int32_t *id,
                                uint32_t U,
                                uint32_t N,
                                uint32_t C) {
  of(o)->cpu->embed_backward(of(o)->cpu, dweight, in(o, 0, dout, (uint64_t)N * C),
                             order, first, id, U, N, C);
}

static void half_scatter(
    ww_ops *o, void *to, const void *from, const int32_t *row, uint32_t n, uint32_t C) {
  for (uint32_t i = 0; i < n; i++) {
    void *there = (char *)to + (size_t)row[i] * C * 2;
    float *sum = in(o, 0, there, C),
          *x = in(o, 1, (const char *)from + (size_t)i * C * 2, C);
    for (uint32_t c = 0; c < C; c++)
      sum[c] += x[c];
    out(o, 0, there, C);
  }
}

static void half_scale(ww_ops *o, void *x, float by, uint64_t n) {
  of(o)->cpu->column_scale(of(o)->cpu, in(o, 0, x, n), by, n);
  out(o, 0, x, n);
}

static void half_dropout(
    ww_ops *o, void *to, const void *from, float share, uint64_t seed, uint64_t n) {
  of(o)->cpu->dropout(of(o)->cpu, in(o, 0, to, n), in(o, 1, from, n), share, seed, n);
  out(o, 0, to, n);
}

static void half_multiply(ww_ops *o, const ww_matmul *p) {
  const uint64_t nd = strided(p->rows, p->ldd, p->cols);
  ww_matmul f = *p;
  f.d = p->d_float ? p->d : in(o, 0, p->d, nd);
  f.a = in(o, 1, p->a,
           p->a_turned ? strided(p->depth, p->lda, p->rows)
                       : strided(p->rows, p->lda, p->depth));
  f.b = in(o, 2, p->b,
           p->b_turned ? strided(p->cols, p->ldb, p->depth)
                       : strided(p->depth, p->ldb, p->cols));
  f.bias = in(o, 3, p->bias, p->cols);
  of(o)->cpu->multiply(of(o)->cpu, &f);
  if (!p->d_float)
    out(o, 0, p->d, nd);
}

static void half_add_columns(
    ww_ops *o, float *to, const void *x, uint32_t ld, uint32_t N, uint32_t C) {
  of(o)->cpu->add_columns(of(o)->cpu, to, in(o, 0, x, strided(N, ld, C)), ld, N, C);
}

static void half_norm(ww_ops *o,
                      void *y,
                      float *rstd,
                      void *sum,
                      const void *inp,
                      const void *branch,
                      const void *weight,
                      float eps,
                      uint32_t N,
                      uint32_t C) {
  const uint64_t n = (uint64_t)N * C;
  of(o)->cpu->rmsnorm_forward(of(o)->cpu, in(o, 0, y, n), rstd, in(o, 1, sum, n),
                              in(o, 2, inp, n), in(o, 3, branch, n),
                              in(o, 4, weight, C), eps, N, C);
  out(o, 0, y, n);
  if (branch)
    out(o, 1, sum, n);
}

static void half_norm_backward(ww_ops *o,
                               void *dinp,
                               float *dweight,
                               const void *dout,
                               const void *inp,
                               const void *weight,
                               const float *rstd,
                               uint32_t N,
                               uint32_t C) {
  const uint64_t n = (uint64_t)N * C;
  of(o)->cpu->rmsnorm_backward(of(o)->cpu, in(o, 0, dinp, n), dweight,
                               in(o, 1, dout, n), in(o, 2, inp, n), in(o, 3, weight, C),
                               rstd, N, C);
  out(o, 0, dinp, n);
}

static void half_rope(ww_ops *o,
                      void *qk,
                      uint32_t ld,
                      const int32_t *position,
                      const float *table,
                      uint32_t N,
                      uint32_t heads,
                      uint32_t head_size,
                      bool back) {
  const uint64_t n = strided(N, ld, heads * head_size);
  of(o)->cpu->rope(of(o)->cpu, in(o, 0, qk, n), ld, position, table, N, heads,
                   head_size, back);
  out(o, 0, qk, n);
}

static void half_attention(ww_ops *o, const ww_attention_layer *a) {
  const uint64_t n = (uint64_t)a->B * a->T * a->H * a->D,
                 nq = (uint64_t)a->B * a->T * (a->H + 2 * a->K) * a->D;
  ww_attention_layer f = *a;
  f.out = in(o, 0, a->out, n);
  f.qkv = in(o, 1, a->qkv, nq);
  of(o)->cpu->attention_forward(of(o)->cpu, &f);
  out(o, 0, a->out, n);
}

static void half_attention_backward(ww_ops *o, const ww_attention_layer *a) {
  const uint64_t n = (uint64_t)a->B * a->T * a->H * a->D,
                 nq = (uint64_t)a->B * a->T * (a->H + 2 * a->K) * a->D;
  ww_attention_layer f = *a;
  f.dqkv = in(o, 0, a->dqkv, nq);
  f.dout = in(o, 1, a->dout, n);
  f.qkv = in(o, 2, a->qkv, nq);
  f.out = in(o, 3, a->out, n);
  of(o)->cpu->attention_backward(of(o)->cpu, &f);
  out(o, 0, a->dqkv, nq);
}

static void half_swiglu(ww_ops *o, void *y, const void *gu, uint32_t N, uint32_t F) {
  const uint64_t n = (uint64_t)N * F;
  of(o)->cpu->swiglu_forward(of(o)->cpu, in(o, 0, y, n), in(o, 1, gu, 2 * n), N, F);
  out(o, 0, y, n);
}

static void half_swiglu_backward(
    ww_ops *o, void *dgu, const void *dout, const void *gu, uint32_t N, uint32_t F) {
  const uint64_t n = (uint64_t)N * F;
  of(o)->cpu->swiglu_backward(of(o)->cpu, in(o, 0, dgu, 2 * n), in(o, 1, dout, n),
                              in(o, 2, gu, 2 * n), N, F);
  out(o, 0, dgu, 2 * n);
}

static void half_token_loss(ww_ops *o,
                            float *loss,
                            void *logits,
                            const int32_t *target,
                            const float *weight,
                            float scale,
                            uint32_t N,
                            uint32_t V) {
  of(o)->cpu->token_loss(of(o)->cpu, loss, in(o, 0, logits, (uint64_t)N * V), target,
                         weight, scale, N, V);
  out(o, 0, logits, (uint64_t)N * V);
}

static void half_number_loss(ww_ops *o,
                             float *loss,
                             void *dout,
                             const void *y,
                             const float *target,
                             float scale,
                             uint32_t n,
                             uint32_t K) {
  of(o)->cpu->number_loss(of(o)->cpu, loss, in(o, 0, dout, 2ull * n * K),
                          in(o, 1, y, 2ull * n * K), target, scale, n, K);
  out(o, 0, dout, 2ull * n * K);
}

static void half_adamw(ww_ops *o, const ww_adamw *a) {
  ww_adamw f = *a;
  f.param = a->master;
  of(o)->cpu->adamw(of(o)->cpu, &f);
  ww_from_f32(a->param, WW_DTYPE_BF16, a->master, a->n);
}

static void half_sum(ww_ops *o, float *to, const float *x, uint64_t n, bool add) {
  of(o)->cpu->sum(of(o)->cpu, to, x, n, add);
}
static void
half_sum_squares(ww_ops *o, float *to, const float *x, uint64_t n, bool add) {
  of(o)->cpu->sum_squares(of(o)->cpu, to, x, n, add);
}

static void half_close(ww_ops *o) {
  of(o)->cpu->close(of(o)->cpu);
  for (int i = 0; i < 5; i++)
    free(of(o)->unpacked[i]);
  free(o);
}

ww_status half_ops_new(ww_ops **to, ww_err *e) {
  half_ops *h = ww_xcalloc(1, sizeof *h);
  ww_status s = ww_ops_cpu(&h->cpu, e);
  if (s != WW_OK)
    return free(h), s;
  h->o = *h->cpu; /* upload, download, zero, copy and finish ask nothing of it */
  snprintf(h->o.name, sizeof h->o.name, "cpu (bf16)");
  h->o.real = WW_DTYPE_BF16;
  h->o.close = half_close;
  h->o.alloc = half_alloc;
  h->o.release = half_release;
  h->o.memory = half_memory;
  h->o.to_real = half_to_real;
  h->o.to_f32 = half_to_f32;
  h->o.embed_backward = half_embed_backward;
  h->o.multiply = half_multiply;
  h->o.add_columns = half_add_columns;
  h->o.rmsnorm_forward = half_norm;
  h->o.rmsnorm_backward = half_norm_backward;
  h->o.rope = half_rope;
  h->o.attention_forward = half_attention;
  h->o.attention_backward = half_attention_backward;
  h->o.swiglu_forward = half_swiglu;
  h->o.swiglu_backward = half_swiglu_backward;
  h->o.token_loss = half_token_loss;
  h->o.number_loss = half_number_loss;
  h->o.gather_rows = half_gather;
  h->o.scatter_add_rows = half_scatter;
  h->o.column_scale = half_scale;
  h->o.dropout = half_dropout;
  h->o.sum = half_sum;
  h->o.sum_squares = half_sum_squares;
  h->o.adamw = half_adamw;
  *to = &h->o;
  return WW_OK;
}
