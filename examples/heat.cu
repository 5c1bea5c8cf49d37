// A whole program: heat spreads over a plate in 500 steps; every 50th prints the largest change.
//   warpwise record --emulate examples/heat.cu
//   warpwise predict --batch launches.jsonl --gpu h200,a100
#include <stdio.h>

__global__ void start(float *plate, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) plate[y * n + x] = y == 0 ? 100.0f : 0.0f;
}

__global__ void step(const float *now, float *next, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int i = y * n + x;
  next[i] = 0.25f * (now[i - 1] + now[i + 1] + now[i - n] + now[i + n]);
}

__global__ void change(const float *a, const float *b, int *largest, int count) {
  float most = 0;
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    most = fmaxf(most, fabsf(a[i] - b[i]));
  atomicMax(largest, __float_as_int(most));
}

int main() {
  const int n = 2048;
  float *a, *b, most;
  int *largest;
  cudaMalloc(&a, n * n * sizeof *a);
  cudaMalloc(&b, n * n * sizeof *b);
  cudaMalloc(&largest, sizeof *largest);
  dim3 block(32, 8), grid(n / 32, n / 8);
  start<<<grid, block>>>(a, n);
  start<<<grid, block>>>(b, n);
  for (int k = 1; k <= 500; k++) {
    step<<<grid, block>>>(a, b, n);
    if (k % 50 == 0) {
      cudaMemset(largest, 0, sizeof *largest);
      change<<<264, 256>>>(a, b, largest, n * n);
      cudaMemcpy(&most, largest, sizeof most, cudaMemcpyDeviceToHost);
      printf("step %d: largest change %g\n", k, most);
    }
    float *swap = a;
    a = b;
    b = swap;
  }
  return cudaDeviceSynchronize();
}
