/* attention_wgmma.cuh - Hopper's product of a warpgroup (four warps), which reads shared memory by itself; compute capability 9.0 (sm_90a) alone.
 *
 * One shape is enough: 64 x 64 values, 16 deep. A tile is rows of 64 bf16 values, 128 bytes, chunk c of row r at c ^ (r & 7): the hardware's 128-byte
 * swizzle, where the tile begins at a multiple of 1024 bytes. A product's side is either rows of it (what is summed over lies along a row) or turned
 * (along a column). Accumulators lie as those of mma.sync do: warp w of the four has rows 16 w to 16 w + 15. */
#pragma once
#include "attention_ptx.cuh"

/* Where a side begins, for the hardware: 8 rows take 1024 bytes, 128-byte swizzle. Along a row the next 16 values are 32 bytes on, down the tile
 * the next 16 rows 2048. */
INLINE unsigned long long side(unsigned at) { return (unsigned long long)((at & 0x3ffff) >> 4) | 64ull << 16 | 64ull << 32 | 1ull << 62; }

INLINE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }   /* registers were written since the last product */
INLINE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT> INLINE void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory"); } /* all groups but the last LEFT */
INLINE void writes_to_wgmma() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); } /* this thread's writes to shared memory are for products */
/* Four 8x8 matrices the other way than ldmatrix: as mma.sync's left side lies, with lane l's address that of row l & 15, chunk l >> 4. */
INLINE void stmatrix(unsigned at, const unsigned (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
}
/* After a wait: what reads the accumulators stays behind it. */
INLINE void settle(float (&x)[8][4]) {
#pragma unroll
  for (int i = 0; i < 8; i++) asm volatile("" : "+f"(x[i][0]), "+f"(x[i][1]), "+f"(x[i][2]), "+f"(x[i][3])::"memory");
}

#define ACCUMULATORS(d)                                                                                                                          \
  "+f"(d[0][0]), "+f"(d[0][1]), "+f"(d[0][2]), "+f"(d[0][3]), "+f"(d[1][0]), "+f"(d[1][1]), "+f"(d[1][2]), "+f"(d[1][3]), "+f"(d[2][0]),          \
      "+f"(d[2][1]), "+f"(d[2][2]), "+f"(d[2][3]), "+f"(d[3][0]), "+f"(d[3][1]), "+f"(d[3][2]), "+f"(d[3][3]), "+f"(d[4][0]), "+f"(d[4][1]),      \
      "+f"(d[4][2]), "+f"(d[4][3]), "+f"(d[5][0]), "+f"(d[5][1]), "+f"(d[5][2]), "+f"(d[5][3]), "+f"(d[6][0]), "+f"(d[6][1]), "+f"(d[6][2]),      \
      "+f"(d[6][3]), "+f"(d[7][0]), "+f"(d[7][1]), "+f"(d[7][2]), "+f"(d[7][3])
#define ACCUMULATOR_NAMES                                                                                                                       \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, " \
  "%30, %31}"

/* d = (KEEP: d +) a . b, both sides from shared memory; TURN_A, TURN_B: that side is turned */
template <bool KEEP, bool TURN_A, bool TURN_B> INLINE void wgmma(float (&d)[8][4], unsigned long long a, unsigned long long b) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " ACCUMULATOR_NAMES ", %32, %33, p, 1, 1, %35, %36;\n}"
               : ACCUMULATORS(d)
               : "l"(a), "l"(b), "n"((int)KEEP), "n"((int)TURN_A), "n"((int)TURN_B));
}
/* a from registers, as mma.sync's */
template <bool KEEP, bool TURN_B> INLINE void wgmma(float (&d)[8][4], const unsigned (&a)[4], unsigned long long b) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " ACCUMULATOR_NAMES ", {%32, %33, %34, %35}, %36, p, 1, 1, %38;\n}"
               : ACCUMULATORS(d)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"((int)KEEP), "n"((int)TURN_B));
}
