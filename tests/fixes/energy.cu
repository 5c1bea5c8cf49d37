// Sum over all elements, every thread with an atomic of its own.
// expect: atomic-contention
// warpwise: grid=n/256 block=256 n=1<<22 x=[n] total=f32[1]:zeros
__global__ void energy(const float *x, float *total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, x[i] * x[i]);
}
