// All four shuffles, with segments of 16.
__global__ void shfl_modes(const int *__restrict__ x, int *idx, int *up, int *down, int *bfly) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = x[i];
  idx[i] = __shfl_sync(0xffffffffu, v, (i * 3) & 15, 16);
  up[i] = __shfl_up_sync(0xffffffffu, v, 3, 16);
  down[i] = __shfl_down_sync(0xffffffffu, v, 5);
  bfly[i] = __shfl_xor_sync(0xffffffffu, v, 9);
}
