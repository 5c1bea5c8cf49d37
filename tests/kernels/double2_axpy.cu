__global__ void double2_axpy(double a, const double2 *__restrict__ x, double2 *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double2 p = x[i], q = y[i];
  q.x = fma(a, p.x, q.x);
  q.y = fma(a, p.y, q.y);
  y[i] = q;
}
