// mma.m8n8k4 of Volta: four products of 8 x 8 x 4 at once, that of lanes 4p to 4p + 3 and the 16 behind them with A[p] (8 x 4, by
// rows) and B[p] (8 columns of 4).
#include <cuda_fp16.h>
__device__ unsigned two(const unsigned short *from, int step) { return from[0] | (unsigned)from[step] << 16; }
#define PRODUCTS(order, layout, a0, a1, b0, b1)                                                                        \
  asm("mma.sync.aligned.m8n8k4." layout ".f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%12,%12,%12,%12,%12,%12,%12};" \
      : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3]), "=f"(f[4]), "=f"(f[5]), "=f"(f[6]), "=f"(f[7])                 \
      : "r"(a0), "r"(a1), "r"(b0), "r"(b1), "f"(0.0f));                                                                \
  asm("mma.sync.aligned.m8n8k4." layout ".f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%8,%8,%8};"             \
      : "=r"(h[0]), "=r"(h[1]), "=r"(h[2]), "=r"(h[3])                                                                 \
      : "r"(a0), "r"(a1), "r"(b0), "r"(b1), "r"(0));                                                                   \
  for (int e = 0; e < 8; e++)                                                                                          \
    c[order * 256 + p * 64 + (low + (m & 1) + (e & 2)) * 8 + (e & 4) + (m & 2) + (e & 1)] = f[e];                      \
  for (int e = 0; e < 4; e++)                                                                                          \
    d[order * 128 + p * 32 + (low + m) * 4 + e] = h[e]
__global__ void mma_volta(const unsigned short *a, const unsigned short *b, float *c, unsigned *d) {
  int l = threadIdx.x, p = l / 4 % 4, low = l / 16 * 4, m = l % 4;
  const unsigned short *A = a + p * 32, *B = b + p * 32;
  const unsigned short *row = A + (low + m) * 4, *column = A + low * 4 + m, *along = B + (low + m) * 4, *across = B + low * 4 + m;
  float f[8];
  unsigned h[4];
  PRODUCTS(0, "row.col", two(row, 1), two(row + 2, 1), two(along, 1), two(along + 2, 1));
  PRODUCTS(1, "row.row", two(row, 1), two(row + 2, 1), two(across, 4), two(across + 8, 4));
  PRODUCTS(2, "col.col", two(column, 4), two(column + 8, 4), two(along, 1), two(along + 2, 1));
  PRODUCTS(3, "col.row", two(column, 4), two(column + 8, 4), two(across, 4), two(across + 8, 4));
}
