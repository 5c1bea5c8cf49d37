// Sum of an array, from one atomic per element to one per block.

// warpwise: grid=(n+255)/256 block=256 n=1<<20 x=f32[n] sum=f32[1]:zeros
extern "C" __global__ void sum_atomic(int n, const float *x, float *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}

// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=f32[n] sum=f32[1]:zeros
extern "C" __global__ void sum_tree(int n, const float *x, float *sum) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, s[0]);
}

// The first kernel everybody writes: neighbours first, so that every warp diverges.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=f32[n] sum=f32[1]:zeros
extern "C" __global__ void sum_divergent(int n, const float *x, float *sum) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, s[0]);
}

// warpwise: grid=528 block=512 n=1<<24 x=f32[n] sum=f32[1]:zeros
extern "C" __global__ void sum_shuffle(int n, const float4 *x, float *sum) {
  __shared__ float s[16];
  float a = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    float4 v = x[i];
    a += (v.x + v.y) + (v.z + v.w);
  }
  for (int d = 16; d > 0; d >>= 1) a += __shfl_down_sync(0xffffffffu, a, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = a;
  __syncthreads();
  if (threadIdx.x < 32) {
    a = threadIdx.x < 16 ? s[threadIdx.x] : 0.0f;
    for (int d = 8; d > 0; d >>= 1) a += __shfl_down_sync(0xffffffffu, a, d);
    if (threadIdx.x == 0) atomicAdd(sum, a);
  }
}

// warpwise: grid=264 block=256 n=1<<22 x=f64[n] y=f64[n] sum=f64[1]:zeros
extern "C" __global__ void ddot(int n, const double *x, const double *y, double *sum) {
  double a = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a += x[i] * y[i];
  for (int d = 16; d > 0; d >>= 1) a += __shfl_down_sync(0xffffffffu, a, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, a);
}
