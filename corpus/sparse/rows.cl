// Sparse rows on OpenCL.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Eight work-items to a row, their sums put together in local memory.
// warpwise: grid=(m+15)/16 block=128 m=65536 nnz=m*12 row=i32[m+1]:monotone(0,nnz) col=i32[nnz]:uniform(0,m) val=f32[nnz] x=f32[m] y=f32[m]
__kernel void csr_eight(int m, int nnz, __global const int *row, __global const int *col, __global const float *val,
                        __global const float *x, __global float *y) {
  __local float s[128];
  int t = get_local_id(0), r = get_global_id(0) / 8, lane = t % 8;
  float v = 0.0f;
  if (r < m)
    for (int k = row[r] + lane; k < row[r + 1]; k += 8) v += val[k] * x[col[k]];
  s[t] = v;
  for (int d = 4; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < d) s[t] += s[t + d];
  }
  if (r < m && lane == 0) y[r] = s[t];
}

// A row per work-item, doubles, the diagonal's share subtracted: a residual.
// warpwise: grid=(m+127)/128 block=128 m=65536 nnz=m*7 row=i32[m+1]:monotone(0,nnz) col=i32[nnz]:uniform(0,m) val=f64[nnz] b=f64[m] x=f64[m] r=f64[m]
__kernel void residual(int m, int nnz, __global const int *row, __global const int *col, __global const double *val,
                       __global const double *b, __global const double *x, __global double *r) {
  int i = get_global_id(0);
  if (i >= m) return;
  double s = b[i];
  for (int k = row[i]; k < row[i + 1]; k++) s -= val[k] * x[col[k]];
  r[i] = s;
}

// Links counted both ways: a degree for each end.
// warpwise: grid=(links+255)/256 block=256 n=65536 links=1<<20 from=i32[links]:zipf(0,n) to=i32[links]:uniform(0,n) out=i32[n]:zeros in=i32[n]:zeros
__kernel void count_ends(int n, int links, __global const int *from, __global const int *to, __global int *out,
                         __global int *in) {
  int k = get_global_id(0);
  if (k < links) atomic_inc(&out[from[k]]), atomic_inc(&in[to[k]]);
}
