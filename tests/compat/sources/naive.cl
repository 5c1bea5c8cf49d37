// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=256 a=f32[n*n] b=f32[n*n]
__kernel void scale_columns(int n, __global const float *a, __global float *b) {
  int row = get_global_id(0), col = get_global_id(1);
  if (row < n && col < n)
    b[row * n + col] = 2.0f * a[row * n + col];
}
