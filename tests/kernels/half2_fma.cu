#include <cuda_fp16.h>
__global__ void half2_fma(const __half2 *__restrict__ a, const __half2 *__restrict__ b, __half2 *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 x = a[i], y = b[i];
  out[i] = __hfma2(x, y, __hadd2(x, __hmul2(y, y)));
}
