// Matrix times vector: transposed, banded, packed symmetric, many at once, triangular.

// y = A^T x: a thread per column, eight rows at a time loaded ahead of their use.
// warpwise: grid=(n+127)/128 block=128 m=2048 n=8192 a=f32[m*n] x=f32[m] y=f32[n]
extern "C" __global__ void gemv_turned(int m, int n, const float *a, const float *x, float *y) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n) return;
  float s = 0.0f, u = 0.0f;
  int r = 0;
  for (; r + 8 <= m; r += 8) {
    float v[8];
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = a[(size_t)(r + j) * n + c];
#pragma unroll
    for (int j = 0; j < 8; j += 2) s += v[j] * x[r + j], u += v[j + 1] * x[r + j + 1];
  }
  for (; r < m; r++) s += a[(size_t)r * n + c] * x[r];
  y[c] = s + u;
}

// The same with the rows cut into stripes, four columns per thread, x of the stripe in shared memory.
// warpwise: grid=(n/4+63)/64,(m+127)/128 block=64 m=4096 n=4096 a=f32[m*n] x=f32[m] y=f32[n]:zeros
extern "C" __global__ void gemv_turned_stripes(int m, int n, const float4 *a, const float *x, float *y) {
  __shared__ float s[128];
  int c = blockIdx.x * 64 + threadIdx.x, r0 = blockIdx.y * 128, rows = min(128, m - r0);
  for (int k = threadIdx.x; k < rows; k += 64) s[k] = x[r0 + k];
  __syncthreads();
  if (c >= n / 4) return;
  float4 v = make_float4(0, 0, 0, 0);
#pragma unroll 4
  for (int k = 0; k < rows; k++) {
    float4 u = a[(size_t)(r0 + k) * (n / 4) + c];
    v.x += u.x * s[k], v.y += u.y * s[k], v.z += u.z * s[k], v.w += u.w * s[k];
  }
  atomicAdd(&y[4 * c], v.x), atomicAdd(&y[4 * c + 1], v.y), atomicAdd(&y[4 * c + 2], v.z),
      atomicAdd(&y[4 * c + 3], v.w);
}

// Doubles, two rows per warp so that x is read once for both.
// warpwise: grid=(m+15)/16 block=256 m=4096 n=2048 a=f64[m*n] x=f64[n] y=f64[m]
extern "C" __global__ void dgemv_pairs(int m, int n, const double *a, const double *x, double *y) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 2, lane = threadIdx.x % 32;
  if (r >= m) return;
  const double *p = a + (size_t)r * n, *q = r + 1 < m ? p + n : p;
  double s = 0.0, t = 0.0;
  for (int k = lane; k < n; k += 32) s += p[k] * x[k], t += q[k] * x[k];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d), t += __shfl_xor_sync(0xffffffffu, t, d);
  if (lane == 0) y[r] = s;
  if (lane == 1 && r + 1 < m) y[r + 1] = t;
}

// Only the diagonals from -`reach` to `reach` are stored, one after the other.
// warpwise: grid=(n+255)/256 block=256 n=1<<18 reach=8 diag=f32[n*(2*reach+1)] x=f32[n] y=f32[n]
extern "C" __global__ void banded(int n, int reach, const float *diag, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.0f;
  int from = max(-reach, -i), to = min(reach, n - 1 - i);
  for (int d = from; d <= to; d++) s += diag[(size_t)(d + reach) * n + i] * x[i + d];
  y[i] = s;
}

// Symmetric, the lower triangle packed row by row: each element is used for its row and its column.
// warpwise: grid=(n+7)/8 block=256 n=2048 a=f64[n*(n+1)/2] x=f64[n] y=f64[n]:zeros
extern "C" __global__ void symmetric_packed(int n, const double *a, const double *x, double *y) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= n) return;
  const double *row = a + (size_t)r * (r + 1) / 2;
  double s = 0.0, xr = x[r];
  for (int k = lane; k <= r; k += 32) {
    double v = row[k];
    s += v * x[k];
    if (k < r) atomicAdd(&y[k], v * xr);
  }
  for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (lane == 0) atomicAdd(&y[r], s);
}

// A small matrix of its own for each vector, 32 x 32: a warp each, a column per lane and step.
// warpwise: grid=(batch+3)/4 block=128 batch=8192 a=f32[batch*1024] x=f32[batch*32] y=f32[batch*32]
extern "C" __global__ void gemv_batched32(int batch, const float *a, const float *x, float *y) {
  int m = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (m >= batch) return;
  const float *mine = a + (size_t)m * 1024; // column-major
  float v = x[(size_t)m * 32 + lane], s = 0.0f;
#pragma unroll 8
  for (int k = 0; k < 32; k++) s += mine[k * 32 + lane] * __shfl_sync(0xffffffffu, v, k);
  y[(size_t)m * 32 + lane] = s;
}

// Signs alone: a row of bits against a vector of bits, agreeing bits counted.
// warpwise: grid=(m+7)/8 block=256 m=65536 words=64 a=u32[m*words]:uniform(0,4294967296) x=u32[words]:uniform(0,4294967296) y=i32[m]
extern "C" __global__ void gemv_signs(int m, int words, const unsigned *a, const unsigned *x, int *y) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= m) return;
  int s = 0;
  for (int k = lane; k < words; k += 32) s += __popc(a[(size_t)r * words + k] ^ x[k]);
  s = __reduce_add_sync(0xffffffffu, s);
  if (lane == 0) y[r] = 32 * words - 2 * s;
}
