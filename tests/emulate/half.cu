// options: --execute all
// Host code with CUDA's own types: half, bfloat16, vectors, min and max, rsqrt.
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>
__global__ void twice(__half *h, __nv_bfloat16 *b, float4 *v) {
  int i = threadIdx.x;
  h[i] = __hadd(h[i], h[i]);
  b[i] = __float2bfloat16(2 * __bfloat162float(b[i]));
  v[i].w += v[i].x;
}
int main() {
  std::vector<__half> h(32);
  std::vector<__nv_bfloat16> b(32);
  std::vector<float4> v(32);
  for (int i = 0; i < 32; i++) h[i] = __float2half(i / 2.0f), b[i] = __float2bfloat16(1.5f), v[i] = make_float4(i, 0, 0, 1);
  __half *dh;
  __nv_bfloat16 *db;
  float4 *dv;
  cudaMalloc(&dh, 64), cudaMalloc(&db, 64), cudaMalloc(&dv, 512);
  cudaMemcpy(dh, h.data(), 64, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), 64, cudaMemcpyHostToDevice);
  cudaMemcpy(dv, v.data(), 512, cudaMemcpyHostToDevice);
  twice<<<min(1, 2), max(32, 7)>>>(dh, db, dv);
  cudaMemcpy(h.data(), dh, 64, cudaMemcpyDeviceToHost);
  cudaMemcpy(b.data(), db, 64, cudaMemcpyDeviceToHost);
  cudaMemcpy(v.data(), dv, 512, cudaMemcpyDeviceToHost);
  if (__half2float(h[7]) != 7 || __bfloat162float(b[7]) != 3 || v[7].w != 8) return 1;
  return fabsf(rsqrtf(4.0f) - 0.5f) > 1e-6f;
}
