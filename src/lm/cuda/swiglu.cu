/* swiglu.cu - out = silu(gate) * up and its gradient; a row of gu is F gates, then F ups. Blocks walk along a row, `pieces` blocks for each. */
#include "common.cuh"

__device__ __forceinline__ float sigmoid(float x) { return 1.f / (1.f + __expf(-x)); }

template <typename real, int W> __device__ __forceinline__ void forward(real *out, const real *gu, unsigned F, unsigned pieces) {
  unsigned n = blockIdx.x / pieces, i = ((blockIdx.x - n * pieces) * blockDim.x + threadIdx.x) * W;
  if (i >= F) return;
  float g[W], u[W];
  group<real, W>::load(g, gu + (u64)n * 2 * F + i);
  group<real, W>::load(u, gu + (u64)n * 2 * F + F + i);
#pragma unroll
  for (int k = 0; k < W; k++) u[k] *= g[k] * sigmoid(g[k]);
  group<real, W>::store(out + (u64)n * F + i, u);
}

/* d silu(g) = s + g s (1 - s), s = sigmoid(g) */
template <typename real, int W>
__device__ __forceinline__ void backward(real *dgu, const real *dout, const real *gu, unsigned F, unsigned pieces) {
  unsigned n = blockIdx.x / pieces, i = ((blockIdx.x - n * pieces) * blockDim.x + threadIdx.x) * W;
  if (i >= F) return;
  float g[W], u[W], d[W];
  group<real, W>::load(g, gu + (u64)n * 2 * F + i);
  group<real, W>::load(u, gu + (u64)n * 2 * F + F + i);
  group<real, W>::load(d, dout + (u64)n * F + i);
#pragma unroll
  for (int k = 0; k < W; k++) {
    float s = sigmoid(g[k]), silu = g[k] * s, dup = d[k] * silu;
    g[k] = d[k] * u[k] * (s + silu * (1.f - s));
    u[k] = dup;
  }
  group<real, W>::store(dgu + (u64)n * 2 * F + i, g);
  group<real, W>::store(dgu + (u64)n * 2 * F + F + i, u);
}

template <typename real> __device__ __forceinline__ void swiglu_forward(real *out, const real *gu, unsigned F, unsigned pieces) {
  forward<real, WIDE(real)>(out, gu, F, pieces);
}
template <typename real> __device__ __forceinline__ void swiglu_forward_any(real *out, const real *gu, unsigned F, unsigned pieces) {
  forward<real, 1>(out, gu, F, pieces);
}
template <typename real>
__device__ __forceinline__ void swiglu_backward(real *dgu, const real *dout, const real *gu, unsigned F, unsigned pieces) {
  backward<real, WIDE(real)>(dgu, dout, gu, F, pieces);
}
template <typename real>
__device__ __forceinline__ void swiglu_backward_any(real *dgu, const real *dout, const real *gu, unsigned F, unsigned pieces) {
  backward<real, 1>(dgu, dout, gu, F, pieces);
}
BOTH(swiglu_forward, __launch_bounds__(256), (real * out, const real *gu, unsigned F, unsigned pieces), (out, gu, F, pieces))
BOTH(swiglu_forward_any, __launch_bounds__(256), (real * out, const real *gu, unsigned F, unsigned pieces), (out, gu, F, pieces))
BOTH(swiglu_backward, __launch_bounds__(256), (real * dgu, const real *dout, const real *gu, unsigned F, unsigned pieces),
     (dgu, dout, gu, F, pieces))
BOTH(swiglu_backward_any, __launch_bounds__(256), (real * dgu, const real *dout, const real *gu, unsigned F, unsigned pieces),
     (dgu, dout, gu, F, pieces))
