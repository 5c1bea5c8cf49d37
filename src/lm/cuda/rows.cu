/* rows.cu - rows picked and put back, values scaled and converted. Blocks walk along a row, `pieces` blocks for each. */
#include "common.cuh"

template <typename real, int W>
__device__ __forceinline__ void gather(real *out, const real *inp, const int *row, unsigned C, unsigned pieces) {
  unsigned i = blockIdx.x / pieces, c = ((blockIdx.x - i * pieces) * blockDim.x + threadIdx.x) * W;
  if (c >= C) return;
  const real *from = inp + (u64)row[i] * C + c;
  real *to = out + (u64)i * C + c;
  if (W == 1)
    *to = *from;
  else
    store16(to, load16(from));
}

template <typename real, int W>
__device__ __forceinline__ void scatter_add(real *out, const real *inp, const int *row, unsigned C, unsigned pieces) {
  unsigned i = blockIdx.x / pieces, c = ((blockIdx.x - i * pieces) * blockDim.x + threadIdx.x) * W;
  if (c >= C) return;
  real *to = out + (u64)row[i] * C + c;
  float x[W], y[W];
  group<real, W>::load(x, inp + (u64)i * C + c);
  group<real, W>::load(y, to);
#pragma unroll
  for (int k = 0; k < W; k++) y[k] += x[k];
  group<real, W>::store(to, y);
}

#define ROWS_PARAMS (real * out, const real *inp, const int *row, unsigned C, unsigned pieces)
#define ROWS_ARGS (out, inp, row, C, pieces)
template <typename real> __device__ __forceinline__ void gather_rows ROWS_PARAMS { gather<real, WIDE(real)> ROWS_ARGS; }
template <typename real> __device__ __forceinline__ void gather_rows_any ROWS_PARAMS { gather<real, 1> ROWS_ARGS; }
template <typename real> __device__ __forceinline__ void scatter_add_rows ROWS_PARAMS { scatter_add<real, WIDE(real)> ROWS_ARGS; }
template <typename real> __device__ __forceinline__ void scatter_add_rows_any ROWS_PARAMS { scatter_add<real, 1> ROWS_ARGS; }
BOTH(gather_rows, __launch_bounds__(256), ROWS_PARAMS, ROWS_ARGS)
BOTH(gather_rows_any, __launch_bounds__(256), ROWS_PARAMS, ROWS_ARGS)
BOTH(scatter_add_rows, __launch_bounds__(256), ROWS_PARAMS, ROWS_ARGS)
BOTH(scatter_add_rows_any, __launch_bounds__(256), ROWS_PARAMS, ROWS_ARGS)

/* ---- n values, wherever they lie: vectors where all addresses are aligned (wide), the rest one by one ---- */

template <typename real> __device__ __forceinline__ void scale(real *x, float by, u64 n, unsigned wide) {
  const int W = WIDE(real);
  u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x, step = (u64)gridDim.x * blockDim.x, vectors = wide ? n / W : 0;
  for (u64 i = at; i < vectors; i += step) {
    float f[W];
    unpack(f, load16(x + i * W));
#pragma unroll
    for (int k = 0; k < W; k++) f[k] *= by;
    store16(x + i * W, pack(f));
  }
  for (u64 i = vectors * W + at; i < n; i += step) x[i] = of_float<real>(to_float(x[i]) * by);
}
BOTH(scale, __launch_bounds__(256), (real * x, float by, u64 n, unsigned wide), (x, by, n, wide))

/* ww_dropped of ops.h */
__device__ __forceinline__ bool dropped(u64 seed, u64 i, float share) {
  unsigned x = (unsigned)i * 0x9e3779b1u + (unsigned)seed;
  x ^= (unsigned)(seed >> 32) + (unsigned)(i >> 32);
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return (float)((x ^ x >> 16) >> 8) * 5.9604644775390625e-8f < share;
}

template <typename real>
__device__ __forceinline__ void dropout(real *out, const real *inp, float share, u64 seed, u64 n, unsigned wide) {
  const int W = WIDE(real);
  const float by = 1.f / (1.f - share);
  u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x, step = (u64)gridDim.x * blockDim.x, vectors = wide ? n / W : 0;
  for (u64 i = at; i < vectors; i += step) {
    float f[W];
    unpack(f, load16(inp + i * W));
#pragma unroll
    for (int k = 0; k < W; k++) f[k] = dropped(seed, i * W + k, share) ? 0.f : f[k] * by;
    store16(out + i * W, pack(f));
  }
  for (u64 i = vectors * W + at; i < n; i += step) out[i] = of_float<real>(dropped(seed, i, share) ? 0.f : to_float(inp[i]) * by);
}
BOTH(dropout, __launch_bounds__(256), (real * out, const real *inp, float share, u64 seed, u64 n, unsigned wide), (out, inp, share, seed, n, wide))

template <typename real> __device__ __forceinline__ void to_real(real *to, const float *from, u64 n, unsigned wide) {
  const int W = WIDE(real);
  u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x, step = (u64)gridDim.x * blockDim.x, vectors = wide ? n / W : 0;
  for (u64 i = at; i < vectors; i += step) {
    float f[W];
    load_floats<W>(f, from + i * W);
    store16(to + i * W, pack(f));
  }
  for (u64 i = vectors * W + at; i < n; i += step) to[i] = of_float<real>(from[i]);
}
BOTH(to_real, __launch_bounds__(256), (real * to, const float *from, u64 n, unsigned wide), (to, from, n, wide))

template <typename real> __device__ __forceinline__ void to_f32(float *to, const real *from, u64 n, unsigned wide) {
  const int W = WIDE(real);
  u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x, step = (u64)gridDim.x * blockDim.x, vectors = wide ? n / W : 0;
  for (u64 i = at; i < vectors; i += step) {
    float f[W];
    unpack(f, load16(from + i * W));
    store_floats<W>(to + i * W, f);
  }
  for (u64 i = vectors * W + at; i < n; i += step) to[i] = to_float(from[i]);
}
BOTH(to_f32, __launch_bounds__(256), (float *to, const real *from, u64 n, unsigned wide), (to, from, n, wide))
