__global__ void mulhi(const unsigned long long *__restrict__ x, unsigned long long *u, long long *s, unsigned *u32, int *s32) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long a = x[i] * 0x9E3779B97F4A7C15ull, b = ~a ^ 0x123456789ABCDEFull;
  u[i] = __umul64hi(a, b);
  s[i] = __mul64hi((long long)a, (long long)b);
  u32[i] = __umulhi((unsigned)a, (unsigned)(b >> 32));
  s32[i] = __mulhi((int)a, (int)(b >> 32));
}
