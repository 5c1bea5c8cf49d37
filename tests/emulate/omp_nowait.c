/* Asynchronous regions and data: done at the latest where the program waits. */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int n = 4096, run = argc > 1 && !strcmp(argv[1], "run");
  int *x = malloc((size_t)n * sizeof *x);
  for (int i = 0; i < n; i++) x[i] = i;
#pragma omp target enter data map(to : x [0:n]) nowait depend(out : x[0])
#pragma omp target teams distribute parallel for nowait depend(inout : x[0])
  for (int i = 0; i < n; i++) x[i] *= 2;
#pragma omp target teams distribute parallel for nowait depend(inout : x[0])
  for (int i = 0; i < n; i++) x[i] += 1;
#pragma omp target update from(x [0:n]) nowait depend(inout : x[0])
#pragma omp taskwait
#pragma omp target exit data map(delete : x [0:n])
  return x[100] == (run ? 201 : 100) ? 0 : 1;
}
