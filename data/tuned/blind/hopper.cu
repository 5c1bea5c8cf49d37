// Products by wgmma, scored once: one warpgroup with a wide tile, and tensor copies without a warp of their own.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "../wgmma.h"

// C = A B^T; tile 64 x 256 x 64, a warpgroup, four stages of 40 KB by cp.async.
// warpwise: grid=N/256,M/64 block=128 shared=164864 M=2048 N=2048 K=2048 A=f16[M*K] B=f16[N*K] C=f32[M*N]
extern "C" __global__ void __launch_bounds__(128) wgmma_wide(int M, int N, int K, const half *A, const half *B, float *C) {
  extern __shared__ unsigned char shared[];
  const int STAGE = 40960;
  int t = threadIdx.x, warp = t / 32, lane = t % 32, tiles = K / 64;
  uint32_t base = (shared_address(shared) + 1023) & ~1023u;
  const half *ap = A + (size_t)blockIdx.y * 64 * K, *bp = B + (size_t)blockIdx.x * 256 * K;
  auto stage = [&](int i) {
    uint32_t to = base + (i & 3) * STAGE;
#pragma unroll
    for (int j = 0; j < 20; j++) {
      int c = t + 128 * j, r = c / 8, q = c % 8;
      const half *from = j < 4 ? ap + (size_t)r * K : bp + (size_t)(r - 64) * K;
      copy16(to + swizzle128(r, q), from + 64 * i + q * 8);
    }
  };
  float d[128];
#pragma unroll
  for (int i = 0; i < 2; i++) {
    stage(i);
    copy_commit();
  }
  for (int i = 0; i < tiles; i++) {
    copy_wait<1>();
    async_fence();
    __syncthreads();
    uint64_t a = swizzled_tile(base + (i & 3) * STAGE), b = swizzled_tile(base + (i & 3) * STAGE + 8192);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < 4; k++) wgmma_256(d, a + 2 * k, b + 2 * k, i + k);
    wgmma_commit();
    if (i + 2 < tiles) stage(i + 2);
    copy_commit();
    wgmma_wait<1>();
  }
  wgmma_wait<0>();
  float *c = C + (size_t)(blockIdx.y * 64 + warp * 16 + lane / 4) * N + blockIdx.x * 256 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 32; j++) {
    *(float2 *)(c + 8 * j) = make_float2(d[4 * j], d[4 * j + 1]);
    *(float2 *)(c + (size_t)8 * N + 8 * j) = make_float2(d[4 * j + 2], d[4 * j + 3]);
  }
}

// C = A B^T of bfloat16; tile 128 x 128 x 64, two warpgroups, four stages; the first thread asks for the tensor copies.
// warpwise: grid=N/128,M/128 block=256 shared=132096 M=2048 N=2048 K=2048 C=bf16[M*N]
extern "C" __global__ void __launch_bounds__(256)
    wgmma_together(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, int M, int N, int K, __nv_bfloat16 *C) {
  extern __shared__ unsigned char shared[];
  __shared__ __align__(8) uint64_t full[4];
  int t = threadIdx.x, group = t / 128, warp = t / 32 % 4, lane = t % 32, tiles = K / 64;
  uint32_t base = (shared_address(shared) + 1023) & ~1023u;
  auto ask = [&](int i) {
    uint32_t bar = shared_address(&full[i & 3]), to = base + (i & 3) * 32768;
    barrier_expect(bar, 32768);
    tensor_copy(to, &A, 64 * i, blockIdx.y * 128, bar);
    tensor_copy(to + 16384, &B, 64 * i, blockIdx.x * 128, bar);
  };
  if (t == 0) {
    for (int s = 0; s < 4; s++) barrier_init(shared_address(&full[s]), 1);
    async_fence();
  }
  __syncthreads();
  if (t == 0)
    for (int s = 0; s < 3 && s < tiles; s++) ask(s);
  float d[64];
  for (int i = 0; i < tiles; i++) {
    barrier_wait(shared_address(&full[i & 3]), i / 4 & 1);
    uint64_t a = swizzled_tile(base + (i & 3) * 32768 + group * 8192), b = swizzled_tile(base + (i & 3) * 32768 + 16384);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < 4; k++) wgmma_128_bf16(d, a + 2 * k, b + 2 * k, i + k);
    wgmma_commit();
    wgmma_wait<1>();
    __syncthreads();
    if (t == 0 && i + 3 < tiles) ask(i + 3);
  }
  wgmma_wait<0>();
  __nv_bfloat16 *c = C + (size_t)(blockIdx.y * 128 + group * 64 + warp * 16 + lane / 4) * N + blockIdx.x * 128 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 16; j++) {
    *(__nv_bfloat162 *)(c + 8 * j) = __floats2bfloat162_rn(d[4 * j], d[4 * j + 1]);
    *(__nv_bfloat162 *)(c + (size_t)8 * N + 8 * j) = __floats2bfloat162_rn(d[4 * j + 2], d[4 * j + 3]);
  }
}
