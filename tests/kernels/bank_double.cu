// 8-byte words: two passes at full width, four with every second one used.
__global__ void bank_double(const double *__restrict__ x, double *__restrict__ out) {
  __shared__ double buf[128];
  int t = threadIdx.x;
  buf[t] = x[t];
  buf[t + 64] = x[t] * 2.0;
  __syncthreads();
  out[t] = buf[2 * t];
}
