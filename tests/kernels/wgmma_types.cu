#include <cstdint>
#include <cuda_fp16.h>
// D (64 x 16) = A (64 x k) * B (16 x k) transposed by one warp group, in every type: rows of 128 bytes in shared memory,
// their 16-byte pieces exchanged as the 128-byte swizzle has it.
__device__ __forceinline__ uint64_t describe(const void *p, unsigned at) {
  uint64_t a = (uint32_t)__cvta_generic_to_shared(p) + at;
  return (a & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}
__device__ __forceinline__ void take(uint4 *to, const uint4 *__restrict__ from, int rows) {
  for (int i = threadIdx.x; i < 8 * rows; i += 128) to[i / 8 * 8 + (i % 8 ^ i / 8 % 8)] = from[i];
}
template <class T> __device__ __forceinline__ void give(T *d, const T *v) {
  int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;
  for (int i = 0; i < 8; i++) d[(row + i / 2 % 2 * 8) * 16 + i / 4 * 8 + col + i % 2] = v[i];
}
// 128 bytes of k are four instructions; the first one does not read D
#define PRODUCT(NAME, T, C, SHAPE, TAIL)                                                                                        \
  __global__ void NAME(const uint4 *__restrict__ a, const uint4 *__restrict__ b, T *__restrict__ d) {                           \
    __shared__ __align__(1024) uint4 as[64 * 8], bs[16 * 8];                                                                    \
    T v[8];                                                                                                                     \
    for (int i = 0; i < 8; i++) v[i] = (T)7;                                                                                    \
    take(as, a, 64);                                                                                                            \
    take(bs, b, 16);                                                                                                            \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                                \
    __syncthreads();                                                                                                            \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                                     \
    for (int k = 0; k < 4; k++)                                                                                                 \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\nwgmma.mma_async.sync.aligned." SHAPE                              \
                   " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p" TAIL ";\n}"                                                   \
                   : C(v[0]), C(v[1]), C(v[2]), C(v[3]), C(v[4]), C(v[5]), C(v[6]), C(v[7])                                     \
                   : "l"(describe(as, 32 * k)), "l"(describe(bs, 32 * k)), "r"(k));                                             \
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                                              \
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                                                              \
    give(d, v);                                                                                                                 \
  }
PRODUCT(wgmma_f16, float, "+f", "m64n16k16.f32.f16.f16", ", 1, 1, 0, 0")
PRODUCT(wgmma_bf16, float, "+f", "m64n16k16.f32.bf16.bf16", ", -1, 1, 0, 0")
PRODUCT(wgmma_tf32, float, "+f", "m64n16k8.f32.tf32.tf32", ", 1, -1")
PRODUCT(wgmma_e4m3, float, "+f", "m64n16k32.f32.e4m3.e5m2", ", 1, 1")
PRODUCT(wgmma_s8, int, "+r", "m64n16k32.s32.s8.u8", "")
PRODUCT(wgmma_b1, int, "+r", "m64n16k256.s32.b1.b1.and.popc", "")
// halves as sums: two to a register
__global__ void wgmma_half(const uint4 *__restrict__ a, const uint4 *__restrict__ b, __half *__restrict__ d) {
  __shared__ __align__(1024) uint4 as[64 * 8], bs[16 * 8];
  unsigned v[4] = {0, 0, 0, 0};
  take(as, a, 64);
  take(bs, b, 16);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int k = 0; k < 4; k++)
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3])
                 : "l"(describe(as, 32 * k)), "l"(describe(bs, 32 * k)));
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  __half h[8];
  for (int i = 0; i < 8; i++) h[i] = __ushort_as_half((unsigned short)(v[i / 2] >> i % 2 * 16));
  give(d, h);
}
