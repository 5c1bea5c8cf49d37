/* Three regions on mapped arrays: a loop, a reduction with a given shape, a firstprivate array.
 * `run`: kernels are executed, so results are checked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int n = 100000, run = argc > 1 && !strcmp(argv[1], "run");
  float a = 2.5f, sum = 0;
  double small[4] = {1, 2, 3, 4};
  float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  for (int i = 0; i < n; i++) x[i] = (float)(i % 7), y[i] = 1;
#pragma omp target data map(to : x [0:n]) map(tofrom : y [0:n])
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) y[i] += a * x[i];
#pragma omp target teams distribute parallel for reduction(+ : sum) num_teams(10) thread_limit(64) map(tofrom : sum)
    for (int i = 0; i < 1000; i++) sum += y[i];
#pragma omp target firstprivate(small)
    y[0] = (float)small[2];
  }
  if (!run) return y[5] == 1 ? 0 : 1;
  float want = 0;
  for (int i = 0; i < 1000; i++) want += 1 + a * (float)(i % 7);
  printf("%g %g %g\n", sum, want, y[0]);
  return sum == want && y[0] == 3 && y[5] == 1 + a * 5 ? 0 : 1;
}
