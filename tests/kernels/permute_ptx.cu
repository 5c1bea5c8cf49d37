// The modes of prmt, and masks whose ends are counted from 0 again behind bit 31.
#define MODE(n, mode) asm("prmt.b32." mode " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(i)); out[n * 64 + i] = r
__global__ void permute_ptx(const unsigned *__restrict__ in, unsigned *__restrict__ out) {
  unsigned i = threadIdx.x, a = in[i] * 2654435761u, b = ~a * 40503u, r;
  MODE(0, "f4e");
  MODE(1, "b4e");
  MODE(2, "rc8");
  MODE(3, "ecl");
  MODE(4, "ecr");
  MODE(5, "rc16");
  asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(r) : "r"(i), "r"(i * 7));
  out[384 + i] = r;
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(i), "r"(i * 7));
  out[448 + i] = r;
}
