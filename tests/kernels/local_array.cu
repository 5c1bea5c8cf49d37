// A per-thread array with indices only the lane knows: it has to live in local memory.
__global__ void local_array(const int *__restrict__ perm, int *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a[16];
#pragma unroll 1
  for (int k = 0; k < 16; k++) a[(perm[k] + i) & 15] = k * 3 + i;
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 5; k++) sum = sum * 7 + a[(i * 5 + k * k) & 15];
  out[i] = sum;
}
