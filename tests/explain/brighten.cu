// Brightens an 8-bit image, one byte a thread.
// expect: narrow-access 7
// warpwise: grid=n/256 block=256 n=1<<27 delta=20 in=u8[n] out=u8[n]
__global__ void brighten(const unsigned char *in, unsigned char *out, int n, int delta) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i] + delta;
  out[i] = v > 255 ? 255 : v;
}
