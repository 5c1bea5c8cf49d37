// Out-of-place transpose of a large matrix.
// expect: uncoalesced-store 8
// warpwise: grid=n/32,n/8 block=32,8 n=8192 in=[n*n] out=[n*n]
__global__ void transpose(const float *in, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  out[x * n + y] = in[y * n + x];
}
