// Exponentially weighted sum of the last samples.
// expect: recomputation 9
// warpwise: grid=n/256 block=256 n=1<<21 depth=48 rate=0.05 x=[n+48] y=[n]
__global__ void decay(const float *x, float *y, int n, int depth, float rate) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < depth; k++)
    sum += x[i + k] * expf(-rate * k) / (1.0f + rate * k);
  y[i] = sum;
}
