// Two teams for 1000 iterations: each walks four chunks.
void omp_few_teams(int n, const int *x, int *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; i++) y[i] = x[n - 1 - i] * 3;
}
