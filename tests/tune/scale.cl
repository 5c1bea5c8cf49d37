#ifndef W
#define W 1
#endif
// warpwise: grid=(n+BX*W-1)/(BX*W) block=BX n=100000 x=[n] y=[n]
__kernel void scale(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0) * W;
  for (int k = 0; k < W; k++)
    if (i + k < n)
      y[i + k] = 2.0f * x[i + k];
}
