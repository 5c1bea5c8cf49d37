// Kernels for tests/unit/test_sample.c: what a sampled run says of them must be what the full run says.

// ---- regular: every count exact ----

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

__global__ void image(int w, int h, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float s = in[y * w + x];
  if (x > 0) s += in[y * w + x - 1];
  if (x < w - 1) s += in[y * w + x + 1];
  if (y > 0) s += in[(y - 1) * w + x];
  if (y < h - 1) s += in[(y + 1) * w + x];
  out[y * w + x] = s * 0.2f;
}

__global__ void volume(int nx, int ny, int nz, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x == 0 || y == 0 || z == 0 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  int i = (z * ny + y) * nx + x;
  out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] - 6 * in[i];
}

// Work grows evenly with the block.
__global__ void growing(const float *x, float *y) {
  float s = 0;
  for (unsigned k = 0; k < blockIdx.x; k++) s += x[k * blockDim.x + threadIdx.x];
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void growing_down(int blocks, const float *x, float *y) {
  float s = 0;
#pragma unroll 1
  for (int k = blockIdx.x; k < blocks; k++) s += x[k * blockDim.x + threadIdx.x];
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// A region of blocks around the middle works differently.
__global__ void region(int from, int to, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = x[i];
  if (blockIdx.x >= from && blockIdx.x < to)
#pragma unroll 1
    for (int k = 0; k < 7; k++) s = s * x[i + k] + 1;
  y[i] = s;
}

__global__ void triangle(int n, const float *a, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
#pragma unroll 1
  for (int j = 0; j <= i; j++) s += a[(long)j * n + i];
  y[i] = s;
}

__global__ void grid_stride(int n, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i];
}

__global__ void reduce(int n, const float *x, float *y) {
  __shared__ float t[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  t[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) t[threadIdx.x] += t[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = t[0];
}

__global__ void strided(int stride, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i * stride + 1];
}

// ---- contents decide: near ----

__global__ void histogram(int n, const int *x, int *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1);
}

__global__ void spmv(int rows, const int *start, const int *col, const float *val, const float *x, float *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int k = start[r]; k < start[r + 1]; k++) s += val[k] * x[col[k]];
  y[r] = s;
}

// A third of the blocks, spread over all of them, works more.
__global__ void every_third(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = x[i];
  if (blockIdx.x % 3 == 0)
#pragma unroll 1
    for (int k = 0; k < 7; k++) s = s * x[i + k] + 1;
  y[i] = s;
}

__global__ void threshold(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 0.3f) y[i] = sqrtf(x[i]) * 2 + 1;
}

// ---- long loops ----

__global__ void sum(long n, const float *x, float *y) {
  float s = 0;
  for (long i = 0; i < n; i++) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void sum_up_to(int n, const float *x, float *y) { // != as the exit
  float s = 0;
#pragma unroll 1
  for (int i = 0; i != n; i++) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void walk(int n, int step, int offset, const float *x, float *y) {
  float s = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) s += x[(long)i * step + threadIdx.x + offset];
  y[threadIdx.x] = s;
}

__global__ void walk_double(int n, int step, int offset, const double *x, double *y) {
  double s = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) s += x[(long)i * step + 2 * threadIdx.x + offset];
  y[threadIdx.x] = s;
}

__global__ void walk_bytes(int n, int step, const unsigned char *x, int *y) {
  int s = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) s += x[(long)i * step + threadIdx.x];
  y[threadIdx.x] = s;
}

__global__ void downward(unsigned n, const float *x, float *y) {
  float s = 0;
#pragma unroll 1
  for (unsigned i = n; i-- > 0;) s = s * 0.5f + x[i];
  y[threadIdx.x] = s;
}

__global__ void columns(int rows, int cols, const float *x, float *y) { // nested
  float s = 0;
#pragma unroll 1
  for (int i = 0; i < rows; i++)
#pragma unroll 1
    for (int j = 0; j < cols; j++) s += x[i * cols + j] * threadIdx.x;
  y[threadIdx.x] = s;
}

__global__ void lower(int n, const float *x, float *y) { // the inner loop grows with the outer
  float s = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++)
#pragma unroll 1
    for (int j = 0; j < i; j++) s += x[i + j];
  y[threadIdx.x] = s;
}

__global__ void lanes(int n, const float *x, float *y) { // a lane's trips depend on its number
  float s = 0;
#pragma unroll 1
  for (int i = 0; i < n + (int)threadIdx.x * 100; i++) s += x[i * 32 + threadIdx.x];
  y[threadIdx.x] = s;
}

__global__ void find(int n, const float *x, int *y) { // data ends it
  int i = 0;
  while (i < n && x[i] < 0.999999f) i++;
  y[threadIdx.x] = i;
}

__global__ void until(int limit, const int *x, int *y) { // what is loaded moves evenly, until it does not
  int i = 0;
#pragma unroll 1
  while (x[i] < limit) i++;
  y[threadIdx.x] = i;
}

__global__ void loaded_bound(const int *n, const float *x, float *y) {
  float s = 0;
  int m = n[0];
#pragma unroll 1
  for (int i = 0; i < m; i++) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void halving(int n, const float *x, float *y) {
  float s = 0;
  for (int i = n; i > 0; i >>= 1) s += x[i];
  y[threadIdx.x] = s;
}

__global__ void every_fourth(int n, const float *x, float *y) { // a branch that the counter decides
  float s = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    if (i % 4 == 0) s = sqrtf(s + x[i]);
    else s += 1;
  }
  y[threadIdx.x] = s;
}

__global__ void around(int n, const float *x, float *y) { // what is masked moves evenly until it turns back
  __shared__ float ring[2048];
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) ring[k] = x[k];
  __syncthreads();
  float s = 0;
  int at = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    s += ring[at];
    at = (at + 32) & 2047;
  }
  y[threadIdx.x] = s;
}

__global__ void matmul_tiled(int n, const float *a, const float *b, float *c) {
  __shared__ float as[16][17], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0;
  for (int t = 0; t < n; t += 16) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; k++) acc += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = acc;
}

__global__ void matmul(int n, const float *a, const float *b, float *c) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float acc = 0;
  for (int k = 0; k < n; k++) acc += a[row * n + k] * b[k * n + col];
  c[row * n + col] = acc;
}

// Warps walk along the same rows: side by side, or each `apart` rows behind the one before.
__global__ void file(int n, int apart, const float *x, float *y) {
  float s = 0;
#pragma unroll 1
  for (int k = 0; k < n; k++) s += x[(k + 8 - apart * (int)threadIdx.y) * 32 + threadIdx.x];
  y[(blockIdx.x * blockDim.y + threadIdx.y) * 32 + threadIdx.x] = s;
}

// Of many blocks the first alone has much to do.
__global__ void lone_block(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = x[i];
  if (blockIdx.x == 0)
#pragma unroll 1
    for (int k = 0; k < n; k++) s = s * x[i + k] + 1;
  y[i] = s;
}

// Each lane of a warp reads another word of constant memory.
__constant__ float table[64];
__global__ void lookup(float *y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = table[threadIdx.x % 64];
}

// As many steps as the number of the block, which only the data knows.
__global__ void as_far_as(const int *at, int *y) {
  int k = 0, s = 0;
  while (at[k] < blockIdx.x) s ^= k++;
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// Long work for points of a set in the middle, little around it.
extern "C" __global__ void escape(int n, int most, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k = 0;
  float cr = -2.0f + 3.0f * x / n, ci = -1.5f + 3.0f * y / n, zr = 0, zi = 0;
  for (; k < most && zr * zr + zi * zi < 4; k++) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
  }
  out[y * n + x] = k;
}

// Blocks draw their numbers, and with them the tile they copy.
__global__ void numbered(const float *in, float *out, unsigned *next) {
  __shared__ unsigned tile;
  if (threadIdx.x == 0) tile = atomicAdd(next, 1);
  __syncthreads();
  size_t at = (size_t)tile * blockDim.x + threadIdx.x;
  out[at] = in[at];
}

/* Nobody but the last block touches memory. */
extern "C" __global__ void last_block(const float *x, float *y) {
  if (blockIdx.x == gridDim.x - 1)
    y[threadIdx.x] = x[threadIdx.x];
}
