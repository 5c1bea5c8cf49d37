// Lanes of a warp that do different things.

// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=1024 most=256 out=i32[n*n]
extern "C" __global__ void mandelbrot(int n, int most, int *out) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, k = 0;
  if (x >= n || y >= n) return;
  float cr = -2.0f + 3.0f * x / n, ci = -1.5f + 3.0f * y / n, zr = 0.0f, zi = 0.0f;
  while (k < most && zr * zr + zi * zi < 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci, zr = t;
    k++;
  }
  out[y * n + x] = k;
}

// Work by the kind of element, four kinds mixed at random.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 kind=u8[n]:uniform(0,4) x=f32[n] y=f32[n]
extern "C" __global__ void by_kind(int n, const unsigned char *kind, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  switch (kind[i]) {
  case 0: v = sinf(v) + cosf(v); break;
  case 1:
    for (int k = 0; k < 8; k++) v = v * v + 0.1f;
    break;
  case 2: v = expf(v) / (1.0f + v); break;
  default: v = sqrtf(v + 2.0f); break;
  }
  y[i] = v;
}

// Steps of the Collatz sequence: 64-bit integers, loops of very different length.
// warpwise: grid=(n+255)/256 block=256 n=1<<19 out=i32[n]
extern "C" __global__ void collatz(int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
  if (i >= n) return;
  for (unsigned long long v = i + 1; v != 1 && steps < 1000; steps++) v = v & 1 ? 3 * v + 1 : v / 2;
  out[i] = steps;
}
