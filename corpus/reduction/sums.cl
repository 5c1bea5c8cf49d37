// Reductions by work-groups: a partial result each, or an atomic.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// warpwise: grid=groups block=256 n=1<<23 groups=264 x=f32[n] part=f32[groups]
__kernel void sum_groups(int n, int groups, __global const float4 *x, __global float *part) {
  __local float s[256];
  int t = get_local_id(0), g = get_group_id(0);
  if (g >= groups) return;
  float4 a = 0.0f;
  for (int i = g * 256 + t; i < n / 4; i += groups * 256) a += x[i];
  s[t] = (a.x + a.y) + (a.z + a.w);
  for (int d = 128; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) part[g] = s[0];
}

// warpwise: grid=groups block=128 n=1<<22 groups=528 x=i32[n]:uniform(0,1000000000) low=i32[1]:uniform(2000000000,2000000001) high=i32[1]:zeros
__kernel void extremes(int n, int groups, __global const int *x, __global int *low, __global int *high) {
  __local int lo, hi;
  if (get_local_id(0) == 0) lo = INT_MAX, hi = INT_MIN;
  barrier(CLK_LOCAL_MEM_FENCE);
  int a = INT_MAX, b = INT_MIN;
  for (int i = get_global_id(0); i < n; i += groups * 128) a = min(a, x[i]), b = max(b, x[i]);
  atomic_min(&lo, a), atomic_max(&hi, b);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_min(low, lo), atomic_max(high, hi);
}

// A difference's square, in doubles, two at a time.
// warpwise: grid=groups block=256 n=1<<21 groups=264 x=f64[n] y=f64[n] part=f64[groups]
__kernel void distance_double(int n, int groups, __global const double2 *x, __global const double2 *y,
                              __global double *part) {
  __local double s[256];
  int t = get_local_id(0), g = get_group_id(0);
  if (g >= groups) return;
  double a = 0.0;
  for (int i = g * 256 + t; i < n / 2; i += groups * 256) {
    double2 d = x[i] - y[i];
    a += dot(d, d);
  }
  s[t] = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) part[g] = s[0];
}

// Set bits of a long bitmap.
// warpwise: grid=groups block=256 words=1<<22 groups=264 x=u32[words]:uniform(0,4294967296) count=u32[1]:zeros
__kernel void count_bits(int words, int groups, __global const uint4 *x, __global uint *count) {
  __local uint sum;
  if (get_local_id(0) == 0) sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint c = 0;
  for (int i = get_global_id(0); i < words / 4; i += groups * 256) {
    uint4 p = popcount(x[i]);
    c += p.x + p.y + p.z + p.w;
  }
  atomic_add(&sum, c);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_add(count, sum);
}
