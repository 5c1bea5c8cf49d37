// Text in OpenCL. Integers alone.

// Depth of brackets at every 64th character: a work-item walks its stretch, a group adds up what lies before.
// warpwise: grid=(pieces+255)/256 block=256 pieces=65536 text=[pieces*64]:uniform(38,44) depth=[pieces] total=[(pieces+255)/256]
__kernel void bracket_depth(int pieces, __global const uchar *restrict text, __global int *restrict depth, __global int *restrict total) {
  __local int s[256];
  int i = get_global_id(0), t = get_local_id(0), d = 0;
  if (i < pieces)
    for (int k = 0; k < 64; k++) {
      uchar c = text[(size_t)i * 64 + k];
      d += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
  s[t] = d;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int o = 1; o < 256; o <<= 1) {
    int v = t >= o ? s[t - o] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < pieces) depth[i] = s[t] - d;
  if (t == 255) total[get_group_id(0)] = s[255];
}

// Letters to lower case, others kept, counted by class with local atomics.
// warpwise: grid=(n/4+255)/256 block=256 n=1<<22 text=[n/4] count=[3]:zeros
__kernel void lower_case(int n, __global uchar4 *text, __global int *count) {
  __local int c[3];
  int i = get_global_id(0), t = get_local_id(0);
  if (t < 3) c[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n / 4) {
    uchar4 v = text[i];
    uchar b[4] = {v.x, v.y, v.z, v.w};
    int upper = 0, digit = 0, space = 0;
    for (int k = 0; k < 4; k++) {
      int big = b[k] >= 'A' && b[k] <= 'Z';
      upper += big, digit += b[k] >= '0' && b[k] <= '9', space += b[k] <= ' ';
      b[k] += big ? 32 : 0;
    }
    text[i] = (uchar4)(b[0], b[1], b[2], b[3]);
    if (upper) atomic_add(&c[0], upper);
    if (digit) atomic_add(&c[1], digit);
    if (space) atomic_add(&c[2], space);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < 3) atomic_add(&count[t], c[t]);
}
