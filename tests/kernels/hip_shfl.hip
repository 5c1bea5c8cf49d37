#include <hip/hip_runtime.h>

__global__ void hip_shfl(const int *__restrict__ x, int *a, int *b, int *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = x[i];
  a[i] = __shfl(v, (i * 5) & 63);
  b[i] = __shfl_xor(v, 33);
  c[i] = __shfl_up(v, 7, 32);
}
