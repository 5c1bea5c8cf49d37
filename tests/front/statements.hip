// HIP: a fault in host code leaves both kernels and the instances that the host asks for.
#include <hip/hip_runtime.h>
#include <some_vendor_library.h>

__global__ void add(float *x, float v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += v;
}
template <typename T> __global__ void fill(T *x, T v) { x[blockIdx.x * blockDim.x + threadIdx.x] = v; }

int main() {
  float *x = nullptr;
  vendorHandle_t handle;
  vendorCreate(&handle);
  if (vendorReady(handle)) {
    fill<float><<<16, 64>>>(x, 1.0f);
  }
  hipLaunchKernelGGL(add, dim3(16), dim3(64), 0, 0, x, 2.0f, 1024);
  fill<int><<<vendorBlocks(handle), 64>>>((int *)x, 3);
}
