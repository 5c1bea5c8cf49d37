// Random numbers in OpenCL.

// Area under a curve by points thrown at random; a sum per work-group.
// warpwise: grid=groups block=128 groups=528 throws=200 hits=[groups]
__kernel void throw_points(int groups, int throws, __global uint *restrict hits) {
  __local uint part[128];
  uint s = get_global_id(0) * 747796405u + 12345u, in = 0;
  int t = get_local_id(0);
  for (int k = 0; k < throws; k++) {
    s = s * 1664525u + 1013904223u;
    float x = (s >> 8) * 5.9604645e-8f;
    s = s * 1664525u + 1013904223u;
    float y = (s >> 8) * 5.9604645e-8f;
    in += y < native_sin(3.14159265f * x);
  }
  part[t] = in;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) part[t] += part[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0 && get_group_id(0) < groups) hits[get_group_id(0)] = part[0];
}

// Shuffled copies: each item swaps within its own row of 16 (Fisher-Yates in private memory). Integers alone.
// warpwise: grid=(rows+127)/128 block=128 rows=65536 x=[rows] y=[rows]
__kernel void shuffle_rows(int rows, __global const uint16 *restrict x, __global uint16 *restrict y) {
  int i = get_global_id(0);
  if (i >= rows) return;
  uint v[16], s = i * 2654435769u + 1u;
  vstore16(x[i], 0, v);
  for (int k = 15; k > 0; k--) {
    s ^= s << 13, s ^= s >> 17, s ^= s << 5;
    int j = s % (k + 1);
    uint t = v[k];
    v[k] = v[j], v[j] = t;
  }
  y[i] = vload16(0, v);
}
