// Divergent trip counts in floating point, every operation a named single one.
__global__ void mandelbrot(int *__restrict__ out, int w, int h) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  float cx = -2.0f + 0.0625f * (float)px, cy = -1.0f + 0.0625f * (float)py, x = 0.0f, y = 0.0f;
  int k = 0;
#pragma unroll 1
  while (k < 50 && __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) < 4.0f) {
    float t = __fadd_rn(__fmaf_rn(x, x, -__fmul_rn(y, y)), cx);
    y = __fmaf_rn(__fmul_rn(2.0f, x), y, cy);
    x = t;
    k++;
  }
  out[py * w + px] = k;
}
