// Bitonic sort of 1024 keys per block in shared memory; one odd-even pass over global memory.

// warpwise: grid=n/1024 block=512 n=1<<20 keys=i32[n]
extern "C" __global__ void bitonic1024(int n, int *keys) {
  if ((blockIdx.x + 1) * 1024 > n) return;
  __shared__ int s[1024];
  int t = threadIdx.x, base = blockIdx.x * 1024;
  s[t] = keys[base + t], s[t + 512] = keys[base + t + 512];
  for (int size = 2; size <= 1024; size *= 2)
    for (int d = size / 2; d > 0; d /= 2) {
      __syncthreads();
      int a = 2 * d * (t / d) + t % d, b = a + d, up = (a & size) == 0;
      int x = s[a], y = s[b];
      if ((x > y) == up) s[a] = y, s[b] = x;
    }
  __syncthreads();
  keys[base + t] = s[t], keys[base + t + 512] = s[t + 512];
}

// warpwise: grid=(n/2+255)/256 block=256 n=1<<22 odd=0 keys=i32[n]
extern "C" __global__ void odd_even(int n, int odd, int *keys) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + odd;
  if (i + 1 >= n) return;
  int a = keys[i], b = keys[i + 1];
  if (a > b) keys[i] = b, keys[i + 1] = a;
}
