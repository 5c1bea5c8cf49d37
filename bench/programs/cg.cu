// Conjugate gradients on a 5-point Laplacian: N x N unknowns, 40 iterations.
//   warpwise record --emulate bench/programs/cg.cu -- 1024
#include <cstdio>
#include <cstdlib>

__global__ void laplace(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  int k = j * n + i;
  float sum = 4 * x[k];
  if (i > 0) sum -= x[k - 1];
  if (i + 1 < n) sum -= x[k + 1];
  if (j > 0) sum -= x[k - n];
  if (j + 1 < n) sum -= x[k + n];
  y[k] = sum;
}

__global__ void dot(const float *a, const float *b, float *out, int count) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) sum += a[i] * b[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

__global__ void axpy(float a, const float *x, float *y, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] += a * x[i];
}

__global__ void direction(const float *r, float *p, float beta, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) p[i] = r[i] + beta * p[i];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1024, count = n * n;
  float *x, *r, *p, *q, *sums;
  cudaMalloc(&x, count * sizeof(float));
  cudaMalloc(&r, count * sizeof(float));
  cudaMalloc(&p, count * sizeof(float));
  cudaMalloc(&q, count * sizeof(float));
  cudaMalloc(&sums, 256 * sizeof(float));
  cudaMemset(x, 0, count * sizeof(float));
  cudaMemset(r, 0x3c, count * sizeof(float));
  cudaMemset(p, 0x3c, count * sizeof(float));
  cudaMemset(q, 0, count * sizeof(float));
  cudaMemset(sums, 0, 256 * sizeof(float));
  dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
  for (int k = 0; k < 40; k++) {
    laplace<<<grid, block>>>(p, q, n);
    dot<<<528, 256>>>(p, q, sums + 2 * k, count);
    axpy<<<(count + 255) / 256, 256>>>(0.1f, p, x, count);
    axpy<<<(count + 255) / 256, 256>>>(-0.1f, q, r, count);
    dot<<<528, 256>>>(r, r, sums + 2 * k + 1, count);
    direction<<<(count + 255) / 256, 256>>>(r, p, 0.5f, count);
  }
  return cudaDeviceSynchronize();
}
