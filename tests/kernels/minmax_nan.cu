// A NaN loses in fminf and fmaxf and makes every ordered comparison false. The sign of a negated NaN is not looked at:
// the hardware negates by an addition, which gives its one NaN, 0x7fffffff.
__global__ void minmax_nan(const float *__restrict__ x, float *lo, float *hi, int *flags) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float nan = __int_as_float(0x7fc00000);
  float a = i % 5 == 0 ? nan : x[i], b = i % 7 == 0 ? nan : 0.5f;
  lo[i] = fminf(a, b);
  hi[i] = fmaxf(a, b);
  flags[i] = (a < b) | (a > b) << 1 | (a == b) << 2 | (a != b) << 3 | (isnan(a) ? 16 : 0) | (b == b && signbit(-b) ? 32 : 0);
}
