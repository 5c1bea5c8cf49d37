// Layers of a small network over ROWS x COLS activations: bias and GELU, a residual sum, a
// normalised row, a softmax; 20 times.
//   warpwise record --emulate bench/programs/layers.cu -- 4096 1024
#include <cstdlib>

__global__ void gelu(const float *in, const float *bias, float *out, int cols, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float v = in[i] + bias[i % cols];
  out[i] = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}

__global__ void residual(const float *a, float *b, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) b[i] += a[i];
}

__device__ float total(float v, float *part) {
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[threadIdx.x % 8];
  for (int d = 4; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  __syncthreads();
  return v;
}

__global__ void normalise(const float *in, float *out, int cols) {
  __shared__ float part[8];
  const float *row = in + (size_t)blockIdx.x * cols;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < cols; i += 256) {
    sum += row[i];
    squares += row[i] * row[i];
  }
  float mean = total(sum, part) / cols;
  float scale = rsqrtf(total(squares, part) / cols - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < cols; i += 256)
    out[(size_t)blockIdx.x * cols + i] = (row[i] - mean) * scale;
}

__global__ void softmax(float *data, int cols) {
  __shared__ float part[8];
  float *row = data + (size_t)blockIdx.x * cols;
  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += 256) sum += row[i] = expf(fminf(row[i], 30));
  float scale = 1 / total(sum, part);
  for (int i = threadIdx.x; i < cols; i += 256) row[i] *= scale;
}

int main(int argc, char **argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 4096, cols = argc > 2 ? atoi(argv[2]) : 1024;
  int count = rows * cols;
  float *x, *y, *bias;
  cudaMalloc(&x, count * sizeof *x);
  cudaMalloc(&y, count * sizeof *y);
  cudaMalloc(&bias, cols * sizeof *bias);
  cudaMemset(x, 0x3c, count * sizeof *x);
  cudaMemset(y, 0, count * sizeof *y);
  cudaMemset(bias, 0, cols * sizeof *bias);
  int grid = (count + 255) / 256;
  for (int k = 0; k < 20; k++) {
    gelu<<<grid, 256>>>(x, bias, y, cols, count);
    residual<<<grid, 256>>>(x, y, count);
    normalise<<<rows, 256>>>(y, x, cols);
    softmax<<<rows, 256>>>(x, cols);
  }
  return cudaDeviceSynchronize();
}
