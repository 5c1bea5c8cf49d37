// Fifteen functions of one argument or two, each its own row of out.
__global__ void math_f32(const float *__restrict__ x, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  out[0 * n + i] = sinf(v);
  out[1 * n + i] = cosf(v);
  out[2 * n + i] = expf(v);
  out[3 * n + i] = logf(v);
  out[4 * n + i] = powf(v, v);
  out[5 * n + i] = erff(v);
  out[6 * n + i] = tanhf(v);
  out[7 * n + i] = atan2f(v, 0.7f);
  out[8 * n + i] = cbrtf(v);
  out[9 * n + i] = exp2f(v);
  out[10 * n + i] = log2f(v);
  out[11 * n + i] = rsqrtf(v);
  out[12 * n + i] = fmodf(v, 0.3f);
  out[13 * n + i] = hypotf(v, 0.4f);
  out[14 * n + i] = sqrtf(v);
}
