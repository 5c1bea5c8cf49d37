// The n-th set bit from a place on: upwards, downwards, or that place itself.
__global__ void nth_bit(const unsigned *__restrict__ x, int *__restrict__ out) {
  int i = threadIdx.x, r;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x[i] * 2654435761u), "r"(i & 31), "r"(i / 4 % 13 - 6));
  out[i] = r;
}
