// Static and dynamic shared memory side by side.
__global__ void two_shared(const int *__restrict__ x, int *__restrict__ out) {
  __shared__ int fixed[64];
  extern __shared__ int flexible[];
  int t = threadIdx.x;
  fixed[t] = x[t];
  flexible[t] = x[t] * 100;
  __syncthreads();
  out[t] = fixed[63 - t] + flexible[t ^ 2];
}
