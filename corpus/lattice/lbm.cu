// Lattice Boltzmann D2Q9, one step, structure of arrays: nine streams in, nine out.

// warpwise: grid=n/64,n block=64 n=1024 omega=1.2 in=f32[9*n*n] out=f32[9*n*n]
extern "C" __global__ void lbm_d2q9(int n, float omega, const float *in, float *out) {
  const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const float w[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y;
  float f[9], rho = 0.0f, ux = 0.0f, uy = 0.0f;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    int sx = (x - ex[k] + n) % n, sy = (y - ey[k] + n) % n;
    f[k] = in[((size_t)k * n + sy) * n + sx];
    rho += f[k], ux += f[k] * ex[k], uy += f[k] * ey[k];
  }
  ux /= rho, uy /= rho;
  float u2 = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < 9; k++) {
    float eu = 3.0f * (ex[k] * ux + ey[k] * uy);
    out[((size_t)k * n + y) * n + x] = f[k] + omega * (w[k] * rho * (1.0f + eu + 0.5f * eu * eu - u2) - f[k]);
  }
}
