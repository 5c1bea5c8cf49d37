// One work-group, or a few, on OpenCL.

// A vector brought to unit length in place.
// warpwise: grid=vectors block=256 vectors=1 n=4096 x=f32[vectors*n]
__kernel void normalise(int vectors, int n, __global float *x) {
  __local float s[256];
  int t = get_local_id(0);
  if (get_group_id(0) >= vectors) return;
  __global float *v = x + (size_t)get_group_id(0) * n;
  float a = 0.0f;
  for (int k = t; k < n; k += 256) a += v[k] * v[k];
  s[t] = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float f = rsqrt(s[0] + 1e-20f);
  for (int k = t; k < n; k += 256) v[k] *= f;
}

// A rule of a cellular automaton on a ring of 256 cells, many steps in local memory.
// warpwise: grid=rings block=256 rings=8 steps=1000 rule=110 cell=u8[rings*256]:uniform(0,2)
__kernel void ring(int rings, int steps, int rule, __global uchar *cell) {
  __local uchar s[2][256];
  int t = get_local_id(0), from = 0;
  if (get_group_id(0) >= rings) return;
  s[0][t] = cell[get_group_id(0) * 256 + t];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < steps; k++, from ^= 1) {
    int near = s[from][(t + 255) & 255] << 2 | s[from][t] << 1 | s[from][(t + 1) & 255];
    s[from ^ 1][t] = rule >> near & 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  cell[get_group_id(0) * 256 + t] = s[from][t];
}
