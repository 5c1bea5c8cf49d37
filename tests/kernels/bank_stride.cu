// Words s apart in shared memory: gcd(s, 32) lanes meet in each bank that is used.
__global__ void bank_stride(const int *__restrict__ x, int *__restrict__ out, int s) {
  __shared__ int buf[1024];
  int t = threadIdx.x;
  buf[(t * s) & 1023] = x[t];
  __syncthreads();
  out[t] = buf[((t ^ 1) * s) & 1023];
}
