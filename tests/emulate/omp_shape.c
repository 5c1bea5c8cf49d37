/* Teams and threads as the offload runtime chooses them; the expected shapes follow its rules (src/report/omp_shape.c). */
#include <stdlib.h>

int main(void) {
  int n = 1 << 20;
  float *x = calloc((size_t)n, sizeof *x);
#pragma omp target data map(tofrom : x [0:n])
  {
#pragma omp target teams distribute parallel for /* more than 3200 teams of 128 */
    for (int i = 0; i < n; i++) x[i] += 1;
#pragma omp target teams distribute parallel for /* teams of 64, so that there are enough */
    for (int i = 0; i < 150000; i++) x[i] += 2;
#pragma omp target teams distribute parallel for /* one warp each, as many as it takes */
    for (int i = 0; i < 1000; i++) x[i] += 3;
#pragma omp target teams distribute parallel for thread_limit(256) /* a limit is kept */
    for (int i = 0; i < 1000; i++) x[i] += 4;
#pragma omp target teams distribute parallel for num_teams(7) num_threads(96)
    for (int i = 0; i < 1000; i++) x[i] += 5;
#pragma omp target teams distribute /* one team for each row */
    for (int r = 0; r < 500; r++) {
#pragma omp parallel for
      for (int c = 0; c < 100; c++) x[r * 100 + c] += 6;
    }
#pragma omp target /* one team */
    x[0] = 7;
#pragma omp target teams num_teams(5) thread_limit(32)
    x[0] = 8;
  }
  free(x);
  return 0;
}
