// Follows each particle for as many steps as its own age asks for.
// expect: divergence
// warpwise: grid=n/256 block=256 n=1<<20 x=f32[n] age=i32[n]:zipf(8,800) out=[n]
__global__ void settle(const float *x, const int *age, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], u = 0.0f;
  int steps = age[i];
  for (int k = 0; k < steps; k++) {
    u += 0.01f * (1.0f - v * v) - 0.02f * u;
    v += 0.01f * u;
  }
  out[i] = v;
}
