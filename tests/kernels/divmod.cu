__global__ void divmod(const int *__restrict__ a, int *q, int *r, unsigned *uq, long long *lq, int *c7, int *c16) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int n = (a[i] - 256) * 7919, d = (i % 13) - 6;
  if (d == 0) d = 17;
  q[i] = n / d;
  r[i] = n % d;
  uq[i] = (unsigned)n / (unsigned)(i + 1);
  lq[i] = ((long long)n * 1000003LL) / (d * 11LL) + ((long long)n * 999983LL) % 1234567LL;
  c7[i] = n / 7 - n % 7;
  c16[i] = n / 16 + n % 16;
}
