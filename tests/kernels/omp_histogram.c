void omp_histogram(int n, const int *x, int *bins) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : bins[0 : 16])
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    bins[x[i] & 15] += 1;
  }
}
