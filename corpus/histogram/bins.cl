// Histograms of bytes and of colours.

// Sixteen bytes a load, a table for each work-group.
// warpwise: grid=groups block=256 n=1<<24 groups=264 x=u8[n]:uniform(0,256) bin=u32[256]:zeros
__kernel void histogram_bytes(int n, int groups, __global const uchar16 *x, __global uint *bin) {
  __local uint s[256];
  int t = get_local_id(0);
  s[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n / 16; i += groups * 256) {
    union {
      uchar16 v;
      uchar b[16];
    } u;
    u.v = x[i];
    for (int k = 0; k < 16; k++) atomic_inc(&s[u.b[k]]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (s[t]) atomic_add(&bin[t], s[t]);
}

// Three channels of 64 steps each; neighbouring pixels that are alike are counted once.
// warpwise: grid=groups block=192 n=1<<21 groups=264 pixel=u32[n]:uniform(0,4294967296) bin=u32[192]:zeros
__kernel void histogram_colours(int n, int groups, __global const uchar4 *pixel, __global uint *bin) {
  __local uint s[192];
  int t = get_local_id(0), each = (n + groups * 192 - 1) / (groups * 192), first = get_global_id(0) * each;
  s[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int last = min(n, first + each);
  for (int i = first; i < last; i++) {
    uchar4 p = pixel[i] >> (uchar)2;
    atomic_inc(&s[p.x]), atomic_inc(&s[64 + p.y]), atomic_inc(&s[128 + p.z]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (s[t]) atomic_add(&bin[t], s[t]);
}
