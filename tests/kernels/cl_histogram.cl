__kernel void cl_histogram(__global const uint *restrict x, __global int *bins, int n) {
  __local int s[16];
  int t = get_local_id(0), i = get_global_id(0);
  if (t < 16) s[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) atomic_inc(&s[x[i] & 15]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < 16) atomic_add(&bins[t], s[t]);
}
