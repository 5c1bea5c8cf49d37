// Two ways to multiply matrices. The launches are those of main(): `warpwise trace examples/matmul.cu -k naive`.
#define TILE 16

__global__ void naive(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[TILE][TILE], tb[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    ta[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

int main() {
  const int n = 2048;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof *a);
  cudaMalloc(&b, n * n * sizeof *b);
  cudaMalloc(&c, n * n * sizeof *c);
  dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
  naive<<<grid, block>>>(a, b, c, n);
  tiled<<<grid, block>>>(a, b, c, n);
  return cudaDeviceSynchronize();
}
