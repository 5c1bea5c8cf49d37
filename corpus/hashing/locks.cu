// Many threads that want the same words: locks, compare-and-swap until it succeeds, additions that meet.

// A lock for each bucket, taken by single lanes that spin until they have it.
// warpwise: grid=(n+255)/256 block=256 n=65536 buckets=1024 key=i32[n]:uniform(0,1000000) lock=i32[buckets]:zeros members=i32[buckets]:zeros sum=f32[buckets]:zeros
extern "C" __global__ void bucket_spin(int n, int buckets, const int *__restrict__ key, int *lock, volatile int *members, volatile float *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = key[i], b = k % buckets;
  while (atomicCAS(&lock[b], 0, 1) != 0) {}
  __threadfence();
  members[b] = members[b] + 1;
  sum[b] = sum[b] + k;
  __threadfence();
  atomicExch(&lock[b], 0);
}

// The same, written so that the lanes that fail wait for those that succeed: the lock is tried again in a loop around the work.
// warpwise: grid=(n+255)/256 block=256 n=65536 buckets=1024 key=i32[n]:uniform(0,1000000) lock=i32[buckets]:zeros members=i32[buckets]:zeros sum=f32[buckets]:zeros
extern "C" __global__ void bucket_try(int n, int buckets, const int *__restrict__ key, int *lock, volatile int *members, volatile float *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = key[i], b = k % buckets;
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock[b], 0, 1) == 0) {
      members[b] = members[b] + 1;
      sum[b] = sum[b] + k;
      __threadfence();
      atomicExch(&lock[b], 0);
      done = true;
    }
  }
}

// One lock for the whole grid, taken once by each block for a short list of best values.
// warpwise: grid=blocks block=256 blocks=1024 x=f32[blocks*256] lock=i32[1]:zeros best=f32[8]:zeros
extern "C" __global__ void best_under_lock(int blocks, const float *__restrict__ x, int *lock, volatile float *best) {
  __shared__ float s[8];
  int t = threadIdx.x;
  float v = x[blockIdx.x * 256 + t];
  for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
  if (t % 32 == 0) s[t / 32] = v;
  __syncthreads();
  if (t != 0) return;
  for (int k = 1; k < 8; k++) v = fmaxf(v, s[k]);
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  for (int k = 0; k < 8; k++) {
    float b = best[k];
    if (v > b) {
      best[k] = v;
      v = b;
    }
  }
  __threadfence();
  atomicExch(lock, 0);
}

// Largest value and where it is, packed into 64 bits and swapped in until nobody was faster.
// warpwise: grid=(n+255)/256 block=256 n=65536 groups=1 x=f32[n] most=u64[groups]:zeros
extern "C" __global__ void argmax_swap(int n, int groups, const float *__restrict__ x, unsigned long long *most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long *at = &most[i % groups], mine = (unsigned long long)__float_as_uint(x[i]) << 32 | (unsigned)i, old = *at;
  while (old < mine) {
    unsigned long long was = atomicCAS(at, old, mine);
    if (was == old) break;
    old = was;
  }
}

// Products by compare-and-swap, for there is no atomic multiplication: every thread succeeds once.
// warpwise: grid=(n+255)/256 block=256 n=32768 cells=64 cell=i32[n]:uniform(0,1000000) x=f32[n] out=f32[cells]:ones
extern "C" __global__ void multiply_swap(int n, int cells, const int *__restrict__ cell, const float *__restrict__ x, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned *at = &out[cell[i] % cells], old = *at, was;
  float f = 0.5f + x[i];
  do {
    was = old;
    old = atomicCAS(at, was, __float_as_uint(__uint_as_float(was) * f));
  } while (old != was);
}

// Nodes pushed onto lists without a lock: the head is swapped until nobody else did.
// warpwise: grid=(n+255)/256 block=256 n=65536 lists=256 head=i32[lists]:zeros link=i32[n]
extern "C" __global__ void push_lists(int n, int lists, int *head, int *link) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int *h = &head[(unsigned)i * 2654435769u % lists], old = *h, was;
  do {
    was = old;
    link[i] = was;
    old = atomicCAS(h, was, i + 1);
  } while (old != was);
}

// Keys counted in an open table: some keys are very frequent.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 mask=65535 key=u32[n]:zipf(1,30000) table=u32[mask+1]:zeros count=u32[mask+1]:zeros
extern "C" __global__ void table_count(int n, unsigned mask, const unsigned *__restrict__ key, unsigned *table, unsigned *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = key[i], at = k * 2654435769u >> 8;
  for (;; at++) {
    unsigned was = table[at & mask];
    if (was == 0u) was = atomicCAS(&table[at & mask], 0u, k);
    if (was == 0u || was == k) break;
  }
  atomicAdd(&count[at & mask], 1u);
}

// Gradients of an embedding: a warp adds its row of 64 to the row that its word names.
// warpwise: grid=(n+7)/8 block=256 n=65536 words=30000 word=i32[n]:uniform(0,30000) grad=f32[n*64] sum=f32[words*64]:zeros
extern "C" __global__ void add_rows(int n, int words, const int *__restrict__ word, const float *__restrict__ grad, float *sum) {
  int i = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (i >= n) return;
  int w = word[i] % words;
  atomicAdd(&sum[(size_t)w * 64 + lane], grad[(size_t)i * 64 + lane]);
  atomicAdd(&sum[(size_t)w * 64 + 32 + lane], grad[(size_t)i * 64 + 32 + lane]);
}

// A thread to each element of a row instead: neighbouring lanes go to rows all over.
// warpwise: grid=(n+255)/256 block=256 n=1<<18 cells=1000000 cell=i32[n]:uniform(0,1000000) x=f32[n] out=f32[cells]:zeros
extern "C" __global__ void add_cells(int n, int cells, const int *__restrict__ cell, const float *__restrict__ x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[cell[i] % cells], x[i]);
}

// Weights per bin in shared memory, in floating point; bins wide apart fall into one bank.
// warpwise: grid=blocks block=256 blocks=264 n=1<<22 bins=64 apart=1 x=f32[n] out=f32[bins]:zeros
extern "C" __global__ void weigh_bins(int blocks, int n, int bins, int apart, const float *__restrict__ x, float *out) {
  __shared__ float s[8192];
  for (int k = threadIdx.x; k < bins * apart; k += 256) s[k] = 0.0f;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += blocks * 256) {
    float v = x[i];
    atomicAdd(&s[min((int)(v * bins), bins - 1) * apart], v);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < bins; k += 256) atomicAdd(&out[k], s[k * apart]);
}

// The same counted in integers.
// warpwise: grid=blocks block=256 blocks=264 n=1<<22 bins=64 apart=1 x=f32[n] out=i32[bins]:zeros
extern "C" __global__ void count_bins(int blocks, int n, int bins, int apart, const float *__restrict__ x, int *out) {
  __shared__ int s[8192];
  for (int k = threadIdx.x; k < bins * apart; k += 256) s[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += blocks * 256) atomicAdd(&s[min((int)(x[i] * bins), bins - 1) * apart], 1);
  __syncthreads();
  for (int k = threadIdx.x; k < bins; k += 256) atomicAdd(&out[k], s[k * apart]);
}

// Neighbouring lanes share a counter, `group` of them each; every round has counters of its own.
// warpwise: grid=blocks block=256 blocks=528 rounds=16 group=32 v=i32[256]:uniform(0,100) count=i32[blocks*256*rounds]:zeros
extern "C" __global__ void add_groups(int blocks, int rounds, int group, const int *__restrict__ v, int *count) {
  int i = blockIdx.x * 256 + threadIdx.x, mine = v[threadIdx.x];
#pragma unroll 4
  for (int r = 0; r < rounds; r++) atomicAdd(&count[((size_t)r * blocks * 256 + i) / group * group], mine + r);
}

// The same in floating point.
// warpwise: grid=blocks block=256 blocks=528 rounds=16 group=32 v=f32[256] sum=f32[blocks*256*rounds]:zeros
extern "C" __global__ void add_groups_float(int blocks, int rounds, int group, const float *__restrict__ v, float *sum) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float mine = v[threadIdx.x];
#pragma unroll 4
  for (int r = 0; r < rounds; r++) atomicAdd(&sum[((size_t)r * blocks * 256 + i) / group * group], mine + r);
}

// Places drawn from counters that neighbouring lanes share: the old value is used.
// warpwise: grid=blocks block=256 blocks=528 rounds=16 group=32 v=i32[256]:uniform(1,100) count=i32[blocks*256*rounds]:zeros out=i32[blocks*256]
extern "C" __global__ void take_groups(int blocks, int rounds, int group, const int *__restrict__ v, int *count, int *out) {
  int i = blockIdx.x * 256 + threadIdx.x, mine = v[threadIdx.x], sum = 0;
#pragma unroll 4
  for (int r = 0; r < rounds; r++) sum += atomicAdd(&count[((size_t)r * blocks * 256 + i) / group * group], mine + r);
  out[i] = sum;
}

// A word that every warp writes, with `lanes` of its lanes.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 lanes=1 words=1 x=i32[n]:uniform(0,1000) flag=i32[words*32]:zeros
extern "C" __global__ void raise_flags(int n, int lanes, int words, const int *__restrict__ x, int *flag) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n && threadIdx.x % 32 < lanes && x[i] < 2000) flag[i / 32 % words * 32] = 1;
}
