// Particles in OpenCL: all pairs through local memory, and a cut-off with a list.

// warpwise: grid=(n+63)/64 block=64 n=8192 p=[n] acc=[n]
__kernel void cl_gravity(int n, __global const float4 *restrict p, __global float4 *restrict acc) {
  __local float4 tile[64];
  int i = get_global_id(0), t = get_local_id(0);
  float4 me = p[min(i, n - 1)], a = (float4)(0.0f);
  for (int base = 0; base < n; base += 64) {
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[t] = base + t < n ? p[base + t] : (float4)(0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 64; j++) {
      float4 d = tile[j] - me;
      float r = native_rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 1e-5f);
      a += tile[j].w * r * r * r * d;
    }
  }
  if (i < n) acc[i] = a;
}

// Collisions of discs from a list of neighbours (row pointers): springs that only push.
// warpwise: grid=(n+127)/128 block=128 n=131072 reach=0.4 row=[n+1]:monotone(0,n*12) nb=[n*12]:uniform(0,n) p=[n] f=[n]
__kernel void cl_discs(int n, float reach, __global const int *restrict row, __global const int *restrict nb, __global const float2 *restrict p, __global float2 *restrict f) {
  int i = get_global_id(0);
  if (i >= n) return;
  float2 me = p[i], s = (float2)(0.0f, 0.0f);
  for (int k = row[i]; k < row[i + 1]; k++) {
    float2 d = me - p[nb[k]];
    float r = length(d) + 1e-6f;
    if (r < reach) s += d * ((reach - r) / r);
  }
  f[i] = s;
}
