/* OpenMP in C, where sqrt is a function of doubles. */
/* expect: double-constant */
#include <math.h>
#include <stdio.h>

/* warpwise: n=1<<21 x=[n] */
void damp(float *x, int n) {
  printf("damping by %g\n", 0.5);
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) {
    float v = x[i];
    for (int k = 0; k < 8; k++) v = 0.5 * v + 0.25 * sqrt(v + 1.0);
    x[i] = v;
  }
}
