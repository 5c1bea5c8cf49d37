__global__ void math_f64(const double *__restrict__ x, double *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i];
  out[0 * n + i] = sin(v);
  out[1 * n + i] = exp(v);
  out[2 * n + i] = log(v);
  out[3 * n + i] = pow(v, 1.3);
  out[4 * n + i] = sqrt(v);
  out[5 * n + i] = erf(v);
  out[6 * n + i] = tgamma(v);
  out[7 * n + i] = lgamma(v + 3.0);
  out[8 * n + i] = cbrt(v);
  out[9 * n + i] = log1p(v);
  out[10 * n + i] = expm1(v);
  out[11 * n + i] = atan(v);
}
