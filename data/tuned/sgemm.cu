// C = A B of row-major floats, from the first version that uses a tile to register tiles that are double buffered.
// Sizes are multiples of the tiles.

// warpwise: grid=n/32,n/32 block=32,32 n=1024 A=f32[n*n] B=f32[n*n] C=f32[n*n]
extern "C" __global__ void sgemm_tile32(int n, const float *A, const float *B, float *C) {
  __shared__ float a[32][32], b[32][32];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
  float s = 0;
  for (int k = 0; k < n; k += 32) {
    a[y][x] = A[row * n + k + x];
    b[y][x] = B[(k + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 32; i++) s += a[y][i] * b[i][x];
    __syncthreads();
  }
  C[row * n + col] = s;
}

// A column of 8 results a thread.
// warpwise: grid=n/64,n/64 block=512 n=1024 A=f32[n*n] B=f32[n*n] C=f32[n*n]
extern "C" __global__ void sgemm_column8(int n, const float *A, const float *B, float *C) {
  __shared__ float a[64][8], b[8][64];
  int t = threadIdx.x, x = t % 64, y = t / 64;
  const float *ap = A + blockIdx.y * 64 * n, *bp = B + blockIdx.x * 64;
  float s[8] = {};
  for (int k = 0; k < n; k += 8) {
    a[t / 8][t % 8] = ap[t / 8 * n + k + t % 8];
    b[y][x] = bp[(k + y) * n + x];
    __syncthreads();
    for (int i = 0; i < 8; i++) {
      float v = b[i][x];
      for (int j = 0; j < 8; j++) s[j] += a[y * 8 + j][i] * v;
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; j++) C[(blockIdx.y * 64 + y * 8 + j) * n + blockIdx.x * 64 + x] = s[j];
}

// A tile of results a thread, both operands turned so that a thread reads neighbours.
template <int BM, int BN, int BK, int TM, int TN> __device__ void sgemm_tile(int n, const float *A, const float *B, float *C) {
  enum { THREADS = BM / TM * (BN / TN) };
  __shared__ float a[BK][BM], b[BK][BN];
  int t = threadIdx.x, y = t / (BN / TN) * TM, x = t % (BN / TN) * TN;
  const float *ap = A + (size_t)blockIdx.y * BM * n, *bp = B + blockIdx.x * BN;
  float s[TM][TN] = {}, u[TM], v[TN];
  for (int k = 0; k < n; k += BK) {
    for (int i = t * 4; i < BM * BK; i += THREADS * 4) {
      float4 w = *(const float4 *)&ap[i / BK * n + k + i % BK];
      a[i % BK][i / BK] = w.x;
      a[i % BK + 1][i / BK] = w.y;
      a[i % BK + 2][i / BK] = w.z;
      a[i % BK + 3][i / BK] = w.w;
    }
    for (int i = t * 4; i < BK * BN; i += THREADS * 4) *(float4 *)&b[i / BN][i % BN] = *(const float4 *)&bp[(k + i / BN) * n + i % BN];
    __syncthreads();
    for (int i = 0; i < BK; i++) {
      for (int j = 0; j < TM; j++) u[j] = a[i][y + j];
      for (int j = 0; j < TN; j++) v[j] = b[i][x + j];
      for (int j = 0; j < TM; j++)
        for (int l = 0; l < TN; l++) s[j][l] += u[j] * v[l];
    }
    __syncthreads();
  }
  for (int j = 0; j < TM; j++)
    for (int l = 0; l < TN; l += 4)
      *(float4 *)&C[((size_t)blockIdx.y * BM + y + j) * n + blockIdx.x * BN + x + l] = make_float4(s[j][l], s[j][l + 1], s[j][l + 2], s[j][l + 3]);
}

// warpwise: grid=n/64,n/64 block=256 n=1024 A=f32[n*n] B=f32[n*n] C=f32[n*n]
extern "C" __global__ void sgemm_4x4(int n, const float *A, const float *B, float *C) { sgemm_tile<64, 64, 16, 4, 4>(n, A, B, C); }
// warpwise: grid=n/128,n/128 block=256 n=1024 A=f32[n*n] B=f32[n*n] C=f32[n*n]
extern "C" __global__ void sgemm_8x8(int n, const float *A, const float *B, float *C) { sgemm_tile<128, 128, 8, 8, 8>(n, A, B, C); }
// warpwise: grid=n/64,n/128 block=128 n=1024 A=f32[n*n] B=f32[n*n] C=f32[n*n]
extern "C" __global__ void sgemm_16x4(int n, const float *A, const float *B, float *C) { sgemm_tile<128, 64, 16, 16, 4>(n, A, B, C); }

// Double buffered: what is loaded waits in registers while the tile before is used.
// warpwise: grid=n/64,n/128 block=256 n=1024 A=f32[n*n] B=f32[n*n] C=f32[n*n]
extern "C" __global__ void sgemm_buffered(int n, const float *A, const float *B, float *C) {
  __shared__ float a[2][16][128], b[2][16][64];
  int t = threadIdx.x, y = t / 16 * 8, x = t % 16 * 4, ar = t / 4, ac = t % 4 * 4, br = t / 16, bc = t % 16 * 4, now = 0;
  const float *ap = A + (size_t)blockIdx.y * 128 * n, *bp = B + blockIdx.x * 64;
  float s[8][4] = {}, u[8], v[4];
  float4 p[2], q;
  for (int i = 0; i < 2; i++) p[i] = *(const float4 *)&ap[(ar + 64 * i) * n + ac];
  q = *(const float4 *)&bp[br * n + bc];
  for (int k = 0; k < n; k += 16) {
    for (int i = 0; i < 2; i++) {
      a[now][ac][ar + 64 * i] = p[i].x;
      a[now][ac + 1][ar + 64 * i] = p[i].y;
      a[now][ac + 2][ar + 64 * i] = p[i].z;
      a[now][ac + 3][ar + 64 * i] = p[i].w;
    }
    *(float4 *)&b[now][br][bc] = q;
    __syncthreads();
    if (k + 16 < n) {
      for (int i = 0; i < 2; i++) p[i] = *(const float4 *)&ap[(ar + 64 * i) * n + k + 16 + ac];
      q = *(const float4 *)&bp[(k + 16 + br) * n + bc];
    }
    for (int i = 0; i < 16; i++) {
      for (int j = 0; j < 8; j++) u[j] = a[now][i][y + j];
      for (int j = 0; j < 4; j++) v[j] = b[now][i][x + j];
      for (int j = 0; j < 8; j++)
        for (int l = 0; l < 4; l++) s[j][l] += u[j] * v[l];
    }
    now ^= 1;
  }
  for (int j = 0; j < 8; j++) *(float4 *)&C[((size_t)blockIdx.y * 128 + y + j) * n + blockIdx.x * 64 + x] = make_float4(s[j][0], s[j][1], s[j][2], s[j][3]);
}

// The products of a slice of k each, added by atomics.
// warpwise: grid=n/64,n/64,8 block=256 n=1024 A=f32[n*n] B=f32[n*n] C=f32[n*n]:zeros
extern "C" __global__ void sgemm_split(int n, const float *A, const float *B, float *C) {
  __shared__ float a[16][64], b[16][64];
  int t = threadIdx.x, y = t / 16 * 4, x = t % 16 * 4, part = n / gridDim.z, from = blockIdx.z * part;
  const float *ap = A + (size_t)blockIdx.y * 64 * n, *bp = B + blockIdx.x * 64;
  float s[4][4] = {};
  for (int k = from; k < from + part; k += 16) {
    float4 w = *(const float4 *)&ap[t / 4 * n + k + t % 4 * 4];
    a[t % 4 * 4][t / 4] = w.x;
    a[t % 4 * 4 + 1][t / 4] = w.y;
    a[t % 4 * 4 + 2][t / 4] = w.z;
    a[t % 4 * 4 + 3][t / 4] = w.w;
    *(float4 *)&b[t / 16][x] = *(const float4 *)&bp[(k + t / 16) * n + x];
    __syncthreads();
    for (int i = 0; i < 16; i++)
      for (int j = 0; j < 4; j++)
        for (int l = 0; l < 4; l++) s[j][l] += a[i][y + j] * b[i][x + l];
    __syncthreads();
  }
  for (int j = 0; j < 4; j++)
    for (int l = 0; l < 4; l++) atomicAdd(&C[((size_t)blockIdx.y * 64 + y + j) * n + blockIdx.x * 64 + x + l], s[j][l]);
}
