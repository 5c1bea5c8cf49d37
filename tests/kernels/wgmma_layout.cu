#include <cstdint>
// The ways in which A and B can lie in shared memory for one product, D (64 x 32) = A (64 x 64) * B (64 x 32), of halves:
// rows along k or along the other side, in pieces of 16 (not exchanged), 32, 64 or 128 bytes.
#define K 64
struct place { unsigned leading, stride, step; }; // bytes; step: from one 16 of k to the next
// element (i, k) of a side of n rows: its byte, before pieces are exchanged
__device__ __forceinline__ unsigned at(int i, int k, int n, unsigned span, bool along_k) {
  if (along_k && span == 16) return k / 8 * n * 16 + i * 16 + k % 8 * 2;
  if (along_k) return k * 2 / span * n * span + i * span + k * 2 % span;
  if (span == 16) return i / 8 * K * 16 + k * 16 + i % 8 * 2;
  return i * 2 / span * K * span + k * span + i * 2 % span;
}
__device__ __forceinline__ unsigned exchanged(unsigned at, unsigned span) { return at ^ (at >> 7 & (span / 16 - 1)) << 4; }
__device__ __forceinline__ place strides(int n, unsigned span, bool along_k) {
  if (along_k && span == 16) return {n * 16u, 128, n * 32u};
  if (along_k) return {16, 8 * span, span > 32 ? 32 : n * span};
  if (span == 16) return {128, K * 16, 256};
  return {K * span, 8 * span, 16 * span};
}
__device__ __forceinline__ unsigned start_of(int k, int n, unsigned span, bool along_k, place p) {
  return along_k && span > 32 ? k * 32 / span * n * span + k * 32 % span : k * p.step;
}
__device__ __forceinline__ uint64_t describe(const void *base, unsigned from, place p, int mode) {
  uint64_t a = (uint32_t)__cvta_generic_to_shared(base) + from;
  return (a & 0x3ffff) >> 4 | (uint64_t)(p.leading >> 4) << 16 | (uint64_t)(p.stride >> 4) << 32 | (uint64_t)mode << 62;
}
__device__ __forceinline__ void give(float *d, const float *v) {
  int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;
  for (int i = 0; i < 16; i++) d[(row + i / 2 % 2 * 8) * 32 + i / 4 * 8 + col + i % 2] = v[i];
}
#define PRODUCT(A, FLAGS)                                                                                                             \
  asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, " FLAGS ";" \
               : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]), "+f"(v[4]), "+f"(v[5]), "+f"(v[6]), "+f"(v[7]), "+f"(v[8]), "+f"(v[9]),  \
                 "+f"(v[10]), "+f"(v[11]), "+f"(v[12]), "+f"(v[13]), "+f"(v[14]), "+f"(v[15])                                          \
               : A, "l"(db))
// the two numbers of a launch: the span of A and of B in bytes; the kernel says which side lies along k
template <bool AK, bool BK> __device__ void layout(const uint16_t *__restrict__ a, const uint16_t *__restrict__ b, float *__restrict__ d, unsigned sa, unsigned sb) {
  __shared__ __align__(1024) uint16_t as[64 * K], bs[32 * K];
  for (int i = threadIdx.x; i < 64 * K; i += 128) as[exchanged(at(i / K, i % K, 64, sa, AK), sa) / 2] = a[i];
  for (int i = threadIdx.x; i < 32 * K; i += 128) bs[exchanged(at(i / K, i % K, 32, sb, BK), sb) / 2] = b[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  place pa = strides(64, sa, AK), pb = strides(32, sb, BK);
  int ma = sa == 16 ? 0 : sa == 32 ? 3 : sa == 64 ? 2 : 1, mb = sb == 16 ? 0 : sb == 32 ? 3 : sb == 64 ? 2 : 1;
  float v[16] = {0};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
  for (int k = 0; k < K / 16; k++) {
    uint64_t da = describe(as, start_of(k, 64, sa, AK, pa), pa, ma), db = describe(bs, start_of(k, 32, sb, BK, pb), pb, mb);
    if (AK && BK) PRODUCT("l"(da), "%16, %17, 1, 1, 1, 0, 0");
    if (AK && !BK) PRODUCT("l"(da), "%16, %17, 1, 1, 1, 0, 1");
    if (!AK && BK) PRODUCT("l"(da), "%16, %17, 1, 1, 1, 1, 0");
    if (!AK && !BK) PRODUCT("l"(da), "%16, %17, 1, 1, 1, 1, 1");
  }
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  give(d, v);
}
__global__ void wgmma_kk(const uint16_t *a, const uint16_t *b, float *d, unsigned sa, unsigned sb) { layout<true, true>(a, b, d, sa, sb); }
__global__ void wgmma_km(const uint16_t *a, const uint16_t *b, float *d, unsigned sa, unsigned sb) { layout<true, false>(a, b, d, sa, sb); }
__global__ void wgmma_mm(const uint16_t *a, const uint16_t *b, float *d, unsigned sa, unsigned sb) { layout<false, false>(a, b, d, sa, sb); }
// A from registers
__global__ void wgmma_registers(const unsigned *__restrict__ a, const uint16_t *__restrict__ b, float *__restrict__ d, unsigned, unsigned sb) {
  __shared__ __align__(1024) uint16_t bs[32 * K];
  for (int i = threadIdx.x; i < 32 * K; i += 128) bs[exchanged(at(i / K, i % K, 32, sb, true), sb) / 2] = b[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  place pb = strides(32, sb, true);
  int mb = sb == 16 ? 0 : sb == 32 ? 3 : sb == 64 ? 2 : 1, row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, pair = threadIdx.x % 4;
  float v[16] = {0};
  unsigned r[4 * K / 16];
  for (int k = 0; k < K / 16; k++)
    for (int i = 0; i < 4; i++) r[4 * k + i] = a[(row + i % 2 * 8) * K / 2 + k * 8 + i / 2 * 4 + pair];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int k = 0; k < K / 16; k++) {
    uint64_t db = describe(bs, start_of(k, 32, sb, true, pb), pb, mb);
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19}, %20, 1, 1, 1, 0;"
                 : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]), "+f"(v[4]), "+f"(v[5]), "+f"(v[6]), "+f"(v[7]), "+f"(v[8]), "+f"(v[9]),
                   "+f"(v[10]), "+f"(v[11]), "+f"(v[12]), "+f"(v[13]), "+f"(v[14]), "+f"(v[15])
                 : "r"(r[4 * k]), "r"(r[4 * k + 1]), "r"(r[4 * k + 2]), "r"(r[4 * k + 3]), "l"(db));
  }
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  give(d, v);
}
