#include <hip/hip_runtime.h>

__global__ void hip_histogram(const int *__restrict__ x, int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i] & 15], 1);
}
