// Other products: larger register blocks, wide loads, double buffers, thin and long shapes, whole numbers, batches.

// 128 x 128 per block, 8 x 8 per thread; k a multiple of 8, m and n of 128. A's tile is stored turned.
// warpwise: grid=n/128,m/128 block=256 m=2048 n=2048 k=1024 a=f32[m*k] b=f32[k*n] c=f32[m*n]
extern "C" __global__ void __launch_bounds__(256)
    gemm_8x8(int m, int n, int k, const float *a, const float *b, float *c) {
  __shared__ float as[8][132], bs[8][128];
  if ((blockIdx.y + 1) * 128 > m || (blockIdx.x + 1) * 128 > n) return;
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const float *ap = a + (size_t)(blockIdx.y * 128 + t / 2) * k + t % 2 * 4;
  const float *bp = b + (size_t)(t / 32) * n + blockIdx.x * 128 + t % 32 * 4;
  float s[8][8] = {};
  for (int k0 = 0; k0 + 8 <= k; k0 += 8) {
    float4 u = *(const float4 *)(ap + k0), v = *(const float4 *)(bp + (size_t)k0 * n);
    __syncthreads();
    int r = t % 2 * 4;
    as[r][t / 2] = u.x, as[r + 1][t / 2] = u.y, as[r + 2][t / 2] = u.z, as[r + 3][t / 2] = u.w;
    *(float4 *)&bs[t / 32][t % 32 * 4] = v;
    __syncthreads();
#pragma unroll
    for (int p = 0; p < 8; p++) {
      float x[8], y[8];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        x[i] = as[p][ty * 4 + i], x[i + 4] = as[p][64 + ty * 4 + i];
        y[i] = bs[p][tx * 4 + i], y[i + 4] = bs[p][64 + tx * 4 + i];
      }
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) s[i][j] += x[i] * y[j];
    }
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    float *row = c + (size_t)(blockIdx.y * 128 + i / 4 * 64 + ty * 4 + i % 4) * n + blockIdx.x * 128 + tx * 4;
    *(float4 *)row = make_float4(s[i][0], s[i][1], s[i][2], s[i][3]);
    *(float4 *)(row + 64) = make_float4(s[i][4], s[i][5], s[i][6], s[i][7]);
  }
}

// Two buffers: the next tile is on its way while this one is used. 64 x 64 per block, 4 x 4 per thread; n a multiple of 64.
// warpwise: grid=n/64,n/64 block=256 n=1024 a=f32[n*n] b=f32[n*n] c=f32[n*n]
extern "C" __global__ void gemm_buffered(int n, const float *a, const float *b, float *c) {
  __shared__ float as[2][8][64], bs[2][8][64];
  if ((blockIdx.x + 1) * 64 > n || (blockIdx.y + 1) * 64 > n) return;
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const float *ap = a + (size_t)(blockIdx.y * 64 + t / 4) * n + t % 4 * 2;
  const float *bp = b + (size_t)(t / 32) * n + blockIdx.x * 64 + t % 32 * 2;
  float2 u = *(const float2 *)ap, v = *(const float2 *)bp;
  float s[4][4] = {};
  for (int k0 = 0, now = 0; k0 < n; k0 += 8, now ^= 1) {
    as[now][t % 4 * 2][t / 4] = u.x, as[now][t % 4 * 2 + 1][t / 4] = u.y;
    *(float2 *)&bs[now][t / 32][t % 32 * 2] = v;
    __syncthreads();
    if (k0 + 8 < n) u = *(const float2 *)(ap + k0 + 8), v = *(const float2 *)(bp + (size_t)(k0 + 8) * n);
#pragma unroll
    for (int p = 0; p < 8; p++) {
      float4 x = *(float4 *)&as[now][p][ty * 4], y = *(float4 *)&bs[now][p][tx * 4];
      float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) s[i][j] += xs[i] * ys[j];
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
    *(float4 *)(c + (size_t)(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4) =
        make_float4(s[i][0], s[i][1], s[i][2], s[i][3]);
}

// C = A^T B for tall A and B: few columns, many rows; slices of rows meet by atomics.
// warpwise: grid=slices block=256 rows=1<<17 slices=264 a=f32[rows*16] b=f32[rows*16] c=f32[256]:zeros
extern "C" __global__ void gram16(int rows, int slices, const float *a, const float *b, float *c) {
  __shared__ float as[16][16], bs[16][16];
  int t = threadIdx.x, i = t / 16, j = t % 16;
  float s = 0.0f;
  for (int r0 = blockIdx.x * 16; r0 < rows; r0 += slices * 16) {
    as[i][j] = r0 + i < rows ? a[(size_t)(r0 + i) * 16 + j] : 0.0f;
    bs[i][j] = r0 + i < rows ? b[(size_t)(r0 + i) * 16 + j] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 16; r++) s += as[r][i] * bs[r][j];
    __syncthreads();
  }
  atomicAdd(&c[t], s);
}

// The long sum is cut in `parts`, for shapes with few blocks; any size.
// warpwise: grid=(n+31)/32,(m+31)/32,parts block=32,8 m=256 n=256 k=16384 parts=8 a=f32[m*k] b=f32[k*n] c=f32[m*n]:zeros
extern "C" __global__ void gemm_split(int m, int n, int k, int parts, const float *a, const float *b, float *c) {
  __shared__ float as[32][33], bs[32][32];
  int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 32 + tx, row0 = blockIdx.y * 32;
  int each = (k + parts - 1) / parts, first = blockIdx.z * each, last = min(k, first + each);
  float s[4] = {};
  for (int k0 = first; k0 < last; k0 += 32) {
    for (int j = ty; j < 32; j += 8) {
      as[j][tx] = row0 + j < m && k0 + tx < last ? a[(size_t)(row0 + j) * k + k0 + tx] : 0.0f;
      bs[j][tx] = k0 + j < last && col < n ? b[(size_t)(k0 + j) * n + col] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < 32; p++) {
      float y = bs[p][tx];
#pragma unroll
      for (int q = 0; q < 4; q++) s[q] += as[ty + 8 * q][p] * y;
    }
    __syncthreads();
  }
  for (int q = 0; q < 4; q++)
    if (row0 + ty + 8 * q < m && col < n) atomicAdd(&c[(size_t)(row0 + ty + 8 * q) * n + col], s[q]);
}

// Whole numbers modulo a prime.
// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=512 p=998244353 a=u32[n*n]:uniform(0,998244353) b=u32[n*n]:uniform(0,998244353) c=u32[n*n]
extern "C" __global__ void gemm_modular(int n, unsigned p, const unsigned *a, const unsigned *b, unsigned *c) {
  __shared__ unsigned as[16][16], bs[16][17];
  int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  unsigned long long s = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    as[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
    bs[ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) s += (unsigned long long)as[ty][k] * bs[k][tx];
    s %= p;
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = (unsigned)s;
}

// 4 x 4 matrices, one per thread, as graphics code does it.
// warpwise: grid=(batch+127)/128 block=128 batch=1<<17 a=f32[batch*16] b=f32[batch*16] c=f32[batch*16]
extern "C" __global__ void multiply4x4(int batch, const float4 *a, const float4 *b, float4 *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch) return;
  float4 r[4];
#pragma unroll
  for (int k = 0; k < 4; k++) r[k] = b[(size_t)i * 4 + k];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float4 v = a[(size_t)i * 4 + k];
    c[(size_t)i * 4 + k] = make_float4(v.x * r[0].x + v.y * r[1].x + v.z * r[2].x + v.w * r[3].x,
                                       v.x * r[0].y + v.y * r[1].y + v.z * r[2].y + v.w * r[3].y,
                                       v.x * r[0].z + v.y * r[1].z + v.z * r[2].z + v.w * r[3].z,
                                       v.x * r[0].w + v.y * r[1].w + v.z * r[2].w + v.w * r[3].w);
  }
}

// 8 x 8 doubles, a matrix to a warp: a lane makes two of c and reads a and b through the cache.
// warpwise: grid=(batch+7)/8 block=256 batch=32768 a=f64[batch*64] b=f64[batch*64] c=f64[batch*64]
extern "C" __global__ void dgemm_batched8(int batch, const double *a, const double *b, double *c) {
  int m = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, i = lane / 8, j = lane % 8;
  if (m >= batch) return;
  a += (size_t)m * 64, b += (size_t)m * 64, c += (size_t)m * 64;
  double s = 0.0, r = 0.0;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    double y = b[k * 8 + j];
    s += a[i * 8 + k] * y, r += a[(i + 4) * 8 + k] * y;
  }
  c[i * 8 + j] = s, c[(i + 4) * 8 + j] = r;
}

// The lower half of A A^T, a block per tile on or under the diagonal, in doubles.
// warpwise: grid=n/32*(n/32+1)/2 block=32,8 n=1024 k=256 a=f64[n*k] c=f64[n*n]
extern "C" __global__ void syrk_lower(int n, int k, const double *a, double *c) {
  __shared__ double as[32][33], bs[32][33];
  int id = blockIdx.x, r = (int)((sqrtf(8.0f * id + 1.0f) - 1.0f) * 0.5f);
  while ((r + 1) * (r + 2) / 2 <= id) r++;
  while (r * (r + 1) / 2 > id) r--;
  if ((r + 1) * 32 > n) return;
  int q = id - r * (r + 1) / 2, tx = threadIdx.x, ty = threadIdx.y;
  double s[4] = {};
  for (int k0 = 0; k0 + 32 <= k; k0 += 32) {
    for (int j = ty; j < 32; j += 8) {
      as[j][tx] = a[(size_t)(r * 32 + j) * k + k0 + tx];
      bs[j][tx] = a[(size_t)(q * 32 + j) * k + k0 + tx];
    }
    __syncthreads();
    for (int p = 0; p < 32; p++)
#pragma unroll
      for (int j = 0; j < 4; j++) s[j] += as[ty + 8 * j][p] * bs[tx][p];
    __syncthreads();
  }
  for (int j = 0; j < 4; j++) {
    int row = r * 32 + ty + 8 * j, col = q * 32 + tx;
    if (col <= row) c[(size_t)row * n + col] = s[j];
  }
}

// warpwise: grid=(n+31)/32,(m+7)/8 block=32,8 m=2048 n=2048 alpha=0.5 x=f32[m] y=f32[n] a=f32[m*n]
extern "C" __global__ void outer_add(int m, int n, float alpha, const float *x, const float *y, float *a) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r < m && c < n) a[(size_t)r * n + c] += alpha * x[r] * y[c];
}
