// Local memory whose size the host sets.
__kernel void cl_local_arg(__global const int *restrict x, __global int *restrict out, __local int *s) {
  int t = get_local_id(0), n = get_local_size(0);
  s[t] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = s[n - 1 - t] - s[(t + 1) % n];
}
