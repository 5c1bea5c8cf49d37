// Launches of HIP host code, with the chevrons and with the macro.
#include <hip/hip_runtime.h>

__global__ void add(float *x, float v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += v;
}

int main() {
  const int n = 1 << 16;
  float *x;
  hipMalloc(&x, n * sizeof(float));
  add<<<n / 256, 256>>>(x, 1.5f, n);
  hipLaunchKernelGGL(add, dim3(n / 64, 2), dim3(64), 128, 0, x, 2.0f, n / 2);
}
