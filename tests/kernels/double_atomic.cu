__global__ void double_atomic(const double *__restrict__ x, double *sum, float *old, unsigned long long *max) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, x[i]);
  old[i] = atomicAdd(&old[i], 2.0f) * 10.0f;
  atomicMax(max, (unsigned long long)x[i] * 4294967296ull);
}
