__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void cl_reduce(__global const float *restrict x, __global float *restrict out, int n) {
  __local float s[64];
  int t = get_local_id(0), i = get_global_id(0);
  s[t] = i < n ? x[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 32; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = s[0];
}
