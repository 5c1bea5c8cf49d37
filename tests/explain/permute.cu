// Swaps the middle axes of a 4D tensor.
// expect: runtime-division
// warpwise: grid=total/256 block=256 total=1<<24 d1=16 d2=8 d3=128 in=[total] out=[total]
__global__ void permute(const float *in, float *out, int total, int d1, int d2, int d3) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  int w = i % d3;
  int z = (i / d3) % d1;
  int y = (i / (d3 * d1)) % d2;
  int x = i / (d3 * d1 * d2);
  out[i] = in[((x * d1 + z) * d2 + y) * d3 + w];
}
