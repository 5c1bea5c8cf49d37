// Sorts 128 keys in shared memory; every pair is compared by its lower thread.
__global__ void bitonic(const int *__restrict__ x, int *__restrict__ out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
#pragma unroll 1
  for (int size = 2; size <= 128; size <<= 1)
#pragma unroll 1
    for (int d = size >> 1; d > 0; d >>= 1) {
      int o = t ^ d;
      if (o > t) {
        int a = s[t], b = s[o];
        bool up = (t & size) == 0;
        if ((a > b) == up) {
          s[t] = b;
          s[o] = a;
        }
      }
      __syncthreads();
    }
  out[t] = s[t];
}
