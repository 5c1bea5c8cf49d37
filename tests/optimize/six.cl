// six.cl - kernels as people first write them; device.sh verifies, tunes and optimises each of them on an OpenCL device.
#ifndef W
#define W 1
#endif

// warpwise: grid=(n+127)/128 block=128 n=16384 x=f32[n] y=f32[n]
__kernel void scale(int n, __global const float *x, __global float *y) {
  int i = get_global_id(0);
  if (i < n) y[i] = 2.0f * x[i];
}

// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=128 a=f32[n*n] b=f32[n*n]
__kernel void columns(int n, __global const float *a, __global float *b) {
  int row = get_global_id(0), col = get_global_id(1);
  if (row < n && col < n) b[row * n + col] = a[row * n + col] + 1.0f;
}

// warpwise: grid=(n+63)/64 block=64 n=1024 m=32 x=f32[n*m] y=f32[n]
__kernel void sums(int n, int m, __global const float *x, __global float *y) {
  int i = get_global_id(0);
  if (i < n) {
    y[i] = 0.0f;
    for (int k = 0; k < m; k++) y[i] += x[k * n + i];
  }
}

// warpwise: grid=(n+127)/128 block=128 n=8192 x=f32[n] y=f32[n]
__kernel void polynomial(int n, __global const float *x, __global float *y) {
  int i = get_global_id(0);
  if (i >= n) return;
  float v = x[i], s = 0.0f;
  for (int k = 0; k < 8; k++) s = s * v + 0.25f;
  y[i] = s;
}

// warpwise: grid=(n+63)/64 block=64 n=8192 x=f32[n] y=f32[n]
__kernel void neighbours(int n, __global const float *x, __global float *y) {
  int i = get_global_id(0);
  if (i > 0 && i < n - 1) y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}

// warpwise: grid=(n+63)/64 block=64 n=16384 k=u32[n] v=u32[n]
__kernel void scramble(int n, __global const unsigned *k, __global unsigned *v) {
  int i = get_global_id(0) * W;
  for (int j = 0; j < W; j++)
    if (i + j < n) v[i + j] = (k[i + j] ^ (k[i + j] >> 16)) * 2654435769u;
}
