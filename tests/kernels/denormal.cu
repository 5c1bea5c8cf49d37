// Subnormals are kept: no flush to zero without -ftz.
__global__ void denormal(const float *__restrict__ x, float *a, float *b, float *c) {
  int i = threadIdx.x;
  float v = x[i] * 1e-38f;
  a[i] = v * 0.01f;
  b[i] = (v * 0.01f) + 1e-40f;
  c[i] = sqrtf(a[i]) * 1e20f;
}
