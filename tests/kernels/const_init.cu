// Tables with values in the source; the launch leaves them alone.
__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__device__ float weights[2][3] = {{0.5f, 1.0f, 2.0f}, {4.0f, 8.0f, 16.0f}};
__global__ void const_init(float *__restrict__ out, const int *__restrict__ x) {
  int i = threadIdx.x;
  out[i] = (float)primes[x[i] & 7] * weights[i & 1][x[i] % 3];
}
