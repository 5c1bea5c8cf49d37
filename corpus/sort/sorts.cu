// The steps that sorts are made of: networks in registers, shared and global memory, merges, digits, ranks, buckets.

// One step of a bitonic sort over global memory: partners are `far` apart, runs have `size` elements.
// warpwise: grid=(n/2+255)/256 block=256 n=1<<22 size=1<<20 far=1<<10 key=i32[n]:uniform(0,1<<30)
extern "C" __global__ void bitonic_step(int n, int size, int far, int *key) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = t / far * 2 * far + t % far;
  if (i + far >= n) return;
  int a = key[i], b = key[i + far];
  if ((a > b) == ((i & size) == 0)) key[i] = b, key[i + far] = a;
}

// Keys of 64 bits in registers, one per lane; each warp leaves 32 in order.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 key=u64[n]:random
extern "C" __global__ void bitonic_warp(int n, unsigned long long *key) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned long long v = i < n ? key[i] : ~0ull;
#pragma unroll
  for (int size = 2; size <= 32; size *= 2)
#pragma unroll
    for (int d = size / 2; d > 0; d /= 2) {
      unsigned long long u = __shfl_xor_sync(0xffffffffu, v, d);
      bool low = (lane & d) == 0, up = (lane & size) == 0;
      v = (low == up) == (u < v) ? u : v;
    }
  if (i < n) key[i] = v;
}

// Halves of 2048 that rise and fall become one run: the last steps of a large bitonic sort, with values.
// warpwise: grid=n/2048 block=512 n=1<<21 key=f32[n] value=i32[n]:permutation
extern "C" __global__ void bitonic_finish(int n, float *key, int *value) {
  __shared__ float k[2048];
  __shared__ int v[2048];
  int base = blockIdx.x * 2048, t = threadIdx.x;
  if (base + 2048 > n) return;
  for (int i = t; i < 2048; i += 512) k[i] = key[base + i], v[i] = value[base + i];
  for (int d = 1024; d > 0; d /= 2) {
    __syncthreads();
    for (int p = t; p < 1024; p += 512) {
      int a = p / d * 2 * d + p % d, b = a + d;
      if (k[a] > k[b]) {
        float f = k[a];
        int w = v[a];
        k[a] = k[b], v[a] = v[b], k[b] = f, v[b] = w;
      }
    }
  }
  __syncthreads();
  for (int i = t; i < 2048; i += 512) key[base + i] = k[i], value[base + i] = v[i];
}

__device__ void order(int &a, int &b) {
  int low = min(a, b);
  b = max(a, b), a = low;
}

// Eight keys per thread through a network of 19 exchanges, rows of eight.
// warpwise: grid=(n/8+127)/128 block=128 n=1<<22 key=i32[n]:uniform(0,1<<30)
extern "C" __global__ void network8(int n, int4 *key) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 8) return;
  int4 u = key[2 * i], w = key[2 * i + 1];
  order(u.x, u.z), order(u.y, u.w), order(w.x, w.z), order(w.y, w.w);
  order(u.x, w.x), order(u.y, w.y), order(u.z, w.z), order(u.w, w.w);
  order(u.x, u.y), order(u.z, u.w), order(w.x, w.y), order(w.z, w.w);
  order(u.z, w.x), order(u.w, w.y);
  order(u.y, w.x), order(u.w, w.z);
  order(u.y, u.z), order(u.w, w.x), order(w.y, w.z);
  key[2 * i] = u, key[2 * i + 1] = w;
}

// A short list per thread, sorted by insertion in local memory.
// warpwise: grid=(lists+127)/128 block=128 lists=32768 key=i32[lists*24]:uniform(0,1000)
extern "C" __global__ void insertion24(int lists, int *key) {
  int l = blockIdx.x * blockDim.x + threadIdx.x, s[24];
  if (l >= lists) return;
  for (int k = 0; k < 24; k++) {
    int v = key[(size_t)k * lists + l], j = k;
    for (; j > 0 && s[j - 1] > v; j--) s[j] = s[j - 1];
    s[j] = v;
  }
  for (int k = 0; k < 24; k++) key[(size_t)k * lists + l] = s[k];
}

// A key's place is how many are smaller; tiles of keys pass through shared memory.
// warpwise: grid=(n+255)/256 block=256 n=8192 key=i32[n]:uniform(0,1<<30) out=i32[n]
extern "C" __global__ void rank_sort(int n, const int *key, int *out) {
  __shared__ int s[256];
  int i = blockIdx.x * 256 + threadIdx.x, mine = i < n ? key[i] : 0, place = 0;
  for (int base = 0; base < n; base += 256) {
    __syncthreads();
    if (base + threadIdx.x < n) s[threadIdx.x] = key[base + threadIdx.x];
    __syncthreads();
    int end = min(256, n - base);
    for (int k = 0; k < end; k++) place += s[k] < mine || (s[k] == mine && base + k < i);
  }
  if (i < n) out[place] = mine;
}

// Two sorted lists: each thread finds where its diagonal crosses the path and merges `each` from there.
template <int each> __device__ void merge_path(int na, int nb, const int *a, const int *b, int *out) {
  int diag = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  if (diag >= na + nb) return;
  int lo = max(0, diag - nb), hi = min(diag, na);
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] <= b[diag - 1 - mid])
      lo = mid + 1;
    else
      hi = mid;
  }
  int i = lo, j = diag - lo, end = min(diag + each, na + nb);
  for (int k = diag; k < end; k++) out[k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}

// warpwise: grid=((na+nb)/8+256)/256 block=256 na=1<<20 nb=1<<20 a=i32[na]:monotone(0,1<<26) b=i32[nb]:monotone(0,1<<26) out=i32[na+nb]
extern "C" __global__ void merge8(int na, int nb, const int *a, const int *b, int *out) {
  merge_path<8>(na, nb, a, b, out);
}

// warpwise: grid=((na+nb)/32+128)/128 block=128 na=1<<20 nb=1<<20 a=i32[na]:monotone(0,1<<26) b=i32[nb]:monotone(0,1<<26) out=i32[na+nb]
extern "C" __global__ void merge32(int na, int nb, const int *a, const int *b, int *out) {
  merge_path<32>(na, nb, a, b, out);
}

// The block's 2048 outputs: the ends of its stretch are searched for once, the merge runs in shared memory.
// warpwise: grid=(na+nb+2047)/2048 block=256 na=1<<20 nb=1<<20 a=i32[na]:monotone(0,1<<26) b=i32[nb]:monotone(0,1<<26) out=i32[na+nb]
extern "C" __global__ void merge_staged(int na, int nb, const int *a, const int *b, int *out) {
  __shared__ int s[2048], cut[2];
  int first = blockIdx.x * 2048, last = min(first + 2048, na + nb), t = threadIdx.x;
  if (t < 2) {
    int diag = t ? last : first, lo = max(0, diag - nb), hi = min(diag, na);
    while (lo < hi) {
      int mid = (lo + hi) / 2;
      if (a[mid] <= b[diag - 1 - mid])
        lo = mid + 1;
      else
        hi = mid;
    }
    cut[t] = lo;
  }
  __syncthreads();
  int a0 = cut[0], la = cut[1] - a0, b0 = first - a0, lb = last - first - la;
  for (int k = t; k < la + lb; k += 256) s[k] = k < la ? a[a0 + k] : b[b0 + k - la];
  __syncthreads();
  int diag = t * 8, lo = max(0, diag - lb), hi = min(diag, la);
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (s[mid] <= s[la + diag - 1 - mid])
      lo = mid + 1;
    else
      hi = mid;
  }
  int i = lo, j = diag - lo, v[8];
#pragma unroll
  for (int k = 0; k < 8; k++)
    v[k] = diag + k >= la + lb ? 0 : j >= lb || (i < la && s[i] <= s[la + j]) ? s[i++] : s[la + j++];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; k++)
    if (diag + k < la + lb) s[diag + k] = v[k];
  __syncthreads();
  for (int k = t; k < la + lb; k += 256) out[first + k] = s[k];
}

// The block's 1024 keys sorted by eight bits, a bit at a time: zeros first, ones behind, both in order.
// warpwise: grid=(n+1023)/1024 block=1024 n=1<<20 shift=0 key=u32[n]:uniform(0,4294967296)
extern "C" __global__ void radix_split(int n, int shift, unsigned *key) {
  __shared__ unsigned s[1024];
  __shared__ int zeros[32];
  int t = threadIdx.x, lane = t % 32, w = t / 32, i = blockIdx.x * 1024 + t;
  unsigned v = i < n ? key[i] : 0xffffffffu;
  for (int b = shift; b < shift + 8; b++) {
    bool one = v >> b & 1;
    unsigned vote = __ballot_sync(0xffffffffu, !one);
    if (lane == 0) zeros[w] = __popc(vote);
    __syncthreads();
    int count = zeros[lane], sum = count;
    for (int d = 1; d < 32; d *= 2) {
      int u = __shfl_up_sync(0xffffffffu, sum, d);
      if (lane >= d) sum += u;
    }
    int all = __shfl_sync(0xffffffffu, sum, 31), before = __shfl_sync(0xffffffffu, sum - count, w);
    before += __popc(vote & ((1u << lane) - 1));
    s[one ? all + t - before : before] = v;
    __syncthreads();
    v = s[t];
    __syncthreads();
  }
  if (i < n) key[i] = v;
}

// A pass of a radix sort by four bits: the block's keys go to where its row of offsets says, equal digits in order.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 shift=4 key=u32[n]:uniform(0,4294967296) offset=i32[(n+255)/256*16]:uniform(0,n-256) out=u32[n]
extern "C" __global__ void radix_scatter(int n, int shift, const unsigned *key, const int *offset, unsigned *out) {
  __shared__ int count[8][16];
  int t = threadIdx.x, lane = t % 32, w = t / 32, i = blockIdx.x * 256 + t;
  if (t < 128) count[0][t] = 0;
  __syncthreads();
  unsigned v = i < n ? key[i] : 0;
  int digit = i < n ? v >> shift & 15 : 16;
  unsigned same = __match_any_sync(0xffffffffu, digit);
  int place = __popc(same & ((1u << lane) - 1));
  if (place == 0 && digit < 16) count[w][digit] = __popc(same);
  __syncthreads();
  if (t < 16) {
    int run = 0;
    for (int j = 0; j < 8; j++) {
      int c = count[j][t];
      count[j][t] = run, run += c;
    }
  }
  __syncthreads();
  if (i < n) out[offset[blockIdx.x * 16 + digit] + count[w][digit] + place] = v;
}

// Which of 256 buckets a key belongs to: a search in the splitters, kept in shared memory.
// warpwise: grid=528 block=256 n=1<<22 splitter=i32[255]:monotone(0,1<<24) key=i32[n]:uniform(0,1<<24) bucket=u8[n]
extern "C" __global__ void sample_bucket(int n, const int *splitter, const int *key, unsigned char *bucket) {
  __shared__ int s[256];
  s[threadIdx.x] = threadIdx.x < 255 ? splitter[threadIdx.x] : 0x7fffffff;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    int v = key[i], at = 0;
#pragma unroll
    for (int d = 128; d > 0; d /= 2)
      if (s[at + d - 1] < v) at += d;
    bucket[i] = at;
  }
}

// The eight largest of each row, a warp per row: every lane keeps its own eight, then the warp draws the best in turn.
// warpwise: grid=(rows+3)/4 block=128 rows=4096 n=1024 x=f32[rows*n] top=f32[rows*8]
extern "C" __global__ void top8_rows(int rows, int n, const float *x, float *top) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float best[8];
#pragma unroll
  for (int k = 0; k < 8; k++) best[k] = -1e30f;
  for (int c = lane; c < n; c += 32) {
    float v = x[(size_t)r * n + c];
    if (v <= best[7]) continue;
#pragma unroll
    for (int k = 0; k < 8; k++) {
      float high = fmaxf(best[k], v);
      v = fminf(best[k], v), best[k] = high;
    }
  }
  for (int k = 0; k < 8; k++) {
    float high = best[0];
    for (int d = 16; d > 0; d >>= 1) high = fmaxf(high, __shfl_xor_sync(0xffffffffu, high, d));
    unsigned who = __ballot_sync(0xffffffffu, best[0] == high);
    if (lane == __ffs(who) - 1) {
#pragma unroll
      for (int j = 0; j < 7; j++) best[j] = best[j + 1];
      best[7] = -1e30f;
    }
    if (lane == 0) top[(size_t)r * 8 + k] = high;
  }
}

// Neighbours change places until nobody moves: 512 keys in shared memory, few rounds when nearly sorted.
// warpwise: grid=n/512 block=256 n=1<<16 key=i32[n]:uniform(0,100000)
extern "C" __global__ void transposition_sort(int n, int *key) {
  __shared__ int s[512];
  int t = threadIdx.x, base = blockIdx.x * 512;
  if (base + 512 > n) return;
  s[t] = key[base + t], s[t + 256] = key[base + t + 256];
  __syncthreads();
  for (int moved = 1; moved;) {
    moved = 0;
    for (int odd = 0; odd < 2; odd++) {
      int i = 2 * t + odd;
      if (i + 1 < 512 && s[i] > s[i + 1]) {
        int v = s[i];
        s[i] = s[i + 1], s[i + 1] = v, moved = 1;
      }
      moved = __syncthreads_or(moved);
    }
  }
  key[base + t] = s[t], key[base + t + 256] = s[t + 256];
}
