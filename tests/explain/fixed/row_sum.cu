// The matrix is stored by columns: neighbouring threads read neighbouring elements.
// warpwise: grid=rows/256 block=256 rows=1<<20 cols=128 a=[rows*cols] sums=[rows]
__global__ void row_sum(const float *a, float *sums, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float s = 0.0f;
  for (int c = 0; c < cols; c++)
    s += a[c * rows + row];
  sums[row] = s;
}
