__global__ void poly_f64(const double *__restrict__ x, double *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i], p = 1.0 / 720.0;
  p = fma(p, v, 1.0 / 120.0);
  p = fma(p, v, 1.0 / 24.0);
  p = fma(p, v, 1.0 / 6.0);
  p = fma(p, v, 0.5);
  p = fma(p, v, 1.0);
  out[i] = fma(p, v, 1.0) / (v + 2.0);
}
