// Matrices of bytes: dp4a, mma.sync of s8, and a product of a matrix of 4-bit numbers with a vector.
#include <cuda_fp16.h>
#include "ptx.h"

// C = A B^T; tile 64 x 64 x 64 bytes, 4 x 4 results a thread, columns 16 apart.
// warpwise: grid=N/64,M/64 block=256 M=1024 N=1024 K=1024 A=i8[M*K] B=i8[N*K] C=i32[M*N]
extern "C" __global__ void __launch_bounds__(256) igemm_dp4a(int M, int N, int K, const signed char *A, const signed char *B, int *C) {
  __shared__ int a[64][17], b[64][17];
  int t = threadIdx.x, x = t % 16, y = t / 16, r = t / 4, q = t % 4;
  const signed char *ap = A + (size_t)(blockIdx.y * 64 + r) * K + q * 16, *bp = B + (size_t)(blockIdx.x * 64 + r) * K + q * 16;
  int s[4][4] = {};
  for (int k = 0; k < K; k += 64) {
    int4 u = *(const int4 *)(ap + k), v = *(const int4 *)(bp + k);
    a[r][q * 4] = u.x;
    a[r][q * 4 + 1] = u.y;
    a[r][q * 4 + 2] = u.z;
    a[r][q * 4 + 3] = u.w;
    b[r][q * 4] = v.x;
    b[r][q * 4 + 1] = v.y;
    b[r][q * 4 + 2] = v.z;
    b[r][q * 4 + 3] = v.w;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) {
      int c[4], d[4];
#pragma unroll
      for (int j = 0; j < 4; j++) {
        c[j] = a[y + 16 * j][i];
        d[j] = b[x + 16 * j][i];
      }
#pragma unroll
      for (int j = 0; j < 4; j++)
#pragma unroll
        for (int l = 0; l < 4; l++) s[j][l] = __dp4a(c[j], d[l], s[j][l]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int l = 0; l < 4; l++) C[(size_t)(blockIdx.y * 64 + y + 16 * j) * N + blockIdx.x * 64 + x + 16 * l] = s[j][l];
}

// C = A B^T on tensor cores; tile 128 x 64 x 64 bytes, four warps of 64 x 32, two stages.
// warpwise: grid=N/64,M/128 block=128 M=1024 N=1024 K=1024 A=i8[M*K] B=i8[N*K] C=i32[M*N]
extern "C" __global__ void __launch_bounds__(128) igemm_mma(int M, int N, int K, const signed char *A, const signed char *B, int *C) {
  __shared__ __align__(128) unsigned char tiles[2][12288];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, wm = warp / 2 * 64, wn = warp % 2 * 32;
  const signed char *ap = A + (size_t)blockIdx.y * 128 * K, *bp = B + (size_t)blockIdx.x * 64 * K;
  uint32_t base = shared_address(tiles);
  auto stage = [&](int slot, int k) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int c = t + 128 * i;
      copy16(base + slot * 12288 + swizzle64(c / 4, c % 4), ap + (size_t)(c / 4) * K + k + c % 4 * 16);
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int c = t + 128 * i;
      copy16(base + slot * 12288 + 8192 + swizzle64(c / 4, c % 4), bp + (size_t)(c / 4) * K + k + c % 4 * 16);
    }
    copy_commit();
  };
  int acc[4][4][4] = {};
  stage(0, 0);
  for (int k = 0, slot = 0; k < K; k += 64, slot ^= 1) {
    if (k + 64 < K) {
      stage(slot ^ 1, k + 64);
      copy_wait<1>();
    } else
      copy_wait<0>();
    __syncthreads();
    uint32_t at = base + slot * 12288, bt = at + 8192;
#pragma unroll
    for (int kk = 0; kk < 2; kk++) {
      uint32_t u[4][4], v[2][4];
#pragma unroll
      for (int i = 0; i < 4; i++) load_matrices(u[i], at + swizzle64(wm + 16 * i + lane % 16, 2 * kk + lane / 16));
#pragma unroll
      for (int j = 0; j < 2; j++) load_matrices(v[j], bt + swizzle64(wn + 16 * j + lane % 8 + lane / 16 * 8, 2 * kk + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) multiply_s8(acc[i][j], u[i], v[j / 2][j % 2 * 2], v[j / 2][j % 2 * 2 + 1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      int *c = C + (size_t)(blockIdx.y * 128 + wm + 16 * i + lane / 4) * N + blockIdx.x * 64 + wn + 8 * j + lane % 4 * 2;
      *(int2 *)c = make_int2(acc[i][j][0], acc[i][j][1]);
      *(int2 *)(c + (size_t)8 * N) = make_int2(acc[i][j][2], acc[i][j][3]);
    }
}

// y = W x; eight 4-bit numbers (less 8) a word, a scale for 64 of them; a warp a row, 1024 numbers at a time.
// warpwise: grid=rows/4 block=128 rows=4096 cols=4096 w=u32[rows*cols/8] scale=f16[rows*cols/64] x=f16[cols] y=f16[rows]
extern "C" __global__ void __launch_bounds__(128)
    gemv_int4(int rows, int cols, const uint32_t *__restrict__ w, const half *__restrict__ scale, const half *__restrict__ x, half *__restrict__ y) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint4 *in = (const uint4 *)(w + (size_t)row * cols / 8);
  const half *sc = scale + (size_t)row * cols / 64;
  float sum = 0;
  for (int c = lane * 32; c < cols; c += 1024) {
    uint4 p = in[c / 32];
    uint32_t words[4] = {p.x, p.y, p.z, p.w};
    float part = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      uint4 v = *(const uint4 *)&x[c + 8 * i];
      const half2 *h = (const half2 *)&v;
#pragma unroll
      for (int j = 0; j < 4; j++) {
        float2 f = __half22float2(h[j]);
        part += f.x * ((int)(words[i] >> (8 * j) & 15) - 8) + f.y * ((int)(words[i] >> (8 * j + 4) & 15) - 8);
      }
    }
    sum += part * __half2float(sc[c / 64]);
  }
  for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (lane == 0) y[row] = __float2half(sum);
}
