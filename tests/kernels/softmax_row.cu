// A warp per row, three passes over it. unroll 1: the last step has 4 lanes.
__global__ void softmax_row(const float *__restrict__ x, float *__restrict__ out, int rows, int cols) {
  int row = blockIdx.x * 4 + (threadIdx.x >> 5), lane = threadIdx.x & 31;
  if (row >= rows) return;
  const float *in = x + row * cols;
  float m = -1e30f, sum = 0.0f;
#pragma unroll 1
  for (int c = lane; c < cols; c += 32) m = fmaxf(m, in[c]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
#pragma unroll 1
  for (int c = lane; c < cols; c += 32) sum += expf(in[c] - m);
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  float inv = 1.0f / sum;
#pragma unroll 1
  for (int c = lane; c < cols; c += 32) out[row * cols + c] = expf(in[c] - m) * inv;
}
