// Every iteration adds to one number.
void hot(const float *x, float *sum, int n) {
#pragma omp target teams distribute parallel for map(to                    \
                                                     : x [0:n]) map(tofrom \
                                                                    : sum [0:1])
  for (int i = 0; i < n; i++) {
#pragma omp atomic update
    sum[0] += x[i];
  }
}
int main(void) {
  static float x[1 << 20], sum[1];
  hot(x, sum, 1 << 20);
  return 0;
}
