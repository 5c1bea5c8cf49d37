// A square image, a square launch: the launch can stay.
// expect: uncoalesced-store
// warpwise: grid=n/16,n/16 block=16,16 n=4096 in=[n*n] out=[n*n]
__global__ void blur_square(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  out[i * n + j] = 0.25f * (in[(i - 1) * n + j] + in[(i + 1) * n + j] + in[i * n + j - 1] + in[i * n + j + 1]);
}
