// y = a*x + y, and the same with a stride: what a warp reads is spread over many sectors.

// warpwise: grid=(n+255)/256 block=256 n=1<<20 a=2.0 x=[n] y=[n]
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 stride=32 a=2.0 x=[n*32] y=[n*32]
__global__ void saxpy_strided(int n, int stride, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i * stride] = a * x[i * stride] + y[i * stride];
}
