#ifndef W
#define W 1
#endif
// warpwise: grid=(n+63)/64 block=64 n=65536 a=2.0 x=f32[n]:random y=f32[n]
kernel void scale(int n, float a, global const float *x, global float *y) {
  int first = (int)get_global_id(0) * W;
  for (int i = first; i < first + W && i < n; i++) y[i] = a * x[i];
}
