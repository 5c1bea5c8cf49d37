// warpwise: grid=n/256 block=256 n=1<<20 x=f32[n] y=f32[n]
extern "C" __global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2 * x[i] + 1;
}
