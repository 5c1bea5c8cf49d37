// Prefix sums inside a block; the block's total goes to `totals`.

// warpwise: grid=n/512 block=512 n=1<<20 x=i32[n]:uniform(0,100) y=i32[n] totals=i32[n/512]
extern "C" __global__ void scan_hillis(int n, const int *x, int *y, int *totals) {
  __shared__ int s[2][512];
  int t = threadIdx.x, from = 0;
  s[0][t] = blockIdx.x * 512 + t < n ? x[blockIdx.x * 512 + t] : 0;
  __syncthreads();
  for (int d = 1; d < 512; d *= 2) {
    s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
    from = 1 - from;
    __syncthreads();
  }
  if (blockIdx.x * 512 + t < n) y[blockIdx.x * 512 + t] = s[from][t];
  if (t == 511) totals[blockIdx.x] = s[from][t];
}

// warpwise: grid=n/1024 block=1024 n=1<<20 x=i32[n]:uniform(0,100) y=i32[n] totals=i32[n/1024]
extern "C" __global__ void scan_warps(int n, const int *x, int *y, int *totals) {
  __shared__ int sums[32];
  int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 1024 + t, v = i < n ? x[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    int u = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) sums[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    int w = sums[t];
    for (int d = 1; d < 32; d *= 2) {
      int u = __shfl_up_sync(0xffffffffu, w, d);
      if (t >= d) w += u;
    }
    sums[t] = w;
  }
  __syncthreads();
  if (t >= 32) v += sums[t / 32 - 1];
  if (i < n) y[i] = v;
  if (t == 1023) totals[blockIdx.x] = v;
}
