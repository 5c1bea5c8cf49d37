__kernel void cl_math(__global const float *restrict x, __global float *restrict out, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float v = x[i];
  out[0 * n + i] = exp(v);
  out[1 * n + i] = log(v);
  out[2 * n + i] = sin(v);
  out[3 * n + i] = cos(v);
  out[4 * n + i] = pow(v, 1.7f);
  out[5 * n + i] = sqrt(v);
  out[6 * n + i] = rsqrt(v);
  out[7 * n + i] = erf(v);
}
