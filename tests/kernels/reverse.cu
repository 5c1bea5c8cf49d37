// Lanes walk down memory; 1003 elements, so the reads are misaligned too.
__global__ void reverse(const int *__restrict__ in, int *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[n - 1 - i];
}
