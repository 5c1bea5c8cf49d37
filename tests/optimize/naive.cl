// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=1024 a=f32[n*n] b=f32[n*n]
__kernel void scale_columns(int n, __global const float *a, __global float *b) {
  int row = get_global_id(0), col = get_global_id(1);
  if (row < n && col < n)
    b[row * n + col] = 2.0f * a[row * n + col];
}

// A work-item walks along a row.
// warpwise: grid=(n+255)/256 block=256 n=1024 m=1024 a=f32[n*m] x=f32[m] y=f32[n]
__kernel void row_products(int n, int m, __global const float *a, __global const float *x, __global float *y) {
  int i = get_global_id(0);
  if (i < n) {
    float s = 0.0f;
    for (int j = 0; j < m; j++)
      s += a[i * m + j] * x[j];
    y[i] = s;
  }
}

// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=512 a=f32[n*n] b=f32[n*n] c=f32[n*n]
__kernel void product(int n, __global const float *a, __global const float *b, __global float *c) {
  int col = get_global_id(0), row = get_global_id(1);
  if (row >= n || col >= n) return;
  float s = 0.0f;
  for (int k = 0; k < n; k++)
    s += a[row * n + k] * b[k * n + col];
  c[row * n + col] = s;
}
