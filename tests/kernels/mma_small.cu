// Products of 4-bit integers, single bits, bytes that saturate and 8-bit floats. A is 16 rows of 8 words, B 8 columns of 8.
#define MMA(what, d, c, x0, x1, x2, x3, y0, y1)                                                                        \
  asm("mma.sync.aligned." what " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                           \
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                                 \
      : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define WMMA(load, stride, mma, out)                                                                                           \
  asm("wmma.load.a.sync.aligned.row." load " {%0}, [%1], " stride ";" : "=r"(x) : "l"(w) : "memory");                         \
  asm("wmma.load.b.sync.aligned.col." load " {%0}, [%1];" : "=r"(y) : "l"(w + 128) : "memory");                        \
  asm("wmma.mma." mma " {%0,%1}, {%2}, {%3}, {%4,%5};" : "=r"(d[0]), "=r"(d[1]) : "r"(x), "r"(y), "r"(0), "r"(0));     \
  asm volatile("wmma.store.d.sync.aligned.row.m8n8k32.s32 [%0], {%1,%2}, 8;" : : "l"(out), "r"(d[0]), "r"(d[1]) : "memory")
__device__ void store(int *out, const int *d, int at) {
  out[at] = d[0];
  out[at + 1] = d[1];
  out[at + 64] = d[2];
  out[at + 65] = d[3];
}
__global__ void mma_small(const unsigned *__restrict__ in, unsigned *w, int *out) {
  int l = threadIdx.x, group = l / 4, member = l % 4, at = group * 8 + 2 * member, x, y;
  for (int i = l; i < 192; i += 32)
    w[i] = in[i] * 2654435761u + 12345u;
  __syncwarp();
  const unsigned *a = w + group * 8 + member, *b = w + 128 + group * 8 + member;
  int c[4] = {at, at + 1, at + 64, at + 65}, big[4], d[4];
  for (int i = 0; i < 4; i++)
    big[i] = 2147483647 - 9000;
  MMA("m16n8k64.row.col.s32.s4.u4.s32", d, c, a[0], a[64], a[4], a[68], b[0], b[4]);
  store(out, d, at);
  MMA("m16n8k256.row.col.s32.b1.b1.s32.and.popc", d, c, a[0], a[64], a[4], a[68], b[0], b[4]);
  store(out + 128, d, at);
  MMA("m16n8k256.row.col.s32.b1.b1.s32.xor.popc", d, c, a[0], a[64], a[4], a[68], b[0], b[4]);
  store(out + 256, d, at);
  MMA("m16n8k32.row.col.satfinite.s32.s8.s8.s32", d, big, a[0], a[64], a[4], a[68], b[0], b[4]);
  store(out + 384, d, at);
  unsigned keep = 0x8f8f8f8f, one = 0x30303030;
  float f[4], z = 0;
  asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
      : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3])
      : "r"((a[0] & keep) | one), "r"((a[64] & keep) | one), "r"((a[4] & keep) | one), "r"((a[68] & keep) | one),
        "r"((b[0] & keep) | one), "r"((b[4] & keep) | one), "f"(z));
  for (int i = 0; i < 4; i++)
    d[i] = __float_as_int(f[i]);
  store(out + 512, d, at);
  WMMA("m8n8k32.u4", "32", "sync.aligned.row.col.m8n8k32.s32.u4.u4.s32", out + 640);
  WMMA("m8n8k128.b1", "128", "xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", out + 704);
}
