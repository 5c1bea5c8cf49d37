// Tiles in shared memory: matrix product, transpose, stencil.
#define T 16

// warpwise: grid=(n+15)/16,(m+15)/16 block=16,16 m=512 n=512 k=512 a=[m*k] b=[k*n] c=[m*n]
__global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}

#define LOAD_TILES(t)                                                                                  \
  ta[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;     \
  tb[threadIdx.y][threadIdx.x] = col < n && t + threadIdx.y < k ? b[(t + threadIdx.y) * n + col] : 0

__global__ void matmul_tiled(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float ta[T][T], tb[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += T) {
    LOAD_TILES(t);
    __syncthreads();
    for (int i = 0; i < T; i++) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

// warpwise: grid=(n+15)/16,(m+31)/32 block=16,16
__global__ void matmul_two_rows(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float ta[2 * T][T + 1], tb[T][T];
  int row = blockIdx.y * 2 * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float s0 = 0, s1 = 0;
  for (int t = 0; t < k; t += T) {
    ta[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
    ta[threadIdx.y + T][threadIdx.x] = row + T < m && t + threadIdx.x < k ? a[(row + T) * k + t + threadIdx.x] : 0;
    tb[threadIdx.y][threadIdx.x] = col < n && t + threadIdx.y < k ? b[(t + threadIdx.y) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < T; i++) {
      float v = tb[i][threadIdx.x];
      s0 += ta[threadIdx.y][i] * v;
      s1 += ta[threadIdx.y + T][i] * v;
    }
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = s0;
  if (row + T < m && col < n) c[(row + T) * n + col] = s1;
}

__global__ void matmul_one_barrier(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float ta[T][T], tb[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += T) {
    LOAD_TILES(t);
    __syncthreads();
    for (int i = 0; i < T; i++) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

__global__ void matmul_no_rest(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float ta[T][T], tb[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int t = 0; t + T <= k; t += T) {
    LOAD_TILES(t);
    __syncthreads();
    for (int i = 0; i < T; i++) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

__global__ void matmul_unchecked(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float ta[T][T], tb[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += T) {
    ta[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < T; i++) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

__global__ void matmul_square_only(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; i++) sum += a[row * n + i] * b[i * n + col];
  c[row * n + col] = sum;
}

__global__ void matmul_half(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  if (row >= m || col >= n) return;
  _Float16 sum = 0;
  for (int i = 0; i < k; i++) sum += (_Float16)(a[row * k + i] * b[i * n + col]);
  c[row * n + col] = sum;
}

// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=1024 h=1024 in=[w*h] out=[w*h]
__global__ void transpose(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

// warpwise: grid=(w+31)/32,(h+31)/32 block=32,8
__global__ void transpose_tiled(const float *in, float *out, int w, int h) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < w && y + k < h) t[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < h && y + k < w) out[(y + k) * h + x] = t[threadIdx.x][threadIdx.y + k];
}

// warpwise: grid=(w+31)/32,(h+31)/32 block=32,8
__global__ void transpose_guard(const float *in, float *out, int w, int h) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < w && y + k < h) t[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < w && y + k < h) out[(y + k) * h + x] = t[threadIdx.x][threadIdx.y + k];
}

// warpwise: grid=(w+31)/32,(h+31)/32 block=32,8
__global__ void transpose_no_barrier(const float *in, float *out, int w, int h) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < w && y + k < h) t[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < h && y + k < w) out[(y + k) * h + x] = t[threadIdx.x][threadIdx.y + k];
}

// warpwise: grid=(n+127)/128 block=128 n=1<<20 x=[n] y=[n]
__global__ void blur(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.25f * x[i > 0 ? i - 1 : 0] + 0.5f * x[i] + 0.25f * x[i < n - 1 ? i + 1 : n - 1];
}

__global__ void blur_tiled(const float *x, float *y, int n) {
  __shared__ float s[130];
  int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x + 1;
  if (i < n) s[t] = x[i];
  if (threadIdx.x == 0) s[0] = x[i > 0 ? i - 1 : 0];
  if (i < n && (threadIdx.x == 127 || i == n - 1)) s[t + 1] = x[i < n - 1 ? i + 1 : n - 1];
  __syncthreads();
  if (i < n) y[i] = 0.25f * s[t - 1] + 0.5f * s[t] + 0.25f * s[t + 1];
}

__global__ void blur_no_right(const float *x, float *y, int n) {
  __shared__ float s[130];
  int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x + 1;
  if (i < n) s[t] = x[i];
  if (threadIdx.x == 0) s[0] = x[i > 0 ? i - 1 : 0];
  if (threadIdx.x == 127) s[129] = x[i < n - 1 ? i + 1 : n - 1];
  __syncthreads();
  if (i < n) y[i] = 0.25f * s[t - 1] + 0.5f * s[t] + 0.25f * s[t + 1];
}

__global__ void blur_in_place(float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = 0.25f * x[i > 0 ? i - 1 : 0] + 0.5f * x[i] + 0.25f * x[i < n - 1 ? i + 1 : n - 1];
  y[i] = x[i];
  x[i] = v;
  y[i] = v;
}
