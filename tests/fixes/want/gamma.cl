// OpenCL has one name for all precisions: the constants alone are changed.
// expect: double-constant
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// warpwise: grid=n/256 block=256 n=1<<21 x=[n] y=[n]
__kernel void gamma(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 8; k++) v = 0.9f * v + 0.1f * v * v - 1e-2f;
  y[i] = v;
}
