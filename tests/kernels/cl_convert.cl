__kernel void cl_convert(__global const float *restrict x, __global uchar *c, __global int *r, __global int *bits, __global short *s) {
  int i = get_global_id(0);
  float v = x[i] * 600.0f - 150.0f;
  c[i] = convert_uchar_sat(v);
  r[i] = convert_int_rte(v);
  bits[i] = as_int(x[i]);
  s[i] = convert_short_sat((int)v * 1000);
}
