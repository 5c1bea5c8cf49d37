// Each operation rounds as its name says and is not contracted.
__global__ void rounding(const float *__restrict__ x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i] + 0.1f, b = 1.0f / 3.0f;
  out[0 * n + i] = __fadd_rz(a, b);
  out[1 * n + i] = __fadd_ru(a, b);
  out[2 * n + i] = __fmul_rd(a, b);
  out[3 * n + i] = __fmul_ru(a, b);
  out[4 * n + i] = __fdiv_rz(a, 3.0f);
  out[5 * n + i] = __fmaf_rd(a, b, -0.7f);
  out[6 * n + i] = __fsqrt_ru(a);
  out[7 * n + i] = __fadd_rn(__fmul_rn(a, b), -0.05f);
}
