// ends: 139
// A program that dies keeps what it did.
#include <csignal>
__global__ void k(int *p) { *p = 1; }
int main() {
  int *p;
  cudaMalloc(&p, 4);
  k<<<7, 1>>>(p);
  *(volatile int *)16 = 1;
}
