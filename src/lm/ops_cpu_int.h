/* ops_cpu_int.h - what the files of the plain C implementation of ops.h share. */
#ifndef WW_LM_OPS_CPU_INT_H
#define WW_LM_OPS_CPU_INT_H

#include <math.h>
#include <stdlib.h>

#include "ops.h"
#include "team.h"

enum { WW_CPU_THREADS = 16, WW_CPU_SCRATCH = 512 * 1024 };

/* A thread's part: from <= i < to, with scratch of its own. */
typedef struct {
  float *scratch;
  uint64_t from, to;
} ww_cpu_part;
typedef void ww_cpu_work(const void *ctx, ww_cpu_part p);

typedef struct {
  ww_ops ops; /* first: a ww_ops * is one of these */
  uint64_t bytes;
  ww_team *team;
  /* WW_CPU_SCRATCH floats for each thread, 64-byte aligned */
  float *scratch[WW_CPU_THREADS];
} ww_ops_cpu_state;

/* Splits 0 .. n into ranges that begin at a multiple of `step`; `cost` (operations in
 * all) says whether more than one thread is worth it. What is computed for an i does
 * not depend on the split, so the bits do not depend on the machine's threads. */
void ww_cpu_split(ww_ops *o,
                  ww_cpu_work *fn,
                  const void *ctx,
                  uint64_t n,
                  uint64_t step,
                  double cost);

/* out[M, N] (row stride ldo) = (add: +=) a . b with a(i, k) at a[i * a_row + k * a_col]
 * and b(k, j) at b[k * b_row + j * b_col] */
typedef struct {
  float *out;
  const float *a, *b;
  size_t ldo, a_row, a_col, b_row, b_col;
  uint32_t M, N, K;
  bool add;
} ww_gemm;
void ww_cpu_gemm(ww_ops *o, const ww_gemm *g);

void ww_cpu_attention_forward(ww_ops *o, const ww_attention_layer *a);
void ww_cpu_attention_backward(ww_ops *o, const ww_attention_layer *a);

/* The inner loops, in 16 lanes so that a compiler that must keep the order of sums can
 * still use vectors. */
static inline float ww_dot(const float *a, const float *b, uint32_t n) {
  float lane[16] = {0}, sum = 0;
  uint32_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (uint32_t l = 0; l < 16; l++)
      lane[l] += a[i + l] * b[i + l];
  for (uint32_t l = 0; l < 16; l++)
    sum += lane[l];
  for (; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static inline void ww_axpy(float *y, const float *x, float by, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    y[i] += by * x[i];
}

#endif
