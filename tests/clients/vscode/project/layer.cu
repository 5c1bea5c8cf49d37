// One layer of a small network: y = gelu(x * w + b), and y transposed for the next one.
#include <cuda_runtime.h>

constexpr int TILE = 32;

__global__ void gemm(const float *x, const float *w, float *y, int n) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    a[threadIdx.y][threadIdx.x] = x[row * n + t + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = w[(t + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++)
      sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  y[row * n + col] = sum;
}

__global__ void bias_gelu(float *y, const float *bias, int n, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float v = y[i] + bias[i % n];
  y[i] = 0.5 * v * (1.0 + tanhf(0.7979f * (v + 0.0447f * v * v * v)));
}

__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
  tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * n + x + threadIdx.x];
  __syncthreads();
  out[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int n = 4096;
  float *x, *w, *y, *b, *t;
  for (float **p : {&x, &w, &y, &t}) cudaMalloc(p, n * n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
  gemm<<<grid, block>>>(x, w, y, n);
  bias_gelu<<<n * n / 256, 256>>>(y, b, n, n * n);
  transpose<<<grid, block>>>(y, t, n);
  return cudaDeviceSynchronize();
}
