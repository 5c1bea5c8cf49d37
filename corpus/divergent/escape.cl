// Work that differs from item to item, in OpenCL.

// Burning ship: the fractal with absolute values.
// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=1024 most=200 out=[n*n]
__kernel void burning_ship(int n, int most, __global ushort *restrict out) {
  int x = get_global_id(0), y = get_global_id(1), k = 0;
  if (x >= n || y >= n) return;
  float cr = -2.2f + 3.2f * x / n, ci = -2.0f + 2.6f * y / n, zr = 0.0f, zi = 0.0f;
  for (; k < most && zr * zr + zi * zi < 16.0f; k++) {
    float t = zr * zr - zi * zi + cr;
    zi = 2.0f * fabs(zr * zi) + ci, zr = t;
  }
  out[y * n + x] = (ushort)k;
}

// Digits that must be reversed and added until a number reads the same both ways. Integers alone.
// warpwise: grid=(n+127)/128 block=128 n=65536 most=30 steps=[n]
__kernel void reverse_add(int n, int most, __global uchar *restrict steps) {
  int i = get_global_id(0), k = 0;
  if (i >= n) return;
  ulong v = i + 10;
  for (; k < most; k++) {
    ulong r = 0, t = v;
    while (t) r = r * 10 + t % 10, t /= 10;
    if (r == v || v > 100000000000000000ul) break;
    v += r;
  }
  steps[i] = (uchar)k;
}
