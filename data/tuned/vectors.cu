// Long vectors: bias and GELU of halves, a sparse matrix by rows, Fourier transforms of 512 numbers in registers.
#include <cuda_fp16.h>

__device__ __forceinline__ float gelu(float x) {
  float u = 0.7978845608f * (x + 0.044715f * x * x * x);
  return x / (1 + __expf(-2 * u));
}

// Eight halves a thread at a time.
// warpwise: grid=rows*cols/2048 block=256 rows=4096 cols=4096 x=f16[rows*cols] bias=f16[cols] y=f16[rows*cols]
extern "C" __global__ void __launch_bounds__(256) bias_gelu(int rows, int cols, const half *__restrict__ x, const half *__restrict__ bias, half *__restrict__ y) {
  size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
  uint4 v = ((const uint4 *)x)[i], b = ((const uint4 *)bias)[i % (cols / 8)];
  half2 *h = (half2 *)&v;
  const half2 *g = (const half2 *)&b;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    float2 f = __half22float2(__hadd2(h[j], g[j]));
    h[j] = __floats2half2_rn(gelu(f.x), gelu(f.y));
  }
  ((uint4 *)y)[i] = v;
}

// Eight lanes a row of a sparse matrix.
// warpwise: grid=rows/32 block=256 rows=65536 nnz=rows*32 start=i32[rows+1]:monotone(0,nnz) col=i32[nnz]:uniform(0,rows) val=f32[nnz] x=f32[rows] y=f32[rows]
extern "C" __global__ void __launch_bounds__(256)
    spmv_lanes8(int rows, int nnz, const int *__restrict__ start, const int *__restrict__ col, const float *__restrict__ val, const float *__restrict__ x, float *__restrict__ y) {
  int row = blockIdx.x * 32 + threadIdx.x / 8, lane = threadIdx.x % 8;
  int end = start[row + 1];
  float s = 0;
  for (int i = start[row] + lane; i < end; i += 8) s += val[i] * __ldg(&x[col[i]]);
  s += __shfl_xor_sync(~0u, s, 4);
  s += __shfl_xor_sync(~0u, s, 2);
  s += __shfl_xor_sync(~0u, s, 1);
  if (lane == 0) y[row] = s;
}

__device__ __forceinline__ float2 add(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 sub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 mul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ __forceinline__ float2 turn(float2 a) { return make_float2(a.y, -a.x); } // by -i

// Eight numbers, results in bit-reversed order.
__device__ __forceinline__ void fourier8(float2 v[8]) {
  const float h = 0.70710678f;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    float2 a = v[i];
    v[i] = add(a, v[i + 4]);
    v[i + 4] = sub(a, v[i + 4]);
  }
  v[5] = mul(v[5], make_float2(h, -h));
  v[6] = turn(v[6]);
  v[7] = mul(v[7], make_float2(-h, -h));
#pragma unroll
  for (int g = 0; g < 8; g += 4) {
    float2 a = v[g], b = v[g + 1];
    v[g] = add(a, v[g + 2]);
    v[g + 2] = sub(a, v[g + 2]);
    v[g + 1] = add(b, v[g + 3]);
    v[g + 3] = turn(sub(b, v[g + 3]));
  }
#pragma unroll
  for (int g = 0; g < 8; g += 2) {
    float2 a = v[g];
    v[g] = add(a, v[g + 1]);
    v[g + 1] = sub(a, v[g + 1]);
  }
}

// 64 threads a transform, two transforms a block; three passes of eight.
// warpwise: grid=batch/2 block=64,2 batch=32768 in=f32[batch*1024] out=f32[batch*1024]
extern "C" __global__ void __launch_bounds__(128) fourier512(int batch, const float2 *__restrict__ in, float2 *__restrict__ out) {
  __shared__ float2 s[2][8 * 72];
  int t = threadIdx.x;
  float2 *mine = s[threadIdx.y], v[8];
  size_t at = (size_t)(blockIdx.x * 2 + threadIdx.y) * 512;
  const int reversed[8] = {0, 4, 2, 6, 1, 5, 3, 7};
#pragma unroll
  for (int i = 0; i < 8; i++) v[i] = in[at + t + 64 * i];
  fourier8(v);
  float sn, cs;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    __sincosf(-6.2831853f / 512 * (reversed[i] * t), &sn, &cs);
    mine[reversed[i] * 72 + t] = mul(v[i], make_float2(cs, sn));
  }
  __syncthreads();
  int high = t / 8, low = t % 8;
#pragma unroll
  for (int i = 0; i < 8; i++) v[i] = mine[high * 72 + low + 8 * i];
  fourier8(v);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; i++) {
    __sincosf(-6.2831853f / 64 * (reversed[i] * low), &sn, &cs);
    mine[high * 72 + reversed[i] * 9 + low] = mul(v[i], make_float2(cs, sn));
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; i++) v[i] = mine[high * 72 + low * 9 + i];
  fourier8(v);
#pragma unroll
  for (int i = 0; i < 8; i++) out[at + high + 8 * low + 64 * reversed[i]] = v[i];
}
