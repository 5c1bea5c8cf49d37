// A target region with an error is a lost kernel; the other regions and the host code around them stay.
#include <stdlib.h>

static float scale(float x) { return 2.0f * x; }
static float lost(float x) { return undeclared_thing * x; }

int main(void) {
  int n = 1 << 16;
  float *x = malloc(n * sizeof *x);
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) x[i] = scale(x[i]);
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) {
    x[i] = no_such_name;
  }
  report_to_nobody(&missing_variable, n);
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n]) num_teams(32) thread_limit(64)
  for (int i = 0; i < n; i++) x[i] = lost(x[i]);
  return 0;
}
