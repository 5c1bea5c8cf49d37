// Product of square matrices: straight, by tiles, by tiles and columns.
#define TILE 16

// warpwise: grid=n/16,n/16 block=16,16 n=2048 a=[n*n] b=[n*n] c=[n*n]
__global__ void naive(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

// warpwise: grid=n/16,n/16 block=16,16 n=2048 a=[n*n] b=[n*n] c=[n*n]
__global__ void tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[TILE][TILE], tb[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    ta[ty][tx] = a[row * n + t + tx];
    tb[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++)
      sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// A value from shared memory is used for eight results.
// warpwise: grid=n/16,n/128 block=16,16 n=2048 a=[n*n] b=[n*n] c=[n*n]
__global__ void columns(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[8 * TILE][TILE], tb[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 8 * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum[8] = {0};
  for (int t = 0; t < n; t += TILE) {
    for (int i = 0; i < 8; i++)
      ta[i * TILE + ty][tx] = a[(row + i * TILE) * n + t + tx];
    tb[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++)
      for (int i = 0; i < 8; i++)
        sum[i] += ta[i * TILE + ty][k] * tb[k][tx];
    __syncthreads();
  }
  for (int i = 0; i < 8; i++)
    c[(row + i * TILE) * n + col] = sum[i];
}
