// Half precision and bytes.
#include <cuda_fp16.h>

// warpwise: grid=(n/2+255)/256 block=256 n=1<<23 a=0.5 x=f16[n] y=f16[n]
extern "C" __global__ void half_axpy(int n, float a, const __half2 *x, __half2 *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i < n) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

// Quantised matrix times vector: 32 weights of 4 bits with one scale.
// warpwise: grid=(m+3)/4 block=128 m=4096 n=4096 q=u8[m*n/2] scale=f16[m*n/32] x=f32[n] y=f32[m]
extern "C" __global__ void gemv_q4(int m, int n, const unsigned char *q, const __half *scale, const float *x, float *y) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= m) return;
  float s = 0.0f;
  for (int g = lane; g < n / 32; g += 32) {
    const uint4 w = ((const uint4 *)q)[(size_t)row * (n / 32) + g];
    const unsigned words[4] = {w.x, w.y, w.z, w.w};
    float part = 0.0f;
    for (int k = 0; k < 4; k++)
      for (int b = 0; b < 8; b++) part += (float)((int)(words[k] >> (4 * b) & 15) - 8) * x[g * 32 + k * 8 + b];
    s += part * __half2float(scale[(size_t)row * (n / 32) + g]);
  }
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (lane == 0) y[row] = s;
}

// Dot products of bytes, four at a time.
// warpwise: grid=n/16,n/16 block=16,16 n=512 a=i32[n*n/4] b=i32[n*n/4] c=i32[n*n]
extern "C" __global__ void gemm_dp4a(int n, const int *a, const int *b, int *c) {
  __shared__ int as[16][17], bs[16][17];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx, s = 0;
  for (int k0 = 0; k0 < n / 4; k0 += 16) {
    as[ty][tx] = a[row * (n / 4) + k0 + tx];
    bs[ty][tx] = b[(blockIdx.x * 16 + ty) * (n / 4) + k0 + tx];
    __syncthreads();
    for (int k = 0; k < 16; k++) s = __dp4a(as[ty][k], bs[tx][k], s);
    __syncthreads();
  }
  c[row * n + col] = s;
}
