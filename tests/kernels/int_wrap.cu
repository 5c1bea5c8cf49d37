__global__ void int_wrap(const unsigned *__restrict__ x, unsigned *a, int *b, unsigned long long *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = x[i] * 0x85ebca6bu + 0xc2b2ae35u;
  unsigned w = v;
  for (int k = 0; k < 5; k++) w = w * 1664525u + 1013904223u;
  a[i] = w - v;
  b[i] = (int)(v * v) - (int)(w >> 1);
  c[i] = (unsigned long long)v * w * 0xff51afd7ed558ccdull;
}
