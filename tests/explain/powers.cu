// Powers of each element, by the function for any power.
// expect: expensive-math 7
// warpwise: grid=n/256 block=256 n=1<<22 x=[n] y=[n]
__global__ void powers(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = powf(x[i], 5.0f) + powf(x[i], -3.0f);
}
