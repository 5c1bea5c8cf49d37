#include <cstdint>
#include <cuda.h>
// Boxes of a tensor of three dimensions: in by one map, out by a second, added to what a third one covers.
__global__ void tma_3d(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, const __grid_constant__ CUtensorMap sum) {
  __shared__ __align__(128) float tile[4 * 6 * 8];
  __shared__ __align__(8) uint64_t bar;
  uint32_t b = (uint32_t)__cvta_generic_to_shared(&bar), t = (uint32_t)__cvta_generic_to_shared(tile);
  int x = blockIdx.x * 8, y = blockIdx.y * 6, z = blockIdx.z * 4;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "n"(sizeof tile) : "memory");
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(t), "l"(&in), "r"(x), "r"(y), "r"(z), "r"(b) : "memory");
  }
  __syncthreads();
  asm volatile("{\n.reg .pred p;\nW: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra W;\n}" ::"r"(b) : "memory");
  for (int i = threadIdx.x; i < 4 * 6 * 8; i += blockDim.x) tile[i] = 2.0f * tile[i] + 1.0f;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&out), "r"(x), "r"(y), "r"(z), "r"(t) : "memory");
    asm volatile("cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&sum), "r"(x), "r"(y), "r"(z), "r"(t) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}
