#include <cuda_fp16.h>
// Product of matrices of half precision, 4 x 4 results a thread, each multiply-add an instruction.
// expect: matrix-units 21
// warpwise: grid=n/64,n/64 block=256 n=2048 a=f16[n*n] b=f16[n*n] c=f32[n*n]
__global__ void halves(const __half *__restrict__ a, const __half *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ __align__(16) __half at[64][24], bt[16][72];
  int t = threadIdx.x, x = t % 16, y = t / 16, row = blockIdx.y * 64, col = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    *(uint2 *)&at[t / 4][t % 4 * 4] = *(const uint2 *)&a[(row + t / 4) * n + k + t % 4 * 4];
    *(uint2 *)&bt[t / 16][t % 16 * 4] = *(const uint2 *)&b[(k + t / 16) * n + col + t % 16 * 4];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) {
      float u[4], v[4];
#pragma unroll
      for (int j = 0; j < 4; j++) u[j] = __half2float(at[y * 4 + j][i]), v[j] = __half2float(bt[i][x + 16 * j]);
#pragma unroll
      for (int j = 0; j < 4; j++)
#pragma unroll
        for (int l = 0; l < 4; l++) sum[j][l] += u[j] * v[l];
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; j++)
    for (int l = 0; l < 4; l++) c[(row + y * 4 + j) * n + col + x + 16 * l] = sum[j][l];
}
