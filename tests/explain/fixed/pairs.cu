// warpwise: grid=rows block=256 rows=1<<15 x=f32[rows*256] sum=f32[rows]
__global__ void pairs(const float *__restrict__ x, float *__restrict__ sum, int rows) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = x[blockIdx.x * blockDim.x + t];
  for (int s = blockDim.x / 2; s >= 32; s >>= 1) {
    __syncthreads();
    if (t < s) part[t] += part[t + s];
  }
  if (t >= 32) return;
  float v = part[t];
  for (int s = 16; s > 0; s >>= 1) v += __shfl_down_sync(0xffffffff, v, s);
  if (t == 0) sum[blockIdx.x] = v;
}
