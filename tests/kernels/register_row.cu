// A thread's row of 64 in an array, read and written by loops without a pragma: nvcc unrolls them, the array is registers.
__global__ void register_row(const float *__restrict__ in, const float *__restrict__ weight, float *__restrict__ out) {
  float row[64];
  int t = threadIdx.x;
  for (int d = 0; d < 64; d++) row[d] = in[d * 32 + t];
  for (int j = 0; j < 4; j++)
    for (int d = 0; d < 64; d++) row[d] = row[d] * weight[j * 64 + d] + 1.0f;
  for (int d = 0; d < 64; d++) out[d * 32 + t] = row[d];
}
