// Element-wise work on OpenCL's vectors: wide loads, swizzles, gathers, atomics, native functions.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// warpwise: grid=(n/4+127)/128 block=128 n=1<<22 t=0.3 a=f32[n] b=f32[n] out=f32[n]
__kernel void lerp4(int n, float t, __global const float4 *a, __global const float4 *b, __global float4 *out) {
  int i = get_global_id(0);
  if (i < n / 4) out[i] = mix(a[i], b[i], t);
}

// warpwise: grid=(n/2+255)/256 block=256 n=1<<20 alpha=2.0 beta=0.5 x=f64[n] y=f64[n]
__kernel void axpby2(int n, double alpha, double beta, __global const double2 *x, __global double2 *y) {
  int i = get_global_id(0);
  if (i < n / 2) y[i] = fma((double2)alpha, x[i], beta * y[i]);
}

// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=f32[n] y=f32[n]
__kernel void sigmoid_native(int n, __global const float *x, __global float *y) {
  int i = get_global_id(0);
  if (i < n) y[i] = native_recip(1.0f + native_exp(-4.0f * (x[i] - 0.5f))) * native_sqrt(x[i]);
}

// Four channels in another order, one of them inverted.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 in=u32[n]:uniform(0,4294967296) out=u32[n]
__kernel void swizzle(int n, __global const uchar4 *in, __global uchar4 *out) {
  int i = get_global_id(0);
  if (i >= n) return;
  uchar4 v = in[i];
  out[i] = (uchar4)(v.z, v.y, v.x, 255 - v.w);
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 index=i32[n]:permutation x=f32[2*n] y=f32[2*n]
__kernel void gather2(int n, __global const int *index, __global const float2 *x, __global float2 *y) {
  int i = get_global_id(0);
  if (i < n) y[i] = x[index[i]].yx;
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 bins=1<<16 index=i32[n]:zipf(0,bins) value=i32[n]:uniform(0,10) sum=i32[bins]:zeros
__kernel void scatter_add(int n, int bins, __global const int *index, __global const int *value, __global int *sum) {
  int i = get_global_id(0);
  if (i < n) atomic_add(&sum[index[i]], value[i]);
}

// Rotations, counts and high products of words, four at a time.
// warpwise: grid=(n/4+127)/128 block=128 n=1<<21 x=u32[n]:uniform(0,4294967296) y=u32[n]
__kernel void mix_words(int n, __global const uint4 *x, __global uint4 *y) {
  int i = get_global_id(0);
  if (i >= n / 4) return;
  uint4 v = x[i];
  for (int k = 0; k < 4; k++) v = rotate(v ^ mul_hi(v, (uint4)0x9e3779b9u), (uint4)(k * 5 + 3)) + popcount(v);
  y[i] = v;
}

// Rows of a pitched matrix scaled by their own factor and clamped.
// warpwise: grid=(w+63)/64,(h+3)/4 block=64,4 w=2000 h=2000 pitch=2048 f=f32[h] a=f32[pitch*h]
__kernel void scale_rows(int w, int h, int pitch, __global const float *f, __global float *a) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) a[(size_t)y * pitch + x] = clamp(a[(size_t)y * pitch + x] * f[y], 0.1f, 0.9f);
}
