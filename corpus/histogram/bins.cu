// Histograms of other shapes: few bins and many, two dimensions, weights, equal keys in a warp, several copies.

// Lanes of a warp with the same key elect one to add for all.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 bins=64 x=u8[n]:zipf(0,bins) count=i32[bins]:zeros
extern "C" __global__ void histogram_elect(int n, int bins, const unsigned char *x, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i];
  unsigned same = __match_any_sync(__activemask(), v);
  if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&count[v], __popc(same));
}

// Sixteen bins, a byte of them per thread in shared memory: no atomics until the end.
// warpwise: grid=528 block=128 n=1<<24 x=u32[n/4]:uniform(0,4294967296) count=i32[16]:zeros
extern "C" __global__ void histogram_private(int n, const unsigned *x, int *count) {
  __shared__ unsigned char mine[16][128];
  __shared__ int total[16];
  int t = threadIdx.x;
  for (int b = 0; b < 16; b++) mine[b][t] = 0;
  if (t < 16) total[t] = 0;
  __syncthreads();
  int words = 0, sum[16] = {};
  for (int i = blockIdx.x * 128 + t; i < n / 4; i += gridDim.x * 128) {
    unsigned v = x[i];
#pragma unroll
    for (int k = 0; k < 4; k++) mine[v >> (8 * k) & 15][t]++;
    if (++words == 63) { // before a byte can overflow
      words = 0;
#pragma unroll
      for (int b = 0; b < 16; b++) sum[b] += mine[b][t], mine[b][t] = 0;
    }
  }
#pragma unroll
  for (int b = 0; b < 16; b++) {
    int s = __reduce_add_sync(0xffffffffu, sum[b] + mine[b][t]);
    if (t % 32 == 0) atomicAdd(&total[b], s);
  }
  __syncthreads();
  if (t < 16) atomicAdd(&count[t], total[t]);
}

// More bins than threads; a block's table is as large as shared memory allows.
template <int bins> __device__ void histogram_wide(int n, const unsigned short *x, int *count) {
  __shared__ int s[bins];
  for (int k = threadIdx.x; k < bins; k += blockDim.x) s[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[x[i] % bins], 1);
  __syncthreads();
  for (int k = threadIdx.x; k < bins; k += blockDim.x)
    if (s[k]) atomicAdd(&count[k], s[k]);
}

// warpwise: grid=264 block=512 n=1<<23 x=u16[n]:uniform(0,65536) count=i32[1024]:zeros
extern "C" __global__ void histogram_1024(int n, const unsigned short *x, int *count) {
  histogram_wide<1024>(n, x, count);
}

// warpwise: grid=132 block=1024 n=1<<23 x=u16[n]:zipf(0,65536) count=i32[8192]:zeros
extern "C" __global__ void histogram_8192(int n, const unsigned short *x, int *count) {
  histogram_wide<8192>(n, x, count);
}

// Too many bins for shared memory.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 bins=1<<20 x=u32[n]:uniform(0,bins) count=u32[bins]:zeros
extern "C" __global__ void histogram_sparse(int n, int bins, const unsigned *x, unsigned *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&count[x[i]], 1u);
}

// Points of the unit square into 64 x 64 cells.
// warpwise: grid=264 block=256 n=1<<22 x=f32[n] y=f32[n] count=i32[4096]:zeros
extern "C" __global__ void histogram_2d(int n, const float *x, const float *y, int *count) {
  __shared__ int s[4096];
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) s[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int cx = min(63, (int)(x[i] * 64.0f)), cy = min(63, (int)(y[i] * 64.0f));
    atomicAdd(&s[cy * 64 + cx], 1);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 4096; k += blockDim.x)
    if (s[k]) atomicAdd(&count[k], s[k]);
}

// Weights in place of ones; four copies of the table, by lane, so that equal keys collide less.
// warpwise: grid=264 block=256 n=1<<22 key=u8[n]:zipf(0,256) weight=f32[n] sum=f32[256]:zeros
extern "C" __global__ void histogram_weighted(int n, const unsigned char *key, const float *weight, float *sum) {
  __shared__ float s[4][257];
  for (int k = threadIdx.x; k < 4 * 257; k += 256) s[0][k] = 0.0f;
  __syncthreads();
  float *mine = s[threadIdx.x % 4];
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&mine[key[i]], weight[i]);
  __syncthreads();
  int t = threadIdx.x;
  atomicAdd(&sum[t], (s[0][t] + s[1][t]) + (s[2][t] + s[3][t]));
}

// Sorted keys: a bin's count is the distance of two searches.
// warpwise: grid=(bins+127)/128 block=128 n=1<<22 bins=65536 x=i32[n]:monotone(0,bins) count=i32[bins]
extern "C" __global__ void histogram_sorted(int n, int bins, const int *x, int *count) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= bins) return;
  int edge[2];
#pragma unroll
  for (int e = 0; e < 2; e++) {
    int lo = 0, hi = n;
    while (lo < hi) {
      int mid = lo + (hi - lo) / 2;
      if (x[mid] < b + e)
        lo = mid + 1;
      else
        hi = mid;
    }
    edge[e] = lo;
  }
  count[b] = edge[1] - edge[0];
}
