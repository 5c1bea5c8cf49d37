// Grids, images and bodies, scored once: four steps of a stencil in one pass, a convolution on tensor cores, bodies in tiles.
#include <cuda_fp16.h>
#include "../ptx.h"

// Four steps of heat in two dimensions: 64 x 32 cells in shared memory, of which 56 x 24 are right after four steps.
// Cells on the edge of the grid keep what they have.
// warpwise: grid=nx/56,ny/24 block=32,8 nx=1792 ny=1536 c=0.2 u=f32[nx*ny] v=f32[nx*ny]
extern "C" __global__ void __launch_bounds__(256) heat_4steps(int nx, int ny, float c, const float *__restrict__ u, float *__restrict__ v) {
  __shared__ float s[2][32][65];
  int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * 56 - 4, low = blockIdx.y * 24 - 4;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) {
      int x = min(max(left + tx + 32 * j, 0), nx - 1), y = min(max(low + ty + 8 * i, 0), ny - 1);
      s[0][ty + 8 * i][tx + 32 * j] = u[(size_t)y * nx + x];
    }
  __syncthreads();
#pragma unroll
  for (int step = 0; step < 4; step++) {
    float(*from)[65] = s[step & 1], (*to)[65] = s[step & 1 ^ 1];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 2; j++) {
        int a = ty + 8 * i, b = tx + 32 * j, x = left + b, y = low + a;
        float here = from[a][b];
        bool inside = a > 0 && a < 31 && b > 0 && b < 63 && x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
        to[a][b] = inside ? here + c * (from[a][b - 1] + from[a][b + 1] + from[a - 1][b] + from[a + 1][b] - 4 * here) : here;
      }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 2; j++) {
      int a = ty + 8 * i, b = tx + 32 * j;
      if (a >= 4 && a < 28 && b >= 4 && b < 60) v[(size_t)(low + a) * nx + left + b] = s[0][a][b];
    }
}

__device__ __forceinline__ void copy16_or_zeros(uint32_t to, const void *from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0) : "memory");
}

// Images N x H x W x C, filters K x 3 x 3 x C of halves, a rim of zeros: 128 pixels by 64 filters, 32 channels at a time,
// four warps of 64 x 32, three stages.
// warpwise: grid=K/64,N*H*W/128 block=128 N=8 H=32 W=32 C=128 K=128 in=f16[N*H*W*C] filter=f16[K*9*C] out=f16[N*H*W*K]
extern "C" __global__ void __launch_bounds__(128) conv_halves(int N, int H, int W, int C, int K, const half *in, const half *filter, half *out) {
  __shared__ __align__(128) unsigned char tiles[3][12288];
  int t = threadIdx.x, warp = t / 32, lane = t % 32, wm = warp / 2 * 64, wn = warp % 2 * 32, q = t % 4, steps = 9 * C / 32;
  uint32_t base = shared_address(tiles);
  int px[4], py[4];
  const half *ip[4], *fp[2];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int pixel = blockIdx.y * 128 + t / 4 + 32 * i;
    px[i] = pixel % W;
    py[i] = pixel / W % H;
    ip[i] = in + (size_t)pixel * C + q * 8;
  }
#pragma unroll
  for (int i = 0; i < 2; i++) fp[i] = filter + (size_t)(blockIdx.x * 64 + t / 4 + 32 * i) * 9 * C + q * 8;
  auto stage = [&](int s) {
    uint32_t to = base + s % 3 * 12288;
    int tap = s * 32 / C, channel = s * 32 % C, dy = tap / 3 - 1, dx = tap % 3 - 1;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      bool there = (unsigned)(py[i] + dy) < (unsigned)H && (unsigned)(px[i] + dx) < (unsigned)W;
      copy16_or_zeros(to + swizzle64(t / 4 + 32 * i, q), there ? ip[i] + (dy * W + dx) * C + channel : in, there);
    }
#pragma unroll
    for (int i = 0; i < 2; i++) copy16(to + 8192 + swizzle64(t / 4 + 32 * i, q), fp[i] + s * 32);
  };
  float acc[4][4][4] = {};
  stage(0);
  copy_commit();
  stage(1);
  copy_commit();
  for (int s = 0; s < steps; s++) {
    copy_wait<1>();
    __syncthreads();
    if (s + 2 < steps) stage(s + 2);
    copy_commit();
    uint32_t at = base + s % 3 * 12288, bt = at + 8192;
#pragma unroll
    for (int kk = 0; kk < 2; kk++) {
      uint32_t u[4][4], v[2][4];
#pragma unroll
      for (int m = 0; m < 4; m++) load_matrices(u[m], at + swizzle64(wm + 16 * m + lane % 16, 2 * kk + lane / 16));
#pragma unroll
      for (int j = 0; j < 2; j++) load_matrices(v[j], bt + swizzle64(wn + 16 * j + lane % 8 + lane / 16 * 8, 2 * kk + lane / 8 % 2));
#pragma unroll
      for (int m = 0; m < 4; m++)
#pragma unroll
        for (int j = 0; j < 4; j++) multiply_f16(acc[m][j], u[m], v[j / 2][j % 2 * 2], v[j / 2][j % 2 * 2 + 1]);
    }
  }
#pragma unroll
  for (int m = 0; m < 4; m++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      half *c = out + (size_t)(blockIdx.y * 128 + wm + 16 * m + lane / 4) * K + blockIdx.x * 64 + wn + 8 * j + lane % 4 * 2;
      *(half2 *)c = __floats2half2_rn(acc[m][j][0], acc[m][j][1]);
      *(half2 *)(c + (size_t)8 * K) = __floats2half2_rn(acc[m][j][2], acc[m][j][3]);
    }
}

// Two bodies a thread; tiles of 128 come by cp.async while the one before is used.
// warpwise: grid=n/256 block=128 n=65536 p=f32[4*n] f=f32[4*n]
extern "C" __global__ void __launch_bounds__(128) bodies_async(int n, const float4 *__restrict__ p, float4 *__restrict__ f) {
  __shared__ float4 s[2][128];
  int t = threadIdx.x;
  float4 a = p[blockIdx.x * 256 + t], b = p[blockIdx.x * 256 + 128 + t];
  float3 fa = make_float3(0, 0, 0), fb = make_float3(0, 0, 0);
  copy16(shared_address(&s[0][t]), p + t);
  copy_commit();
  for (int j = 0; j < n / 128; j++) {
    copy_wait<0>();
    __syncthreads();
    if (j + 1 < n / 128) copy16(shared_address(&s[(j + 1) & 1][t]), p + (j + 1) * 128 + t);
    copy_commit();
#pragma unroll 16
    for (int i = 0; i < 128; i++) {
      float4 o = s[j & 1][i];
      float x = o.x - a.x, y = o.y - a.y, z = o.z - a.z, r = rsqrtf(x * x + y * y + z * z + 1e-4f), m = o.w * r * r * r;
      fa.x += m * x;
      fa.y += m * y;
      fa.z += m * z;
      x = o.x - b.x;
      y = o.y - b.y;
      z = o.z - b.z;
      r = rsqrtf(x * x + y * y + z * z + 1e-4f);
      m = o.w * r * r * r;
      fb.x += m * x;
      fb.y += m * y;
      fb.z += m * z;
    }
  }
  f[blockIdx.x * 256 + t] = make_float4(fa.x, fa.y, fa.z, 0);
  f[blockIdx.x * 256 + 128 + t] = make_float4(fb.x, fb.y, fb.z, 0);
}
