__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ int ack(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ack(m - 1, 1);
  return ack(m - 1, ack(m, n - 1));
}
__global__ void recursion(int *f, int *a) {
  int i = threadIdx.x;
  f[i] = fib(i % 11);
  a[i] = ack(2, i % 5);
}
