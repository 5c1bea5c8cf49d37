// Matrix times vector on OpenCL.

// A work-group to a row.
// warpwise: grid=m block=64 m=4096 n=2048 a=f32[m*n] x=f32[n] y=f32[m]
__kernel void gemv_group(int m, int n, __global const float *a, __global const float *x, __global float *y) {
  __local float s[64];
  int t = get_local_id(0), r = get_group_id(0);
  if (r >= m) return;
  float v = 0.0f;
  for (int k = t; k < n; k += 64) v = mad(a[(size_t)r * n + k], x[k], v);
  s[t] = v;
  for (int d = 32; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) y[r] = s[0];
}

// Column-major, four rows to a work-item, the vector staged in local memory.
// warpwise: grid=(m/4+63)/64 block=64 m=16384 n=1024 a=f32[m*n] x=f32[n] y=f32[m]
__kernel void gemv_columns(int m, int n, __global const float4 *a, __global const float *x, __global float4 *y) {
  __local float s[64];
  int t = get_local_id(0), i = get_global_id(0), q = m / 4;
  float4 v = 0.0f;
  for (int k0 = 0; k0 < n; k0 += 64) {
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] = k0 + t < n ? x[k0 + t] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < q)
      for (int k = 0; k < min(64, n - k0); k++) v += a[(size_t)(k0 + k) * q + i] * s[k];
  }
  if (i < q) y[i] = v;
}
