// Matrix product, one element a thread.
// expect: redundant-load
// warpwise: grid=n/16,n/16 block=16,16 n=2048 a=[n*n] b=[n*n] c=[n*n]
__global__ void matmul(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
