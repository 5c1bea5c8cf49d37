// Warpgroup matrix products of Hopper (sm_90a), barriers in shared memory, bulk and tensor copies.
#pragma once
#include "ptx.h"

// Tile of K-major 16-bit rows of 128 bytes, swizzled over 128 bytes: 8 rows are 1024 bytes; at a multiple of 1024.
__device__ __forceinline__ uint64_t swizzled_tile(uint32_t at) {
  return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT> __device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}
// What this thread has stored becomes visible to tensor cores and copy engine.
__device__ __forceinline__ void async_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

#define D4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(d, i) D4(d, i), D4(d, i + 4), D4(d, i + 8), D4(d, i + 12)
#define D32(d, i) D16(d, i), D16(d, i + 16)
#define R32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, " \
  "%27, %28, %29, %30, %31"
#define R64 \
  R32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, " \
      "%56, %57, %58, %59, %60, %61, %62, %63"
#define R128 \
  R64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, " \
      "%88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, " \
      "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// d = a b^T + (add ? d : 0), both from shared memory: 64 x 16 by N x 16.
__device__ __forceinline__ void wgmma_64(float d[32], uint64_t a, uint64_t b, int add) {
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %34, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" R32 "}, %32, %33, p, 1, 1, 0, 0;\n\t}"
               : D32(d, 0)
               : "l"(a), "l"(b), "r"(add));
}
__device__ __forceinline__ void wgmma_128(float d[64], uint64_t a, uint64_t b, int add) {
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %66, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" R64 "}, %64, %65, p, 1, 1, 0, 0;\n\t}"
               : D32(d, 0), D32(d, 32)
               : "l"(a), "l"(b), "r"(add));
}
__device__ __forceinline__ void wgmma_128_bf16(float d[64], uint64_t a, uint64_t b, int add) {
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %66, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" R64 "}, %64, %65, p, 1, 1, 0, 0;\n\t}"
               : D32(d, 0), D32(d, 32)
               : "l"(a), "l"(b), "r"(add));
}
__device__ __forceinline__ void wgmma_256(float d[128], uint64_t a, uint64_t b, int add) {
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %130, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" R128 "}, %128, %129, p, 1, 1, 0, 0;\n\t}"
               : D32(d, 0), D32(d, 32), D32(d, 64), D32(d, 96)
               : "l"(a), "l"(b), "r"(add));
}

// ---- barriers ----

__device__ __forceinline__ void barrier_init(uint32_t bar, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void barrier_expect(uint32_t bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ void barrier_arrive(uint32_t bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void barrier_wait(uint32_t bar, int parity) {
  uint32_t done;
  do
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
  while (!done);
}

// ---- copies that the engine makes ----

__device__ __forceinline__ void bulk_copy(uint32_t to, const void *from, int bytes, uint32_t bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(bar)
               : "memory");
}
struct __align__(64) TensorMap { unsigned char opaque[128]; };
__device__ __forceinline__ void tensor_copy(uint32_t to, const TensorMap *map, int x, int y, uint32_t bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(x),
               "r"(y), "r"(bar)
               : "memory");
}
