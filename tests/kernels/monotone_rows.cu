__global__ void monotone_rows(const int *__restrict__ rows, int *__restrict__ len, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) len[i] = rows[i + 1] - rows[i];
}
