__global__ void shifts(const int *__restrict__ x, int *sar, unsigned *shr, int *shl, long long *wide) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, s = i & 31;
  int v = (x[i] - 100) * 40503;
  sar[i] = v >> s;
  shr[i] = (unsigned)v >> s;
  shl[i] = (int)((unsigned)v << s);
  wide[i] = ((long long)v << 17) >> (i & 63);
}
