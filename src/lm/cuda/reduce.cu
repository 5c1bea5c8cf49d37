/* reduce.cu - sums in two stages: each block leaves one value or one row of columns, then they are added up, always in the same order. */
#include "common.cuh"

/* partial[block] = sum of f(x) over the block's share; square: f(x) = x * x */
__device__ __forceinline__ float pick(float x, unsigned square) { return square ? x * x : x; }

extern "C" __global__ void __launch_bounds__(512) sum_blocks(float *partial, const float *x, u64 n, unsigned square, unsigned wide) {
  __shared__ float hold[32];
  u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x, step = (u64)gridDim.x * blockDim.x, vectors = wide ? n / 4 : 0, i = at;
  float s[4] = {0.f, 0.f, 0.f, 0.f};
  for (; i + 3 * step < vectors; i += 4 * step) {
    float4 v[4];
#pragma unroll
    for (int u = 0; u < 4; u++) v[u] = ((const float4 *)x)[i + u * step];
#pragma unroll
    for (int u = 0; u < 4; u++)
      s[u] += (pick(v[u].x, square) + pick(v[u].y, square)) + (pick(v[u].z, square) + pick(v[u].w, square));
  }
  for (; i < vectors; i += step) {
    float4 v = ((const float4 *)x)[i];
    s[0] += (pick(v.x, square) + pick(v.y, square)) + (pick(v.z, square) + pick(v.w, square));
  }
  for (i = vectors * 4 + at; i < n; i += step) s[1] += pick(x[i], square);
  float all = block_sum((s[0] + s[1]) + (s[2] + s[3]), hold);
  if (threadIdx.x == 0) partial[blockIdx.x] = all;
}

/* One block: *out = (or +=) the sum of n values, n at most some thousands. */
extern "C" __global__ void __launch_bounds__(1024) sum_last(float *out, const float *partial, unsigned n, unsigned add) {
  __shared__ double hold[1024];
  double s = 0;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) s += (double)partial[i];
  hold[threadIdx.x] = s;
  __syncthreads();
  for (unsigned d = blockDim.x / 2; d; d >>= 1) {
    if (threadIdx.x < d) hold[threadIdx.x] += hold[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = (float)((add ? (double)*out : 0.0) + hold[0]);
}

/* to[c] += sum of partial[g, c] over g < G; a block of 1024 threads for 32 columns. */
extern "C" __global__ void __launch_bounds__(1024) columns_add(float *to, const float *partial, unsigned G, unsigned C) {
  __shared__ float hold[32][33];
  unsigned lane = threadIdx.x % 32, way = threadIdx.x / 32, c = blockIdx.x * 32 + lane;
  float s = 0.f;
  if (c < C) {
#pragma unroll 8
    for (unsigned g = way; g < G; g += 32) s += partial[(u64)g * C + c];
  }
  hold[way][lane] = s;
  __syncthreads();
  s = warp_sum(hold[lane][way]); /* column `way` of the 32 */
  c = blockIdx.x * 32 + way;
  if (lane == 0 && c < C) to[c] += s;
}

/* partial[block y, c] = sum over the block's rows of x[n, c] (stride ld): the first stage of a bias' gradient. */
template <typename real> __device__ __forceinline__ void column_sums(float *partial, const real *x, unsigned ld, unsigned N, unsigned C) {
  __shared__ float hold[8][33];
  unsigned lane = threadIdx.x % 32, way = threadIdx.x / 32, c = blockIdx.x * 32 + lane;
  float s = 0.f;
  if (c < C) {
#pragma unroll 4
    for (u64 n = (u64)blockIdx.y * 8 + way; n < N; n += (u64)gridDim.y * 8) s += to_float(x[n * ld + c]);
  }
  hold[way][lane] = s;
  __syncthreads();
  if (way || c >= C) return;
  for (int w = 1; w < 8; w++) s += hold[w][lane];
  partial[(u64)blockIdx.y * C + c] = s;
}
BOTH(column_sums, __launch_bounds__(256), (float *partial, const real *x, unsigned ld, unsigned N, unsigned C), (partial, x, ld, N, C))
