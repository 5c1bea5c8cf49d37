/* ops_cuda.c - the layers of ops.h on CUDA: for each the kernel that fits its shape,
 * its grid and its parameters.
 *
 * Kernels come in a wide form (16 bytes at a time: addresses and row lengths are
 * multiples of that) and one for any shape. Nothing here waits for the device. Sums
 * over tokens are made in two stages whose order depends on the shape and on the number
 * of multiprocessors alone. */
#include <math.h>

#include "attention.h"
#include "runtime.h"

#define PIECE 32 /* positions: as in embed.cu */

static unsigned real_bytes(const ww_accel *g) {
  return g->o.real == WW_DTYPE_BF16 ? 2 : 4;
}
static unsigned per_vector(const ww_accel *g) {
  return 16 / real_bytes(g);
}
static bool aligned(const void *p, unsigned bytes) {
  return ((uintptr_t)p & (bytes - 1)) == 0;
}

/* Launches kernel WW_K_name with what follows as its parameters (addresses of them). */
#define LAUNCH(g, id, gx, gy, threads, shared, ...)                                   \
  ww_accel_launch(g, (g)->kernel[id], (const unsigned[]){gx, gy, 1}, threads, shared, \
                  (void *[]){__VA_ARGS__}, kernel_names[id])

static const char *const kernel_names[] = {
#define KERNEL(unit, name) "kernel " #name,
#include "kernels.def"
};

/* ---- values ---- */

static unsigned value_blocks(const ww_accel *g, uint64_t n) {
  return ww_least(ww_ceil_div(n, 256 * 8), g->sms * 16);
}

static void
convert(ww_ops *o, ww_accel_kernel kernel, void *to, const void *from, uint64_t n) {
  ww_accel *g = ww_accel_of(o);
  unsigned wide = aligned(to, 16) && aligned(from, 16);
  if (g->o.real != WW_DTYPE_F32)
    LAUNCH(g, kernel, value_blocks(g, n), 1, 256, 0, &to, &from, &n, &wide);
  else if (to != from)
    o->copy(o, to, from, n * 4);
}

static void to_real(ww_ops *o, void *to, const float *from, uint64_t n) {
  convert(o, WW_K_to_real, to, from, n);
}

static void to_f32(ww_ops *o, float *to, const void *from, uint64_t n) {
  convert(o, WW_K_to_f32, to, from, n);
}

static void column_scale(ww_ops *o, void *x, float by, uint64_t n) {
  ww_accel *g = ww_accel_of(o);
  unsigned wide = aligned(x, 16);
  LAUNCH(g, WW_K_scale, value_blocks(g, n), 1, 256, 0, &x, &by, &n, &wide);
}

static void
dropout(ww_ops *o, void *out, const void *inp, float share, uint64_t seed, uint64_t n) {
  ww_accel *g = ww_accel_of(o);
  unsigned wide = aligned(out, 16) && aligned(inp, 16);
  LAUNCH(g, WW_K_dropout, value_blocks(g, n), 1, 256, 0, &out, &inp, &share, &seed, &n,
         &wide);
}

/* ---- rows ---- */

typedef struct {
  bool wide;
  unsigned threads, pieces; /* of a block; blocks of a row */
} row_shape;

/* How blocks cover a row of C values that begin at p or at q. */
static row_shape shape_of(const ww_accel *g, const void *p, const void *q, uint32_t C) {
  row_shape s = {.wide = C % per_vector(g) == 0 && aligned(p, 16) && aligned(q, 16)};
  unsigned items = s.wide ? C / per_vector(g) : C;
  s.threads = ww_least(ww_round_up(items, 32), 256);
  s.pieces = ww_ceil_div(items, ww_most(s.threads, 32));
  return s;
}

static void gather_rows(
    ww_ops *o, void *out, const void *inp, const int32_t *row, uint32_t n, uint32_t C) {
  ww_accel *g = ww_accel_of(o);
  row_shape s = shape_of(g, out, inp, C);
  LAUNCH(g, s.wide ? WW_K_gather_rows : WW_K_gather_rows_any, n * s.pieces, 1,
         s.threads, 0, &out, &inp, &row, &C, &s.pieces);
}

static void scatter_add_rows(
    ww_ops *o, void *out, const void *inp, const int32_t *row, uint32_t n, uint32_t C) {
  ww_accel *g = ww_accel_of(o);
  row_shape s = shape_of(g, out, inp, C);
  LAUNCH(g, s.wide ? WW_K_scatter_add_rows : WW_K_scatter_add_rows_any, n * s.pieces, 1,
         s.threads, 0, &out, &inp, &row, &C, &s.pieces);
}

static void embed_backward(ww_ops *o,
                           float *dweight,
                           const void *dout,
                           const int32_t *order,
                           const int32_t *first,
                           const int32_t *id,
                           uint32_t U,
                           uint32_t N,
                           uint32_t C) {
  ww_accel *g = ww_accel_of(o);
  if (!N || !U)
    return;
  row_shape s = shape_of(g, dweight, dout, C);
  unsigned pieces = ww_ceil_div(N, PIECE);
  void *part = ww_accel_scratch(g, (size_t)pieces * 2 * C * sizeof(float));
  if (!part)
    return;
  LAUNCH(g, s.wide ? WW_K_embed_pieces : WW_K_embed_pieces_any, pieces, s.pieces,
         s.threads, 0, &dweight, &part, &dout, &order, &first, &id, &U, &N, &C);
  LAUNCH(g, s.wide ? WW_K_embed_join : WW_K_embed_join_any, pieces, s.pieces, s.threads,
         0, &dweight, &part, &dout, &order, &first, &id, &U, &N, &C);
}

/* ---- matrix products ---- */

static void plain_product(ww_accel *g, const ww_matmul *p) {
  uint64_t one = 1, ldd = p->ldd, lda = p->lda, ldb = p->ldb;
  uint64_t *ai = p->a_turned ? &one : &lda, *ak = p->a_turned ? &lda : &one;
  uint64_t *bj = p->b_turned ? &ldb : &one, *bk = p->b_turned ? &one : &ldb;
  unsigned add = p->add;
  ww_matmul v = *p;
  LAUNCH(g, p->d_float ? WW_K_product_float : WW_K_product_real,
         ww_ceil_div(p->cols, 64), ww_ceil_div(p->rows, 64), 256, 0, &v.d, &v.a, &v.b,
         &v.bias, &ldd, ai, ak, bk, bj, &v.rows, &v.cols, &v.depth, &add);
}

static void multiply(ww_ops *o, const ww_matmul *p) {
  ww_accel *g = ww_accel_of(o);
  if (g->failed.code || !p->rows || !p->cols || !p->depth)
    return;
  if (!ww_lt_multiply(g, p))
    plain_product(g, p);
}

/* to[c] += sum over g of partial[g, c] */
static void
columns_add(ww_accel *g, float *to, const void *partial, unsigned G, uint32_t C) {
  LAUNCH(g, WW_K_columns_add, ww_ceil_div(C, 32), 1, 1024, 0, &to, &partial, &G, &C);
}

static void
add_columns(ww_ops *o, float *to, const void *x, uint32_t ld, uint32_t N, uint32_t C) {
  ww_accel *g = ww_accel_of(o);
  if (!N)
    return;
  unsigned blocks = ww_least(ww_ceil_div(N, 8 * 16), 128);
  void *partial = ww_accel_scratch(g, (size_t)blocks * C * sizeof(float));
  if (!partial)
    return;
  LAUNCH(g, WW_K_column_sums, ww_ceil_div(C, 32), blocks, 256, 0, &partial, &x, &ld, &N,
         &C);
  columns_add(g, to, partial, blocks, C);
}

/* ---- norms ---- */

typedef struct {
  /* warps of a row; 16-byte vectors of a lane. team 0: no wide kernel */
  unsigned team, vectors;
} norm_shape;

static norm_shape norm_of(const ww_accel *g, uint32_t C, unsigned most) {
  norm_shape s = {0, 0};
  unsigned items = C / per_vector(g);
  if (C % per_vector(g))
    return s;
  s.team = ww_ceil_div(items, 32 * most);
  s.vectors = ww_ceil_div(items, 32 * s.team);
  if (s.team > 16)
    s.team = 0;
  return s;
}

static void rmsnorm_forward(ww_ops *o,
                            void *out,
                            float *rstd,
                            void *sum,
                            const void *inp,
                            const void *branch,
                            const void *weight,
                            float eps,
                            uint32_t N,
                            uint32_t C) {
  ww_accel *g = ww_accel_of(o);
  norm_shape s = norm_of(g, C, 4);
  unsigned threads = s.team == 0   ? 256
                     : s.team == 1 ? 128
                                   : s.team * 32,
           rows = s.team == 1 ? 4 : 1;
  if (!aligned(weight, 16) || !aligned(inp, 16)) {
    s.team = 0;
    threads = 256;
    rows = 1;
  }
  LAUNCH(g, s.team ? WW_K_rmsnorm_forward1 + s.vectors - 1 : WW_K_rmsnorm_forward_any,
         ww_ceil_div(N, rows), 1, threads, 0, &out, &rstd, &sum, &inp, &branch, &weight,
         &eps, &N, &C, &s.team);
}

static void rmsnorm_backward(ww_ops *o,
                             void *dinp,
                             float *dweight,
                             const void *dout,
                             const void *inp,
                             const void *weight,
                             const float *rstd,
                             uint32_t N,
                             uint32_t C) {
  ww_accel *g = ww_accel_of(o);
  norm_shape s = norm_of(g, C, C / per_vector(g) <= 96 ? 3 : 2);
  unsigned threads = s.team > 1 ? s.team * 32 : 256, rows = s.team == 1 ? 8 : 1;
  unsigned shared = 2 * 3 * s.vectors * threads * 16 + C * 4; /* as norm.cu says */
  if (shared > g->kernel_shared || !aligned(weight, 16) || !aligned(inp, 16))
    s.team = 0;
  if (!s.team) {
    threads = 256;
    rows = 1;
    shared = 0;
  }
  unsigned each = 768 / threads, fit = shared ? g->shared_most / shared : 2,
           need = ww_ceil_div(N, rows);
  each = ww_most(ww_least(each, fit), 1);
  unsigned blocks = ww_least(g->sms * each, need);
  void *partial = ww_accel_scratch(g, (size_t)blocks * C * sizeof(float));
  if (!partial || !N)
    return;
  LAUNCH(g, s.team ? WW_K_rmsnorm_backward1 + s.vectors - 1 : WW_K_rmsnorm_backward_any,
         blocks, 1, threads, shared, &dinp, &partial, &dout, &inp, &weight, &rstd, &N,
         &C, &s.team);
  if (dweight)
    columns_add(g, dweight, partial, blocks, C);
}

/* ---- rope, swiglu ---- */

static void rope(ww_ops *o,
                 void *qk,
                 uint32_t ld,
                 const int32_t *position,
                 const float *table,
                 uint32_t N,
                 uint32_t heads,
                 uint32_t head_size,
                 bool back) {
  ww_accel *g = ww_accel_of(o);
  unsigned w = per_vector(g);
  bool wide =
      head_size / 2 % w == 0 && ld % w == 0 && aligned(qk, 16) && aligned(table, 16);
  uint64_t items = (uint64_t)N * heads * (head_size / 2 / (wide ? w : 1));
  float sign = back ? -1.f : 1.f;
  LAUNCH(g, wide ? WW_K_rope : WW_K_rope_any, ww_ceil_div(items, 256), 1, 256, 0, &qk,
         &ld, &position, &table, &N, &heads, &head_size, &sign);
}

static void
swiglu_forward(ww_ops *o, void *out, const void *gu, uint32_t N, uint32_t F) {
  ww_accel *g = ww_accel_of(o);
  row_shape s = shape_of(g, out, gu, F);
  LAUNCH(g, s.wide ? WW_K_swiglu_forward : WW_K_swiglu_forward_any, N * s.pieces, 1,
         s.threads, 0, &out, &gu, &F, &s.pieces);
}

static void swiglu_backward(
    ww_ops *o, void *dgu, const void *dout, const void *gu, uint32_t N, uint32_t F) {
  ww_accel *g = ww_accel_of(o);
  row_shape s = shape_of(g, dgu, gu, F);
  s.wide = s.wide && aligned(dout, 16);
  if (!s.wide)
    s = shape_of(g, (void *)1, gu, F);
  LAUNCH(g, s.wide ? WW_K_swiglu_backward : WW_K_swiglu_backward_any, N * s.pieces, 1,
         s.threads, 0, &dgu, &dout, &gu, &F, &s.pieces);
}

/* ---- losses ---- */

static void token_loss(ww_ops *o,
                       float *loss,
                       void *logits,
                       const int32_t *target,
                       const float *weight,
                       float scale,
                       uint32_t N,
                       uint32_t V) {
  ww_accel *g = ww_accel_of(o);
  unsigned vectors = V / per_vector(g), threads = vectors >= 8192   ? 1024
                                                  : vectors >= 2048 ? 512
                                                  : vectors >= 512  ? 256
                                                                    : 128;
  LAUNCH(g, WW_K_token_loss, N, 1, threads, 0, &loss, &logits, &target, &weight, &scale,
         &V);
}

static void number_loss(ww_ops *o,
                        float *loss,
                        void *dout,
                        const void *out,
                        const float *target,
                        float scale,
                        uint32_t n,
                        uint32_t K) {
  LAUNCH(ww_accel_of(o), WW_K_number_loss, ww_ceil_div(n, 128), 1, 128, 0, &loss, &dout,
         &out, &target, &scale, &n, &K);
}

/* ---- the optimiser ---- */

static void add_up(
    ww_accel *g, float *out, const float *x, uint64_t n, unsigned square, bool more) {
  unsigned wide = aligned(x, 16), add = more;
  unsigned blocks = ww_most(ww_least(ww_ceil_div(n, 512 * 4), g->sms * 4), 1);
  void *partial = ww_accel_scratch(g, blocks * sizeof(float));
  if (!partial)
    return;
  LAUNCH(g, WW_K_sum_blocks, blocks, 1, 512, 0, &partial, &x, &n, &square, &wide);
  LAUNCH(g, WW_K_sum_last, 1, 1, 1024, 0, &out, &partial, &blocks, &add);
}

static void sum(ww_ops *o, float *out, const float *x, uint64_t n, bool add) {
  add_up(ww_accel_of(o), out, x, n, 0, add);
}
static void sum_squares(ww_ops *o, float *out, const float *x, uint64_t n, bool add) {
  add_up(ww_accel_of(o), out, x, n, 1, add);
}

static void adamw(ww_ops *o, const ww_adamw *values) {
  ww_accel *g = ww_accel_of(o);
  ww_adamw a = *values;
  struct { /* step_values of adamw.cu */
    float lr, beta1, beta2, eps, decay, clip, fix1, fix2;
  } k = {a.lr,
         a.beta1,
         a.beta2,
         a.eps,
         a.decay,
         a.clip,
         1 / (1 - pow(a.beta1, a.step)),
         1 / (1 - pow(a.beta2, a.step))};
  unsigned wide = aligned(a.param, 4 * real_bytes(g)) && aligned(a.master, 16) &&
                  aligned(a.m, 16) && aligned(a.v, 16) && aligned(a.grad, 16);
  LAUNCH(g, WW_K_adamw, ww_ceil_div(a.n, wide ? 1024 : 256), 1, 256, 0, &a.param,
         &a.master, &a.m, &a.v, &a.grad, &a.squares, &a.n, &k, &wide);
}

/* ---- the table ---- */

static void close_ops(ww_ops *o) {
  if (o)
    ww_accel_free(ww_accel_of(o));
}

ww_status ww_ops_cuda(int ordinal, ww_dtype real, ww_ops **out, ww_err *e) {
  ww_accel *g;
  *out = NULL;
  ww_status st = ww_accel_new(ordinal, real, &g, e);
  if (st)
    return st;
  ww_ops *o = &g->o;
  ww_accel_memory(g);
  ww_accel_ranks(g);
  o->close = close_ops;
  o->to_real = to_real;
  o->to_f32 = to_f32;
  o->embed_backward = embed_backward;
  o->multiply = multiply;
  o->add_columns = add_columns;
  o->rmsnorm_forward = rmsnorm_forward;
  o->rmsnorm_backward = rmsnorm_backward;
  o->rope = rope;
  o->attention_forward = ww_accel_attention_forward;
  o->attention_backward = ww_accel_attention_backward;
  o->swiglu_forward = swiglu_forward;
  o->swiglu_backward = swiglu_backward;
  o->token_loss = token_loss;
  o->number_loss = number_loss;
  o->gather_rows = gather_rows;
  o->scatter_add_rows = scatter_add_rows;
  o->column_scale = column_scale;
  o->dropout = dropout;
  o->sum = sum;
  o->sum_squares = sum_squares;
  o->adamw = adamw;
  *out = o;
  return WW_OK;
}
