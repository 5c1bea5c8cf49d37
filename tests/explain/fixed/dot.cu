// One atomic a block, and a grid-stride loop.
// warpwise: grid=1056 block=256 n=1<<24 x=[n] y=[n] total=f32[1]:zeros
__global__ void dot(const float *x, const float *y, float *total, int n) {
  float product = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) product += x[i] * y[i];
  __shared__ float warp[8];
  for (int k = 16; k > 0; k >>= 1) product += __shfl_down_sync(0xffffffffu, product, k);
  if (threadIdx.x % 32 == 0) warp[threadIdx.x / 32] = product;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; k++) product += warp[k];
    atomicAdd(total, product);
  }
}
