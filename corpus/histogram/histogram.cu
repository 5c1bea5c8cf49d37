// 256 bins: atomics on one table, on a table per block, on a table per warp.

// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=u8[n]:uniform(0,256) bins=u32[256]:zeros
extern "C" __global__ void histogram_global(int n, const unsigned char *x, unsigned *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1u);
}

// warpwise: grid=528 block=256 n=1<<24 x=u8[n]:uniform(0,256) bins=u32[256]:zeros
extern "C" __global__ void histogram_shared(int n, const unsigned char *x, unsigned *bins) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&s[x[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

// warpwise: grid=528 block=256 n=1<<24 x=u32[n/4]:uniform(0,4294967296) bins=u32[256]:zeros
extern "C" __global__ void histogram_warps(int n, const unsigned *x, unsigned *bins) {
  __shared__ unsigned s[8][256];
  unsigned *mine = s[threadIdx.x / 32];
  for (int k = threadIdx.x; k < 8 * 256; k += 256) s[0][k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 4; i += gridDim.x * 256) {
    unsigned v = x[i];
    atomicAdd(&mine[v & 255], 1u), atomicAdd(&mine[v >> 8 & 255], 1u);
    atomicAdd(&mine[v >> 16 & 255], 1u), atomicAdd(&mine[v >> 24], 1u);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int w = 0; w < 8; w++) sum += s[w][threadIdx.x];
  atomicAdd(&bins[threadIdx.x], sum);
}
