// Sparse matrix times vector: CSR with a warp per row, ELLPACK.

// warpwise: grid=(m+7)/8 block=256 m=65536 row=i32[m+1]:monotone(0,m*16) col=i32[m*16]:uniform(0,m) val=f32[m*16] x=f32[m] y=f32[m]
extern "C" __global__ void spmv_csr_warp(int m, const int *row, const int *col, const float *val, const float *x, float *y) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= m) return;
  float s = 0.0f;
  for (int k = row[r] + lane; k < row[r + 1]; k += 32) s += val[k] * x[col[k]];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (lane == 0) y[r] = s;
}

// warpwise: grid=(m+255)/256 block=256 m=65536 width=16 col=i32[m*width]:uniform(0,m) val=f64[m*width] x=f64[m] y=f64[m]
extern "C" __global__ void spmv_ell(int m, int width, const int *col, const double *val, const double *x, double *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= m) return;
  double s = 0.0;
  for (int k = 0; k < width; k++) s += val[(size_t)k * m + r] * x[col[(size_t)k * m + r]];
  y[r] = s;
}
