// As many blocks as fit, each taking one piece of work after the other.

// Tiles of C in turn; the loop over tiles is outside the loop over k. n a multiple of 32.
// warpwise: grid=blocks block=32,8 blocks=264 n=1024 a=f32[n*n] b=f32[n*n] c=f32[n*n]
extern "C" __global__ void gemm_resident(int blocks, int n, const float *a, const float *b, float *c) {
  __shared__ float as[32][33], bs[32][32];
  int side = n / 32, tx = threadIdx.x, ty = threadIdx.y;
  if (blockIdx.x >= blocks) return;
  for (int tile = blockIdx.x; tile < side * side; tile += blocks) {
    int r0 = tile / side * 32, c0 = tile % side * 32;
    float s[4] = {};
    for (int k0 = 0; k0 + 32 <= n; k0 += 32) {
      for (int j = ty; j < 32; j += 8)
        as[j][tx] = a[(size_t)(r0 + j) * n + k0 + tx], bs[j][tx] = b[(size_t)(k0 + j) * n + c0 + tx];
      __syncthreads();
#pragma unroll 8
      for (int k = 0; k < 32; k++) {
        float v = bs[k][tx];
#pragma unroll
        for (int j = 0; j < 4; j++) s[j] += as[ty + 8 * j][k] * v;
      }
      __syncthreads();
    }
    for (int j = 0; j < 4; j++) c[(size_t)(r0 + ty + 8 * j) * n + c0 + tx] = s[j];
  }
}

// The next element is loaded before this one is worked on.
// warpwise: grid=blocks block=256 blocks=528 n=1<<22 x=f32[n] y=f32[n]
extern "C" __global__ void map_ahead(int blocks, int n, const float *x, float *y) {
  int step = blocks * 256, i = blockIdx.x * 256 + threadIdx.x;
  if (blockIdx.x >= blocks) return;
  float next = i < n ? x[i] : 0.0f;
  for (; i < n; i += step) {
    float v = next;
    if (i + step < n) next = x[i + step];
    for (int k = 0; k < 8; k++) v = v * v * 0.5f + 0.25f;
    y[i] = v;
  }
}

// Rows of uneven length, eight to a block at a time, a warp to a row.
// warpwise: grid=blocks block=256 blocks=528 m=65536 nnz=m*16 row=i32[m+1]:monotone(0,nnz) col=i32[nnz]:uniform(0,m) val=f32[nnz] x=f32[m] y=f32[m]
extern "C" __global__ void spmv_resident(int blocks, int m, int nnz, const int *row, const int *col, const float *val,
                                         const float *x, float *y) {
  int lane = threadIdx.x % 32;
  if (blockIdx.x >= blocks) return;
  for (int r = blockIdx.x * 8 + threadIdx.x / 32; r < m; r += blocks * 8) {
    float s = 0.0f;
    for (int k = row[r] + lane; k < row[r + 1]; k += 32) s += val[k] * x[col[k]];
    for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
    if (lane == 0) y[r] = s;
  }
}

// A strip of columns to a block, marched down with the last three rows in shared memory.
// warpwise: grid=blocks block=256 blocks=132 w=8192 h=1024 in=f32[w*h] out=f32[w*h]
extern "C" __global__ void march_down(int blocks, int w, int h, const float *in, float *out) {
  __shared__ float s[3][258];
  if (blockIdx.x >= blocks) return;
  int t = threadIdx.x;
  for (int x0 = blockIdx.x * 256; x0 < w; x0 += blocks * 256)
    for (int y = -1; y < h; y++) {
      float *fresh = s[(y + 3) % 3];
      for (int k = t; k < 258; k += 256) {
        int x = min(max(x0 + k - 1, 0), w - 1), r = min(y + 1, h - 1);
        fresh[k] = in[(size_t)r * w + x];
      }
      if (y == -1)
        for (int k = t; k < 258; k += 256) s[1][k] = fresh[k];
      __syncthreads();
      const float *up = s[(y + 4) % 3], *mid = s[(y + 5) % 3];
      if (y >= 0 && x0 + t < w)
        out[(size_t)y * w + x0 + t] = 0.5f * mid[t + 1] + 0.125f * (up[t + 1] + fresh[t + 1] + mid[t] + mid[t + 2]);
      __syncthreads();
    }
}

// Neighbouring nibbles counted in pairs: one table for all of a block's pieces, merged once.
// warpwise: grid=blocks block=512 blocks=264 n=1<<24 x=u32[n/4]:uniform(0,4294967296) pair=i32[256]:zeros
extern "C" __global__ void nibble_pairs(int blocks, int n, const unsigned *x, int *pair) {
  __shared__ int s[2][256];
  int t = threadIdx.x;
  s[t / 256][t % 256] = 0;
  __syncthreads();
  if (blockIdx.x >= blocks) return;
  for (int i = blockIdx.x * 512 + t; i < n / 4; i += blocks * 512) {
    unsigned v = x[i];
#pragma unroll
    for (int k = 0; k < 28; k += 4) atomicAdd(&s[t & 1][v >> k & 255], 1);
  }
  __syncthreads();
  if (t < 256) atomicAdd(&pair[t], s[0][t] + s[1][t]);
}

// Jobs of very different lengths, a lane goes on to its next as soon as it is done: one loop for both.
// warpwise: grid=blocks block=64 blocks=264 jobs=1<<16 first=1000 steps=i32[jobs]
extern "C" __global__ void jobs_resident(int blocks, int jobs, int first, int *steps) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, stride = blocks * blockDim.x, k = 0;
  if (blockIdx.x >= blocks) return;
  unsigned v = first + j;
  while (j < jobs) {
    if (v > 1 && k < 500) {
      v = v % 3 == 0 ? v / 3 : v & 1 ? v * 2 + 1 : v >> 1, k++;
    } else {
      steps[j] = k;
      j += stride, v = first + j, k = 0;
    }
  }
}

// Rows scaled to unit length, a block per row in turn, the row kept in registers between its two uses.
// warpwise: grid=blocks block=256 blocks=264 rows=8192 x=f32[rows*1024]
extern "C" __global__ void unit_rows(int blocks, int rows, float4 *x) {
  __shared__ float part[8];
  if (blockIdx.x >= blocks) return;
  for (int r = blockIdx.x; r < rows; r += blocks) {
    float4 v = x[(size_t)r * 256 + threadIdx.x];
    float s = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    s = 1e-20f;
    for (int w = 0; w < 8; w++) s += part[w];
    float f = rsqrtf(s);
    x[(size_t)r * 256 + threadIdx.x] = make_float4(v.x * f, v.y * f, v.z * f, v.w * f);
    __syncthreads();
  }
}
