// Atomics: a histogram, and a queue whose order is nobody's.

// warpwise: grid=(n+255)/256 block=256 n=1<<20 x=u32[n]:uniform(0,64) bins=u32[64]
__global__ void histogram(const unsigned *x, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1u);
}

__global__ void histogram_shared(const unsigned *x, unsigned *bins, int n) {
  __shared__ unsigned s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 64) s[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&s[x[i]], 1u);
  __syncthreads();
  if (threadIdx.x < 64 && s[threadIdx.x]) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void histogram_not_zeroed(const unsigned *x, unsigned *bins, int n) {
  __shared__ unsigned s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n) atomicAdd(&s[x[i]], 1u);
  __syncthreads();
  if (threadIdx.x < 64 && s[threadIdx.x]) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void histogram_no_barrier(const unsigned *x, unsigned *bins, int n) {
  __shared__ unsigned s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 64) s[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&s[x[i]], 1u);
  if (threadIdx.x < 64 && s[threadIdx.x]) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void histogram_plain(const unsigned *x, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bins[x[i]]++;
}

__global__ void histogram_63(const unsigned *x, unsigned *bins, int n) {
  __shared__ unsigned s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 64) s[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) atomicAdd(&s[x[i]], 1u);
  __syncthreads();
  if (threadIdx.x < 63 && s[threadIdx.x]) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

// warpwise: grid=(n+127)/128 block=128 n=1<<16 x=i32[n]:uniform(-50,50) out=i32[n] tail=i32[1]:zeros
__global__ void keep(const int *x, int *out, int *tail, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) out[atomicAdd(tail, 1)] = x[i];
}

__global__ void keep_by_warps(const int *x, int *out, int *tail, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool mine = i < n && x[i] > 0;
  unsigned all = __ballot_sync(0xffffffff, mine), lane = threadIdx.x % 32;
  int at = 0;
  if (lane == 0 && all) at = atomicAdd(tail, __popc(all));
  at = __shfl_sync(0xffffffff, at, 0);
  if (mine) out[at + __popc(all & ((1u << lane) - 1))] = x[i];
}

__global__ void keep_zero(const int *x, int *out, int *tail, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] >= 0) out[atomicAdd(tail, 1)] = x[i];
}

__global__ void keep_same_place(const int *x, int *out, int *tail, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool mine = i < n && x[i] > 0;
  unsigned all = __ballot_sync(0xffffffff, mine), lane = threadIdx.x % 32;
  int at = 0;
  if (lane == 0 && all) at = atomicAdd(tail, __popc(all));
  at = __shfl_sync(0xffffffff, at, 0);
  if (mine) out[at + __popc(all & ((1u << lane) - 1)) / 2 * 2] = x[i];
}

// A table that may be nearly full: which keys find no place is a matter of order.
// warpwise: grid=(n+127)/128 block=128 n=4096 mask=8191 keys=u32[n]:uniform(1,1000000) table=u32[mask+1]:zeros
__global__ void put(int n, unsigned mask, const unsigned *keys, unsigned *table) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i], at = key * 2654435769u >> 3;
  for (int tries = 0; tries < 16; tries++, at++) {
    unsigned was = atomicCAS(&table[at & mask], 0u, key);
    if (was == 0u || was == key) return;
  }
}

__global__ void put_wide(int n, unsigned mask, const unsigned *keys, unsigned *table) {
  long long i = (long long)blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i], at = key * 2654435769u >> 3;
  for (int tries = 0; tries < 16; tries++, at++) {
    unsigned was = atomicCAS(&table[at & mask], 0u, key);
    if (was == 0u || was == key) return;
  }
}
