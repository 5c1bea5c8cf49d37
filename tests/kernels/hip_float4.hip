#include <hip/hip_runtime.h>

__global__ void hip_float4(float4 *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  x[i] = make_float4(v.x * a, v.y * a, v.z * a, v.w * a);
}
