// Shapes and arguments of target regions.
#include <stdlib.h>

int main(void) {
  int n = 1 << 20;
  float a = 2.0f, *x = malloc(n * sizeof(float)), *y = malloc(n * sizeof(float));
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n]) num_teams(100) thread_limit(64)
  for (int i = 0; i < n; i++) y[i] += a * x[i];
#pragma omp target data map(to : x[0 : n]) map(tofrom : y[0 : n])
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) y[i] -= a * x[i];
  }
  return 0;
}
