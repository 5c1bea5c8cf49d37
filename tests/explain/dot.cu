// Dot product of two vectors.
// expect: atomic-contention 8
// warpwise: grid=n/256 block=256 n=1<<24 x=[n] y=[n] total=f32[1]:zeros
__global__ void dot(const float *x, const float *y, float *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float product = x[i] * y[i];
  atomicAdd(total, product);
}
