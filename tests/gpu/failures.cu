// Kernels that go wrong on a device; tests/gpu/failures.sh measures them among good ones.
extern "C" __global__ void good(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2.0f * x[i] + 1.0f;
}
extern "C" __global__ void endless(volatile int *flag) {
  while (*flag == 0) {
  }
}
extern "C" __global__ void outside(long long far, float *x) { x[threadIdx.x + far] = 1.0f; }
extern "C" __global__ void trap(int *x) {
  if (x) asm volatile("trap;");
}
