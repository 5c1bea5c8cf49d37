// Tone curve of an image, written without a thought for literals.
// expect: double-constant
// warpwise: grid=n/256 block=256 n=1<<22 x=[n] y=[n]
__global__ void tone(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 8; k++) {
    v = v * v * (3.0f - 2.0f * v);
    v = 0.98f * v + 0.01f;
  }
  y[i] = v;
}
