// The intrinsics that promise less: compared with a wide tolerance.
__global__ void fast_math(const float *__restrict__ x, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  out[0 * n + i] = __sinf(v);
  out[1 * n + i] = __expf(v);
  out[2 * n + i] = __logf(v + 1.5f);
  out[3 * n + i] = __fdividef(v, 3.0f);
  out[4 * n + i] = __powf(v + 1.0f, 1.5f);
  out[5 * n + i] = __saturatef(v * 1.5f);
}
