// cheats.cu - kernels that an optimiser could be cheated with, each beside `scale`; run.sh asks verify about them.
#include <cuda_fp16.h>
__device__ int done;

// warpwise: grid=(n+127)/128 block=128 n=4096
__global__ void scale(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
__global__ void same(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + x[i];
}
__global__ void keeps_what_is_there(int n, const float *x, float *y) {}
__global__ void trusts_zeros(int n, const float *x, float *y) { // what a fresh buffer holds
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && y[i] == 0.0f) y[i] = 2.0f * x[i];
}
__global__ void looks_for_poison(int n, const float *x, float *y) { // works only where it is watched
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && isnan(y[i])) y[i] = 2.0f * x[i];
}
__global__ void constant_result(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}
__global__ void changes_input(int n, float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i], x[i] = 0.0f;
}
__global__ void result_in_input(int n, float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2.0f * x[i];
}
__global__ void half_the_work(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) y[i] = 2.0f * x[i];
}
__global__ void lower_precision(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __half2float(__hadd(__float2half(x[i]), __float2half(x[i])));
}
__global__ void beyond_shared(int n, const float *x, float *y) { // 256 bytes beyond its array
  __shared__ float s[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = s[threadIdx.x] + s[threadIdx.x + 64];
}
__global__ void unwritten_shared(int n, const float *x, float *y) { // luck: what an earlier block left there
  __shared__ float s[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0) s[threadIdx.x] = 2.0f;
  __syncthreads();
  if (i < n) y[i] = s[threadIdx.x] * x[i];
}
__global__ void by_the_clock(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i] + (clock64() % 3 == 0 ? 1.0f : 0.0f);
}
__global__ void by_the_multiprocessor(int n, const float *x, float *y) {
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i] + (sm == 1 ? 1.0f : 0.0f);
}
__global__ void first_run_alone(int n, const float *x, float *y) { // a flag in memory of the module
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && !done) y[i] = 2.0f * x[i];
  if (i == n - 1) done = 1;
}
