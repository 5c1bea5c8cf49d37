// Tiles of 64 x 64 in shared memory, 4 x 4 results a thread.
// warpwise: grid=n/64,n/64 block=16,16 n=2048 a=[n*n] b=[n*n] c=[n*n]
__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float ta[16][65], tb[16][64];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int p = 0; p < 4; p++) {
      int i = t + p * 256;
      ta[i % 16][i / 16] = a[(blockIdx.y * 64 + i / 16) * n + k0 + i % 16];
      tb[i / 64][i % 64] = b[(k0 + i / 64) * n + blockIdx.x * 64 + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++)
#pragma unroll
      for (int r = 0; r < 4; r++)
#pragma unroll
        for (int s = 0; s < 4; s++) sum[r][s] += ta[k][ty + 16 * r] * tb[k][tx + 16 * s];
    __syncthreads();
  }
  for (int r = 0; r < 4; r++)
    for (int s = 0; s < 4; s++) c[(blockIdx.y * 64 + ty + 16 * r) * n + blockIdx.x * 64 + tx + 16 * s] = sum[r][s];
}
