__kernel void cl_dot4(__global const float4 *restrict a, __global const float4 *restrict b, __global float *restrict out) {
  int i = get_global_id(0);
  out[i] = dot(a[i], b[i]);
}
