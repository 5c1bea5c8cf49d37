// A double sum by compare-and-swap; how often a lane retries depends on the order, the sum does not.
__global__ void cas_loop(const double *__restrict__ x, unsigned long long *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long old = *sum, seen;
  do {
    seen = old;
    old = atomicCAS(sum, seen, __double_as_longlong(__longlong_as_double(seen) + x[i]));
  } while (old != seen);
}
