__global__ void histogram_shared(const int *__restrict__ x, int *bins, int n) {
  __shared__ int s[16];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (t < 16) s[t] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&s[x[i] & 15], 1);
  __syncthreads();
  if (t < 16) atomicAdd(&bins[t], s[t]);
}
