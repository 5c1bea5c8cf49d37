// Loops whose next turn waits for this one: more blocks would have nothing to do.
// warpwise: grid=64 block=128 systems=8192 n=64 low=f64[systems*n] mid=f64[systems*n]:uniform(4,5) up=f64[systems*n] d=f64[systems*n]
__global__ void solve(int systems, int n, const double *low, const double *mid, double *up, double *d) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  double c = 0.0, y = 0.0;
  for (int k = 0; k < n; k++) {
    int i = k * systems + s;
    double f = 1.0 / (mid[i] - low[i] * c);
    c = up[i] * f, y = (d[i] - low[i] * y) * f;
    up[i] = c, d[i] = y;
  }
}
// warpwise: grid=64 block=128 n=8192 times=400 x=[n] y=[n]
__global__ void escape(int n, int times, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float z = 0.0f, c = x[i];
  for (int k = 0; k < times; k++) z = z * z - c;
  y[i] = z;
}
// warpwise: grid=64 block=128 n=8192 steps=1000 next=i32[4096]:permutation out=i32[n]
__global__ void walk(int n, int steps, const int *next, int *out) {
  __shared__ int s[4096];
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) s[k] = next[k];
  __syncthreads();
  int at = threadIdx.x;
  for (int k = 0; k < steps; k++) at = s[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
// A softmax's running sum goes by the running maximum, and can be cut into parts all the same.
// warpwise: grid=64 block=128 rows=8192 n=512 x=f32[rows*n] y=f32[rows]
__global__ void online(int rows, int n, const float *x, float *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  float top = -1e30f, sum = 0.0f;
  for (int k = 0; k < n; k++) {
    float v = x[k * rows + r], t = fmaxf(top, v);
    sum = sum * __expf(top - t) + __expf(v - t);
    top = t;
  }
  y[r] = top + __logf(sum);
}
// Items in turn, each of them serial: items can be shared out.
// warpwise: grid=64 block=128 n=1<<17 x=[n] y=[n]
__global__ void roots(int n, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float r = x[i] + 1.0f;
    for (int k = 0; k < 20; k++) r = 0.5f * (r + x[i] / r);
    y[i] = r;
  }
}
// A running sum that is written down.
// warpwise: grid=64 block=128 rows=8192 n=512 x=f32[rows*n] y=f32[rows*n]
__global__ void filter(int rows, int n, float keep, const float *x, float *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0.0f;
  for (int k = 0; k < n; k++) {
    v = keep * v + x[k * rows + r];
    y[k * rows + r] = v;
  }
}
// Planes in turn, three of which are at hand: nothing goes round.
// warpwise: grid=32 block=256 cells=8192 n=512 x=f32[cells*n] y=f32[cells*n]
__global__ void planes(int cells, int n, const float *x, float *y) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float below = x[c], mid = x[cells + c];
  for (int k = 1; k < n - 1; k++) {
    float above = x[(k + 1) * cells + c];
    y[k * cells + c] = below + above - 2.0f * mid;
    below = mid, mid = above;
  }
}
