extern __shared__ int s[];
__global__ void dyn_shared(const int *__restrict__ x, int *__restrict__ out) {
  int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
  s[t] = x[i];
  s[n + t] = x[i] * 10;
  __syncthreads();
  out[i] = s[n - 1 - t] + s[n + (t ^ 1)];
}
