// Nested loops with trip counts that differ by lane; unroll 1 keeps the order of steps as written.
__global__ void triangular(const float *__restrict__ x, float *__restrict__ out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, r = t & 7;
  float acc = 0.0f;
#pragma unroll 1
  for (int a = 0; a < r; a++)
#pragma unroll 1
    for (int b = 0; b <= a; b++) acc = fmaf(acc, 0.5f, x[b]);
  out[t] = acc;
}
