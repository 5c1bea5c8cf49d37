// Transposes of other shapes: any rectangle, wide loads, doubles, in place, many small ones, axes of a cube, bits.

// A rectangle of any size; `side` by `side` tiles, `rows` rows of threads.
template <typename T, int side, int rows> __device__ void rectangle(int h, int w, const T *in, T *out) {
  __shared__ T tile[side][side + 1];
  int x = blockIdx.x * side + threadIdx.x, y = blockIdx.y * side + threadIdx.y;
#pragma unroll
  for (int j = 0; j < side; j += rows)
    if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * side + threadIdx.x, y = blockIdx.x * side + threadIdx.y;
#pragma unroll
  for (int j = 0; j < side; j += rows)
    if (x < h && y + j < w) out[(size_t)(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

// warpwise: grid=(w+31)/32,(h+31)/32 block=32,4 h=1500 w=2500 in=f32[h*w] out=f32[h*w]
extern "C" __global__ void transpose_any(int h, int w, const float *in, float *out) {
  rectangle<float, 32, 4>(h, w, in, out);
}

// warpwise: grid=(w+15)/16,(h+15)/16 block=16,16 h=1024 w=1024 in=f64[h*w] out=f64[h*w]
extern "C" __global__ void transpose_double16(int h, int w, const double *in, double *out) {
  rectangle<double, 16, 16>(h, w, in, out);
}

// warpwise: grid=(w+63)/64,(h+63)/64 block=64,4 h=4096 w=4096 in=u8[h*w]:random out=u8[h*w]
extern "C" __global__ void transpose_bytes(int h, int w, const unsigned char *in, unsigned char *out) {
  rectangle<unsigned char, 64, 4>(h, w, in, out);
}

// 64 x 64 words to a block, four at a time in and out; columns are shifted by row instead of padded. n a multiple of 64.
// warpwise: grid=n/64,n/64 block=16,16 n=2048 in=u32[n*n]:uniform(0,4294967296) out=u32[n*n]
extern "C" __global__ void transpose_wide(int n, const uint4 *in, uint4 *out) {
  __shared__ unsigned tile[64][64];
  if ((blockIdx.x + 1) * 64 > n || (blockIdx.y + 1) * 64 > n) return;
  int tx = threadIdx.x, ty = threadIdx.y;
  const uint4 *src = in + (size_t)blockIdx.y * 64 * (n / 4) + blockIdx.x * 16;
#pragma unroll
  for (int j = 0; j < 64; j += 16) {
    uint4 v = src[(size_t)(ty + j) * (n / 4) + tx];
    int r = ty + j, c = 4 * tx, turn = r / 4 % 16 * 2;
    tile[r][c + turn & 63] = v.x, tile[r][c + 1 + turn & 63] = v.y;
    tile[r][c + 2 + turn & 63] = v.z, tile[r][c + 3 + turn & 63] = v.w;
  }
  __syncthreads();
  uint4 *dst = out + (size_t)blockIdx.x * 64 * (n / 4) + blockIdx.y * 16;
#pragma unroll
  for (int j = 0; j < 64; j += 16) {
    int c = ty + j, turn = tx * 2;
    dst[(size_t)c * (n / 4) + tx] = make_uint4(tile[4 * tx][c + turn & 63], tile[4 * tx + 1][c + turn & 63],
                                               tile[4 * tx + 2][c + turn & 63], tile[4 * tx + 3][c + turn & 63]);
  }
}

// Tiles above the diagonal change places with those below.
// warpwise: grid=n/32,n/32 block=32,8 n=2048 a=f32[n*n]
extern "C" __global__ void transpose_inplace(int n, float *a) {
  __shared__ float up[32][33], down[32][33];
  int bx = blockIdx.x, by = blockIdx.y;
  if (bx < by || (bx + 1) * 32 > n) return;
  size_t u = (size_t)by * 32 * n + bx * 32, d = (size_t)bx * 32 * n + by * 32;
  for (int j = threadIdx.y; j < 32; j += 8) {
    up[j][threadIdx.x] = a[u + (size_t)j * n + threadIdx.x];
    down[j][threadIdx.x] = a[d + (size_t)j * n + threadIdx.x];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    a[d + (size_t)j * n + threadIdx.x] = up[threadIdx.x][j];
    if (bx > by) a[u + (size_t)j * n + threadIdx.x] = down[threadIdx.x][j];
  }
}

// 8 x 8 matrices, one to a warp: a lane holds two elements and the exchange is by shuffle.
// warpwise: grid=(batch+7)/8 block=256 batch=65536 in=f32[batch*64] out=f32[batch*64]
extern "C" __global__ void transpose_8x8(int batch, const float *in, float *out) {
  int m = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (m >= batch) return;
  const float *src = in + (size_t)m * 64;
  float low = src[lane], high = src[lane + 32]; // rows 0-3 and 4-7
#pragma unroll
  for (int half = 0; half < 2; half++) {
    int e = lane + 32 * half, from = e % 8 * 8 + e / 8; // where the output's element e comes from
    float a = __shfl_sync(0xffffffffu, low, from % 32), b = __shfl_sync(0xffffffffu, high, from % 32);
    out[(size_t)m * 64 + e] = from < 32 ? a : b;
  }
}

// x fastest becomes z fastest.
// warpwise: grid=(nx+31)/32,(nz+31)/32,ny block=32,8 nx=192 ny=160 nz=128 in=f32[nx*ny*nz] out=f32[nx*ny*nz]
extern "C" __global__ void swap_xz(int nx, int ny, int nz, const float *in, float *out) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, z = blockIdx.y * 32 + threadIdx.y, y = blockIdx.z;
  for (int j = 0; j < 32; j += 8)
    if (x < nx && z + j < nz) tile[threadIdx.y + j][threadIdx.x] = in[((size_t)(z + j) * ny + y) * nx + x];
  __syncthreads();
  z = blockIdx.y * 32 + threadIdx.x, x = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (z < nz && x + j < nx) out[((size_t)(x + j) * ny + y) * nz + z] = tile[threadIdx.x][threadIdx.y + j];
}

// warpwise: grid=(nx*ny*nz+255)/256 block=256 nx=192 ny=160 nz=128 in=f32[nx*ny*nz] out=f32[nx*ny*nz]
extern "C" __global__ void rotate_axes(int nx, int ny, int nz, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny * nz) return;
  int y = i % ny, z = i / ny % nz, x = i / ny / nz; // order of the output: y fastest
  out[i] = in[((size_t)z * ny + y) * nx + x];
}

// 32 x 32 bits in each warp: a word per lane, five rounds of exchange.
// warpwise: grid=(words+255)/256 block=256 words=1<<20 in=u32[words]:uniform(0,4294967296) out=u32[words]
extern "C" __global__ void transpose_bits(int words, const unsigned *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned v = i < words ? in[i] : 0;
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) {
    unsigned mask = 0xffffffffu / ((1u << d) + 1), other = __shfl_xor_sync(0xffffffffu, v, d);
    v = lane & d ? (v & ~mask) | ((other & ~mask) >> d) : (v & mask) | ((other & mask) << d);
  }
  if (i < words) out[i] = v;
}
