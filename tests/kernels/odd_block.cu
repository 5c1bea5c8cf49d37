// Blocks of 50: each second warp has 18 lanes.
__global__ void odd_block(const int *__restrict__ x, int *__restrict__ out) {
  int i = blockIdx.x * 50 + threadIdx.x;
  out[i] = x[i] * 2 + (int)blockDim.x;
}
