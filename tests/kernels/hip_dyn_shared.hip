#include <hip/hip_runtime.h>

__global__ void hip_dyn_shared(const int *__restrict__ x, int *__restrict__ out) {
  extern __shared__ int s[];
  int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
  s[t] = x[i];
  __syncthreads();
  out[i] = s[n - 1 - t] * 2 + warpSize;
}
