// Attention on tensor cores and of one query: tiles of keys and values by cp.async, softmax on the way.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "ptx.h"

__device__ __forceinline__ uint32_t pack_bf16(float x, float y) {
  __nv_bfloat162 v = __floats2bfloat162_rn(x, y);
  return *(uint32_t *)&v;
}

// 64 numbers a head; four warps of 16 queries, 64 keys at a time, two stages.
// warpwise: grid=n/64,heads block=128 n=1024 heads=32 scale=0.18033688 q=bf16[heads*n*64] k=bf16[heads*n*64] v=bf16[heads*n*64] o=bf16[heads*n*64]
extern "C" __global__ void __launch_bounds__(128)
    flash_bf16(int n, int heads, float scale, const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, __nv_bfloat16 *o) {
  __shared__ __align__(128) unsigned char tiles[2][16384];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  size_t head = (size_t)blockIdx.y * n * 64;
  const __nv_bfloat16 *kp = k + head, *vp = v + head, *qp = q + head + (size_t)blockIdx.x * 64 * 64;
  uint32_t base = shared_address(tiles);
  auto stage = [&](int slot, int row) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int c = t + 128 * i, r = c / 8, p = c % 8;
      copy16(base + slot * 16384 + swizzle128(r, p), kp + (size_t)(row + r) * 64 + p * 8);
      copy16(base + slot * 16384 + 8192 + swizzle128(r, p), vp + (size_t)(row + r) * 64 + p * 8);
    }
    copy_commit();
  };
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int c = t + 128 * i;
    copy16(base + 16384 + swizzle128(c / 8, c % 8), qp + c * 8);
  }
  copy_commit();
  stage(0, 0);
  copy_wait<1>();
  __syncthreads();
  uint32_t query[4][4];
#pragma unroll
  for (int i = 0; i < 4; i++) load_matrices(query[i], base + 16384 + swizzle128(warp * 16 + lane % 16, 2 * i + lane / 16));
  __syncthreads();
  float out[8][4] = {}, most[2] = {-1e30f, -1e30f}, all[2] = {};
  for (int j = 0; j < n / 64; j++) {
    if (j + 1 < n / 64) {
      stage((j + 1) & 1, 64 * (j + 1));
      copy_wait<1>();
    } else
      copy_wait<0>();
    __syncthreads();
    uint32_t kt = base + (j & 1) * 16384, vt = kt + 8192;
    float s[8][4] = {};
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int m = 0; m < 4; m++) {
        uint32_t b[4];
        load_matrices(b, kt + swizzle128(16 * m + lane % 8 + lane / 16 * 8, 2 * i + lane / 8 % 2));
        multiply_bf16(s[2 * m], query[i], b[0], b[1]);
        multiply_bf16(s[2 * m + 1], query[i], b[2], b[3]);
      }
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
        s[i][2 * r] = exp2f(s[i][2 * r] * scale - m);
        s[i][2 * r + 1] = exp2f(s[i][2 * r + 1] * scale - m);
        sum += s[i][2 * r] + s[i][2 * r + 1];
        out[i][2 * r] *= less;
        out[i][2 * r + 1] *= less;
      }
      all[r] = all[r] * less + sum;
      most[r] = m;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
      uint32_t p[4] = {pack_bf16(s[2 * i][0], s[2 * i][1]), pack_bf16(s[2 * i][2], s[2 * i][3]), pack_bf16(s[2 * i + 1][0], s[2 * i + 1][1]),
                       pack_bf16(s[2 * i + 1][2], s[2 * i + 1][3])};
#pragma unroll
      for (int m = 0; m < 4; m++) {
        uint32_t b[4];
        load_matrices_turned(b, vt + swizzle128(16 * i + lane % 16, 2 * m + lane / 16));
        multiply_bf16(out[2 * m], p, b[0], b[1]);
        multiply_bf16(out[2 * m + 1], p, b[2], b[3]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 2; r++) {
    all[r] += __shfl_xor_sync(~0u, all[r], 1);
    all[r] += __shfl_xor_sync(~0u, all[r], 2);
    float once = 1 / all[r];
    __nv_bfloat16 *row = o + head + (size_t)(blockIdx.x * 64 + warp * 16 + lane / 4 + 8 * r) * 64 + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 8; i++) *(__nv_bfloat162 *)(row + 8 * i) = __floats2bfloat162_rn(out[i][2 * r] * once, out[i][2 * r + 1] * once);
  }
}

// Keys and values in pages of 16 rows of 128 halves that a table names; one query a head, a part of its keys a block.
// Eight lanes hold a row, 16 numbers each; the parts' sums are left for another kernel to join.
// warpwise: grid=parts,heads block=128 n=4096 heads=64 parts=8 q=f16[heads*128] table=i32[heads*n/16]:uniform(0,heads*n/16) kp=f16[heads*n*128] vp=f16[heads*n*128] o=f32[heads*parts*128] ml=f32[heads*parts*2]
extern "C" __global__ void __launch_bounds__(128) decode_paged(int n, int heads, int parts, const half *__restrict__ q, const int *__restrict__ table,
                                                               const half *__restrict__ kp, const half *__restrict__ vp, float *o, float2 *ml) {
  __shared__ float outs[16][128];
  __shared__ float2 stats[16];
  int t = threadIdx.x, part = t % 8, row = t / 8, pages = n / 16 / parts, head = blockIdx.y;
  const int *pages_of = table + head * (n / 16) + blockIdx.x * pages;
  float query[16], out[16] = {}, most = -1e30f, all = 0;
  auto numbers = [](const half *from, float to[16]) {
    uint4 w[2] = {((const uint4 *)from)[0], ((const uint4 *)from)[1]};
#pragma unroll
    for (int i = 0; i < 8; i++) {
      float2 f = __half22float2(((const half2 *)w)[i]);
      to[2 * i] = f.x;
      to[2 * i + 1] = f.y;
    }
  };
  numbers(q + head * 128 + part * 16, query);
  for (int p = 0; p < pages; p++) {
    size_t at = ((size_t)pages_of[p] * 16 + row) * 128 + part * 16;
    float key[16], value[16], s = 0;
    numbers(kp + at, key);
    numbers(vp + at, value);
#pragma unroll
    for (int i = 0; i < 16; i++) s += query[i] * key[i];
    s += __shfl_xor_sync(~0u, s, 1);
    s += __shfl_xor_sync(~0u, s, 2);
    s += __shfl_xor_sync(~0u, s, 4);
    s *= 0.0883883f;
    float m = fmaxf(most, s), less = __expf(most - m), e = __expf(s - m);
    all = all * less + e;
    most = m;
#pragma unroll
    for (int i = 0; i < 16; i++) out[i] = out[i] * less + e * value[i];
  }
#pragma unroll
  for (int i = 0; i < 16; i += 4) *(float4 *)&outs[row][part * 16 + i] = make_float4(out[i], out[i + 1], out[i + 2], out[i + 3]);
  if (part == 0) stats[row] = make_float2(most, all);
  __syncthreads();
  float m = -1e30f, sum = 0, x = 0;
#pragma unroll
  for (int r = 0; r < 16; r++) m = fmaxf(m, stats[r].x);
#pragma unroll
  for (int r = 0; r < 16; r++) {
    float e = __expf(stats[r].x - m);
    sum += stats[r].y * e;
    x += outs[r][t] * e;
  }
  o[((size_t)head * parts + blockIdx.x) * 128 + t] = x;
  if (t == 0) ml[head * parts + blockIdx.x] = make_float2(m, sum);
}
