// Attention, scored once: fp32 in register tiles, bfloat16 with 128 numbers a head and a mask of what comes later.
#include <cuda_bf16.h>
#include "../ptx.h"

// 64 queries by 64 keys of 64 numbers; scores, then results, 4 x 4 a thread; K is turned on its way to shared memory.
// warpwise: grid=n/64,heads block=256 shared=69632 n=1024 heads=16 q=f32[heads*n*64] k=f32[heads*n*64] v=f32[heads*n*64] o=f32[heads*n*64]
extern "C" __global__ void __launch_bounds__(256) flash_tiles(int n, int heads, const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v, float *__restrict__ o) {
  extern __shared__ __align__(16) float shared[];
  float(*qt)[68] = (float(*)[68])shared, (*kt)[68] = qt + 64, (*vs)[68] = kt + 64, (*pt)[68] = vs + 64;
  int t = threadIdx.x, y = t / 16 * 4, x = t % 16 * 4;
  size_t head = (size_t)blockIdx.y * n * 64;
  for (int i = t; i < 1024; i += 256) {
    float4 w = *(const float4 *)&q[head + (size_t)(blockIdx.x * 64 + i / 16) * 64 + i % 16 * 4];
    qt[i % 16 * 4][i / 16] = w.x * 0.125f;
    qt[i % 16 * 4 + 1][i / 16] = w.y * 0.125f;
    qt[i % 16 * 4 + 2][i / 16] = w.z * 0.125f;
    qt[i % 16 * 4 + 3][i / 16] = w.w * 0.125f;
  }
  float out[4][4] = {}, most[4], all[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    most[i] = -1e30f;
    all[i] = 0;
  }
  for (int j = 0; j < n; j += 64) {
    __syncthreads();
    for (int i = t; i < 1024; i += 256) {
      size_t at = head + (size_t)(j + i / 16) * 64 + i % 16 * 4;
      float4 w = *(const float4 *)&k[at];
      kt[i % 16 * 4][i / 16] = w.x;
      kt[i % 16 * 4 + 1][i / 16] = w.y;
      kt[i % 16 * 4 + 2][i / 16] = w.z;
      kt[i % 16 * 4 + 3][i / 16] = w.w;
      *(float4 *)&vs[i / 16][i % 16 * 4] = *(const float4 *)&v[at];
    }
    __syncthreads();
    float s[4][4] = {};
#pragma unroll 8
    for (int d = 0; d < 64; d++) {
      float4 e = *(const float4 *)&qt[d][y], f = *(const float4 *)&kt[d][x];
      float ev[4] = {e.x, e.y, e.z, e.w}, fv[4] = {f.x, f.y, f.z, f.w};
#pragma unroll
      for (int a = 0; a < 4; a++)
#pragma unroll
        for (int b = 0; b < 4; b++) s[a][b] += ev[a] * fv[b];
    }
#pragma unroll
    for (int a = 0; a < 4; a++) {
      float m = fmaxf(fmaxf(s[a][0], s[a][1]), fmaxf(s[a][2], s[a][3])), sum = 0;
#pragma unroll
      for (int w = 8; w; w /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, w));
      m = fmaxf(m, most[a]);
      float less = __expf(most[a] - m);
#pragma unroll
      for (int b = 0; b < 4; b++) {
        s[a][b] = __expf(s[a][b] - m);
        sum += s[a][b];
        out[a][b] *= less;
        pt[x + b][y + a] = s[a][b];
      }
#pragma unroll
      for (int w = 8; w; w /= 2) sum += __shfl_xor_sync(~0u, sum, w);
      all[a] = all[a] * less + sum;
      most[a] = m;
    }
    __syncthreads();
#pragma unroll 8
    for (int r = 0; r < 64; r++) {
      float4 e = *(const float4 *)&pt[r][y], f = *(const float4 *)&vs[r][x];
      float ev[4] = {e.x, e.y, e.z, e.w}, fv[4] = {f.x, f.y, f.z, f.w};
#pragma unroll
      for (int a = 0; a < 4; a++)
#pragma unroll
        for (int b = 0; b < 4; b++) out[a][b] += ev[a] * fv[b];
    }
  }
#pragma unroll
  for (int a = 0; a < 4; a++) {
    float once = 1 / all[a];
    *(float4 *)&o[head + (size_t)(blockIdx.x * 64 + y + a) * 64 + x] = make_float4(out[a][0] * once, out[a][1] * once, out[a][2] * once, out[a][3] * once);
  }
}

__device__ __forceinline__ uint32_t pair(float x, float y) {
  __nv_bfloat162 v = __floats2bfloat162_rn(x, y);
  return *(uint32_t *)&v;
}

// 128 numbers a head, four warps of 16 queries, 64 keys at a time, keys and values in stages of their own; a query sees no later key.
// warpwise: grid=n/64,heads block=128 shared=65536 n=1024 heads=16 q=bf16[heads*n*128] k=bf16[heads*n*128] v=bf16[heads*n*128] o=bf16[heads*n*128]
extern "C" __global__ void __launch_bounds__(128) flash_masked(int n, int heads, const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, __nv_bfloat16 *o) {
  extern __shared__ __align__(128) unsigned char tiles[];
  const float scale = 0.08838835f * 1.44269504f;
  int t = threadIdx.x, warp = t / 32, lane = t % 32, last = blockIdx.x;
  size_t head = (size_t)blockIdx.y * n * 128;
  uint32_t base = shared_address(tiles);
  auto wide = [](int row, int piece) { return (uint32_t)(row * 256 + ((piece ^ (row & 7)) << 4)); };
  auto bring = [&](uint32_t to, const __nv_bfloat16 *from) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
      int c = t + 128 * i;
      copy16(to + wide(c / 16, c % 16), from + c * 8);
    }
    copy_commit();
  };
  auto keys = [&](int j) { bring(base + (j & 1) * 16384, k + head + (size_t)j * 8192); };
  auto values = [&](int j) { bring(base + 32768 + (j & 1) * 16384, v + head + (size_t)j * 8192); };
  bring(base + 49152, q + head + (size_t)last * 8192);
  keys(0);
  copy_wait<1>();
  __syncthreads();
  uint32_t query[8][4];
#pragma unroll
  for (int i = 0; i < 8; i++) load_matrices(query[i], base + 49152 + wide(warp * 16 + lane % 16, 2 * i + lane / 16));
  __syncthreads();
  values(0);
  float out[16][4] = {}, most[2] = {-1e30f, -1e30f}, all[2] = {};
  for (int j = 0; j <= last; j++) {
    copy_wait<1>();
    __syncthreads();
    if (j < last)
      keys(j + 1);
    else
      copy_commit();
    uint32_t kt = base + (j & 1) * 16384, vt = base + 32768 + (j & 1) * 16384;
    float s[8][4] = {};
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int m = 0; m < 4; m++) {
        uint32_t b[4];
        load_matrices(b, kt + wide(16 * m + lane % 8 + lane / 16 * 8, 2 * i + lane / 8 % 2));
        multiply_bf16(s[2 * m], query[i], b[0], b[1]);
        multiply_bf16(s[2 * m + 1], query[i], b[2], b[3]);
      }
    if (j == last)
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int e = 0; e < 4; e++)
          if (8 * i + lane % 4 * 2 + e % 2 > warp * 16 + lane / 4 + e / 2 * 8) s[i][e] = -1e30f;
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float m = most[r], sum = 0;
#pragma unroll
      for (int i = 0; i < 8; i++) m = fmaxf(m, fmaxf(s[i][2 * r], s[i][2 * r + 1]) * scale);
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      float less = exp2f(most[r] - m);
#pragma unroll
      for (int i = 0; i < 8; i++) {
        s[i][2 * r] = exp2f(fmaf(s[i][2 * r], scale, -m));
        s[i][2 * r + 1] = exp2f(fmaf(s[i][2 * r + 1], scale, -m));
        sum += s[i][2 * r] + s[i][2 * r + 1];
      }
#pragma unroll
      for (int i = 0; i < 16; i++) {
        out[i][2 * r] *= less;
        out[i][2 * r + 1] *= less;
      }
      all[r] = all[r] * less + sum;
      most[r] = m;
    }
    copy_wait<1>();
    __syncthreads();
    if (j < last)
      values(j + 1);
    else
      copy_commit();
#pragma unroll
    for (int i = 0; i < 4; i++) {
      uint32_t p[4] = {pair(s[2 * i][0], s[2 * i][1]), pair(s[2 * i][2], s[2 * i][3]), pair(s[2 * i + 1][0], s[2 * i + 1][1]), pair(s[2 * i + 1][2], s[2 * i + 1][3])};
#pragma unroll
      for (int m = 0; m < 8; m++) {
        uint32_t b[4];
        load_matrices_turned(b, vt + wide(16 * i + lane % 16, 2 * m + lane / 16));
        multiply_bf16(out[2 * m], p, b[0], b[1]);
        multiply_bf16(out[2 * m + 1], p, b[2], b[3]);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < 2; r++) {
    all[r] += __shfl_xor_sync(~0u, all[r], 1);
    all[r] += __shfl_xor_sync(~0u, all[r], 2);
    float once = 1 / all[r];
    __nv_bfloat16 *row = o + head + (size_t)(last * 64 + warp * 16 + lane / 4 + 8 * r) * 128 + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 16; i++) *(__nv_bfloat162 *)(row + 8 * i) = __floats2bfloat162_rn(out[i][2 * r] * once, out[i][2 * r + 1] * once);
  }
}
