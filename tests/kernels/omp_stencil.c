void omp_stencil(int n, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : b[0 : n])
  for (int i = 1; i < n - 1; i++) b[i] = 0.25f * (a[i - 1] + a[i + 1]) + 0.5f * a[i];
}
