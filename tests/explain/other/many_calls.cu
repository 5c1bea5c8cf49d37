// A helper of more lines than a table shows, all of which cost: its call is shown behind them.
__device__ float all(const float *x, int i, int n) {
  float s = x[i];
  s += x[(i + 1 * n / 13) % n];
  s += x[(i + 2 * n / 13) % n];
  s += x[(i + 3 * n / 13) % n];
  s += x[(i + 4 * n / 13) % n];
  s += x[(i + 5 * n / 13) % n];
  s += x[(i + 6 * n / 13) % n];
  s += x[(i + 7 * n / 13) % n];
  s += x[(i + 8 * n / 13) % n];
  s += x[(i + 9 * n / 13) % n];
  s += x[(i + 10 * n / 13) % n];
  s += x[(i + 11 * n / 13) % n];
  return s;
}
// warpwise: grid=n/256 block=256 n=1<<20
__global__ void many(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = all(x, i, n);
}
