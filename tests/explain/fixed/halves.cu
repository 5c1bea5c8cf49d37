#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
// warpwise: grid=n/64,n/64 block=256 n=2048 a=f16[n*n] b=f16[n*n] c=f32[n*n]
__global__ void halves(const __half *__restrict__ a, const __half *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ __align__(16) __half at[64][24], bt[16][72];
  int t = threadIdx.x, warp = t / 32, row = blockIdx.y * 64, col = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2];
  for (int j = 0; j < 2; j++) wmma::fill_fragment(sum[j], 0.0f);
  for (int k = 0; k < n; k += 16) {
    *(uint2 *)&at[t / 4][t % 4 * 4] = *(const uint2 *)&a[(row + t / 4) * n + k + t % 4 * 4];
    *(uint2 *)&bt[t / 16][t % 16 * 4] = *(const uint2 *)&b[(k + t / 16) * n + col + t % 16 * 4];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::load_matrix_sync(fa, &at[warp / 2 * 16][0], 24);
    for (int j = 0; j < 2; j++) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
      wmma::load_matrix_sync(fb, &bt[0][(warp % 2 * 2 + j) * 16], 72);
      wmma::mma_sync(sum[j], fa, fb, sum[j]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; j++)
    wmma::store_matrix_sync(&c[(row + warp / 2 * 16) * n + col + (warp % 2 * 2 + j) * 16], sum[j], n, wmma::mem_row_major);
}
