#include <cstdint>
// A ring of four tiles between one warp that loads and three that use it; what is full and what is empty say mbarriers.
#define STAGES 4
#define TILE 96
__device__ __forceinline__ void init(uint32_t bar, int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(n)); }
__device__ __forceinline__ void arrive(uint32_t bar) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void wait(uint32_t bar, uint32_t parity) {
  asm volatile("{\n.reg .pred done;\nPOLL:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra OVER;\nbra POLL;\nOVER:\n}" ::"r"(bar), "r"(parity) : "memory");
}
__global__ void mbar_pipe(const float *__restrict__ in, float *__restrict__ out, int tiles) {
  __shared__ float ring[STAGES][TILE];
  __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES];
  uint32_t f = (uint32_t)__cvta_generic_to_shared(full), e = (uint32_t)__cvta_generic_to_shared(empty);
  int warp = threadIdx.x / 32, l = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES; s++) {
      init(f + 8 * s, 32);
      init(e + 8 * s, 96);
    }
  __syncthreads();
  const float *p = in + (size_t)blockIdx.x * tiles * TILE;
  if (warp == 3) {
#pragma unroll 1
    for (int t = 0; t < tiles; t++) {
      int s = t % STAGES;
      wait(e + 8 * s, (t / STAGES & 1) ^ 1); // the first round finds all empty
      for (int k = 0; k < 3; k++) ring[s][32 * k + l] = p[t * TILE + 32 * k + l];
      arrive(f + 8 * s);
    }
    return;
  }
  float sum = 0;
#pragma unroll 1
  for (int t = 0; t < tiles; t++) {
    int s = t % STAGES;
    wait(f + 8 * s, t / STAGES & 1);
    sum += ring[s][TILE - 1 - threadIdx.x]; // another warp's element
    arrive(e + 8 * s);
  }
  out[blockIdx.x * TILE + threadIdx.x] = sum;
}
