#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void cl_double(__global const double2 *restrict x, __global double *restrict out, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  double2 v = x[i];
  out[i] = fma(v.x, v.y, v.x) / (v.y + 1.0);
}
