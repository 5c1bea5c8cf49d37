// 256 threads walk 1000 elements; unroll 1, so that the tail is the last step's.
__global__ void grid_stride(const float *__restrict__ x, float *__restrict__ y, int n) {
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] - 0.5f;
}
