// The keys of a head are read by all threads of its 32 blocks, 64 each: 2048 times, and there are 64 heads.
// warpwise: grid=32,64 block=64 queries=f32[64*2048*32] keys=f32[64*2048*32] out=f32[64*2048]
__global__ void scores(const float *queries, const float *keys, float *out) {
  const float *k = keys + (size_t)blockIdx.y * 2048 * 32;
  size_t row = (size_t)blockIdx.y * 2048 + blockIdx.x * 64 + threadIdx.x;
  float q[32], best = -1e30f, sum = 0;
  for (int d = 0; d < 32; d++) q[d] = queries[row * 32 + d];
  for (int j = 0; j < 2048; j++) {
    float s = 0;
    for (int d = 0; d < 32; d++) s += q[d] * k[j * 32 + d];
    float m = fmaxf(best, s);
    sum = sum * __expf(best - m) + __expf(s - m);
    best = m;
  }
  out[row] = best + __logf(sum);
}
