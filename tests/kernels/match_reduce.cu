__global__ void match_reduce(const int *__restrict__ x, unsigned *same, int *sum, unsigned *low) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = x[i];
  same[i] = __match_any_sync(0xffffffffu, v % 5);
  sum[i] = __reduce_add_sync(0xffffffffu, v - 50);
  low[i] = __reduce_min_sync(0xffffffffu, (unsigned)(v ^ 21));
}
