// Attention of fp32 rows, tiles of keys and values in shared memory; a row of queries a thread, or a part of it.
template <int D, int ROWS> __device__ void attend(int n, const float *q, const float *k, const float *v, float *o) {
  __shared__ float ks[ROWS * D], vs[ROWS * D];
  size_t head = (size_t)blockIdx.y * n * D;
  int row = blockIdx.x * ROWS + threadIdx.x;
  float query[D], sum[D], most = -1e30f, all = 0;
  for (int d = 0; d < D; d++) {
    query[d] = q[head + (size_t)row * D + d];
    sum[d] = 0;
  }
  for (int t = 0; t < n; t += ROWS) {
    for (int i = threadIdx.x * 4; i < ROWS * D; i += ROWS * 4) {
      *(float4 *)&ks[i] = *(const float4 *)&k[head + (size_t)t * D + i];
      *(float4 *)&vs[i] = *(const float4 *)&v[head + (size_t)t * D + i];
    }
    __syncthreads();
    for (int j = 0; j < ROWS; j++) {
      float s = 0;
      for (int d = 0; d < D; d++) s += query[d] * ks[j * D + d];
      float m = fmaxf(most, s), p = __expf(s - m), c = __expf(most - m);
      all = all * c + p;
      for (int d = 0; d < D; d++) sum[d] = sum[d] * c + p * vs[j * D + d];
      most = m;
    }
    __syncthreads();
  }
  for (int d = 0; d < D; d++) o[head + (size_t)row * D + d] = sum[d] / all;
}
// warpwise: grid=n/128,heads block=128 n=1024 heads=32 q=f32[heads*n*32] k=f32[heads*n*32] v=f32[heads*n*32] o=f32[heads*n*32]
extern "C" __global__ void attention_32(int n, int heads, const float *q, const float *k, const float *v, float *o) { attend<32, 128>(n, q, k, v, o); }
// warpwise: grid=n/64,heads block=64 n=1024 heads=32 q=f32[heads*n*64] k=f32[heads*n*64] v=f32[heads*n*64] o=f32[heads*n*64]
extern "C" __global__ void attention_64(int n, int heads, const float *q, const float *k, const float *v, float *o) { attend<64, 64>(n, q, k, v, o); }
