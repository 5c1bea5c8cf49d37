// Prefix sums down the columns of 32 x 32 tiles: each warp brings a tile into shared memory, then every lane walks one row of it.
// expect: bank-conflict 17
// warpwise: grid=tiles/4 block=32,4 tiles=65536 rounds=8 in=[tiles*1024] out=[tiles*1024]
#define TILE 32
__global__ void column_scan(const float *in, float *out, int tiles, int rounds) {
  __shared__ float tile[4][TILE][TILE + 1];
  int lane = threadIdx.x, w = threadIdx.y;
  int t = blockIdx.x * 4 + w;
  if (t >= tiles) return;
  const float *src = in + (size_t)t * TILE * TILE;
  for (int r = 0; r < TILE; r++) tile[w][r][lane] = src[r * TILE + lane];
  __syncwarp();
  for (int k = 0; k < rounds; k++) {
    float sum = 0.0f;
    for (int c = 0; c < TILE; c++) {
      // every lane has a row of its own
      sum += tile[w][lane][c];
      tile[w][lane][c] = sum;
    }
  }
  __syncwarp();
  float *dst = out + (size_t)t * TILE * TILE;
  for (int r = 0; r < TILE; r++) dst[r * TILE + lane] = tile[w][r][lane];
}
