#include <cuda_fp16.h>
__global__ void half_scalar(const __half *__restrict__ a, __half *__restrict__ out, float *__restrict__ f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half x = a[i];
  out[i] = __hmul(x, x);
  f[i] = __half2float(x) * 0.5f;
}
