// What the real runtime refuses is refused: too much memory, bad shapes, foreign pointers, a wrong device. Nothing of it is recorded.
__global__ void k(int *p) { *p = 0; }
__global__ void __launch_bounds__(64) small(int *p) { *p = 0; }
int main() {
  int *p, host, n;
  cudaDeviceProp prop;
  if (cudaMalloc(&p, (size_t)1 << 50) != cudaErrorMemoryAllocation || p) return 1;
  if (cudaGetLastError() != cudaErrorMemoryAllocation || cudaGetLastError()) return 2;
  if (cudaMalloc(&p, 64) || cudaMemcpy(p, &host, 65, cudaMemcpyHostToDevice) != cudaErrorInvalidValue) return 3;
  if (cudaMemcpy(&host, &n, 4, cudaMemcpyDeviceToHost) != cudaErrorInvalidValue || cudaFree(&host) != cudaErrorInvalidValue) return 4;
  k<<<1, 2048>>>(p);
  if (cudaGetLastError() != cudaErrorInvalidConfiguration) return 5;
  k<<<0, 32>>>(p);
  if (cudaGetLastError() != cudaErrorInvalidConfiguration) return 6;
  small<<<1, 128>>>(p);
  if (cudaGetLastError() != cudaErrorLaunchOutOfResources) return 7;
  k<<<1, 32, 60000>>>(p);
  if (cudaGetLastError() != cudaErrorInvalidValue) return 8;
  if (cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000)) return 9;
  if (cudaSetDevice(3) != cudaErrorInvalidDevice || cudaGetDeviceCount(&n) || n != 1) return 10;
  if (cudaGetDeviceProperties(&prop, 0) || prop.multiProcessorCount != 132 || prop.major != 9) return 11;
  cudaGetLastError();
  k<<<1, 32, 60000>>>(p);
  return cudaGetLastError();
}
