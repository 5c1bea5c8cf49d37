// C = A B^T of halves by wgmma: tiles brought by threads, by bulk copies, by tensor copies of a warp of their own.
#include <cuda_fp16.h>
#include "wgmma.h"

// A fragment of 64 x N of a warpgroup: halves to global memory.
template <int N> __device__ __forceinline__ void store_tile(const float *d, half *C, int pitch) {
  int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
  half *c = C + (size_t)(warp * 16 + lane / 4) * pitch + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < N / 8; j++) {
    *(half2 *)(c + 8 * j) = __floats2half2_rn(d[4 * j], d[4 * j + 1]);
    *(half2 *)(c + (size_t)8 * pitch + 8 * j) = __floats2half2_rn(d[4 * j + 2], d[4 * j + 3]);
  }
}

// Tile 128 x 128 x 64, two warpgroups of 64 x 128, three stages of 32 KB that all threads fill by cp.async.
// warpwise: grid=N/128,M/128 block=256 shared=99328 M=2048 N=2048 K=2048 A=f16[M*K] B=f16[N*K] C=f16[M*N]
extern "C" __global__ void __launch_bounds__(256) wgmma_async(int M, int N, int K, const half *A, const half *B, half *C) {
  extern __shared__ unsigned char shared[];
  int t = threadIdx.x, group = t / 128;
  uint32_t base = (shared_address(shared) + 1023) & ~1023u;
  const half *ap = A + (size_t)blockIdx.y * 128 * K, *bp = B + (size_t)blockIdx.x * 128 * K;
  auto stage = [&](int slot, int k) {
    uint32_t to = base + slot * 32768;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int c = t + 256 * i, r = c / 8, q = c % 8;
      copy16(to + swizzle128(r, q), ap + (size_t)r * K + k + q * 8);
      copy16(to + 16384 + swizzle128(r, q), bp + (size_t)r * K + k + q * 8);
    }
  };
  float d[64];
  stage(0, 0);
  copy_commit();
  stage(1, 64);
  copy_commit();
  for (int i = 0; i < K / 64; i++) {
    copy_wait<1>();
    async_fence();
    __syncthreads();
    uint64_t a = swizzled_tile(base + i % 3 * 32768 + group * 8192), b = swizzled_tile(base + i % 3 * 32768 + 16384);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < 4; k++) wgmma_128(d, a + 2 * k, b + 2 * k, i + k);
    wgmma_commit();
    wgmma_wait<1>();
    __syncthreads();
    if (i + 2 < K / 64) stage((i + 2) % 3, 64 * (i + 2));
    copy_commit();
  }
  wgmma_wait<0>();
  store_tile<128>(d, C + (size_t)(blockIdx.y * 128 + group * 64) * N + blockIdx.x * 128, N);
}

// Operands that lie in tiles of 128 x 64, each 16 KB and swizzled as the tensor cores read it: one bulk copy brings a tile.
// A warp of its own copies, two warpgroups multiply; four stages.
// warpwise: grid=N/128,M/128 block=384 shared=132096 M=2048 N=2048 K=2048 A=f16[M*K] B=f16[N*K] C=f16[M*N]
extern "C" __global__ void __launch_bounds__(384, 1) wgmma_bulk(int M, int N, int K, const half *A, const half *B, half *C) {
  extern __shared__ unsigned char shared[];
  __shared__ __align__(8) uint64_t full[4], empty[4];
  int t = threadIdx.x, group = t / 128, tiles = K / 64;
  uint32_t base = (shared_address(shared) + 1023) & ~1023u;
  if (t == 0) {
    for (int s = 0; s < 4; s++) {
      barrier_init(shared_address(&full[s]), 1);
      barrier_init(shared_address(&empty[s]), 8);
    }
    async_fence();
  }
  __syncthreads();
  if (group == 2) {
    if (t == 256) {
      const half *ap = A + (size_t)blockIdx.y * tiles * 8192, *bp = B + (size_t)blockIdx.x * tiles * 8192;
      for (int i = 0; i < tiles; i++) {
        int slot = i % 4;
        if (i >= 4) barrier_wait(shared_address(&empty[slot]), (i / 4 - 1) & 1);
        uint32_t bar = shared_address(&full[slot]), to = base + slot * 32768;
        barrier_expect(bar, 32768);
        bulk_copy(to, ap + (size_t)i * 8192, 16384, bar);
        bulk_copy(to + 16384, bp + (size_t)i * 8192, 16384, bar);
      }
    }
    return;
  }
  float d[64];
  for (int i = 0; i < tiles; i++) {
    int slot = i % 4;
    barrier_wait(shared_address(&full[slot]), i / 4 & 1);
    uint64_t a = swizzled_tile(base + slot * 32768 + group * 8192), b = swizzled_tile(base + slot * 32768 + 16384);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < 4; k++) wgmma_128(d, a + 2 * k, b + 2 * k, i + k);
    wgmma_commit();
    wgmma_wait<0>();
    if (t % 32 == 0) barrier_arrive(shared_address(&empty[slot]));
  }
  store_tile<128>(d, C + (size_t)(blockIdx.y * 128 + group * 64) * N + blockIdx.x * 128, N);
}

// Tensor copies into four stages by a warpgroup that gives its registers to the two that multiply; tile 128 x 256 x 64.
// warpwise: grid=N/256,M/128 block=384 shared=197632 M=2048 N=2048 K=2048 C=f16[M*N]
extern "C" __global__ void __launch_bounds__(384, 1)
    wgmma_tma(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, int M, int N, int K, half *C) {
  extern __shared__ unsigned char shared[];
  __shared__ __align__(8) uint64_t full[4], empty[4];
  const int STAGE = 49152;
  int t = threadIdx.x, group = t / 128, tiles = K / 64;
  uint32_t base = (shared_address(shared) + 1023) & ~1023u;
  if (t == 0) {
    for (int s = 0; s < 4; s++) {
      barrier_init(shared_address(&full[s]), 1);
      barrier_init(shared_address(&empty[s]), 256);
    }
    async_fence();
  }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (t == 0)
      for (int i = 0; i < tiles; i++) {
        int slot = i % 4;
        uint32_t bar = shared_address(&full[slot]), to = base + slot * STAGE;
        if (i >= 4) barrier_wait(shared_address(&empty[slot]), (i / 4 - 1) & 1);
        barrier_expect(bar, STAGE);
        tensor_copy(to, &A, 64 * i, blockIdx.y * 128, bar);
        tensor_copy(to + 16384, &B, 64 * i, blockIdx.x * 256, bar);
      }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[128];
    for (int i = 0; i < tiles; i++) {
      int slot = i % 4;
      barrier_wait(shared_address(&full[slot]), i / 4 & 1);
      uint64_t a = swizzled_tile(base + slot * STAGE + (group - 1) * 8192), b = swizzled_tile(base + slot * STAGE + 16384);
      wgmma_fence();
#pragma unroll
      for (int k = 0; k < 4; k++) wgmma_256(d, a + 2 * k, b + 2 * k, i + k);
      wgmma_commit();
      wgmma_wait<1>();
      if (i) barrier_arrive(shared_address(&empty[(i - 1) % 4]));
    }
    wgmma_wait<0>();
    store_tile<256>(d, C + (size_t)(blockIdx.y * 128 + (group - 1) * 64) * N + blockIdx.x * 256, N);
  }
}
