// A wave in a box of N x N x N cells: two fields in turn, a source, the energy every tenth of
// 60 steps.
//   warpwise record --emulate bench/programs/waves.cu -- 192
#include <cstdlib>

__global__ void step(const float *now, float *then, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int plane = n * n, i = plane + y * n + x;
  for (int z = 1; z < n - 1; z++, i += plane) {
    float around = now[i - 1] + now[i + 1] + now[i - n] + now[i + n] + now[i - plane] + now[i + plane];
    then[i] = 2 * now[i] - then[i] + 0.1f * (around - 6 * now[i]);
  }
}

__global__ void source(float *field, int at, float value) {
  if (threadIdx.x == 0) field[at] += value;
}

__global__ void energy(const float *field, float *out, int count) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    sum += field[i] * field[i];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 192, count = n * n * n;
  float *a, *b, *sum;
  cudaMalloc(&a, count * sizeof *a);
  cudaMalloc(&b, count * sizeof *b);
  cudaMalloc(&sum, 64 * sizeof *sum);
  cudaMemset(a, 0, count * sizeof *a);
  cudaMemset(b, 0, count * sizeof *b);
  cudaMemset(sum, 0, 64 * sizeof *sum);
  dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
  for (int k = 0; k < 60; k++) {
    source<<<1, 32>>>(a, count / 2 + n / 2, 1.0f);
    step<<<grid, block>>>(a, b, n);
    if (k % 10 == 9) energy<<<528, 256>>>(b, sum + k, count);
    float *swap = a;
    a = b;
    b = swap;
  }
  return cudaDeviceSynchronize();
}
