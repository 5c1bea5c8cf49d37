// warpwise: grid=points block=256 points=4096 n=4096 box=f32[n*4] at=f32[points] inside=[points*256]
__global__ void boxes(const float4 *__restrict__ box, const float *__restrict__ at, int *__restrict__ inside, int n, int points) {
  float p = at[blockIdx.x];
  int count = 0;
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    float4 b = box[j];
    count += (b.x < p) & (p < b.z) & (b.y < p) & (p < b.w);
  }
  inside[blockIdx.x * blockDim.x + threadIdx.x] = count;
}
