// Math functions touch no memory: what the loop reads and takes the root of stays the same.
#include <math.h>
void omp_math(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int round = 0; round < 200; round++) sum = sum * 0.5f + sqrtf(x[i]);
    y[i] = sum;
  }
}
