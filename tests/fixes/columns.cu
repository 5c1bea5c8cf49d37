// Prefix sums of a tile that lies in one array, each lane with a row of its own.
// expect: bank-conflict
// warpwise: grid=n/1024 block=32 n=1<<22 rounds=8 width=32 x=[n] y=[n]
__global__ void columns(const float *__restrict__ x, float *__restrict__ y, int n, int rounds, int width) {
  __shared__ float tile[32 * 32];
  int lane = threadIdx.x;
  for (int r = 0; r < 32; r++) tile[r * 32 + lane] = x[(blockIdx.x * 32 + r) * 32 + lane];
  __syncwarp();
  for (int k = 0; k < rounds; k++) {
    float sum = 0.0f;
    for (int c = 0; c < width; c++) {
      sum += tile[lane * 32 + c];
      tile[lane * 32 + c] = sum;
    }
  }
  __syncwarp();
  for (int r = 0; r < 32; r++) y[(blockIdx.x * 32 + r) * 32 + lane] = tile[r * 32 + lane];
}
