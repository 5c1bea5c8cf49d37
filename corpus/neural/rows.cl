// Rows of a network's layers in OpenCL.

// Softmax, a work-group of 128 per row, reductions in local memory.
// warpwise: grid=rows block=128 rows=4096 n=1000 x=[rows*n] y=[rows*n]
__kernel void cl_softmax_group(int rows, int n, __global const float *restrict x, __global float *restrict y) {
  __local float part[128];
  int row = get_group_id(0), t = get_local_id(0);
  if (row >= rows) return;
  __global const float *in = x + (size_t)row * n;
  float top = -INFINITY, sum = 0.0f;
  for (int i = t; i < n; i += 128) top = fmax(top, in[i]);
  part[t] = top;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) part[t] = fmax(part[t], part[t + d]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  top = part[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = t; i < n; i += 128) sum += native_exp(in[i] - top);
  part[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) part[t] += part[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  sum = 1.0f / part[0];
  for (int i = t; i < n; i += 128) y[(size_t)row * n + i] = native_exp(in[i] - top) * sum;
}

// GELU on vectors of four.
// warpwise: grid=(n/4+255)/256 block=256 n=1<<22 x=[n/4] y=[n/4]
__kernel void cl_gelu4(int n, __global const float4 *restrict x, __global float4 *restrict y) {
  int i = get_global_id(0);
  if (i >= n / 4) return;
  float4 v = x[i];
  y[i] = 0.5f * v * (1.0f + tanh(0.79788456f * (v + 0.044715f * v * v * v)));
}

// Matrix of bytes times a vector, scale per row, a work-item per row, weights stored by columns.
// warpwise: grid=(m+63)/64 block=64 m=8192 n=1024 a=[m*n] x=[n] scale=[m] y=[m]
__kernel void cl_gemv_bytes(int m, int n, __global const char *restrict a, __global const float *restrict x, __global const float *restrict scale, __global float *restrict y) {
  int r = get_global_id(0);
  if (r >= m) return;
  float s = 0.0f;
  for (int k = 0; k < n; k++) s = mad((float)a[(size_t)k * m + r], x[k], s);
  y[r] = s * scale[r];
}
