// A thread per row; row r has 5r mod 7 entries (spmv.rows.bin), so lanes leave the loop at different times.
__global__ void spmv_csr(const int *__restrict__ rows, const int *__restrict__ cols, const float *__restrict__ vals,
                         const float *__restrict__ x, float *__restrict__ y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float sum = 0.0f;
  int end = rows[r + 1];
#pragma unroll 1
  for (int j = rows[r]; j < end; j++) sum = fmaf(vals[j], x[cols[j]], sum);
  y[r] = sum;
}
