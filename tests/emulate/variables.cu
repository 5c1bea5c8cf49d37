// options: --env BLOCKS=3 --env=TMPDIR=/nowhere
// What --env gives is in the program's environment, its scratch folder stays.
#include <cstdlib>
#include <cstring>

__global__ void fill(float *x) {
  x[blockIdx.x] = 1;
}

int main() {
  const char *blocks = getenv("BLOCKS");
  float *x;
  if (!blocks || !strcmp(getenv("TMPDIR"), "/nowhere"))
    return 1;
  cudaMalloc(&x, 1024);
  fill<<<atoi(blocks), 32>>>(x);
  return 0;
}
