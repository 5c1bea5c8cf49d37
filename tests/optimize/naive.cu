// Kernels as people first write them; tests/optimize/run.sh has them made faster.

// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=1024 a=f32[n*n] b=f32[n*n]
__global__ void scale_columns(int n, const float *a, float *b) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) b[row * n + col] = 2.0f * a[row * n + col];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 x=f32[n] s=f32[1]
__global__ void sum(int n, const float *x, float *s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(s, x[i]);
}

// warpwise: grid=(n+255)/256 block=256 n=4096 m=256 x=f32[n*m] y=f32[n]
__global__ void column_sums(int n, int m, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < m; j++)
      y[i] += x[j * n + i];
}

// warpwise: grid=(n+31)/32 block=32 n=1<<20 x=f32[n]
__global__ void waves(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 16; k++)
    v = v * 0.99 + 0.01;
  x[i] = v;
}

// warpwise: grid=(n+127)/128 block=128 n=4096 x=f32[n] y=f32[n]
__global__ void all_pairs(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.0f;
  for (int j = 0; j < n; j++)
    s += fabsf(x[i] - x[j]);
  y[i] = s;
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 x=u8[n]:uniform(0,256) bins=u32[256]:zeros
__global__ void counts(int n, const unsigned char *x, unsigned *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&bins[x[i]], 1u);
}

// A thread walks along a row: lanes are a row apart.
// warpwise: grid=(n+255)/256 block=256 n=1024 m=1024 a=f32[n*m] x=f32[m] y=f32[n]
__global__ void row_products(int n, int m, const float *a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = 0.0f;
    for (int j = 0; j < m; j++)
      y[i] += a[i * m + j] * x[j];
  }
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 rgb=u8[n*3] grey=u8[n]
__global__ void greys(int n, const unsigned char *rgb, unsigned char *grey) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  grey[i] = (rgb[3 * i] + 2 * rgb[3 * i + 1] + rgb[3 * i + 2]) / 4;
}

// warpwise: grid=(n+127)/128 block=128 n=16384 m=32 x=f32[n*m] y=f32[n]
__global__ void row_sums(int n, int m, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.0f;
  for (int j = 0; j < m; j++)
    s += x[i * m + j];
  y[i] = s;
}

// Read along rows, written along columns.
// warpwise: grid=(w+15)/16,(h+15)/16 block=16,16 w=1024 h=1024 in=f32[w*h] out=f32[w*h]
__global__ void transpose(int w, int h, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

// Eight threads along y do the same work.
// warpwise: grid=(n+31)/32 block=32,8 n=1<<18 x=f32[n] y=f32[n]
__global__ void eightfold(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 200; k++)
    v = v * v * 0.5f + 0.1f;
  y[i] = v;
}

// Nothing to wait for but the sum; a warp works on each.
// warpwise: grid=n block=32 n=132 terms=1<<16 y=f32[n]
__global__ void series(int n, int terms, float *y) {
  int lane = threadIdx.x;
  float x = y[blockIdx.x], s = 0.0f;
  for (int k = lane; k < terms; k += 32)
    s += x * (float)(k & 1023);
  for (int d = 16; d > 0; d >>= 1)
    s += __shfl_xor_sync(0xffffffffu, s, d);
  if (lane == 0) y[blockIdx.x] = s;
}

// A tile that is too small, by its name.
#define TILE 8
// warpwise: grid=(n+7)/8,(n+7)/8 block=8,8 n=512 a=f32[n*n] b=f32[n*n] c=f32[n*n]
__global__ void product(int n, const float *a, const float *b, float *c) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
  float s = 0.0f;
  for (int k = 0; k < n; k += TILE) {
    as[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0.0f;
    bs[y][x] = col < n && k + y < n ? b[(k + y) * n + col] : 0.0f;
    __syncthreads();
    for (int j = 0; j < TILE; j++)
      s += as[y][j] * bs[j][x];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = s;
}

// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=512 a=f32[n*n] b=f32[n*n] c=f32[n*n]
__global__ void gemm(int n, const float *a, const float *b, float *c) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= n || col >= n) return;
  float s = 0.0f;
  for (int k = 0; k < n; k++)
    s += a[row * n + k] * b[k * n + col];
  c[row * n + col] = s;
}

// Nothing here may be changed: lanes hand values on, in blocks of one size.
// warpwise: grid=n/32 block=32 n=1<<16 x=f32[n]
__global__ void neighbours(float *x, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  float v = x[i];
  x[i] = v + __shfl_xor_sync(0xffffffffu, v, 1);
}
