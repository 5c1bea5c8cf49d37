// Adds two matrices; x runs down the rows, so that neighbouring threads are a row apart.
// expect: uncoalesced-store
// warpwise: grid=rows/16,cols/32 block=16,32 rows=4096 cols=8192 a=[rows*cols] b=[rows*cols] c=[rows*cols]
__global__ void add_columns(const float *a, const float *b, float *c, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x; // threadIdx.x: the row
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || col >= cols) return;
  c[row * cols + col] = a[row * cols + col] + b[row * cols + col];
}
