// The same bytes in another order: interleaved and planar, rows by index, reversed, counted into place.

// warpwise: grid=(n+255)/256 block=256 n=1<<20 in=f32[n*3] x=f32[n] y=f32[n] z=f32[n]
extern "C" __global__ void split3(int n, const float *in, float *x, float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = in[3 * i], y[i] = in[3 * i + 1], z[i] = in[3 * i + 2];
}

// The block's triples through shared memory, so that global memory is read in order.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 in=f32[n*3] x=f32[n] y=f32[n] z=f32[n]
extern "C" __global__ void split3_staged(int n, const float *in, float *x, float *y, float *z) {
  __shared__ float s[768];
  int first = blockIdx.x * 256, t = threadIdx.x;
  for (int k = t; k < 768; k += 256)
    if (3 * first + k < 3 * n) s[k] = in[3 * first + k];
  __syncthreads();
  if (first + t < n) x[first + t] = s[3 * t], y[first + t] = s[3 * t + 1], z[first + t] = s[3 * t + 2];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<21 re=f32[n] im=f32[n] out=f32[2*n]
extern "C" __global__ void join2(int n, const float *re, const float *im, float2 *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = make_float2(re[i], im[i]);
}

// warpwise: grid=(n+255)/256 block=256 n=1<<22 in=i32[n]:index out=i32[n]
extern "C" __global__ void reverse(int n, const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i];
}

// A row of `width` words for each index, a warp for each row.
// warpwise: grid=(rows+7)/8 block=256 rows=32768 width=128 table=65536 index=i32[rows]:uniform(0,table) from=f32[table*width] to=f32[rows*width]
extern "C" __global__ void take_rows(int rows, int width, int table, const int *index, const float *from, float *to) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  const float *src = from + (size_t)index[r] * width;
  for (int k = lane; k < width; k += 32) to[(size_t)r * width + k] = src[k];
}

// warpwise: grid=rows block=64 rows=16384 width=64 table=4096 index=i32[rows]:zipf(0,table) grad=f32[rows*width] sum=f32[table*width]:zeros
extern "C" __global__ void add_rows(int rows, int width, int table, const int *index, const float *grad, float *sum) {
  int r = blockIdx.x;
  if (r >= rows) return;
  for (int k = threadIdx.x; k < width; k += blockDim.x)
    atomicAdd(&sum[(size_t)index[r] * width + k], grad[(size_t)r * width + k]);
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 a=i32[n]:permutation b=i32[n]:permutation x=f64[n] y=f64[n]
extern "C" __global__ void gather_twice(int n, const int *a, const int *b, const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[a[b[i]]];
}

// Indices that are near each other: most sectors are shared inside a warp.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 spread=64 offset=i32[n]:uniform(0,spread) x=f32[n+spread] y=f32[n]
extern "C" __global__ void gather_near(int n, int spread, const int *offset, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i + offset[i]];
}

// A rectangle of a picture with its own pitch; four bytes per thread in x, rows in y.
// warpwise: grid=(w/4+31)/32,(h+7)/8 block=32,8 w=4096 h=2048 pitch=1<<13 x0=64 y0=16 in=u32[pitch/4*(h+y0)]:uniform(0,4294967296) out=u32[w/4*h]
extern "C" __global__ void crop(int w, int h, int pitch, int x0, int y0, const unsigned *in, unsigned *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w / 4 && y < h) out[(size_t)y * (w / 4) + x] = in[(size_t)(y + y0) * (pitch / 4) + x0 / 4 + x];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 in=u32[n]:uniform(0,4294967296) out=u32[n]
extern "C" __global__ void bit_reversed(int n, const unsigned *in, unsigned *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, bits = 31 - __clz(n); // n is a power of two
  if (i < 1u << bits) out[__brev(i) >> (32 - bits)] = in[i];
}
