void omp_matmul(int m, int n, int k, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for collapse(2) map(to : A[0 : m * k], B[0 : k * n]) map(from : C[0 : m * n])
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0.0f;
      for (int l = 0; l < k; l++) sum += A[i * k + l] * B[l * n + j];
      C[i * n + j] = sum;
    }
}
