// A sum over 64-lane waves, then over the waves of a block.
// warpwise: grid=1024 block=256 n=1<<22 x=[n]
#include <hip/hip_runtime.h>

__global__ void reduce(const float *x, float *sum, int n) {
  __shared__ float waves[16];
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];
  for (int d = warpSize / 2; d > 0; d /= 2) s += __shfl_down(s, d);
  if (threadIdx.x % warpSize == 0) waves[threadIdx.x / warpSize] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / warpSize; w++) s += waves[w];
    atomicAdd(sum, s);
  }
}
