__global__ void dp4a(const int *__restrict__ a, const int *__restrict__ b, int *s, unsigned *u) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = a[i] * 0x01234567, y = b[i] * 0x07654321;
  s[i] = __dp4a(x, y, i);
  u[i] = __dp4a((unsigned)x, (unsigned)y, 5u);
}
