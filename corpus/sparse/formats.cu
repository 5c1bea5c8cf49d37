// Sparse matrices in other formats, and other things done with them.

// `team` lanes to a row.
template <int team, typename T>
__device__ void csr_team(int m, const int *row, const int *col, const T *val, const T *x, T *y) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / team, lane = threadIdx.x % team;
  T s = 0;
  if (r < m)
    for (int k = row[r] + lane; k < row[r + 1]; k += team) s += val[k] * x[col[k]];
#pragma unroll
  for (int d = team / 2; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d, team);
  if (r < m && lane == 0) y[r] = s;
}

// warpwise: grid=(m+63)/64 block=256 m=1<<17 nnz=m*8 row=i32[m+1]:monotone(0,nnz) col=i32[nnz]:uniform(0,m) val=f32[nnz] x=f32[m] y=f32[m]
extern "C" __global__ void csr_team4(int m, int nnz, const int *row, const int *col, const float *val, const float *x,
                                     float *y) {
  csr_team<4>(m, row, col, val, x, y);
}

// warpwise: grid=(m+15)/16 block=256 m=1<<16 nnz=m*32 row=i32[m+1]:monotone(0,nnz) col=i32[nnz]:uniform(0,m) val=f64[nnz] x=f64[m] y=f64[m]
extern "C" __global__ void csr_team16_double(int m, int nnz, const int *row, const int *col, const double *val,
                                             const double *x, double *y) {
  csr_team<16>(m, row, col, val, x, y);
}

// Few long rows: a block to each.
// warpwise: grid=m block=256 m=1000 n=100000 nnz=m*2000 row=i32[m+1]:monotone(0,nnz) col=i32[nnz]:uniform(0,n) val=f32[nnz] x=f32[n] y=f32[m]
extern "C" __global__ void csr_block(int m, int n, int nnz, const int *row, const int *col, const float *val,
                                     const float *x, float *y) {
  __shared__ float part[8];
  if (blockIdx.x >= m) return;
  float s = 0.0f;
  int end = row[blockIdx.x + 1];
  for (int k = row[blockIdx.x] + threadIdx.x; k < end; k += 256) s += val[k] * x[col[k]];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x) return;
  for (int w = 1; w < 8; w++) s += part[w];
  y[blockIdx.x] = s;
}

// Triples; every one is an atomic.
// warpwise: grid=(nnz+255)/256 block=256 m=65536 nnz=1<<20 row=i32[nnz]:monotone(0,m-1) col=i32[nnz]:uniform(0,m) val=f32[nnz] x=f32[m] y=f32[m]:zeros
extern "C" __global__ void coo_atomic(int m, int nnz, const int *row, const int *col, const float *val, const float *x,
                                      float *y) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < nnz) atomicAdd(&y[row[k]], val[k] * x[col[k]]);
}

// The lanes of a warp add up what belongs to one row before they touch memory.
// warpwise: grid=(nnz+255)/256 block=256 m=65536 nnz=1<<21 row=i32[nnz]:monotone(0,m-1) col=i32[nnz]:uniform(0,m) val=f32[nnz] x=f32[m] y=f32[m]:zeros
extern "C" __global__ void coo_segments(int m, int nnz, const int *row, const int *col, const float *val,
                                        const float *x, float *y) {
  int k = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int r = k < nnz ? row[k] : -1;
  float s = k < nnz ? val[k] * x[col[k]] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    float u = __shfl_up_sync(0xffffffffu, s, d);
    int q = __shfl_up_sync(0xffffffffu, r, d);
    if (lane >= d && q == r) s += u;
  }
  int next = __shfl_down_sync(0xffffffffu, r, 1);
  if (r >= 0 && (lane == 31 || next != r)) atomicAdd(&y[r], s);
}

// 4 x 4 blocks, four lanes to a block row: each lane one row of the block.
// warpwise: grid=(mb*4+127)/128 block=128 mb=32768 blocks=mb*6 row=i32[mb+1]:monotone(0,blocks) col=i32[blocks]:uniform(0,mb) val=f32[blocks*16] x=f32[mb*4] y=f32[mb*4]
extern "C" __global__ void bsr4(int mb, int blocks, const int *row, const int *col, const float4 *val, const float4 *x,
                                float *y) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, r = t / 4, lane = t % 4;
  if (r >= mb) return;
  float s = 0.0f;
  for (int k = row[r]; k < row[r + 1]; k++) {
    float4 a = val[(size_t)k * 4 + lane], v = x[col[k]];
    s += a.x * v.x + a.y * v.y + a.z * v.z + a.w * v.w;
  }
  y[t] = s;
}

// Rows sorted by length in slices of 32, each slice as wide as its longest: a warp to a slice.
// warpwise: grid=(slices+3)/4 block=128 slices=4096 total=slices*12 start=i32[slices+1]:monotone(0,total) col=i32[total*32]:uniform(0,slices*32) val=f64[total*32] x=f64[slices*32] y=f64[slices*32]
extern "C" __global__ void sliced_ell(int slices, int total, const int *start, const int *col, const double *val,
                                      const double *x, double *y) {
  int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (s >= slices) return;
  double a = 0.0;
  for (int k = start[s]; k < start[s + 1]; k++) a += val[(size_t)k * 32 + lane] * x[col[(size_t)k * 32 + lane]];
  y[s * 32 + lane] = a;
}

// Column by column: x is read once, y is scattered to.
// warpwise: grid=(n+7)/8 block=256 n=65536 nnz=n*16 ptr=i32[n+1]:monotone(0,nnz) row=i32[nnz]:uniform(0,n) val=f32[nnz] x=f32[n] y=f32[n]:zeros
extern "C" __global__ void csc_scatter(int n, int nnz, const int *ptr, const int *row, const float *val, const float *x,
                                       float *y) {
  int c = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (c >= n) return;
  float v = x[c];
  for (int k = ptr[c] + lane; k < ptr[c + 1]; k += 32) atomicAdd(&y[row[k]], val[k] * v);
}

// Times a dense matrix of `w` columns: a warp per row, a lane per column.
// warpwise: grid=(m+7)/8 block=256 m=16384 w=64 nnz=m*16 row=i32[m+1]:monotone(0,nnz) col=i32[nnz]:uniform(0,m) val=f32[nnz] b=f32[m*w] c=f32[m*w]
extern "C" __global__ void csr_times_dense(int m, int w, int nnz, const int *row, const int *col, const float *val,
                                           const float *b, float *c) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= m) return;
  for (int j = lane; j < w; j += 32) {
    float s = 0.0f;
    for (int k = row[r]; k < row[r + 1]; k++) s += val[k] * b[(size_t)col[k] * w + j];
    c[(size_t)r * w + j] = s;
  }
}

// A dense product only where a sparse one has entries.
// warpwise: grid=(nnz+7)/8 block=256 m=16384 w=64 nnz=1<<18 row=i32[nnz]:monotone(0,m-1) col=i32[nnz]:uniform(0,m) a=f32[m*w] b=f32[m*w] out=f32[nnz]
extern "C" __global__ void sampled_product(int m, int w, int nnz, const int *row, const int *col, const float *a,
                                           const float *b, float *out) {
  int k = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (k >= nnz) return;
  float s = 0.0f;
  for (int j = lane; j < w; j += 32) s += a[(size_t)row[k] * w + j] * b[(size_t)col[k] * w + j];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (lane == 0) out[k] = s;
}

// One sweep of Jacobi's method; the diagonal is kept apart.
// warpwise: grid=(m+127)/128 block=128 m=1<<17 nnz=m*6 row=i32[m+1]:monotone(0,nnz) col=i32[nnz]:uniform(0,m) val=f64[nnz] diag=f64[m]:uniform(10,20) b=f64[m] x=f64[m] out=f64[m]
extern "C" __global__ void csr_jacobi(int m, int nnz, const int *row, const int *col, const double *val,
                                      const double *diag, const double *b, const double *x, double *out) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= m) return;
  double s = b[r];
  for (int k = row[r]; k < row[r + 1]; k++) s -= val[k] * x[col[k]];
  out[r] = s / diag[r];
}

// How long the rows of the transpose are.
// warpwise: grid=528 block=256 nnz=1<<22 n=65536 col=i32[nnz]:zipf(0,n) count=i32[n]:zeros
extern "C" __global__ void count_columns(int nnz, int n, const int *col, int *count) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < nnz; k += gridDim.x * blockDim.x)
    atomicAdd(&count[col[k]], 1);
}

// How many different columns a product's rows could have, at most: lengths of the rows that are reached.
// warpwise: grid=(m+255)/256 block=256 m=1<<17 nnz=m*8 row=i32[m+1]:monotone(0,nnz) col=i32[nnz]:uniform(0,m) bound=i32[m]
extern "C" __global__ void product_bound(int m, int nnz, const int *row, const int *col, int *bound) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= m) return;
  int s = 0;
  for (int k = row[r]; k < row[r + 1]; k++) s += row[col[k] + 1] - row[col[k]];
  bound[r] = s;
}
