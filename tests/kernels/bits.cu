__global__ void bits(const unsigned *__restrict__ x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = x[i] * 2654435761u;
  unsigned long long b = (unsigned long long)a * a + x[i];
  out[0 * n + i] = __popc(a);
  out[1 * n + i] = __clz(a >> (i & 31));
  out[2 * n + i] = (int)__brev(a);
  out[3 * n + i] = __ffs(a << (i & 31));
  out[4 * n + i] = __popcll(b);
  out[5 * n + i] = __clzll(b >> (i & 63));
  out[6 * n + i] = __ffsll(b << (i & 63));
  out[7 * n + i] = (int)(__brevll(b) >> 13);
  out[8 * n + i] = (int)__byte_perm(a, ~a, 0x3715);
  out[9 * n + i] = (int)__funnelshift_l(a, x[i], i & 31);
  out[10 * n + i] = (int)__funnelshift_r(a, ~x[i], i & 31);
}
