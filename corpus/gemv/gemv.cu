// y = A x, row-major: a warp per row, a block per row.

// warpwise: grid=(m+7)/8 block=256 m=4096 n=4096 a=f32[m*n] x=f32[n] y=f32[m]
extern "C" __global__ void gemv_warp(int m, int n, const float *a, const float *x, float *y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= m) return;
  float s = 0.0f;
  for (int k = lane; k < n; k += 32) s += a[(size_t)row * n + k] * x[k];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (lane == 0) y[row] = s;
}

// warpwise: grid=m block=256 m=4096 n=4096 a=f32[m*n] x=f32[n] y=f32[m]
extern "C" __global__ void gemv_block(int m, int n, const float4 *a, const float4 *x, float *y) {
  __shared__ float part[8];
  float s = 0.0f;
  for (int k = threadIdx.x; k < n / 4; k += 256) {
    float4 u = a[(size_t)blockIdx.x * (n / 4) + k], v = x[k];
    s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++) s += part[w];
    y[blockIdx.x] = s;
  }
}
