// options: -DcudaThreadSynchronize=cudaDeviceSynchronize -DcudaThreadExit=cudaDeviceReset
// What older programs bring along: names that CUDA 13 dropped as macros of today's, and a copy of the samples' helper_cuda.h,
// which defines its macros only behind nvcc's own headers and spells out every error.
#ifndef __DRIVER_TYPES_H__
#error "nvcc includes driver_types.h by itself"
#endif
#ifdef __CUDA_RUNTIME_H__
static const char *text_of(cudaError_t e) {
  switch (e) {
  case cudaErrorPriorLaunchFailure: return "prior";
  case cudaErrorAddressOfConstant: return "address";
  case cudaErrorMapBufferObjectFailed: return "map";
  case cudaErrorSharedObjectInitFailed: return "shared object";
  default: return e == cudaSuccess ? 0 : "other";
  }
}
#endif
__global__ void zero(int *p, int n) { p[threadIdx.x] = n; }
int main() {
  int *p;
  if (text_of(cudaMalloc((void **)&p, 400))) return 1;
  zero<<<2, 50>>>(p, 7);
  if (cudaThreadSynchronize() != cudaSuccess) return 2;
  return cudaThreadExit();
}
