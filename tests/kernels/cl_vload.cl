// vload4 from addresses aligned to the element only.
__kernel void cl_vload(__global const float *restrict x, __global float *restrict out) {
  int i = get_global_id(0);
  float4 v = vload4(i, x + 1);
  float3 w = vload3(i, x);
  vstore4(v.yzwx + (float4)(w, 0.0f), i, out);
}
