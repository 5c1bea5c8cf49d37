// A gather through a permutation: requests and bytes are certain, sectors depend on the contents.
__global__ void gather_perm(const int *__restrict__ idx, const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[idx[i]];
}
