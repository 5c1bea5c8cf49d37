// Blocks draw tiles of 64 until none is left; who gets which depends on time, the result does not.
__global__ void work_queue(const int *__restrict__ in, int *__restrict__ out, int *next, int tiles) {
  __shared__ int tile;
  for (;;) {
    if (threadIdx.x == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    int mine = tile;
    __syncthreads();
    if (mine >= tiles) return;
    int i = mine * 64 + threadIdx.x;
    out[i] = in[i] * 3 + mine;
  }
}
