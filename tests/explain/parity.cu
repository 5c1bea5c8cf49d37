// Even and odd elements go through different polynomials.
// expect: divergence 8
// warpwise: grid=n/256 block=256 n=1<<22 x=[n] y=[n]
__global__ void parity(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (i & 1) {
#pragma unroll
    for (int k = 0; k < 64; k++) v = v * v - 0.25f;
  } else {
#pragma unroll
    for (int k = 0; k < 64; k++) v = 0.5f * v + v * v * v;
  }
  y[i] = v;
}
