// Columns of integers made small and back: differences, bits, runs. Integers alone.

// Differences, zigzag, and how many bytes a variable-length code would take.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=[n] delta=[n] bytes=[n]
extern "C" __global__ void zigzag_delta(int n, const int *__restrict__ x, unsigned *__restrict__ delta, unsigned char *__restrict__ bytes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int d = x[i] - (i ? x[i - 1] : 0);
  unsigned z = (unsigned)d << 1 ^ (unsigned)(d >> 31);
  delta[i] = z;
  bytes[i] = (unsigned char)((38 - __clz(z | 1u)) / 7);
}

// Running sums of differences inside blocks of 1024: four a thread, warps by shuffles.
// warpwise: grid=(n+1023)/1024 block=256 n=1<<21 first=[(n+1023)/1024] delta=i32[n+1024] x=i32[n+1024]
extern "C" __global__ void delta_decode(int n, const int *__restrict__ first, const int4 *__restrict__ delta, int4 *__restrict__ x) {
  __shared__ int warps[8];
  int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 256 + t;
  int4 d = delta[i];
  d.y += d.x, d.z += d.y, d.w += d.z;
  int sum = d.w;
  for (int k = 1; k < 32; k <<= 1) {
    int o = __shfl_up_sync(0xffffffffu, sum, k);
    if (lane >= k) sum += o;
  }
  if (lane == 31) warps[t / 32] = sum;
  __syncthreads();
  int before = first[blockIdx.x] + sum - d.w;
  for (int k = 0; k < t / 32; k++) before += warps[k];
  if (i * 4 < n) x[i] = make_int4(before + d.x, before + d.y, before + d.z, before + d.w);
}

// 32 numbers of `bits` bits to `bits` words: a warp per group, every lane makes one word.
// warpwise: grid=(groups+7)/8 block=256 groups=65536 bits=11 x=[groups*32]:uniform(0,2048) out=[groups*bits]
extern "C" __global__ void bit_pack(int groups, int bits, const unsigned *__restrict__ x, unsigned *__restrict__ out) {
  int g = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (g >= groups) return;
  unsigned v = x[(size_t)g * 32 + lane], word = 0;
  for (int k = 0; k < 32; k++) {
    unsigned o = __shfl_sync(0xffffffffu, v, k);
    int at = k * bits - lane * 32;
    if (at > -bits && at < 32) word |= at >= 0 ? o << at : o >> -at;
  }
  if (lane < bits) out[(size_t)g * bits + lane] = word;
}

// Bytes of words to four streams, so that equal high bytes lie together: sixteen bytes a thread.
// warpwise: grid=(n/4+255)/256 block=256 n=1<<22 x=u32[n] out=[n]
extern "C" __global__ void byte_planes(int n, const uint4 *__restrict__ x, unsigned *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n4 = n / 4;
  if (i >= n4) return;
  uint4 v = x[i];
#pragma unroll
  for (int s = 0; s < 4; s++) {
    unsigned pick = s | (s + 4) << 4, low = __byte_perm(v.x, v.y, pick), high = __byte_perm(v.z, v.w, pick);
    out[(size_t)s * n4 + i] = (low & 0xffffu) | high << 16;
  }
}

// Back from packed bits: a thread per number, two words and a funnel shift.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 bits=13 base=1000 in=[(n*bits+63)/32+1] x=[n]
extern "C" __global__ void bit_unpack(int n, int bits, unsigned base, const unsigned *__restrict__ in, unsigned *__restrict__ x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long at = (unsigned long long)i * bits;
  unsigned lo = in[at >> 5], hi = in[(at >> 5) + 1];
  x[i] = base + (__funnelshift_r(lo, hi, (unsigned)at & 31u) & ((1u << bits) - 1u));
}

// Where runs begin, and how many in a block.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=[n]:uniform(0,3) mark=[(n+31)/32] count=[(n+31)/32]
extern "C" __global__ void run_heads(int n, const unsigned char *__restrict__ x, unsigned *__restrict__ mark, int *__restrict__ count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool head = i < n && (i == 0 || x[i] != x[i - 1]);
  unsigned word = __ballot_sync(0xffffffffu, head);
  if (threadIdx.x % 32 == 0 && i < n) mark[i / 32] = word;
  int all = __syncthreads_count(head);
  if (threadIdx.x == 0) count[blockIdx.x] = all;
}

// Runs back to values: a thread per value searches its run; `start` are the runs' first places.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 runs=65536 start=[runs+1]:monotone(0,n) value=[runs] x=[n]
extern "C" __global__ void run_expand(int n, int runs, const int *__restrict__ start, const int *__restrict__ value, int *__restrict__ x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = runs - 1;
  while (lo < hi) {
    int mid = (lo + hi + 1) / 2;
    if (start[mid] <= i)
      lo = mid;
    else
      hi = mid - 1;
  }
  x[i] = value[lo];
}

// Runs back to values: a warp per run fills its stretch; long and short runs.
// warpwise: grid=(runs+7)/8 block=256 n=1<<22 runs=65536 start=[runs+1]:monotone(0,n) value=[runs] x=[n]
extern "C" __global__ void run_fill(int n, int runs, const int *__restrict__ start, const int *__restrict__ value, int *__restrict__ x) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= runs) return;
  int v = value[r], last = min(start[r + 1], n);
  for (int i = start[r] + lane; i < last; i += 32) x[i] = v;
}

// Frame of reference: smallest and width of a block of 128 numbers, then packed by shared atomics.
// warpwise: grid=blocks block=128 blocks=16384 x=[blocks*128]:uniform(5000,9000) least=[blocks] width=[blocks] out=[blocks*128]
extern "C" __global__ void frame_pack(int blocks, const unsigned *__restrict__ x, unsigned *__restrict__ least, unsigned char *__restrict__ width, unsigned *__restrict__ out) {
  __shared__ unsigned lows[4], highs[4], words[128];
  int t = threadIdx.x;
  if (blockIdx.x >= blocks || t >= 128) return;
  unsigned v = x[(size_t)blockIdx.x * 128 + t], lo = v, hi = v;
  for (int d = 16; d > 0; d >>= 1) lo = min(lo, __shfl_xor_sync(0xffffffffu, lo, d)), hi = max(hi, __shfl_xor_sync(0xffffffffu, hi, d));
  if (t % 32 == 0) lows[t / 32] = lo, highs[t / 32] = hi;
  words[t] = 0;
  __syncthreads();
  lo = min(min(lows[0], lows[1]), min(lows[2], lows[3])), hi = max(max(highs[0], highs[1]), max(highs[2], highs[3]));
  int bits = 32 - __clz(hi - lo), at = t * bits;
  v -= lo;
  if (bits) {
    atomicOr(&words[at >> 5], v << (at & 31));
    if ((at & 31) + bits > 32) atomicOr(&words[(at >> 5) + 1], v >> (32 - (at & 31)));
  }
  __syncthreads();
  if (t < 4 * bits) out[(size_t)blockIdx.x * 128 + t] = words[t];
  if (t == 0) least[blockIdx.x] = lo, width[blockIdx.x] = (unsigned char)bits;
}
