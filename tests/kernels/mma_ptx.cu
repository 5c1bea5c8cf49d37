#include <cuda_fp16.h>
// mma.sync.m16n8k16 by hand: lane l holds rows l/4 and l/4+8, columns 2(l%4) and up.
__global__ void mma_ptx(const unsigned *__restrict__ a, const unsigned *__restrict__ b, float *__restrict__ c) {
  int l = threadIdx.x, row = l / 4, pair = l % 4;
  unsigned a0 = a[row * 8 + pair], a1 = a[(row + 8) * 8 + pair], a2 = a[row * 8 + pair + 4], a3 = a[(row + 8) * 8 + pair + 4];
  unsigned b0 = b[row * 8 + pair], b1 = b[row * 8 + pair + 4]; // column-major: column l/4
  float d0, d1, d2, d3, z = 0.0f;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
      : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(z), "f"(z), "f"(z), "f"(z));
  c[row * 8 + pair * 2] = d0;
  c[row * 8 + pair * 2 + 1] = d1;
  c[(row + 8) * 8 + pair * 2] = d2;
  c[(row + 8) * 8 + pair * 2 + 1] = d3;
}
