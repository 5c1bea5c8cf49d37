// The width is known when compiling, and every step runs over the whole list: it stays in registers.
// warpwise: grid=n/128 block=128 n=1<<20 x=[n+16] y=[n]
#define WIDTH 15
__global__ void median(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float window[WIDTH];
#pragma unroll
  for (int k = 0; k < WIDTH; k++) window[k] = x[i + k];
#pragma unroll
  for (int a = 0; a < WIDTH; a++)
#pragma unroll
    for (int b = 0; b + 1 < WIDTH; b++) {
      float lo = fminf(window[b], window[b + 1]), hi = fmaxf(window[b], window[b + 1]);
      window[b] = lo;
      window[b + 1] = hi;
    }
  y[i] = window[WIDTH / 2];
}
