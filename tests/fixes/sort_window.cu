// Sorts a window of the thread's own by exchanging neighbours; a pragma keeps the compiler from unrolling, and the window in memory.
// expect: local-memory
// warpwise: grid=n/128 block=128 n=1<<19 x=[n+32] y=[n]
#define WIDTH 31
__global__ void sort_window(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float window[WIDTH];
  for (int k = 0; k < WIDTH; k++) window[k] = x[i + k];
  for (int a = 0; a < WIDTH; a++)
#pragma unroll 1
    for (int b = 0; b + 1 < WIDTH; b++) {
      float lo = fminf(window[b], window[b + 1]), hi = fmaxf(window[b], window[b + 1]);
      window[b] = lo;
      window[b + 1] = hi;
    }
  y[i] = window[WIDTH / 2];
}
