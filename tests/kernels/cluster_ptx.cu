#include <cstdint>
// Clusters of 2 x 2 blocks in PTX: special registers, addresses in other blocks, loads, stores and atomics there, an
// mbarrier that blocks arrive at from afar, and a bulk copy from block to block.
__device__ __forceinline__ uint32_t in_block(uint32_t at, uint32_t rank) {
  uint32_t far;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(at), "r"(rank));
  return far;
}
#define SREG(v, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(v))
__global__ void cluster_ptx(unsigned *__restrict__ out) {
  __shared__ __align__(16) unsigned mine[32], theirs[32], sum;
  __shared__ __align__(8) uint64_t bar;
  uint32_t m = (uint32_t)__cvta_generic_to_shared(mine), t = (uint32_t)__cvta_generic_to_shared(theirs), s = (uint32_t)__cvta_generic_to_shared(&sum),
           b = (uint32_t)__cvta_generic_to_shared(&bar);
  unsigned rank, n, x, y, cx, cy, nx, whose, explicit_one, l = threadIdx.x;
  SREG(rank, "cluster_ctarank");
  SREG(n, "cluster_nctarank");
  SREG(x, "cluster_ctaid.x");
  SREG(y, "cluster_ctaid.y");
  SREG(cx, "clusterid.x");
  SREG(cy, "clusterid.y");
  SREG(nx, "nclusterid.x");
  asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(explicit_one));
  mine[l] = (blockIdx.y * gridDim.x + blockIdx.x) * 100 + l;
  if (l == 0) {
    sum = 0;
    asm volatile("mbarrier.init.shared.b64 [%0], 4;" ::"r"(b));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  uint32_t next = (rank + 1) % n;
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(whose) : "r"(in_block(m, next)));
  unsigned far;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(far) : "r"(in_block(m, next) + 4 * l) : "memory");
  asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(in_block(s, 0)), "r"(l) : "memory");
  if (l == 0) {
    // 128 bytes to the next block, which counts them off its mbarrier; all four arrive there
    asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], 128;" ::"r"(in_block(b, next)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(in_block(t, next)), "r"(m), "r"(in_block(b, next)) : "memory");
    for (uint32_t r = 0; r < n; r++) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(b, r)) : "memory");
  }
  asm volatile("{\n.reg .pred p;\nW: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra W;\n}" ::"r"(b) : "memory");
  unsigned *to = out + (blockIdx.y * gridDim.x + blockIdx.x) * 68;
  to[l] = far;
  to[32 + l] = theirs[l];
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (l == 0) {
    to[64] = rank | n << 4 | x << 8 | y << 12 | cx << 16 | cy << 20 | nx << 24;
    to[65] = whose;
    to[66] = rank == 0 ? sum : 0;
    to[67] = explicit_one;
  }
}
