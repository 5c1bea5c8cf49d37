// Four cases in every warp, each with a store of another width: none can be merged with another.
__global__ void switch_lane(const int *__restrict__ in, float *f, short *h, double *d, signed char *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = in[i];
  switch (i & 3) {
  case 0: f[i] = (float)x * 2.5f; break;
  case 1: h[i] = (short)(x + 7); break;
  case 2: d[i] = (double)x; break;
  default: c[i] = (signed char)(x ^ 5); break;
  }
}
