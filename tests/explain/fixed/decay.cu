// The weights come from a table.
// warpwise: grid=n/256 block=256 n=1<<21 depth=48 table=[48] x=[n+48] y=[n]
__global__ void decay(const float *x, const float *table, float *y, int n, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < depth; k++)
    sum += x[i + k] * table[k];
  y[i] = sum;
}
