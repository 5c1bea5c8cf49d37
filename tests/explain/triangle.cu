// Block b takes b steps of an iteration: the last ones have the most to do, and run alone at the end.
// expect: imbalance
// warpwise: grid=1056 block=128 v=[1056*128]
__global__ void triangle(float *v) {
  float x = v[blockIdx.x * 128 + threadIdx.x];
  for (int k = 0; k <= blockIdx.x; k++) x = 3.7f * x * (1 - x);
  v[blockIdx.x * 128 + threadIdx.x] = x;
}
