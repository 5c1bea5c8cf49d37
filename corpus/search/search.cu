// Binary search and naive string matching: dependent loads and early exits.

// warpwise: grid=(n+255)/256 block=256 n=1<<20 m=1<<20 sorted=i32[m]:monotone(0,1000000) keys=i32[n]:uniform(0,1000000) found=i32[n]
extern "C" __global__ void lower_bound(int n, int m, const int *sorted, const int *keys, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = m, key = keys[i];
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (sorted[mid] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  found[i] = lo;
}

// warpwise: grid=(n+255)/256 block=256 n=1<<22 m=8 text=u8[n]:uniform(97,101) pattern=u8[8]:uniform(97,101) count=i32[1]:zeros
extern "C" __global__ void match(int n, int m, const unsigned char *text, const unsigned char *pattern, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - m) return;
  int k = 0;
  while (k < m && text[i + k] == pattern[k]) k++;
  if (k == m) atomicAdd(count, 1);
}
