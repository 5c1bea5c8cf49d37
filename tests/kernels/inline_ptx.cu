__global__ void inline_ptx(const unsigned *__restrict__ x, unsigned *lane, unsigned *field, int *sfield, unsigned *mad, unsigned *shl) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = x[i] * 2654435761u, l, f, m, s;
  int g;
  asm("mov.u32 %0, %%laneid;" : "=r"(l));
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(f) : "r"(v), "r"(5), "r"(11));
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(g) : "r"(v), "r"(3), "r"(9));
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(m) : "r"(v), "r"(17), "r"(l));
  asm("shl.b32 %0, %1, %2;" : "=r"(s) : "r"(v), "r"(i)); // by 32 and more: 0
  lane[i] = l;
  field[i] = f;
  sfield[i] = g;
  mad[i] = m;
  shl[i] = s;
}
