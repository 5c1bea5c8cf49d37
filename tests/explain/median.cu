// Median of a window, by insertion into a sorted list of the thread's own.
// expect: local-memory
// warpwise: grid=n/128 block=128 n=1<<20 width=15 x=[n+16] y=[n]
__global__ void median(const float *x, float *y, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float window[32];
  for (int k = 0; k < width; k++) {
    float v = x[i + k];
    int at = k;
    while (at > 0 && window[at - 1] > v) {
      window[at] = window[at - 1];
      at--;
    }
    window[at] = v;
  }
  y[i] = window[width / 2];
}
