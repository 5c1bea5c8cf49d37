#include <cuda_bf16.h>
__global__ void bf16_fma(const __nv_bfloat16 *__restrict__ a, const __nv_bfloat16 *__restrict__ b, __nv_bfloat16 *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_bfloat16 y = b[i];
  out[i] = __hfma(a[i], y, y);
}
