// A fixed number of work-groups for any amount of work, on OpenCL.

// Rows of a table added up and compared with a limit, a row after the other.
// warpwise: grid=groups block=128 groups=264 rows=16384 n=512 x=i32[rows*n]:uniform(0,100) over=u8[rows]
__kernel void rows_over(int groups, int rows, int n, __global const int *x, __global uchar *over) {
  __local int s[128];
  int t = get_local_id(0);
  if (get_group_id(0) >= groups) return;
  for (int r = get_group_id(0); r < rows; r += groups) {
    int a = 0;
    for (int k = t; k < n; k += 128) a += x[(size_t)r * n + k];
    s[t] = a;
    for (int d = 64; d > 0; d >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (t < d) s[t] += s[t + d];
    }
    if (t == 0) over[r] = s[0] > 50 * n;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Two streams blended in strides of the whole launch, the second one backwards.
// warpwise: grid=groups block=256 groups=528 n=1<<22 a=f32[n] b=f32[n] out=f32[n]
__kernel void blend_back(int groups, int n, __global const float *a, __global const float *b, __global float *out) {
  if (get_group_id(0) >= groups) return;
  for (int i = get_global_id(0); i < n; i += groups * 256) out[i] = 0.5f * (a[i] + b[n - 1 - i]);
}
