// A whole program: its launch follows the kernel.
__global__ void double_all(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 2.0f;
}

int main() {
  float *x;
  cudaMalloc(&x, (1 << 20) * sizeof(float));
  double_all<<<((1 << 20) + 31) / 32, 32>>>(1 << 20, x);
  cudaDeviceSynchronize();
}
