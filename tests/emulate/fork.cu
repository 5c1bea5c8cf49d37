// A program whose child launches too: both write a recording, which become one.
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

__global__ void twice(int *p) { p[blockIdx.x] *= 2; }

int main() {
  int *p;
  cudaMalloc(&p, 64);
  twice<<<4, 1>>>(p);
  if (fork() == 0) {
    twice<<<8, 1>>>(p);
    exit(0);
  }
  return wait(nullptr) < 0;
}
