#ifndef BX
#define BX 128
#endif
#ifndef ROWS
#define ROWS 1
#endif
constexpr int DEEP = 4;

// warpwise: grid=(n+BX-1)/BX block=BX n=65536 x=[n] y=[n]
__global__ void smooth(const float *x, float *y, int n) {
  __shared__ float tile[ROWS][BX + 2 * DEEP];
  int i = blockIdx.x * BX + threadIdx.x;
  for (int k = threadIdx.x; k < BX + 2 * DEEP; k += BX) {
    int at = blockIdx.x * BX + k - DEEP;
    tile[0][k] = at >= 0 && at < n ? x[at] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = -4; k <= 4; k++)
    sum += tile[0][threadIdx.x + k + DEEP];
  if (i < n)
    y[i] = sum;
}

template <int PER> __global__ void many(const float *x, float *y, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * PER;
  for (int k = 0; k < PER; k++)
    if (i + k < n)
      y[i + k] = x[i + k] + 1;
}

void host(const float *x, float *y, int n) {
  many<2><<<(n + 511) / 512, 256>>>(x, y, n);
}
