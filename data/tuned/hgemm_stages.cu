// C = A B (or A B^T) of 16-bit numbers on tensor cores: wmma, and mma.sync with swizzled tiles in three and four stages.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include "ptx.h"

// B as it lies, K x N. Tile 128 x 64 x 32, four warps of 64 x 32, rows padded by 16 bytes.
// warpwise: grid=N/64,M/128 block=128 M=1024 N=1024 K=1024 A=f16[M*K] B=f16[K*N] C=f32[M*N]
extern "C" __global__ void __launch_bounds__(128) hgemm_wmma(int M, int N, int K, const half *A, const half *B, float *C) {
  using namespace nvcuda;
  __shared__ half a[128][40], b[32][72];
  int t = threadIdx.x, warp = t / 32, wm = warp / 2 * 64, wn = warp % 2 * 32;
  const half *ap = A + (size_t)blockIdx.y * 128 * K, *bp = B + blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[4][2];
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) wmma::fill_fragment(c[i][j], 0.0f);
  for (int k = 0; k < K; k += 32) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int q = t + 128 * i;
      *(uint4 *)&a[q / 4][q % 4 * 8] = *(const uint4 *)&ap[(size_t)(q / 4) * K + k + q % 4 * 8];
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int q = t + 128 * i;
      *(uint4 *)&b[q / 8][q % 8 * 8] = *(const uint4 *)&bp[(size_t)(k + q / 8) * N + q % 8 * 8];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> u[4];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> v[2];
#pragma unroll
      for (int i = 0; i < 4; i++) wmma::load_matrix_sync(u[i], &a[wm + 16 * i][kk], 40);
#pragma unroll
      for (int j = 0; j < 2; j++) wmma::load_matrix_sync(v[j], &b[kk][wn + 16 * j], 72);
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) wmma::mma_sync(c[i][j], u[i], v[j], c[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(&C[(size_t)(blockIdx.y * 128 + wm + 16 * i) * N + blockIdx.x * 64 + wn + 16 * j], c[i][j], N, wmma::mem_row_major);
}

// A B^T. Tile 128 x 128 x 32, eight warps of 64 x 32, three stages.
// warpwise: grid=N/128,M/128 block=256 M=1024 N=1024 K=1024 A=f16[M*K] B=f16[N*K] C=f16[M*N]
extern "C" __global__ void __launch_bounds__(256) hgemm_swizzle(int M, int N, int K, const half *A, const half *B, half *C) {
  __shared__ __align__(128) unsigned char tiles[3][16384];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, wm = warp / 4 * 64, wn = warp % 4 * 32;
  const half *ap = A + (size_t)blockIdx.y * 128 * K, *bp = B + (size_t)blockIdx.x * 128 * K;
  uint32_t base = shared_address(tiles);
  auto stage = [&](int slot, int k) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int c = t + 256 * i, r = c / 4, q = c % 4;
      copy16(base + slot * 16384 + swizzle64(r, q), ap + (size_t)r * K + k + q * 8);
      copy16(base + slot * 16384 + 8192 + swizzle64(r, q), bp + (size_t)r * K + k + q * 8);
    }
  };
  float acc[4][4][4] = {};
  stage(0, 0);
  copy_commit();
  stage(1, 32);
  copy_commit();
  for (int k = 0, slot = 0; k < K; k += 32) {
    copy_wait<1>();
    __syncthreads();
    if (k + 64 < K) stage(slot == 0 ? 2 : slot - 1, k + 64);
    copy_commit();
    uint32_t at = base + slot * 16384, bt = at + 8192;
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
        for (int j = 0; j < 4; j++) multiply_f16(acc[i][j], u[i], v[j / 2][j % 2 * 2], v[j / 2][j % 2 * 2 + 1]);
    }
    slot = slot == 2 ? 0 : slot + 1;
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      half *c = C + (size_t)(blockIdx.y * 128 + wm + 16 * i + lane / 4) * N + blockIdx.x * 128 + wn + 8 * j + lane % 4 * 2;
      *(half2 *)c = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2 *)(c + (size_t)8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// A B^T of bfloat16. Tile 64 x 256 x 32, four warps of 64 x 64, four stages of 20 KB.
// warpwise: grid=N/256,M/64 block=128 shared=81920 M=1024 N=1024 K=1024 A=bf16[M*K] B=bf16[N*K] C=f32[M*N]
extern "C" __global__ void __launch_bounds__(128) bgemm_4stages(int M, int N, int K, const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C) {
  extern __shared__ __align__(128) unsigned char tiles[];
  const int STAGE = 20480;
  int t = threadIdx.x, warp = t / 32, lane = t % 32, wn = warp * 64;
  const __nv_bfloat16 *ap = A + (size_t)blockIdx.y * 64 * K, *bp = B + (size_t)blockIdx.x * 256 * K;
  uint32_t base = shared_address(tiles);
  auto stage = [&](int slot, int k) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int c = t + 128 * i;
      copy16(base + slot * STAGE + swizzle64(c / 4, c % 4), ap + (size_t)(c / 4) * K + k + c % 4 * 8);
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
      int c = t + 128 * i;
      copy16(base + slot * STAGE + 4096 + swizzle64(c / 4, c % 4), bp + (size_t)(c / 4) * K + k + c % 4 * 8);
    }
  };
  float acc[4][8][4] = {};
#pragma unroll
  for (int s = 0; s < 3; s++) {
    stage(s, 32 * s);
    copy_commit();
  }
  for (int i = 0; i < K / 32; i++) {
    copy_wait<2>();
    __syncthreads();
    if (i + 3 < K / 32) stage((i + 3) % 4, 32 * (i + 3));
    copy_commit();
    uint32_t at = base + i % 4 * STAGE, bt = at + 4096;
#pragma unroll
    for (int kk = 0; kk < 2; kk++) {
      uint32_t u[4][4], v[4][4];
#pragma unroll
      for (int j = 0; j < 4; j++) {
        load_matrices(u[j], at + swizzle64(16 * j + lane % 16, 2 * kk + lane / 16));
        load_matrices(v[j], bt + swizzle64(wn + 16 * j + lane % 8 + lane / 16 * 8, 2 * kk + lane / 8 % 2));
      }
#pragma unroll
      for (int m = 0; m < 4; m++)
#pragma unroll
        for (int j = 0; j < 8; j++) multiply_bf16(acc[m][j], u[m], v[j / 2][j % 2 * 2], v[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int m = 0; m < 4; m++)
#pragma unroll
    for (int j = 0; j < 8; j++) {
      float *c = C + (size_t)(blockIdx.y * 64 + 16 * m + lane / 4) * N + blockIdx.x * 256 + wn + 8 * j + lane % 4 * 2;
      *(float2 *)c = make_float2(acc[m][j][0], acc[m][j][1]);
      *(float2 *)(c + (size_t)8 * N) = make_float2(acc[m][j][2], acc[m][j][3]);
    }
}
