// Sorting steps: pairs in local memory, digits, merges.

// 512 pairs of key and value to a work-group of 256.
// warpwise: grid=n/512 block=256 n=1<<20 pair=u32[2*n]:uniform(0,4294967296)
__kernel void bitonic_pairs(int n, __global uint2 *pair) {
  __local uint2 s[512];
  int t = get_local_id(0), base = get_group_id(0) * 512;
  if (base + 512 > n) return;
  s[t] = pair[base + t], s[t + 256] = pair[base + t + 256];
  for (int size = 2; size <= 512; size <<= 1)
    for (int d = size >> 1; d > 0; d >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int a = ((t & ~(d - 1)) << 1) | (t & (d - 1)), b = a | d;
      uint2 u = s[a], v = s[b];
      bool wrong = (a & size) ? u.x < v.x : u.x > v.x;
      if (wrong) s[a] = v, s[b] = u;
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  pair[base + t] = s[t], pair[base + t + 256] = s[t + 256];
}

// How often each of 16 digits occurs in the group's 1024 keys: counters per work-item, added up by a tree.
// warpwise: grid=(n+1023)/1024 block=64 n=1<<21 shift=0 key=u32[n]:uniform(0,4294967296) count=u32[(n+1023)/1024*16]
__kernel void digit_counts(int n, int shift, __global const uint *key, __global uint *count) {
  __local uint s[16][64];
  int t = get_local_id(0), base = get_group_id(0) * 1024;
  if (base >= n) return;
  for (int d = 0; d < 16; d++) s[d][t] = 0;
  for (int k = t; k < 1024; k += 64)
    if (base + k < n) s[key[base + k] >> shift & 15][t]++;
  for (int span = 32; span > 0; span >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < span)
      for (int d = 0; d < 16; d++) s[d][t] += s[d][t + span];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < 16) count[get_group_id(0) * 16 + t] = s[t][0];
}

// One step of an odd-even merge: runs of `size` become runs of twice that, partners are `far` apart.
// warpwise: grid=(n/2+255)/256 block=256 n=1<<22 size=1<<12 far=1<<8 key=f32[n]
__kernel void merge_step(int n, int size, int far, __global float *key) {
  uint t = get_global_id(0), j = t % size, run = t / size * 2 * size;
  uint i = far == size ? j : far + j / far * 2 * far + j % far; // after the first step the outer ones rest
  if (i + far >= 2 * size || run + i + far >= n) return;
  float a = key[run + i], b = key[run + i + far];
  key[run + i] = fmin(a, b), key[run + i + far] = fmax(a, b);
}

// A key's rank among the 256 of its group.
// warpwise: grid=(n+255)/256 block=256 n=1<<17 key=i32[n]:uniform(0,1000000) out=i32[n]
__kernel void rank_in_group(int n, __global const int *key, __global int *out) {
  __local int s[256];
  int t = get_local_id(0), i = get_global_id(0), base = get_group_id(0) * 256, count = min(256, n - base);
  if (t < count) s[t] = key[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t >= count) return;
  int v = s[t], r = 0;
  for (int k = 0; k < count; k++) r += s[k] < v || (s[k] == v && k < t);
  out[base + r] = v;
}
