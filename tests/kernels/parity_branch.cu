// Even lanes load and store, odd lanes do nothing: half the bytes, all the sectors.
__global__ void parity_branch(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (threadIdx.x & 1) == 0) y[i] = x[i] * 3.0f + 1.0f;
}
