// Turns tiles of bytes around in shared memory; the rows are a whole number of words.
// expect: bank-conflict
// warpwise: grid=n/64,n/64 block=32,8 n=4096 in=u8[n*n] out=u8[n*n]
__global__ void tile_bytes(const unsigned char *in, unsigned char *out, int n) {
  __shared__ unsigned char tile[64][132], other[4];
  int x = threadIdx.x, y = threadIdx.y;
  if (y == 0 && x < 4) other[x] = 0;
  size_t from = (size_t)blockIdx.y * 64 * n + blockIdx.x * 64, to = (size_t)blockIdx.x * 64 * n + blockIdx.y * 64;
  for (int k = 0; k < 64; k += 8)
    for (int h = 0; h < 64; h += 32) tile[y + k][x + h] = in[from + (size_t)(y + k) * n + x + h];
  __syncthreads();
  for (int r = 0; r < 8; r++)
    for (int k = 0; k < 64; k += 8)
      for (int h = 0; h < 64; h += 32)
        out[to + (size_t)(y + k) * n + x + h] = tile[x + h][y + k] + other[r & 3];
}
