// Products of matrices, scored once: registers in two sets, wmma with asynchronous copies, B as it lies, bytes, slices of K.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include "../ptx.h"

// C = alpha A B + beta C; tile 128 x 64 x 16, 128 threads of 8 x 8; what the next of k needs is read while this is multiplied.
// warpwise: grid=N/64,M/128 block=128 M=1024 N=1024 K=1024 alpha=1.5 beta=0.5 A=f32[M*K] B=f32[K*N] C=f32[M*N]:random
extern "C" __global__ void __launch_bounds__(128)
    sgemm_two_sets(int M, int N, int K, float alpha, float beta, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C) {
  __shared__ float a[2][16][132], b[2][16][64];
  int t = threadIdx.x, y = t / 8 * 4, x = t % 8 * 4;
  int ar = t / 4, ac = t % 4 * 4, br = t / 16, bc = t % 16 * 4;
  const float *ap = A + (size_t)(blockIdx.y * 128 + ar) * K + ac, *bp = B + (size_t)br * N + blockIdx.x * 64 + bc;
  float4 p[4], q[2];
  float s[8][8] = {}, u[2][8], v[2][8];
  auto fetch = [&](int k) {
#pragma unroll
    for (int i = 0; i < 4; i++) p[i] = *(const float4 *)&ap[(size_t)32 * i * K + k];
#pragma unroll
    for (int i = 0; i < 2; i++) q[i] = *(const float4 *)&bp[(size_t)(k + 8 * i) * N];
  };
  auto put = [&](int to) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      a[to][ac][ar + 32 * i] = p[i].x;
      a[to][ac + 1][ar + 32 * i] = p[i].y;
      a[to][ac + 2][ar + 32 * i] = p[i].z;
      a[to][ac + 3][ar + 32 * i] = p[i].w;
    }
#pragma unroll
    for (int i = 0; i < 2; i++) *(float4 *)&b[to][br + 8 * i][bc] = q[i];
  };
  auto read = [&](int set, int from, int k) {
    *(float4 *)&u[set][0] = *(const float4 *)&a[from][k][y];
    *(float4 *)&u[set][4] = *(const float4 *)&a[from][k][y + 64];
    *(float4 *)&v[set][0] = *(const float4 *)&b[from][k][x];
    *(float4 *)&v[set][4] = *(const float4 *)&b[from][k][x + 32];
  };
  fetch(0);
  put(0);
  __syncthreads();
  read(0, 0, 0);
  int now = 0;
  for (int k = 16; k <= K; k += 16) {
    if (k < K) fetch(k);
#pragma unroll
    for (int i = 0; i < 16; i++) {
      if (i < 15)
        read((i + 1) & 1, now, i + 1);
      else if (k < K) {
        put(now ^ 1);
        __syncthreads();
        read(0, now ^ 1, 0);
      }
#pragma unroll
      for (int j = 0; j < 8; j++)
#pragma unroll
        for (int l = 0; l < 8; l++) s[j][l] += u[i & 1][j] * v[i & 1][l];
    }
    now ^= 1;
  }
#pragma unroll
  for (int j = 0; j < 8; j++)
#pragma unroll
    for (int h = 0; h < 2; h++) {
      float4 *c = (float4 *)&C[(size_t)(blockIdx.y * 128 + y + j / 4 * 64 + j % 4) * N + blockIdx.x * 64 + x + 32 * h], o = *c;
      *c = make_float4(alpha * s[j][4 * h] + beta * o.x, alpha * s[j][4 * h + 1] + beta * o.y, alpha * s[j][4 * h + 2] + beta * o.z,
                       alpha * s[j][4 * h + 3] + beta * o.w);
    }
}

// Tile 64 x 64 x 64 of bfloat16, four warps of 32 x 32 by wmma, two stages of cp.async.
// warpwise: grid=N/64,M/64 block=128 M=1024 N=1024 K=1024 A=bf16[M*K] B=bf16[K*N] C=f32[M*N]
extern "C" __global__ void __launch_bounds__(128) bgemm_wmma(int M, int N, int K, const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C) {
  using namespace nvcuda;
  __shared__ __align__(16) __nv_bfloat16 a[2][64][72], b[2][64][72];
  int t = threadIdx.x, warp = t / 32, wm = warp / 2 * 32, wn = warp % 2 * 32;
  const __nv_bfloat16 *ap = A + (size_t)blockIdx.y * 64 * K, *bp = B + blockIdx.x * 64;
  auto stage = [&](int slot, int k) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int c = t + 128 * i, r = c / 8, q = c % 8 * 8;
      copy16(shared_address(&a[slot][r][q]), ap + (size_t)r * K + k + q);
      copy16(shared_address(&b[slot][r][q]), bp + (size_t)(k + r) * N + q);
    }
    copy_commit();
  };
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
#pragma unroll
  for (int i = 0; i < 4; i++) wmma::fill_fragment(c[i / 2][i % 2], 0.0f);
  stage(0, 0);
  for (int k = 0, slot = 0; k < K; k += 64, slot ^= 1) {
    copy_wait<0>();
    __syncthreads();
    if (k + 64 < K) stage(slot ^ 1, k + 64);
#pragma unroll
    for (int kk = 0; kk < 64; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> u[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> v[2];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(u[i], &a[slot][wm + 16 * i][kk], 72);
        wmma::load_matrix_sync(v[i], &b[slot][kk][wn + 16 * i], 72);
      }
#pragma unroll
      for (int i = 0; i < 4; i++) wmma::mma_sync(c[i / 2][i % 2], u[i / 2], v[i % 2], c[i / 2][i % 2]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
    wmma::store_matrix_sync(&C[(size_t)(blockIdx.y * 64 + wm + i / 2 * 16) * N + blockIdx.x * 64 + wn + i % 2 * 16], c[i / 2][i % 2], N, wmma::mem_row_major);
}

// B as it lies, K x N, its fragments turned by ldmatrix; tile 128 x 128 x 32, four warps of 64 x 64, four stages.
// warpwise: grid=N/128,M/128 block=128 shared=65536 M=1024 N=1024 K=1024 A=bf16[M*K] B=bf16[K*N] C=bf16[M*N]
extern "C" __global__ void __launch_bounds__(128) bgemm_turned(int M, int N, int K, const __nv_bfloat16 *A, const __nv_bfloat16 *B, __nv_bfloat16 *C) {
  extern __shared__ __align__(128) unsigned char tiles[];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, wm = warp / 2 * 64, wn = warp % 2 * 64;
  const __nv_bfloat16 *ap = A + (size_t)blockIdx.y * 128 * K, *bp = B + blockIdx.x * 128;
  uint32_t base = shared_address(tiles);
  auto wide = [](int row, int piece) { return (uint32_t)(row * 256 + ((piece ^ (row & 7)) << 4)); };
  auto stage = [&](int slot, int k) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int c = t + 128 * i;
      copy16(base + slot * 16384 + swizzle64(c / 4, c % 4), ap + (size_t)(c / 4) * K + k + c % 4 * 8);
      copy16(base + slot * 16384 + 8192 + wide(c / 16, c % 16), bp + (size_t)(k + c / 16) * N + c % 16 * 8);
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
    if (i + 3 < K / 32) stage((i + 3) & 3, 32 * (i + 3));
    copy_commit();
    uint32_t at = base + (i & 3) * 16384, bt = at + 8192;
#pragma unroll
    for (int kk = 0; kk < 2; kk++) {
      uint32_t u[4][4];
#pragma unroll
      for (int m = 0; m < 4; m++) load_matrices(u[m], at + swizzle64(wm + 16 * m + lane % 16, 2 * kk + lane / 16));
#pragma unroll
      for (int j = 0; j < 4; j++) {
        uint32_t v[4];
        load_matrices_turned(v, bt + wide(16 * kk + lane % 16, wn / 8 + 2 * j + lane / 16));
#pragma unroll
        for (int m = 0; m < 4; m++) {
          multiply_bf16(acc[m][2 * j], u[m], v[0], v[1]);
          multiply_bf16(acc[m][2 * j + 1], u[m], v[2], v[3]);
        }
      }
    }
  }
#pragma unroll
  for (int m = 0; m < 4; m++)
#pragma unroll
    for (int j = 0; j < 8; j++) {
      __nv_bfloat16 *c = C + (size_t)(blockIdx.y * 128 + wm + 16 * m + lane / 4) * N + blockIdx.x * 128 + wn + 8 * j + lane % 4 * 2;
      *(__nv_bfloat162 *)c = __floats2bfloat162_rn(acc[m][j][0], acc[m][j][1]);
      *(__nv_bfloat162 *)(c + (size_t)8 * N) = __floats2bfloat162_rn(acc[m][j][2], acc[m][j][3]);
    }
}

// Bytes with a scale for each row and each column; tile 128 x 128 x 64, eight warps of 64 x 32, three stages.
// warpwise: grid=N/128,M/128 block=256 M=1024 N=1024 K=1024 A=i8[M*K] B=i8[N*K] sa=f32[M] sb=f32[N] C=f16[M*N]
extern "C" __global__ void __launch_bounds__(256)
    igemm_scaled(int M, int N, int K, const signed char *A, const signed char *B, const float *__restrict__ sa, const float *__restrict__ sb, half *C) {
  __shared__ __align__(128) unsigned char tiles[3][16384];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, wm = warp / 4 * 64, wn = warp % 4 * 32;
  const signed char *ap = A + (size_t)blockIdx.y * 128 * K, *bp = B + (size_t)blockIdx.x * 128 * K;
  uint32_t base = shared_address(tiles);
  auto stage = [&](int slot, int k) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int c = t + 256 * i, r = c / 4, q = c % 4;
      copy16(base + slot * 16384 + swizzle64(r, q), ap + (size_t)r * K + k + q * 16);
      copy16(base + slot * 16384 + 8192 + swizzle64(r, q), bp + (size_t)r * K + k + q * 16);
    }
  };
  int acc[4][4][4] = {};
  stage(0, 0);
  copy_commit();
  stage(1, 64);
  copy_commit();
  for (int i = 0; i < K / 64; i++) {
    copy_wait<1>();
    __syncthreads();
    if (i + 2 < K / 64) stage((i + 2) % 3, 64 * (i + 2));
    copy_commit();
    uint32_t at = base + i % 3 * 16384, bt = at + 8192;
#pragma unroll
    for (int kk = 0; kk < 2; kk++) {
      uint32_t u[4][4], v[2][4];
#pragma unroll
      for (int m = 0; m < 4; m++) load_matrices(u[m], at + swizzle64(wm + 16 * m + lane % 16, 2 * kk + lane / 16));
#pragma unroll
      for (int j = 0; j < 2; j++) load_matrices(v[j], bt + swizzle64(wn + 16 * j + lane % 8 + lane / 16 * 8, 2 * kk + lane / 8 % 2));
#pragma unroll
      for (int m = 0; m < 4; m++)
#pragma unroll
        for (int j = 0; j < 4; j++) multiply_s8(acc[m][j], u[m], v[j / 2][j % 2 * 2], v[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int m = 0; m < 4; m++) {
    int row = blockIdx.y * 128 + wm + 16 * m + lane / 4;
    float high = sa[row] * 1e-4f, low = sa[row + 8] * 1e-4f;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      int col = blockIdx.x * 128 + wn + 8 * j + lane % 4 * 2;
      float2 s = *(const float2 *)&sb[col];
      *(half2 *)&C[(size_t)row * N + col] = __floats2half2_rn(acc[m][j][0] * high * s.x, acc[m][j][1] * high * s.y);
      *(half2 *)&C[(size_t)(row + 8) * N + col] = __floats2half2_rn(acc[m][j][2] * low * s.x, acc[m][j][3] * low * s.y);
    }
  }
}

// A slice of K a block, added to floats by atomics; tile 64 x 64 x 32 of halves, four warps of 32 x 32, two stages.
// warpwise: grid=N/64,M/64,slices block=128 M=256 N=512 K=8192 slices=8 A=f16[M*K] B=f16[N*K] C=f32[M*N]:zeros
extern "C" __global__ void __launch_bounds__(128) hgemm_slices(int M, int N, int K, int slices, const half *A, const half *B, float *C) {
  __shared__ __align__(128) unsigned char tiles[2][8192];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, wm = warp / 2 * 32, wn = warp % 2 * 32, part = K / slices;
  const half *ap = A + (size_t)blockIdx.y * 64 * K + blockIdx.z * part, *bp = B + (size_t)blockIdx.x * 64 * K + blockIdx.z * part;
  uint32_t base = shared_address(tiles);
  auto stage = [&](int slot, int k) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int c = t + 128 * i, r = c / 4, q = c % 4;
      copy16(base + slot * 8192 + swizzle64(r, q), ap + (size_t)r * K + k + q * 8);
      copy16(base + slot * 8192 + 4096 + swizzle64(r, q), bp + (size_t)r * K + k + q * 8);
    }
    copy_commit();
  };
  float acc[2][4][4] = {};
  stage(0, 0);
  for (int k = 0, slot = 0; k < part; k += 32, slot ^= 1) {
    copy_wait<0>();
    __syncthreads();
    if (k + 32 < part) stage(slot ^ 1, k + 32);
    uint32_t at = base + slot * 8192, bt = at + 4096;
#pragma unroll
    for (int kk = 0; kk < 2; kk++) {
      uint32_t u[2][4], v[2][4];
#pragma unroll
      for (int j = 0; j < 2; j++) {
        load_matrices(u[j], at + swizzle64(wm + 16 * j + lane % 16, 2 * kk + lane / 16));
        load_matrices(v[j], bt + swizzle64(wn + 16 * j + lane % 8 + lane / 16 * 8, 2 * kk + lane / 8 % 2));
      }
#pragma unroll
      for (int m = 0; m < 2; m++)
#pragma unroll
        for (int j = 0; j < 4; j++) multiply_f16(acc[m][j], u[m], v[j / 2][j % 2 * 2], v[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int m = 0; m < 2; m++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float *c = C + (size_t)(blockIdx.y * 64 + wm + 16 * m + lane / 4) * N + blockIdx.x * 64 + wn + 8 * j + lane % 4 * 2;
      atomicAdd(c, acc[m][j][0]);
      atomicAdd(c + 1, acc[m][j][1]);
      atomicAdd(c + (size_t)8 * N, acc[m][j][2]);
      atomicAdd(c + (size_t)8 * N + 1, acc[m][j][3]);
    }
}
