#include <hip/hip_runtime.h>

__global__ void hip_ballot(const int *__restrict__ x, unsigned long long *mask, int *rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 63;
  unsigned long long b = __ballot(x[i] % 3 == 0);
  if (lane == 0) mask[i >> 6] = b;
  rank[i] = __popcll(b & ((1ull << lane) - 1));
}
