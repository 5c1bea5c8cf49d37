#include <cstdint>
// What an mbarrier answers: counts, states and phases, seen by one warp.
__global__ void mbar_ops(unsigned *out) {
  __shared__ __align__(8) uint64_t bar, none;
  uint32_t b = (uint32_t)__cvta_generic_to_shared(&bar), n = (uint32_t)__cvta_generic_to_shared(&none);
  unsigned l = threadIdx.x, pending, done, late, early, dropped;
  uint64_t state;
  if (l == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(40));
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(n));
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(n));
  }
  __syncwarp();
  // 32 of 40 arrive: each sees what is left before it
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(state) : "r"(b) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(early) : "r"(b), "l"(state) : "memory");
  __syncwarp();
  // the last 8 in one go end the phase
  if (l == 0) asm volatile("mbarrier.arrive.shared.b64 _, [%0], 8;" ::"r"(b) : "memory");
  __syncwarp();
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(b), "l"(state) : "memory");
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }" : "=r"(late) : "r"(b) : "memory");
  // lane 0 leaves with 8 for good, then the other 32 are a phase
  if (l == 0) asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0], 8;" ::"r"(b) : "memory");
  __syncwarp();
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(b) : "memory");
  asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 1;\n@!p bra AGAIN;\n}" ::"r"(b) : "memory");
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(state) : "r"(b) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(dropped) : "l"(state));
  out[l] = early | done << 4 | late << 8;
  atomicAdd(&out[32], pending); // lanes arrive in any order: each count once
  atomicAdd(&out[33], dropped);
}
