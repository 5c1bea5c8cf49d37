// HIP speaks CUDA's words.
// expect: double-constant
#include <hip/hip_runtime.h>
// warpwise: grid=n/256 block=256 n=1<<21 x=[n] y=[n]
__global__ void soften(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 8; k++) v = v / (1.0 + fmax(v, 0)) + 0.001;
  y[i] = v;
}
