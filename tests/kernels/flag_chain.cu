// Every block waits for the one behind it, and within a block the first warp for the last: all must be there at once.
__global__ void flag_chain(const int *__restrict__ in, volatile int *sum, volatile int *ready) {
  __shared__ volatile int part, done;
  int b = blockIdx.x, t = threadIdx.x;
  if (t == 0) done = 0;
  __syncthreads();
  if (t == 64) {
    part = in[b] * 5;
    __threadfence_block();
    done = 1;
  }
  if (t == 0) {
    int after = 0;
    if (b + 1 < gridDim.x) {
      while (ready[b + 1] == 0) {}
      __threadfence();
      after = sum[b + 1];
    }
    while (done == 0) {}
    __threadfence_block();
    sum[b] = after + part;
    __threadfence();
    ready[b] = 1;
  }
}
