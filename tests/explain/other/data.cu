// What data decides: no cause that an order of indices or more blocks would remove.
// warpwise: grid=1 block=32 next=i32[1<<20]:permutation out=i32[32] steps=2000
__global__ void chase(const int *next, int *out, int steps) {
  int p = threadIdx.x;
  for (int k = 0; k < steps; k++) p = next[p];
  out[threadIdx.x] = p;
}
// warpwise: grid=n/256 block=256 n=1<<22 index=i32[n]:uniform(0,n) x=f32[n] y=f32[n]
__global__ void gather(int n, const int *index, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[index[i]];
}
// A thread goes down a column: four columns each would be a quarter of the threads.
// warpwise: grid=w/64 block=64 h=2048 w=4096 a=f32[h*w] s=f32[w]
__global__ void columns(int h, int w, const float *a, float *s) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  for (int r = 0; r < h; r++) v += a[r * w + c] * a[r * w + c];
  s[c] = v;
}
// Rows of a sparse matrix, a thread each: a warp to a row would read neighbours.
// warpwise: grid=m/256 block=256 m=65536 row=i32[m+1]:monotone(0,m*64) col=i32[m*64]:uniform(0,m) val=f32[m*64] x=f32[m] y=f32[m]
__global__ void rows(int m, const int *row, const int *col, const float *val, const float *x, float *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = row[r]; k < row[r + 1]; k++) s += val[k] * x[col[k]];
  y[r] = s;
}
// 3.88 waves on an H200: the last one is nearly full.
// warpwise: grid=4096 block=256 n=1<<20 x=f32[n] y=f32[n]
__global__ void full_waves(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + 1;
}
