// Looking things up: without branches, many ways at once, through trees and filters, the first that fits.

// As many steps for everyone; the half is chosen by arithmetic.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 m=1<<20 sorted=i32[m]:monotone(0,1<<28) key=i32[n]:uniform(0,1<<28) found=i32[n]
extern "C" __global__ void search_even(int n, int m, const int *sorted, const int *key, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = key[i], base = 0;
  for (int len = m; len > 1;) {
    int half = len >> 1;
    base += sorted[base + half - 1] < v ? half : 0;
    len -= half;
  }
  found[i] = base + (sorted[base] < v);
}

// A warp to a key: 32 places are looked at in every step.
// warpwise: grid=(n+7)/8 block=256 n=1<<17 m=1<<22 sorted=i32[m]:monotone(0,1<<28) key=i32[n]:uniform(0,1<<28) found=i32[n]
extern "C" __global__ void search_warp(int n, int m, const int *sorted, const int *key, int *found) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (i >= n) return;
  int v = key[i], lo = 0, hi = m; // the answer is in [lo, hi]
  while (hi - lo > 32) {
    int step = (hi - lo + 32) / 33, p = lo + (lane + 1) * step;
    int below = __popc(__ballot_sync(0xffffffffu, p - 1 < hi && sorted[p - 1] < v));
    hi = min(hi, lo + (below + 1) * step), lo += below * step;
  }
  int below = __popc(__ballot_sync(0xffffffffu, lo + lane < hi && sorted[lo + lane] < v));
  if (lane == 0) found[i] = lo + below;
}

// The first ten levels of the search come from shared memory.
// warpwise: grid=264 block=512 n=1<<21 m=1<<22 sorted=i32[m]:monotone(0,1<<28) key=i32[n]:uniform(0,1<<28) found=i32[n]
extern "C" __global__ void search_staged(int n, int m, const int *sorted, const int *key, int *found) {
  __shared__ int top[1024];
  int step = (m + 1023) / 1024;
  for (int k = threadIdx.x; k < 1024; k += 512) top[k] = (long long)k * step < m ? sorted[k * step] : 0x7fffffff;
  __syncthreads();
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += gridDim.x * 512) {
    int v = key[i], slot = 0;
#pragma unroll
    for (int d = 512; d > 0; d /= 2)
      if (top[slot + d] < v) slot += d;
    int lo = slot * step, hi = min(m, lo + step);
    while (lo < hi) {
      int mid = (lo + hi) / 2;
      if (sorted[mid] < v)
        lo = mid + 1;
      else
        hi = mid;
    }
    found[i] = lo;
  }
}

// Numbers that are spread evenly: the place is guessed from the value.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 m=1<<22 sorted=i32[m]:monotone(0,1<<28) key=i32[n]:uniform(0,1<<28) found=i32[n]
extern "C" __global__ void search_guess(int n, int m, const int *sorted, const int *key, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = key[i], lo = 0, hi = m - 1;
  while (lo < hi) {
    int a = sorted[lo], b = sorted[hi];
    if (v <= a) break;
    if (v > b) {
      lo = hi + 1;
      break;
    }
    int p = lo + (int)((float)(hi - lo) * ((float)(v - a) / (float)(b - a)));
    p = min(max(p, lo), hi - 1);
    if (sorted[p] < v)
      lo = p + 1;
    else
      hi = p;
  }
  found[i] = lo;
}

// Nodes of 15 keys and 16 children, level after level in one array; a group of 16 lanes reads a node at once.
// warpwise: grid=(n+15)/16 block=256 n=1<<18 levels=4 key=i32[16*4369]:uniform(0,1<<28) query=i32[n]:uniform(0,1<<28) leaf=i32[n]
extern "C" __global__ void btree16(int n, int levels, const int *key, const int *query, int *leaf) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16, shift = threadIdx.x & 16;
  int v = i < n ? query[i] : 0, at = 0, first = 0, wide = 1; // this level's first node and their number
  for (int l = 0; l < min(levels, 4); l++) {
    int k = key[(first + at) * 16 + lane];
    unsigned below = __ballot_sync(0xffffffffu, lane < 15 && k < v) >> shift & 0xffff;
    at = at * 16 + __popc(below);
    first += wide, wide *= 16;
  }
  if (i < n && lane == 0) leaf[i] = at;
}

__device__ unsigned scramble(unsigned v) {
  v ^= v >> 15, v *= 0x2c1b3c6du, v ^= v >> 12, v *= 0x297a2d39u;
  return v ^ v >> 15;
}

// Four bits of a filter for every key.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 words=1<<18 filter=u32[words]:uniform(0,4294967296) key=u32[n]:uniform(0,4294967296) maybe=u8[n]
extern "C" __global__ void filter_test(int n, int words, const unsigned *filter, const unsigned *key,
                                       unsigned char *maybe) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = scramble(key[i]), g = scramble(h) | 1;
  bool in = true;
  for (int k = 0; k < 4 && in; k++, h += g) in = filter[(h >> 5) % words] >> (h & 31) & 1;
  maybe[i] = in;
}

// The same in one sector: all bits of a key are in one 256-bit block.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 blocks=1<<15 filter=u32[blocks*8]:uniform(0,4294967296) key=u32[n]:uniform(0,4294967296) maybe=u8[n]
extern "C" __global__ void filter_test_blocked(int n, int blocks, const uint4 *filter, const unsigned *key,
                                               unsigned char *maybe) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = scramble(key[i]), at = h % blocks, g = scramble(h);
  uint4 a = filter[2 * at], b = filter[2 * at + 1];
  unsigned hit = a.x >> (g & 31) & a.y >> (g >> 5 & 31) & a.z >> (g >> 10 & 31) & a.w >> (g >> 15 & 31);
  hit &= b.x >> (g >> 20 & 31) & b.y >> (g >> 25 & 31) & b.z >> (h & 31) & b.w >> (h >> 7 & 31);
  maybe[i] = hit & 1;
}

// Where the first value below the limit is; blocks that start behind a place already found give up.
// warpwise: grid=(n+1023)/1024 block=256 n=1<<23 limit=3 x=i32[n]:uniform(0,100000000) first=i32[1]:uniform(2000000000,2000000001)
extern "C" __global__ void find_first(int n, int limit, const int *x, int *first) {
  int base = blockIdx.x * 1024;
  if (*(volatile int *)first < base) return;
  for (int k = 0; k < 4; k++) {
    int i = base + k * 256 + threadIdx.x;
    if (i < n && x[i] < limit) {
      atomicMin(first, i);
      return;
    }
  }
}

// How many numbers lie in each interval, and which is nearest to its middle.
// warpwise: grid=(n+127)/128 block=128 n=1<<18 m=1<<20 sorted=f32[m]:monotone(0,1000000) from=f32[n]:uniform(0,900000) count=i32[n] near=f32[n]
extern "C" __global__ void interval_count(int n, int m, const float *sorted, const float *from, int *count,
                                          float *near) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[3] = {from[i], from[i] + 50.0f, from[i] + 25.0f};
  int at[3];
#pragma unroll
  for (int e = 0; e < 3; e++) {
    int lo = 0, hi = m;
    while (lo < hi) {
      int mid = (lo + hi) >> 1;
      bool less = sorted[mid] < v[e];
      lo = less ? mid + 1 : lo, hi = less ? hi : mid;
    }
    at[e] = lo;
  }
  float a = sorted[max(at[2] - 1, 0)], b = sorted[min(at[2], m - 1)];
  count[i] = at[1] - at[0], near[i] = fabsf(v[2] - a) < fabsf(b - v[2]) ? a : b;
}

// Routes by the bits of an address, eight at a time: a table says go on or stop.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 tables=4096 table=u32[tables*256]:uniform(0,8192) address=u32[n]:uniform(0,4294967296) port=u32[n]
extern "C" __global__ void route(int n, int tables, const unsigned *table, const unsigned *address, unsigned *port) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = address[i], t = 0, e = 0;
  for (int k = 0; k < 4; k++, a <<= 8) {
    e = table[t * 256 + (a >> 24)];
    if (e & 1) break; // odd: a port, even: a table
    t = (e >> 1) % tables;
  }
  port[i] = e;
}
