// Inclusive Hillis-Steele scan of each block of 128, two buffers.
__global__ void scan_block(const int *__restrict__ x, int *__restrict__ out, int n) {
  __shared__ int s[2][128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t, p = 0;
  s[0][t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = 1; d < 128; d <<= 1) {
    int v = s[p][t];
    if (t >= d) v += s[p][t - d];
    p = 1 - p;
    s[p][t] = v;
    __syncthreads();
  }
  if (i < n) out[i] = s[p][t];
}
