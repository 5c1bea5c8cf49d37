// Complex numbers on OpenCL.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Four products to a work-item in one wide vector.
// warpwise: grid=(n/4+127)/128 block=128 n=1<<21 a=f32[2*n] b=f32[2*n] c=f32[2*n]
__kernel void multiply4(int n, __global const float8 *a, __global const float8 *b, __global float8 *c) {
  int i = get_global_id(0);
  if (i >= n / 4) return;
  float8 u = a[i], v = b[i], r;
  r.even = u.even * v.even - u.odd * v.odd, r.odd = u.even * v.odd + u.odd * v.even;
  c[i] = r;
}

// A polynomial with complex coefficients at many points, in doubles.
// warpwise: grid=(n+127)/128 block=128 n=1<<17 degree=16 coef=f64[2*degree+2] z=f64[2*n] p=f64[2*n]
__kernel void evaluate(int n, int degree, __global const double2 *coef, __global const double2 *z,
                       __global double2 *p) {
  int i = get_global_id(0);
  if (i >= n) return;
  double2 x = z[i], s = coef[degree];
  for (int k = degree - 1; k >= 0; k--) s = (double2)(s.x * x.x - s.y * x.y, s.x * x.y + s.y * x.x) + coef[k];
  p[i] = s;
}

// A phase for each element of an array, and their sum by work-group.
// warpwise: grid=groups block=128 n=1<<20 groups=528 phase=f32[n] x=f32[2*n] part=f32[2*groups]
__kernel void phased_sum(int n, int groups, __global const float *phase, __global const float2 *x,
                         __global float2 *part) {
  __local float2 s[128];
  int t = get_local_id(0), g = get_group_id(0);
  if (g >= groups) return;
  float2 a = 0.0f;
  for (int i = g * 128 + t; i < n; i += groups * 128) {
    float c = native_cos(6.2831853f * phase[i]), d = native_sin(6.2831853f * phase[i]);
    float2 v = x[i];
    a += (float2)(v.x * c - v.y * d, v.x * d + v.y * c);
  }
  s[t] = a;
  for (int d = 64; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) part[g] = s[0];
}
