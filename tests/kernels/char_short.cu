// Arithmetic is done in int and cut back on the store: signed and unsigned narrow types.
__global__ void char_short(const signed char *__restrict__ a, const short *__restrict__ b, signed char *c, unsigned char *d,
                           short *e, unsigned short *f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  signed char x = a[i];
  short y = b[i];
  c[i] = (signed char)(x * 3 + y);
  d[i] = (unsigned char)(x - y);
  e[i] = (short)(y * y * 5 - x);
  f[i] = (unsigned short)((x << 4) ^ (y >> 2));
}
