/* norm.cu - RMSNorm forward (with the residual's sum) and backward, the row in registers: each value is read once.
 *
 * A row belongs to a team of `team` warps: one warp where V vectors of 16 bytes for each lane hold it, and then a block is several teams; else
 * the whole block. `any` kernels take rows whose length is no multiple of a vector. The gradient of the weight is summed per block over its
 * rows, then over blocks by columns_add (reduce.cu): always in the same order. */
#include "common.cuh"

struct place {
  unsigned row, at, width; /* first row, first vector of this thread, threads of the team */
};

__device__ __forceinline__ place find_place(unsigned team) {
  place p;
  p.width = team * 32;
  p.row = team == 1 ? blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32 : blockIdx.x;
  p.at = team == 1 ? threadIdx.x % 32 : threadIdx.x;
  return p;
}

template <typename real, int V>
__device__ __forceinline__ void rmsnorm_forward(real *out, float *rstd, real *sum, const real *inp, const real *branch, const real *weight,
                                                float eps, unsigned N, unsigned C, unsigned team) {
  const int W = WIDE(real);
  __shared__ float hold[32];
  place p = find_place(team);
  if (p.row >= N) return; /* whole teams */
  unsigned n = C / W;
  u64 row = (u64)p.row * C;
  uint4 x[V];
  float f[W], s = 0.f;
#pragma unroll
  for (int j = 0; j < V; j++)
    if (p.at + j * p.width < n) x[j] = load16(inp + row + (p.at + j * p.width) * W);
  if (branch) {
    uint4 b[V];
#pragma unroll
    for (int j = 0; j < V; j++)
      if (p.at + j * p.width < n) b[j] = load16(branch + row + (p.at + j * p.width) * W);
#pragma unroll
    for (int j = 0; j < V; j++) {
      if (p.at + j * p.width >= n) continue;
      float g[W];
      unpack(f, x[j]);
      unpack(g, b[j]);
#pragma unroll
      for (int k = 0; k < W; k++) f[k] += g[k];
      x[j] = pack(f);
      store16(sum + row + (p.at + j * p.width) * W, x[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < V; j++) {
    if (p.at + j * p.width >= n) continue;
    unpack(f, x[j]);
#pragma unroll
    for (int k = 0; k < W; k++) s += f[k] * f[k];
  }
  s = team == 1 ? warp_sum(s) : block_sum(s, hold);
  float r = rsqrtf(s / (float)C + eps);
  if (p.at == 0) rstd[p.row] = r;
#pragma unroll
  for (int j = 0; j < V; j++) {
    if (p.at + j * p.width >= n) continue;
    float w[W];
    unpack(f, x[j]);
    unpack(w, load16(weight + (p.at + j * p.width) * W));
#pragma unroll
    for (int k = 0; k < W; k++) f[k] = f[k] * r * w[k];
    store16(out + row + (p.at + j * p.width) * W, pack(f));
  }
}

/* Where a thread's vectors of a row lie in shared memory: [stage][inp, dout, dinp][V][thread], so that a warp's are 512 bytes in a row. */
template <int V> __device__ __forceinline__ uint4 *slot(uint4 *rows, unsigned stage, int which, int j) {
  return rows + ((stage * 3 + which) * V + j) * blockDim.x + threadIdx.x;
}

template <typename real, int V>
__device__ __forceinline__ void fetch_row(uint4 *rows, unsigned stage, const real *inp, const real *dout, const real *dinp, u64 row, unsigned n,
                                          const place &p) {
#pragma unroll
  for (int j = 0; j < V; j++) {
    unsigned i = p.at + j * p.width;
    if (i >= n) continue;
    fetch16(slot<V>(rows, stage, 0, j), inp + row + i * WIDE(real));
    fetch16(slot<V>(rows, stage, 1, j), dout + row + i * WIDE(real));
    fetch16(slot<V>(rows, stage, 2, j), dinp + row + i * WIDE(real));
  }
}

/* One row of the backward pass: dinp += rstd * (g - xhat * mean(g * xhat)), g = dout * weight, xhat = inp * rstd; acc += dout * xhat. */
template <typename real, int V>
__device__ __forceinline__ void backward_row(real *dinp, float (&acc)[V * WIDE(real)], uint4 *rows, unsigned stage, const uint4 (&w)[V], float r,
                                             float *hold, unsigned C, const place &p, unsigned team) {
  const int W = WIDE(real);
  unsigned n = C / W;
  float fx[W], fg[W], fw[W], s = 0.f;
#pragma unroll
  for (int j = 0; j < V; j++) {
    if (p.at + j * p.width >= n) continue;
    unpack(fx, *slot<V>(rows, stage, 0, j));
    unpack(fg, *slot<V>(rows, stage, 1, j));
    unpack(fw, w[j]);
#pragma unroll
    for (int k = 0; k < W; k++) {
      float h = fg[k] * (fx[k] * r);
      acc[j * W + k] += h;
      s += h * fw[k];
    }
  }
  s = (team == 1 ? warp_sum(s) : block_sum(s, hold)) / (float)C;
#pragma unroll
  for (int j = 0; j < V; j++) {
    unsigned i = p.at + j * p.width;
    if (i >= n) continue;
    float fd[W];
    unpack(fx, *slot<V>(rows, stage, 0, j));
    unpack(fg, *slot<V>(rows, stage, 1, j));
    unpack(fd, *slot<V>(rows, stage, 2, j));
    unpack(fw, w[j]);
#pragma unroll
    for (int k = 0; k < W; k++) fd[k] += r * (fg[k] * fw[k] - fx[k] * r * s);
    store16(dinp + i * W, pack(fd));
  }
}

/* partial [gridDim.x, C]: the weight's gradient of each block's rows. The next row is on its way while one is worked on. Shared memory: two
 * stages of 3 V vectors for each thread, then C floats. */
template <typename real, int V>
__device__ __forceinline__ void rmsnorm_backward(real *dinp, float *partial, const real *dout, const real *inp, const real *weight,
                                                 const float *rstd, unsigned N, unsigned C, unsigned team) {
  const int W = WIDE(real);
  extern __shared__ uint4 rows[];
  __shared__ float hold[2][32]; /* in turn: a row's is read while the next one's is written */
  float *columns = (float *)(rows + 2 * 3 * V * blockDim.x);
  place p = find_place(team);
  unsigned n = C / W, teams = blockDim.x / p.width, step = gridDim.x * teams, stage = 0;
  uint4 w[V];
  float acc[V * W];
#pragma unroll
  for (int k = 0; k < V * W; k++) acc[k] = 0.f;
#pragma unroll
  for (int j = 0; j < V; j++)
    if (p.at + j * p.width < n) w[j] = load16(weight + (p.at + j * p.width) * W);
  if (p.row < N) fetch_row<real, V>(rows, 0, inp, dout, dinp, (u64)p.row * C, n, p);
  fetch_commit();
  for (unsigned row = p.row; row < N; row += step, stage ^= 1) {
    float r = rstd[row];
    if (row + step < N) fetch_row<real, V>(rows, stage ^ 1, inp, dout, dinp, (u64)(row + step) * C, n, p);
    fetch_commit();
    fetch_wait<1>();
    backward_row<real, V>(dinp + (u64)row * C, acc, rows, stage, w, r, hold[stage], C, p, team);
  }
  for (unsigned t = 0; t < teams; t++) {
    if (team > 1 || threadIdx.x / 32 == t) {
#pragma unroll
      for (int k = 0; k < V * W; k++) {
        unsigned i = p.at + k / W * p.width, to = k % W * n + i; /* values of a vector apart: no two lanes in one bank */
        if (i < n) columns[to] = t ? columns[to] + acc[k] : acc[k];
      }
    }
    __syncthreads();
  }
  for (unsigned c = threadIdx.x; c < C; c += blockDim.x) partial[(u64)blockIdx.x * C + c] = columns[c % W * n + c / W];
}

#define FORWARD_PARAMS                                                                                                              \
  (real * out, float *rstd, real *sum, const real *inp, const real *branch, const real *weight, float eps, unsigned N, unsigned C, \
   unsigned team)
#define FORWARD_ARGS (out, rstd, sum, inp, branch, weight, eps, N, C, team)
#define FORWARD(V)                                                                                                                  \
  template <typename real> __device__ __forceinline__ void rmsnorm_forward##V FORWARD_PARAMS { rmsnorm_forward<real, V> FORWARD_ARGS; } \
  BOTH(rmsnorm_forward##V, __launch_bounds__(512), FORWARD_PARAMS, FORWARD_ARGS)
FORWARD(1)
FORWARD(2)
FORWARD(3)
FORWARD(4)

#define BACKWARD_PARAMS                                                                                                             \
  (real * dinp, float *partial, const real *dout, const real *inp, const real *weight, const float *rstd, unsigned N, unsigned C,  \
   unsigned team)
#define BACKWARD_ARGS (dinp, partial, dout, inp, weight, rstd, N, C, team)
#define BACKWARD(V)                                                                                                                 \
  template <typename real> __device__ __forceinline__ void rmsnorm_backward##V BACKWARD_PARAMS { rmsnorm_backward<real, V> BACKWARD_ARGS; } \
  BOTH(rmsnorm_backward##V, __launch_bounds__(512), BACKWARD_PARAMS, BACKWARD_ARGS)
BACKWARD(1)
BACKWARD(2)
BACKWARD(3)

/* ---- any width, a block for each row ---- */

template <typename real>
__device__ __forceinline__ void rmsnorm_forward_any FORWARD_PARAMS {
  __shared__ float hold[32];
  u64 row = (u64)blockIdx.x * C;
  const real *x = branch ? sum : inp;
  float s = 0.f;
  for (unsigned c = threadIdx.x; c < C; c += blockDim.x) {
    float f = to_float(inp[row + c]);
    if (branch) {
      real t = of_float<real>(f + to_float(branch[row + c]));
      sum[row + c] = t;
      f = to_float(t);
    }
    s += f * f;
  }
  float r = rsqrtf(block_sum(s, hold) / (float)C + eps);
  if (threadIdx.x == 0) rstd[blockIdx.x] = r;
  for (unsigned c = threadIdx.x; c < C; c += blockDim.x) out[row + c] = of_float<real>(to_float(x[row + c]) * r * to_float(weight[c]));
}
BOTH(rmsnorm_forward_any, , FORWARD_PARAMS, FORWARD_ARGS)

template <typename real>
__device__ __forceinline__ void rmsnorm_backward_any BACKWARD_PARAMS {
  __shared__ float hold[2][32];
  float *mine = partial + (u64)blockIdx.x * C;
  unsigned turn = 0;
  for (unsigned c = threadIdx.x; c < C; c += blockDim.x) mine[c] = 0.f;
  for (unsigned n = blockIdx.x; n < N; n += gridDim.x, turn ^= 1) {
    u64 row = (u64)n * C;
    float r = rstd[n], s = 0.f;
    for (unsigned c = threadIdx.x; c < C; c += blockDim.x) {
      float h = to_float(dout[row + c]) * to_float(inp[row + c]) * r;
      mine[c] += h;
      s += h * to_float(weight[c]);
    }
    s = block_sum(s, hold[turn]) / (float)C;
    for (unsigned c = threadIdx.x; c < C; c += blockDim.x)
      dinp[row + c] = of_float<real>(to_float(dinp[row + c]) +
                                     r * (to_float(dout[row + c]) * to_float(weight[c]) - to_float(inp[row + c]) * r * s));
  }
}
BOTH(rmsnorm_backward_any, , BACKWARD_PARAMS, BACKWARD_ARGS)
