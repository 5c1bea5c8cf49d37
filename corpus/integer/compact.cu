// Keeping some and dropping the rest, runs of equal numbers, splitting by digit, lists in common, bits that are set.

// warpwise: grid=(n+255)/256 block=256 n=1<<21 limit=500 x=i32[n]:uniform(0,1000) out=i32[n] cursor=i32[1]:zeros
extern "C" __global__ void keep_atomic(int n, int limit, const int *x, int *out, int *cursor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < limit) out[atomicAdd(cursor, 1)] = x[i];
}

// One atomic for the lanes of a warp that keep theirs.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 limit=500 x=i32[n]:uniform(0,1000) out=i32[n] cursor=i32[1]:zeros
extern "C" __global__ void keep_warp(int n, int limit, const int *x, int *out, int *cursor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, v = i < n ? x[i] : limit;
  unsigned keep = __ballot_sync(0xffffffffu, v < limit);
  int base = 0;
  if (lane == 0 && keep) base = atomicAdd(cursor, __popc(keep));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (v < limit) out[base + __popc(keep & ((1u << lane) - 1))] = v;
}

// One atomic for a block of 2048; survivors are gathered in shared memory and leave in order.
// warpwise: grid=(n+2047)/2048 block=256 n=1<<22 limit=500 x=i32[n]:uniform(0,1000) out=i32[n] cursor=i32[1]:zeros
extern "C" __global__ void keep_block(int n, int limit, const int *x, int *out, int *cursor) {
  __shared__ int kept[2048], fill, base;
  if (threadIdx.x == 0) fill = 0;
  __syncthreads();
  for (int k = 0; k < 8; k++) {
    int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
    if (i < n && x[i] < limit) kept[atomicAdd(&fill, 1)] = x[i];
  }
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(cursor, fill);
  __syncthreads();
  for (int k = threadIdx.x; k < fill; k += 256) out[base + k] = kept[k];
}

// Order kept: the place of each survivor was scanned before.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=i32[n]:random place=i32[n+1]:monotone(0,n/3) out=i32[n]
extern "C" __global__ void keep_placed(int n, const int *x, const int *place, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && place[i + 1] > place[i]) out[place[i]] = x[i];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=i32[n]:monotone(0,n/8) head=u8[n]
extern "C" __global__ void mark_runs(int n, const int *x, unsigned char *head) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) head[i] = i == 0 || x[i] != x[i - 1];
}

// Each head walks to the end of its run.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=i32[n]:monotone(0,n/8) length=i32[n]
extern "C" __global__ void run_lengths(int n, const int *x, int *length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i], k = 0;
  if (i == 0 || x[i - 1] != v)
    for (k = 1; i + k < n && x[i + k] == v;) k++;
  length[i] = k;
}

// How many keys of the block's 4096 have each value of the digit; a row of counts per block.
// warpwise: grid=(n+4095)/4096 block=256 n=1<<22 shift=8 key=u32[n]:uniform(0,4294967296) count=i32[(n+4095)/4096*64]
extern "C" __global__ void partition_count(int n, int shift, const unsigned *key, int *count) {
  __shared__ int c[64];
  if (blockIdx.x * 4096 >= n) return;
  if (threadIdx.x < 64) c[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 16; k++) {
    int i = blockIdx.x * 4096 + k * 256 + threadIdx.x;
    if (i < n) atomicAdd(&c[key[i] >> shift & 63], 1);
  }
  __syncthreads();
  if (threadIdx.x < 64) count[blockIdx.x * 64 + threadIdx.x] = c[threadIdx.x];
}

// Sixteen partitions: the block reserves room in each, then every key goes to its partition's next place.
// warpwise: grid=(n+2047)/2048 block=256 n=1<<21 shift=4 key=u32[n]:uniform(0,4294967296) out=u32[n*16] cursor=i32[16]:zeros
extern "C" __global__ void partition_move(int n, int shift, const unsigned *key, unsigned *out, int *cursor) {
  __shared__ int count[16], base[16];
  if (threadIdx.x < 16) count[threadIdx.x] = 0;
  __syncthreads();
  unsigned v[8];
  int rank[8];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
    if (i < n) v[k] = key[i], rank[k] = atomicAdd(&count[v[k] >> shift & 15], 1);
  }
  __syncthreads();
  if (threadIdx.x < 16) base[threadIdx.x] = atomicAdd(&cursor[threadIdx.x], count[threadIdx.x]);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; k++) {
    int p = v[k] >> shift & 15, i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
    if (i < n) out[(size_t)p * n + base[p] + rank[k]] = v[k];
  }
}

// The short list's elements are looked up in the long one.
// warpwise: grid=(m+127)/128 block=128 m=1<<18 n=1<<22 few=i32[m]:monotone(0,1<<24) many=i32[n]:monotone(0,1<<24) common=i32[1]:zeros
extern "C" __global__ void intersect_search(int m, int n, const int *few, const int *many, int *common) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int v = few[i], lo = 0, len = n;
  while (len > 1) {
    int half = len / 2;
    lo = many[lo + half] <= v ? lo + half : lo;
    len -= half;
  }
  if (many[lo] == v) atomicAdd(common, 1);
}

// Both lists are cut at the same places and a thread merges its pieces.
// warpwise: grid=(n/64+127)/128 block=128 n=1<<21 a=i32[n]:monotone(0,1<<23) b=i32[n]:monotone(0,1<<23) common=i32[n/64+1]
extern "C" __global__ void intersect_merge(int n, const int *a, const int *b, int *common) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, i = t * 64, end = min(n, i + 64);
  if (i >= n) return;
  int lo = 0, hi = n; // the first of b that isn't below a[i]
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (b[mid] < a[i])
      lo = mid + 1;
    else
      hi = mid;
  }
  int found = 0;
  while (i < end && lo < n) {
    int u = a[i], v = b[lo];
    found += u == v;
    i += u <= v, lo += v <= u;
  }
  common[t] = found;
}

// How many set bits are before a place: a count every 512 bits, the rest by popcount.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 words=1<<20 bits=u32[words]:uniform(0,4294967296) before=i32[words/16+1]:uniform(0,1000000) at=u32[n]:uniform(0,words*32) rank=i32[n]
extern "C" __global__ void rank_bits(int n, int words, const unsigned *bits, const int *before, const unsigned *at,
                                     int *rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned p = at[i], w = p / 32;
  int r = before[w / 16];
  for (unsigned k = w / 16 * 16; k < w; k++) r += __popc(bits[k]);
  rank[i] = r + __popc(bits[w] & ((1u << p % 32) - 1));
}

// Two bitmaps and a third: how many are in both and not in the last.
// warpwise: grid=264 block=256 words=1<<21 a=u64[words]:random b=u64[words]:random c=u64[words]:random count=u64[1]:zeros
extern "C" __global__ void bitmap_count(int words, const unsigned long long *a, const unsigned long long *b,
                                        const unsigned long long *c, unsigned long long *count) {
  unsigned mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
    mine += __popcll(a[i] & b[i] & ~c[i]);
  mine = __reduce_add_sync(0xffffffffu, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(count, (unsigned long long)mine);
}
