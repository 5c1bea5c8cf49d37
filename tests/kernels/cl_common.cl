__kernel void cl_common(__global const float *restrict x, __global float *restrict out, int n) {
  int i = get_global_id(0);
  float v = x[i] * 4.0f - 2.0f;
  out[0 * n + i] = clamp(v, -1.0f, 1.0f);
  out[1 * n + i] = fmin(v, 0.25f);
  out[2 * n + i] = fmax(v, NAN);
  out[3 * n + i] = fabs(v);
  out[4 * n + i] = sign(v);
  out[5 * n + i] = step(0.5f, v);
  out[6 * n + i] = floor(v * 3.0f);
  out[7 * n + i] = rint(v * 8.0f);
  out[8 * n + i] = copysign(1.5f, v);
  out[9 * n + i] = trunc(v * 3.0f);
  out[10 * n + i] = isgreater(v, 0.5f) ? 2.0f : 3.0f;
}
