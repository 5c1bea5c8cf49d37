// Matrix transpose, from the naive one to the tiled one without bank conflicts. n is a multiple of 32.

// warpwise: grid=n/32,n/8 block=32,8 n=2048 in=f32[n*n] out=f32[n*n]
extern "C" __global__ void transpose_naive(int n, const float *in, float *out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[(size_t)x * n + y] = in[(size_t)y * n + x];
}

// warpwise: grid=n/32,n/32 block=32,8 n=2048 in=f32[n*n] out=f32[n*n]
extern "C" __global__ void transpose_conflicts(int n, const float *in, float *out) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(size_t)(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// warpwise: grid=n/32,n/32 block=32,8 n=2048 in=f32[n*n] out=f32[n*n]
extern "C" __global__ void transpose_padded(int n, const float *in, float *out) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(size_t)(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
