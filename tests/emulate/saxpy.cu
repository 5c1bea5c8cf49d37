// A plain launch: sizes, scalars, first bytes; 1000 equal launches are one line.
#include <cstdio>
#include <cstdlib>
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  float *h = (float *)malloc(n * sizeof *h), *x, *y;
  for (int i = 0; i < n; i++) h[i] = 1;
  if (cudaMalloc(&x, n * sizeof *x) || cudaMalloc(&y, n * sizeof *y)) return 1;
  cudaMemcpy(x, h, n * sizeof *x, cudaMemcpyHostToDevice);
  for (int k = 0; k < 1000; k++) saxpy<<<(n + 255) / 256, 256>>>(n, 2.5f, x, y);
  return cudaDeviceSynchronize() || cudaGetLastError() || cudaFree(x) || cudaFree(y);
}
