// Whole numbers on OpenCL: keeping, packing, counting, coding.

// The group's survivors get places by a scan in local memory, then room by one atomic.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 limit=300 x=i32[n]:uniform(0,1000) out=i32[n] cursor=i32[1]:zeros
__kernel void keep_group(int n, int limit, __global const int *x, __global int *out, __global int *cursor) {
  __local int s[256], base;
  int t = get_local_id(0), i = get_global_id(0), v = i < n ? x[i] : limit, keep = v < limit;
  s[t] = keep;
  for (int d = 1; d < 256; d <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int u = t >= d ? s[t - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] += u;
  }
  if (t == 255) base = atomic_add(cursor, s[255]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (keep) out[base + s[t] - 1] = v;
}

// Eight numbers below 16 to a word.
// warpwise: grid=(words+255)/256 block=256 words=1<<19 x=u8[words*8]:uniform(0,16) out=u32[words]
__kernel void pack_nibbles(int words, __global const uchar8 *x, __global uint *out) {
  int i = get_global_id(0);
  if (i >= words) return;
  uint8 v = convert_uint8(x[i]) << (uint8)(0, 4, 8, 12, 16, 20, 24, 28);
  uint4 w = v.lo | v.hi;
  out[i] = w.x | w.y | w.z | w.w;
}

// Three numbers of ten bits in a word, taken apart.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 in=u32[n]:uniform(0,4294967296) out=i16[4*n]
__kernel void unpack_ten(int n, __global const uint *in, __global short4 *out) {
  int i = get_global_id(0);
  if (i >= n) return;
  int4 v = convert_int4((uint4)(in[i]) >> (uint4)(0, 10, 20, 30) & 1023u);
  out[i] = convert_short4(v - 512);
}

// Division by a number known beforehand: a high product and a shift.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 magic=3435973837 shift=3 x=u32[n]:uniform(0,4294967296) q=u32[n]
__kernel void divide_magic(int n, uint magic, int shift, __global const uint *x, __global uint *q) {
  int i = get_global_id(0);
  if (i < n) q[i] = mul_hi(x[i], magic) >> shift;
}

// Rows of differences: each row adds up from its first, a work-item to a row.
// warpwise: grid=(rows+63)/64 block=64 rows=8192 n=256 d=i32[rows*n]:uniform(0,10)
__kernel void undelta_rows(int rows, int n, __global int *d) {
  int r = get_global_id(0);
  if (r >= rows) return;
  int s = 0;
  for (int k = 0; k < n; k++) s += d[(size_t)r * n + k], d[(size_t)r * n + k] = s;
}

// Gray codes of numbers and back, and whether it came out right.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=u32[n]:uniform(0,4294967296) wrong=i32[1]:zeros
__kernel void gray_check(int n, __global const uint *x, __global int *wrong) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint v = x[i], g = v ^ v >> 1, b = g;
  b ^= b >> 16, b ^= b >> 8, b ^= b >> 4, b ^= b >> 2, b ^= b >> 1;
  if (b != v) atomic_inc(wrong);
}

// Words in common of two short sorted rows, by walking both.
// warpwise: grid=(pairs+127)/128 block=128 pairs=32768 a=i32[pairs*32]:monotone(0,pairs*64) b=i32[pairs*32]:monotone(0,pairs*64) common=i32[pairs]
__kernel void common_rows(int pairs, __global const int *a, __global const int *b, __global int *common) {
  int p = get_global_id(0);
  if (p >= pairs) return;
  __global const int *u = a + (size_t)p * 32, *v = b + (size_t)p * 32;
  int i = 0, j = 0, c = 0;
  while (i < 32 && j < 32) {
    int x = u[i], y = v[j];
    c += x == y, i += x <= y, j += y <= x;
  }
  common[p] = c;
}
