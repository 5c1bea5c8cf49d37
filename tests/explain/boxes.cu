// How many of some boxes each block's point lies in; the sides of a box are loaded one by one.
// expect: split-access 8
// warpwise: grid=points block=256 points=4096 n=4096 box=f32[n*4] at=f32[points] inside=[points*256]
__global__ void boxes(const float *__restrict__ box, const float *__restrict__ at, int *__restrict__ inside, int n, int points) {
  float p = at[blockIdx.x];
  int count = 0;
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    count += (box[4 * j] < p) & (p < box[4 * j + 2]) & (box[4 * j + 1] < p) & (p < box[4 * j + 3]);
  inside[blockIdx.x * blockDim.x + threadIdx.x] = count;
}
