#include <hip/hip_runtime.h>

__global__ void hip_stride(const float *__restrict__ in, float *__restrict__ out, int s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * s];
}
