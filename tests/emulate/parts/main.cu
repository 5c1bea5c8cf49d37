#include <cstdio>
void step(float *p, int n);
int main() {
  float *p;
  cudaMalloc(&p, 4096 * sizeof *p);
  step(p, 4096);
  fprintf(stderr, "to the error stream\n");
  puts("stepped");
}
