// The axes come from grid and block: no division.
// warpwise: grid=d1,total/16384 block=128,8 total=1<<24 d1=16 d2=8 d3=128 in=[total] out=[total]
__global__ void permute(const float *in, float *out, int total, int d1, int d2, int d3) {
  int w = threadIdx.x, y = threadIdx.y, z = blockIdx.x, x = blockIdx.y;
  out[((x * d2 + y) * d1 + z) * d3 + w] = in[((x * d1 + z) * d2 + y) * d3 + w];
}
