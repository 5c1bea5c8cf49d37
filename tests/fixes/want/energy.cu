// Sum over all elements, every thread with an atomic of its own.
// expect: atomic-contention
// warpwise: grid=n/256 block=256 n=1<<22 x=[n] total=f32[1]:zeros
__global__ void energy(const float *x, float *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? x[i] * x[i] : 0.0f;
  for (int k = 16; k > 0; k >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, k);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}
