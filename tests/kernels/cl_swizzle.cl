__kernel void cl_swizzle(__global const int4 *restrict x, __global int4 *restrict out, __global int2 *restrict lo) {
  int i = get_global_id(0);
  int4 v = x[i];
  int4 w = v.wzyx * (int4)(1, 10, 100, 1000);
  w.even += v.hi;
  out[i] = w + (int4)(v.s31, v.s02);
  lo[i] = v.odd - w.lo;
}
