__global__ void vote(const int *__restrict__ x, unsigned *ballot, int *any, int *all) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = x[i];
  ballot[i] = __ballot_sync(0xffffffffu, v % 3 == 0);
  any[i] = __any_sync(0xffffffffu, v == 40) != 0;
  all[i] = __all_sync(0xffffffffu, v < 96) != 0;
}
