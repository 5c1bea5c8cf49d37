#include <cstdint>
#include <cuda.h>
// A tile of a matrix by its tensor map, copied out byte for byte as it lies in shared memory: what swizzles do, and what
// stands where the tile reaches beyond the matrix.
__global__ void tma_tile(const __grid_constant__ CUtensorMap map, unsigned *__restrict__ raw, int words, int x, int y, int dx, int dy) {
  __shared__ __align__(1024) unsigned tile[4096];
  __shared__ __align__(8) uint64_t bar;
  uint32_t b = (uint32_t)__cvta_generic_to_shared(&bar), t = (uint32_t)__cvta_generic_to_shared(tile);
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map));
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(4 * words) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(t), "l"(&map), "r"(x + (int)blockIdx.x * dx),
                 "r"(y + (int)blockIdx.y * dy), "r"(b)
                 : "memory");
  }
  __syncthreads();
  asm volatile("{\n.reg .pred p;\nW: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@p bra D;\nbra W;\nD:\n}" ::"r"(b) : "memory");
  unsigned *to = raw + (blockIdx.y * gridDim.x + blockIdx.x) * words;
  for (int i = threadIdx.x; i < words; i += blockDim.x) to[i] = tile[i];
}
