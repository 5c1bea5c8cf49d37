// Every batch is weighted with the same 256 MB, batch after batch.
// expect: l2-residency 8
// warpwise: grid=n/1024,8 block=256 n=1<<26 w=f32[n] x=f32[8] y=f32[8*n/1024]
__global__ void weights(const float4 *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = x[blockIdx.y];
  if (i >= n / 4) return;
  float4 v = w[i];
  float sum = s * (v.x + v.y + v.z + v.w);
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) y[blockIdx.y * (n / 1024) + blockIdx.x] = sum;
}
