// Reductions. `sum` gives one partial sum a block; `dot` adds up by atomics; `softmax` works on rows.
#define B 256

// warpwise: grid=(n+255)/256 block=256 n=1<<20
__global__ void sum(const float *x, float *out, int n) {
  __shared__ float s[B];
  int i = blockIdx.x * B + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = B / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}

__global__ void sum_shuffle(const float *x, float *out, int n) {
  __shared__ float s[B / 32];
  int i = blockIdx.x * B + threadIdx.x;
  float v = warp_sum(i < n ? x[i] : 0);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = warp_sum(threadIdx.x < B / 32 ? s[threadIdx.x] : 0);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}

// warpwise: grid=(n+255)/256 block=64
__global__ void sum_coarse(const float *x, float *out, int n) {
  __shared__ float s[64];
  float v = 0;
  for (int k = 0; k < 4; k++) {
    int i = blockIdx.x * 256 + k * 64 + threadIdx.x;
    if (i < n) v += x[i];
  }
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void sum_no_barrier(const float *x, float *out, int n) {
  __shared__ float s[B];
  int i = blockIdx.x * B + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  for (int d = B / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void sum_uninitialised(const float *x, float *out, int n) {
  __shared__ float s[B];
  int i = blockIdx.x * B + threadIdx.x;
  if (i < n) s[threadIdx.x] = x[i];
  __syncthreads();
  for (int d = B / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void sum_half(const float *x, float *out, int n) {
  __shared__ _Float16 s[B];
  int i = blockIdx.x * B + threadIdx.x;
  s[threadIdx.x] = i < n ? (_Float16)x[i] : (_Float16)0;
  __syncthreads();
  for (int d = B / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void sum_one_more(const float *x, float *out, int n) {
  __shared__ float s[B];
  int i = blockIdx.x * B + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  if (threadIdx.x == 0) s[B] = 0;
  __syncthreads();
  for (int d = B / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void sum_wrong_start(const float *x, float *out, int n) {
  __shared__ float s[B];
  int i = blockIdx.x * B + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = B / 4; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// warpwise: grid=(n+255)/256 block=256 shared=512
__global__ void sum_small_shared(const float *x, float *out, int n) {
  extern __shared__ float s_dynamic[];
  int i = blockIdx.x * B + threadIdx.x;
  s_dynamic[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = B / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s_dynamic[threadIdx.x] += s_dynamic[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s_dynamic[0];
}

// warpwise: grid=(n+255)/256 block=256 shared=1024
__global__ void sum_dynamic(const float *x, float *out, int n) {
  extern __shared__ float s_dynamic[];
  int i = blockIdx.x * B + threadIdx.x;
  s_dynamic[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = B / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s_dynamic[threadIdx.x] += s_dynamic[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s_dynamic[0];
}

__global__ void sum_first_warp(const float *x, float *out, int n) {
  __shared__ float s[B / 32];
  int i = blockIdx.x * B + threadIdx.x;
  float v = warp_sum(i < n ? x[i] : 0);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  if (threadIdx.x < 32) {
    v = warp_sum(threadIdx.x < B / 32 ? s[threadIdx.x] : 0);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}

// warpwise: grid=64 block=128 n=1<<18
__global__ void dot(const float *x, const float *y, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(out, x[i] * y[i]);
}

__global__ void dot_warps(const float *x, const float *y, float *out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i] * y[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

__global__ void dot_overwrites(const float *x, const float *y, float *out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i] * y[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) *out += v;
}

__global__ void dot_first_block(const float *x, const float *y, float *out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 2 * gridDim.x * blockDim.x) v += x[i] * y[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

// warpwise: grid=(rows+63)/64 block=64 rows=4096 cols=128 x=[rows*cols] y=[rows*cols]
__global__ void softmax(const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float m = -INFINITY, s = 0;
  for (int c = 0; c < cols; c++) m = fmaxf(m, x[r * cols + c]);
  for (int c = 0; c < cols; c++) s += expf(x[r * cols + c] - m);
  for (int c = 0; c < cols; c++) y[r * cols + c] = expf(x[r * cols + c] - m) / s;
}

// warpwise: grid=(rows+3)/4 block=32,4
__global__ void softmax_warp(const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * 4 + threadIdx.y;
  if (r >= rows) return;
  float m = -INFINITY, s = 0;
  for (int c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, x[r * cols + c]);
  for (int d = 16; d > 0; d /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, d));
  for (int c = threadIdx.x; c < cols; c += 32) s += expf(x[r * cols + c] - m);
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffff, s, d);
  for (int c = threadIdx.x; c < cols; c += 32) y[r * cols + c] = expf(x[r * cols + c] - m) / s;
}

// warpwise: grid=(rows+63)/64 block=64
__global__ void softmax_no_max(const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int c = 0; c < cols; c++) s += expf(x[r * cols + c]);
  for (int c = 0; c < cols; c++) y[r * cols + c] = expf(x[r * cols + c]) / s; /* exp(100) is infinite */
}

// warpwise: grid=n block=1 n=64 m=64 a=f32[n*m] x=f32[m] y=f32[n]
__global__ void product(int n, int m, const float *a, const float *x, float *y) {
  float s = 0.0f;
  for (int j = 0; j < m; j++) s += a[blockIdx.x * m + j] * x[j];
  y[blockIdx.x] = s;
}

// Where the sum above leaves the range of floats, this one may as well.
// warpwise: grid=n block=32 n=64 m=64 a=f32[n*m] x=f32[m] y=f32[n]
__global__ void product_warp(int n, int m, const float *a, const float *x, float *y) {
  float s = 0.0f;
  for (int j = threadIdx.x; j < m; j += 32) s += a[blockIdx.x * m + j] * x[j];
  s = warp_sum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}

// Sums down the columns, by one thread and by eight that meet at the end: the terms are added in another order.
// warpwise: grid=(w+31)/32 block=32 h=100 w=64 x=f32[h*w] y=f32[w]
__global__ void columns(const float *x, float *y, int h, int w) {
  int c = blockIdx.x * 32 + threadIdx.x;
  if (c >= w) return;
  for (int r = 0; r < h; r++) y[c] += x[r * w + c];
}

// warpwise: grid=(w+31)/32 block=32,8 h=100 w=64 x=f32[h*w] y=f32[w]
__global__ void columns_by_eight(const float *x, float *y, int h, int w) {
  __shared__ float s[8][32];
  int c = blockIdx.x * 32 + threadIdx.x;
  float v = 0;
  for (int r = threadIdx.y; c < w && r < h; r += 8) v += x[r * w + c];
  s[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.y || c >= w) return;
  for (int k = 1; k < 8; k++) v += s[k][threadIdx.x];
  y[c] += v;
}

// warpwise: grid=(w+31)/32 block=32,8 h=100 w=64 x=f32[h*w] y=f32[w]
__global__ void columns_by_seven(const float *x, float *y, int h, int w) {
  __shared__ float s[8][32];
  int c = blockIdx.x * 32 + threadIdx.x;
  float v = 0;
  for (int r = threadIdx.y; c < w && r < h; r += 8) v += x[r * w + c];
  s[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.y || c >= w) return;
  for (int k = 1; k < 7; k++) v += s[k][threadIdx.x];
  y[c] += v;
}
