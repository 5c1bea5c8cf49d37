// Transpose: straight, through a tile in shared memory, with its rows padded.
#define TILE 32

// warpwise: grid=n/32,n/8 block=32,8 n=4096 in=[n*n] out=[n*n]
__global__ void straight(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

// warpwise: grid=n/32,n/32 block=32,8 n=4096 in=[n*n] out=[n*n]
__global__ void tiled(const float *in, float *out, int n) {
  __shared__ float tile[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
  for (int k = ty; k < TILE; k += 8)
    tile[k][tx] = in[(y + k) * n + x + tx];
  __syncthreads();
  for (int k = ty; k < TILE; k += 8)
    out[(x + k) * n + y + tx] = tile[tx][k];
}

// warpwise: grid=n/32,n/32 block=32,8 n=4096 in=[n*n] out=[n*n]
__global__ void padded(const float *in, float *out, int n) {
  __shared__ float tile[TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
  for (int k = ty; k < TILE; k += 8)
    tile[k][tx] = in[(y + k) * n + x + tx];
  __syncthreads();
  for (int k = ty; k < TILE; k += 8)
    out[(x + k) * n + y + tx] = tile[tx][k];
}
