// C = A B, square, n a multiple of 64; from one element per thread to a register block per thread.

// warpwise: grid=n/16,n/16 block=16,16 n=512 a=f32[n*n] b=f32[n*n] c=f32[n*n]
extern "C" __global__ void gemm_naive(int n, const float *a, const float *b, float *c) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float s = 0.0f;
  for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];
  c[row * n + col] = s;
}

// Rows along the warp: every load of a is 32 lines.
// warpwise: grid=n/16,n/16 block=16,16 n=512 a=f32[n*n] b=f32[n*n] c=f32[n*n]
extern "C" __global__ void gemm_uncoalesced(int n, const float *a, const float *b, float *c) {
  int row = blockIdx.x * 16 + threadIdx.x, col = blockIdx.y * 16 + threadIdx.y;
  float s = 0.0f;
  for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];
  c[row * n + col] = s;
}

// warpwise: grid=n/16,n/16 block=16,16 n=512 a=f32[n*n] b=f32[n*n] c=f32[n*n]
extern "C" __global__ void gemm_tiled16(int n, const float *a, const float *b, float *c) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float s = 0.0f;
  for (int k0 = 0; k0 < n; k0 += 16) {
    as[ty][tx] = a[row * n + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; k++) s += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = s;
}

// warpwise: grid=n/64,n/64 block=16,16 n=1024 a=f32[n*n] b=f32[n*n] c=f32[n*n]
extern "C" __global__ void gemm_block4x4(int n, const float *a, const float *b, float *c) {
  __shared__ float as[16][64], bs[16][64];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const float *ap = a + (size_t)blockIdx.y * 64 * n, *bp = b + blockIdx.x * 64;
  float s[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int i = 0; i < 4; i++) {
      as[t % 16][t / 16 + 16 * i] = ap[(size_t)(t / 16 + 16 * i) * n + k0 + t % 16];
      bs[t / 64 + 4 * i][t % 64] = bp[(size_t)(k0 + t / 64 + 4 * i) * n + t % 64];
    }
    __syncthreads();
    for (int k = 0; k < 16; k++) {
      float u[4], v[4];
      for (int i = 0; i < 4; i++) u[i] = as[k][ty * 4 + i], v[i] = bs[k][tx * 4 + i];
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) s[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c[(size_t)(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4 + j] = s[i][j];
}

// warpwise: grid=n/16,n/16 block=16,16 n=512 a=f64[n*n] b=f64[n*n] c=f64[n*n]
extern "C" __global__ void dgemm_tiled16(int n, const double *a, const double *b, double *c) {
  __shared__ double as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  double s = 0.0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    as[ty][tx] = a[row * n + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; k++) s += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = s;
}

// Many small products, one per block.
// warpwise: grid=batch block=16,16 batch=4096 a=f32[batch*256] b=f32[batch*256] c=f32[batch*256]
extern "C" __global__ void gemm_batched16(int batch, const float *a, const float *b, float *c) {
  if (blockIdx.x >= batch) return;
  __shared__ float as[16][16], bs[16][17];
  int tx = threadIdx.x, ty = threadIdx.y;
  size_t at = (size_t)blockIdx.x * 256 + ty * 16 + tx;
  as[ty][tx] = a[at], bs[ty][tx] = b[at];
  __syncthreads();
  float s = 0.0f;
  for (int k = 0; k < 16; k++) s += as[ty][k] * bs[k][tx];
  c[at] = s;
}
