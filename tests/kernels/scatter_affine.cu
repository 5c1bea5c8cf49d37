// out[37 i mod 1024]: a permutation known in closed form, so the sectors are exact.
__global__ void scatter_affine(const int *__restrict__ in, int *__restrict__ out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[(i * 37u) & 1023u] = in[i];
}
