#include <cstdint>
#include <cuda.h>
// C = A * B transposed, halves in and floats out: one warp brings tiles of 64 x 64 of both through a ring of three, a warp
// group multiplies them; mbarriers say what is full and what is free again.
#define STAGES 3
#define TILE 8192 /* bytes */
__device__ __forceinline__ uint32_t smem(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void wait(uint32_t bar, uint32_t parity) {
  asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(bar), "r"(parity) : "memory");
}
__device__ __forceinline__ void bring(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}
__device__ __forceinline__ uint64_t describe(uint32_t at) { return (at & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62; }
#define R8(v, i) "+f"(v[i]), "+f"(v[i + 1]), "+f"(v[i + 2]), "+f"(v[i + 3]), "+f"(v[i + 4]), "+f"(v[i + 5]), "+f"(v[i + 6]), "+f"(v[i + 7])
__global__ void __launch_bounds__(256) wgmma_gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *__restrict__ c, int n, int k) {
  extern __shared__ __align__(1024) uint8_t tiles[];
  __shared__ __align__(8) uint64_t full[STAGES], free_[STAGES];
  int group = threadIdx.x / 128, steps = k / 64;
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES; s++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(smem(&full[s])));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(smem(&free_[s])));
    }
  asm volatile("fence.mbarrier_init.release.cluster;");
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      int s = 0, phase = 1;
      for (int t = 0; t < steps; t++) {
        wait(smem(&free_[s]), phase);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(&full[s])), "r"(2 * TILE) : "memory");
        bring(smem(tiles) + 2 * s * TILE, &a, t * 64, blockIdx.y * 64, smem(&full[s]));
        bring(smem(tiles) + (2 * s + 1) * TILE, &b, t * 64, blockIdx.x * 64, smem(&full[s]));
        if (++s == STAGES) { s = 0; phase ^= 1; }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float v[32];
    for (int i = 0; i < 32; i++) v[i] = 0;
    int s = 0, phase = 0;
    for (int t = 0; t < steps; t++) {
      wait(smem(&full[s]), phase);
      uint32_t at = smem(tiles) + 2 * s * TILE;
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int q = 0; q < 4; q++)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, "
                     "%27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
                     : R8(v, 0), R8(v, 8), R8(v, 16), R8(v, 24)
                     : "l"(describe(at + 32 * q)), "l"(describe(at + TILE + 32 * q)));
      asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem(&free_[s])) : "memory");
      if (++s == STAGES) { s = 0; phase ^= 1; }
    }
    int l = threadIdx.x % 128, row = blockIdx.y * 64 + l / 32 * 16 + l % 32 / 4, col = blockIdx.x * 64 + l % 4 * 2;
    for (int i = 0; i < 32; i++) c[(row + i / 2 % 2 * 8) * n + col + i / 4 * 8 + i % 2] = v[i];
  }
}
