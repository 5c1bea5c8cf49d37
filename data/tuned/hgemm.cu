#include <cuda_fp16.h>
#include <stdint.h>
// C = A B^T of halves by mma.m16n8k16, ldmatrix and cp.async in two stages; tile 128 x 128 x 32, 8 warps of 64 x 32.
// warpwise: grid=N/128,M/128 block=256 M=2048 N=2048 K=2048 A=f16[M*K] B=f16[N*K] C=f16[M*N]
extern "C" __global__ void __launch_bounds__(256) hgemm_mma(int M, int N, int K, const half *A, const half *B, half *C) {
  __shared__ half As[2][128][40];
  __shared__ half Bs[2][128][40];
  int t = threadIdx.x, w = t / 32, lane = t % 32, wm = (w / 4) * 64, wn = (w % 4) * 32;
  const half *Ab = A + (size_t)blockIdx.y * 128 * K, *Bb = B + (size_t)blockIdx.x * 128 * K;
  float acc[4][4][4] = {};
  auto stage = [&](int s, int k0) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int c = t + 256 * i, r = c / 4, q = (c % 4) * 8;
      uint32_t d = (uint32_t)__cvta_generic_to_shared(&As[s][r][q]), e = (uint32_t)__cvta_generic_to_shared(&Bs[s][r][q]);
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(d), "l"(Ab + (size_t)r * K + k0 + q));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(e), "l"(Bb + (size_t)r * K + k0 + q));
    }
    asm volatile("cp.async.commit_group;");
  };
  stage(0, 0);
  for (int k0 = 0, s = 0; k0 < K; k0 += 32, s ^= 1) {
    if (k0 + 32 < K) {
      stage(s ^ 1, k0 + 32);
      asm volatile("cp.async.wait_group 1;");
    } else
      asm volatile("cp.async.wait_group 0;");
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        uint32_t p = (uint32_t)__cvta_generic_to_shared(&As[s][wm + i * 16 + lane % 16][kk + (lane / 16) * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3]) : "r"(p));
      }
#pragma unroll
      for (int j = 0; j < 2; j++) {
        uint32_t p = (uint32_t)__cvta_generic_to_shared(&Bs[s][wn + j * 16 + lane % 8 + (lane / 16) * 8][kk + ((lane / 8) % 2) * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(b[2 * j][0]), "=r"(b[2 * j][1]), "=r"(b[2 * j + 1][0]), "=r"(b[2 * j + 1][1]) : "r"(p));
      }
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                       : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      size_t r = (size_t)blockIdx.y * 128 + wm + i * 16 + lane / 4, c = (size_t)blockIdx.x * 128 + wn + j * 8 + (lane % 4) * 2;
      *(half2 *)&C[r * N + c] = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2 *)&C[(r + 8) * N + c] = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}
