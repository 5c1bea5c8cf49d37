// Differences between the ends of chunks; the launch asks for shared memory that an earlier version needed.
// expect: unused-shared
// warpwise: grid=n/128 block=128 shared=49152 n=1<<22 x=f32[n] y=f32[n]
__global__ void ends(const float *__restrict__ x, float *__restrict__ y, int n) {
  extern __shared__ float edge[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.0f;
  edge[threadIdx.x] = v;
  __syncthreads();
  if (i < n) y[i] = v - edge[blockDim.x - 1 - threadIdx.x];
}
