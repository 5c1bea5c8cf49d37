// C = A B of row-major floats: tiles of warps, loads that are under way while the tile before is used.
#include "ptx.h"

// Tile 128 x 128 x 16, a warp 64 x 32, a thread four quarters of 4 x 4; the next tile waits in registers.
// warpwise: grid=n/128,n/128 block=256 n=1024 A=f32[n*n] B=f32[n*n] C=f32[n*n]
extern "C" __global__ void __launch_bounds__(256) sgemm_warp(int n, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C) {
  __shared__ float a[2][16][132], b[2][16][128];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int y = warp / 4 * 64 + lane / 4 * 4, x = warp % 4 * 32 + lane % 4 * 4;
  int ar = t / 4, ac = t % 4 * 4, br = t / 32, bc = t % 32 * 4;
  const float *ap = A + (size_t)(blockIdx.y * 128 + ar) * n + ac;
  const float *bp = B + (size_t)br * n + blockIdx.x * 128 + bc;
  float4 p[2], q[2];
  float s[8][8] = {};
  auto fetch = [&](int k) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      p[i] = *(const float4 *)&ap[(size_t)64 * i * n + k];
      q[i] = *(const float4 *)&bp[(size_t)(k + 8 * i) * n];
    }
  };
  auto put = [&](int to) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      a[to][ac][ar + 64 * i] = p[i].x;
      a[to][ac + 1][ar + 64 * i] = p[i].y;
      a[to][ac + 2][ar + 64 * i] = p[i].z;
      a[to][ac + 3][ar + 64 * i] = p[i].w;
      *(float4 *)&b[to][br + 8 * i][bc] = q[i];
    }
  };
  fetch(0);
  put(0);
  __syncthreads();
  int now = 0;
  for (int k = 16; k <= n; k += 16) {
    if (k < n) fetch(k);
#pragma unroll
    for (int i = 0; i < 16; i++) {
      float u[8], v[8];
      *(float4 *)&u[0] = *(const float4 *)&a[now][i][y];
      *(float4 *)&u[4] = *(const float4 *)&a[now][i][y + 32];
      *(float4 *)&v[0] = *(const float4 *)&b[now][i][x];
      *(float4 *)&v[4] = *(const float4 *)&b[now][i][x + 16];
#pragma unroll
      for (int j = 0; j < 8; j++)
#pragma unroll
        for (int l = 0; l < 8; l++) s[j][l] += u[j] * v[l];
    }
    now ^= 1;
    if (k < n) put(now);
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 8; j++) {
    float *row = C + (size_t)(blockIdx.y * 128 + y + j / 4 * 32 + j % 4) * n + blockIdx.x * 128 + x;
    *(float4 *)row = make_float4(s[j][0], s[j][1], s[j][2], s[j][3]);
    *(float4 *)(row + 16) = make_float4(s[j][4], s[j][5], s[j][6], s[j][7]);
  }
}

// Tile 64 x 128 x 16, three stages by cp.async; A stays as it lies, four of k at a time.
// warpwise: grid=n/128,n/64 block=128 shared=39936 n=1024 A=f32[n*n] B=f32[n*n] C=f32[n*n]
extern "C" __global__ void __launch_bounds__(128) sgemm_async(int n, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C) {
  extern __shared__ __align__(16) float shared[];
  const int STAGE = 64 * 20 + 16 * 128; // floats
  int t = threadIdx.x, y = t / 16 * 8, x = t % 16 * 4;
  const float *ap = A + (size_t)blockIdx.y * 64 * n, *bp = B + blockIdx.x * 128;
  auto stage = [&](int slot, int k) {
    float *a = shared + slot * STAGE, *b = a + 64 * 20;
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int c = t + 128 * i, r = c / 4, q = c % 4 * 4;
      copy16(shared_address(&a[r * 20 + q]), ap + (size_t)r * n + k + q);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int c = t + 128 * i, r = c / 32, q = c % 32 * 4;
      copy16(shared_address(&b[r * 128 + q]), bp + (size_t)(k + r) * n + q);
    }
  };
  float s[8][8] = {};
  stage(0, 0);
  copy_commit();
  stage(1, 16);
  copy_commit();
  int slot = 0;
  for (int k = 0; k < n; k += 16) {
    copy_wait<1>();
    __syncthreads();
    if (k + 32 < n) stage(slot == 0 ? 2 : slot - 1, k + 32);
    copy_commit();
    const float *a = shared + slot * STAGE, *b = a + 64 * 20;
#pragma unroll
    for (int i = 0; i < 16; i += 4) {
      float4 u[8];
#pragma unroll
      for (int j = 0; j < 8; j++) u[j] = *(const float4 *)&a[(y + j) * 20 + i];
#pragma unroll
      for (int m = 0; m < 4; m++) {
        float v[8];
        *(float4 *)&v[0] = *(const float4 *)&b[(i + m) * 128 + x];
        *(float4 *)&v[4] = *(const float4 *)&b[(i + m) * 128 + x + 64];
#pragma unroll
        for (int j = 0; j < 8; j++) {
          float w = m == 0 ? u[j].x : m == 1 ? u[j].y : m == 2 ? u[j].z : u[j].w;
#pragma unroll
          for (int l = 0; l < 8; l++) s[j][l] += w * v[l];
        }
      }
    }
    slot = slot == 2 ? 0 : slot + 1;
  }
#pragma unroll
  for (int j = 0; j < 8; j++) {
    float *row = C + (size_t)(blockIdx.y * 64 + y + j) * n + blockIdx.x * 128 + x;
    *(float4 *)row = make_float4(s[j][0], s[j][1], s[j][2], s[j][3]);
    *(float4 *)(row + 64) = make_float4(s[j][4], s[j][5], s[j][6], s[j][7]);
  }
}
