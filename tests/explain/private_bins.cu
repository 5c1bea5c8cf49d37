// Counts of 8-bit values; each thread has bins of its own in shared memory so that no atomics are needed.
// expect: low-occupancy
// warpwise: grid=1056 block=64 n=1<<26 data=u8[n] partial=[1056*256]
__global__ void private_bins(const unsigned char *data, unsigned int *partial, int n) {
  __shared__ unsigned short bins[256 * 64];
  int t = threadIdx.x;
  for (int b = 0; b < 256; b++) bins[b * 64 + t] = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) bins[data[i] * 64 + t]++;
  __syncthreads();
  for (int b = t; b < 256; b += 64) {
    unsigned int sum = 0;
    for (int k = 0; k < 64; k++) sum += bins[b * 64 + (k + t) % 64];
    partial[blockIdx.x * 256 + b] = sum;
  }
}
