// Shuffles under a branch, with the mask of the lanes that take it.
__global__ void shfl_divergent(const int *__restrict__ x, int *__restrict__ out) {
  int i = threadIdx.x, lane = i & 31, v = x[i];
  if (lane < 20) {
    v = __shfl_sync(0x000fffffu, v, (lane + 7) % 20);
    v += __shfl_xor_sync(0x000fffffu, v, 1);
  }
  out[i] = v;
}
