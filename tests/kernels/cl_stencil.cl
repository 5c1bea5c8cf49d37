// Weights behind a __constant pointer argument.
__kernel void cl_stencil(__global const float *restrict in, __global float *restrict out, __constant float *w, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  out[i] = w[0] * in[i] + w[1] * in[i + 1] + w[2] * in[i + 2];
}
