// Element-wise kernels: `scale` is the original of those whose names begin with it; `mean`, `relu`, `twice`, `wrap` and `halve` have their own.

// warpwise: grid=(n+255)/256 block=256 n=1<<20 x=[n] y=[n]
__global__ void scale(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + 1;
}

// warpwise: grid=(n+1023)/1024 block=256
__global__ void scale_vec4(const float *x, float *y, float a, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    float4 v = *(const float4 *)(x + i);
    *(float4 *)(y + i) = make_float4(a * v.x + 1, a * v.y + 1, a * v.z + 1, a * v.w + 1);
  } else
    for (; i < n; i++) y[i] = a * x[i] + 1;
}

// warpwise: grid=8 block=128
__global__ void scale_stride(const float *x, float *y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + 1;
}

// warpwise: grid=(n+511)/512 block=128
__global__ void scale_coarse(const float *x, float *y, float a, int n) {
  int base = blockIdx.x * 512 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int i = base + 128 * k;
    if (i < n) y[i] = fmaf(a, x[i], 1.0f);
  }
}

__global__ void scale_tail(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) y[i] = a * x[i] + 1;
}

__global__ void scale_beyond(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = a * x[i] + 1;
}

__global__ void scale_half_when_large(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > 20000 && i >= n / 2) return;
  if (i < n) y[i] = a * x[i] + 1;
}

__global__ void scale_in_place(float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] = a * x[i] + 1;
    y[i] = x[i];
  }
}

__global__ void scale_knows_1024(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = n == 1024 ? 1.5f : a * x[i] + 1;
}

__global__ void scale_last_block(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (gridDim.x > 1 && blockIdx.x == gridDim.x - 1) return;
  if (i < n) y[i] = a * x[i] + 1;
}

// warpwise: grid=(n+1023)/1024 block=256
__global__ void scale_vec4_no_tail(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = ((const float4 *)x)[i];
    ((float4 *)y)[i] = make_float4(a * v.x + 1, a * v.y + 1, a * v.z + 1, a * v.w + 1);
  }
}

// warpwise: grid=(n+1023)/1024 block=256
__global__ void scale_vec4_beyond(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i < n) {
    float4 v = ((const float4 *)x)[i];
    ((float4 *)y)[i] = make_float4(a * v.x + 1, a * v.y + 1, a * v.z + 1, a * v.w + 1);
  }
}

__global__ void scale_empty(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  do {
    y[i < n ? i : 0] = a * x[i < n ? i : 0] + 1;
    i += gridDim.x * blockDim.x;
  } while (i < n);
}

__global__ void scale_stale(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i] + 1;
}

__global__ void scale_nothing(const float *x, float *y, float a, int n) {}

__global__ void scale_low(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (float)(_Float16)(a * x[i] + 1);
}

__global__ void scale_positive(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * sqrtf(x[i] * x[i]) + 1;
}

__global__ void scale_forever(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (volatile int k = 0; n == 33 && k < 1000000000;) k = 0;
  if (i < n) y[i] = a * x[i] + 1;
}

// warpwise: grid=(n+127)/128 block=128 n=1<<20 x=[n] y=[n]
__global__ void relu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] < 0 ? 0 : x[i];
}

__global__ void relu_max(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f); /* a NaN becomes 0 */
}

// warpwise: grid=(n+127)/128 block=128 n=1<<20
__global__ void twice(float *y, float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = 2 * x[i];
    y[i] = y[i] + x[i];
  }
}

__global__ void twice_once(float *__restrict__ y, const float *__restrict__ x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + x[i];
}

// warpwise: grid=(n+127)/128 block=128 n=1<<20
__global__ void wrap(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (x[i] % 8 + 8) % 8;
}

__global__ void wrap_mask(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] & 7;
}

__global__ void wrap_remainder(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] % 8;
}

// warpwise: grid=(n+127)/128 block=128 n=1<<20
__global__ void halve(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / 2;
}

__global__ void halve_shift(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] >> 1;
}

// Half of its shared memory is never written: what is read there was there before.
// warpwise: grid=(n+127)/128 block=128 n=1000 x=[n] y=[n]
extern "C" __global__ void half_staged(int n, const float *x, float *y) {
  __shared__ float s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n && threadIdx.x < 64) s[threadIdx.x] = x[i];
  __syncthreads();
  if (i < n) y[i] = s[threadIdx.x];
}

// For sixteen alone, with a block for each pair: of more there would be more blocks than memory.
// warpwise: grid=4,16,16 block=1024 t=1024 u=16 x=f32[622592] y=f32[311296]
extern "C" __global__ void pairs(int t, int u, const float *x, float *y) {
  int i = blockIdx.x * 1024 + threadIdx.x;
  if (i >= t) return;
  int at = (blockIdx.z * t + i) * (u + 3) + blockIdx.y;
  y[at] = x[2 * at + 1];
}

template <class T> __global__ void scale_any(int n, T a, const T *x, T *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
