__global__ void reduce_shuffle(const float *__restrict__ x, float *__restrict__ out, int n) {
  __shared__ float s[8];
  int t = threadIdx.x, i = blockIdx.x * 256 + t, lane = t & 31, warp = t >> 5;
  float v = i < n ? x[i] : 0.0f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) s[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < 8 ? s[lane] : 0.0f;
    for (int o = 4; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) out[blockIdx.x] = v;
  }
}
