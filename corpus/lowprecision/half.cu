// Half and bfloat16: pairs at a time, sums in single precision, matrix products by hand and by the tensor cores.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// A warp per row, rows of exactly 512 halves: eight pairs a lane.
// warpwise: grid=(rows+7)/8 block=256 rows=16384 x=f16[rows*512] y=f16[rows*512]
extern "C" __global__ void half_softmax(int rows, const __half2 *__restrict__ x, __half2 *__restrict__ y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float2 v[8];
  float top = -3e38f, sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    v[k] = __half22float2(x[(size_t)row * 256 + k * 32 + lane]);
    top = fmaxf(top, fmaxf(v[k].x, v[k].y));
  }
  for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
#pragma unroll
  for (int k = 0; k < 8; k++) {
    v[k].x = __expf(v[k].x - top), v[k].y = __expf(v[k].y - top);
    sum += v[k].x + v[k].y;
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  sum = 1.0f / sum;
#pragma unroll
  for (int k = 0; k < 8; k++) y[(size_t)row * 256 + k * 32 + lane] = __floats2half2_rn(v[k].x * sum, v[k].y * sum);
}

// Matrix of halves times a vector, a warp per row, 16 bytes a load.
// warpwise: grid=(m+7)/8 block=256 m=8192 n=4096 a=f16[m*n] x=f16[n] y=f32[m]
extern "C" __global__ void half_gemv(int m, int n, const uint4 *__restrict__ a, const uint4 *__restrict__ x, float *__restrict__ y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= m) return;
  float s = 0.0f;
  for (int i = lane; i < n / 8; i += 32) {
    uint4 w = a[(size_t)row * (n / 8) + i], u = x[i];
    const __half2 *wp = (const __half2 *)&w, *up = (const __half2 *)&u;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      float2 p = __half22float2(wp[k]), q = __half22float2(up[k]);
      s += p.x * q.x + p.y * q.y;
    }
  }
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (lane == 0) y[row] = s;
}

// 64x64 tiles with packed half arithmetic: pairs of columns, 4x2 pairs a thread. n is a multiple of 64.
// warpwise: grid=n/64,n/64 block=16,16 n=512 a=f16[n*n] b=f16[n*n] c=f16[n*n]
extern "C" __global__ void half_gemm_pairs(int n, const __half *__restrict__ a, const __half2 *__restrict__ b, __half2 *__restrict__ c) {
  __shared__ __half2 as[16][66], bs[16][33];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  __half2 acc[4][2];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++) acc[i][j] = __float2half2_rn(0.0f);
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int i = t; i < 1024; i += 256) as[i % 16][i / 16] = __half2half2(a[(size_t)(blockIdx.y * 64 + i / 16) * n + k0 + i % 16]);
    for (int i = t; i < 512; i += 256) bs[i / 32][i % 32] = b[((size_t)(k0 + i / 32) * n + blockIdx.x * 64) / 2 + i % 32];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) {
      __half2 q0 = bs[k][tx], q1 = bs[k][tx + 16];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        __half2 p = as[k][ty + 16 * i];
        acc[i][0] = __hfma2(p, q0, acc[i][0]);
        acc[i][1] = __hfma2(p, q1, acc[i][1]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++) c[((size_t)(blockIdx.y * 64 + ty + 16 * i) * n + blockIdx.x * 64) / 2 + tx + 16 * j] = acc[i][j];
}

// Tensor cores: a block of four warps makes 64x64, each warp 32x32 from mma.m16n8k16; b is given by columns. n is a multiple of 64.
// warpwise: grid=n/64,n/64 block=128 n=1024 a=f16[n*n] b=f16[n*n] c=f32[n*n]
extern "C" __global__ void half_gemm_mma(int n, const unsigned *__restrict__ a, const unsigned *__restrict__ b, float *__restrict__ c) {
  __shared__ unsigned as[64][20], bs[64][20];
  int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, p = t % 4, wy = warp / 2 * 32, wx = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k0 = 0; k0 < n / 2; k0 += 16) {
    for (int i = t; i < 1024; i += 128) {
      as[i / 16][i % 16] = a[(size_t)(blockIdx.y * 64 + i / 16) * (n / 2) + k0 + i % 16];
      bs[i / 16][i % 16] = b[(size_t)(blockIdx.x * 64 + i / 16) * (n / 2) + k0 + i % 16];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k += 8)
#pragma unroll
      for (int i = 0; i < 2; i++) {
        unsigned a0 = as[wy + 16 * i + g][k + p], a1 = as[wy + 16 * i + g + 8][k + p];
        unsigned a2 = as[wy + 16 * i + g][k + p + 4], a3 = as[wy + 16 * i + g + 8][k + p + 4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
          unsigned b0 = bs[wx + 8 * j + g][k + p], b1 = bs[wx + 8 * j + g][k + p + 4];
          float *d = acc[i][j];
          asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
              : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
              : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]));
        }
      }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++)
      for (int h = 0; h < 2; h++) {
        size_t at = (size_t)(blockIdx.y * 64 + wy + 16 * i + g + 8 * h) * n + blockIdx.x * 64 + wx + 8 * j + 2 * p;
        c[at] = acc[i][j][2 * h], c[at + 1] = acc[i][j][2 * h + 1];
      }
}

// warpwise: grid=(n/2+255)/256 block=256 n=1<<23 x=bf16[n] y=bf16[n]
extern "C" __global__ void bf16_silu(int n, const __nv_bfloat162 *__restrict__ x, __nv_bfloat162 *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  float a = __bfloat162float(x[i].x), b = __bfloat162float(x[i].y);
  y[i].x = __float2bfloat16(a / (1.0f + __expf(-a)));
  y[i].y = __float2bfloat16(b / (1.0f + __expf(-b)));
}

// RMS norm of bfloat16 rows, a block per row, the row read twice.
// warpwise: grid=rows block=256 rows=4096 n=4096 x=bf16[rows*n] weight=bf16[n] y=bf16[rows*n]
extern "C" __global__ void bf16_rmsnorm(int rows, int n, const __nv_bfloat16 *__restrict__ x, const __nv_bfloat16 *__restrict__ weight, __nv_bfloat16 *__restrict__ y) {
  __shared__ float part[32];
  int row = blockIdx.x;
  if (row >= rows) return;
  const __nv_bfloat16 *in = x + (size_t)row * n;
  float sq = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float v = __bfloat162float(in[i]);
    sq += v * v;
  }
  for (int d = 16; d > 0; d >>= 1) sq += __shfl_xor_sync(0xffffffffu, sq, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sq;
  __syncthreads();
  sq = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0.0f;
  for (int d = 16; d > 0; d >>= 1) sq += __shfl_xor_sync(0xffffffffu, sq, d);
  float scale = rsqrtf(sq / n + 1e-6f);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[(size_t)row * n + i] = __float2bfloat16(__bfloat162float(in[i]) * scale * __bfloat162float(weight[i]));
}

// 4-bit weights to halves: a group of 64 shares scale and zero; a word of eight weights a thread.
// warpwise: grid=(n/8+255)/256 block=256 n=1<<24 q=[n/8] scale=f16[n/64] zero=[n/64]:uniform(0,16) w=f16[n]
extern "C" __global__ void dequant_4bit(int n, const unsigned *__restrict__ q, const __half *__restrict__ scale, const unsigned char *__restrict__ zero, __half2 *__restrict__ w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 8) return;
  unsigned word = q[i];
  int z = zero[i / 8];
  __half2 s = __half2half2(scale[i / 8]);
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int lo = (int)(word >> (8 * k) & 15u) - z, hi = (int)(word >> (8 * k + 4) & 15u) - z;
    w[(size_t)i * 4 + k] = __hmul2(__floats2half2_rn((float)lo, (float)hi), s);
  }
}
