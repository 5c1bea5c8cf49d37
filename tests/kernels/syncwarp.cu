// Warp-synchronous tree without a block barrier.
__global__ void syncwarp(const int *__restrict__ x, int *__restrict__ out) {
  __shared__ int s[64];
  int t = threadIdx.x, lane = t & 31;
  s[t] = x[t];
  __syncwarp();
  for (int k = 16; k > 0; k >>= 1) {
    int v = s[t] + (lane + k < 32 ? s[t + k] : 0);
    __syncwarp();
    s[t] = v;
    __syncwarp();
  }
  out[t] = s[t];
}
