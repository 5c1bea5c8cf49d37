// 80 KB buffers: contents made page by page must be those of one piece.
__global__ void perm_pages(const int *__restrict__ idx, const float *__restrict__ in, float *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[idx[i]];
}
