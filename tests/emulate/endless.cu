// options: --limit 2
// ends: 137
// Waits for what a skipped kernel never does; what it launched before is kept.
__global__ void k(int *p) { *p = 1; }
int main() {
  int *p;
  cudaMallocManaged(&p, 4);
  for (volatile int *q = p; !*q;) k<<<5, 1>>>(p);
}
