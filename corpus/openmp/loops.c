// Loops offloaded with OpenMP: one target region a function.
#include <math.h>

// Every third element scaled and moved together.
// warpwise: grid=(n+127)/128 block=128 n=1<<20 x=[3*n] y=[n]
void pick_third(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 3 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; i++) y[i] = 0.5f * x[3 * i] + x[3 * i + 1];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=[n] y=[n]
void smooth_step(int n, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; i++) {
    double v = x[i] < 0.0 ? 0.0 : x[i] > 1.0 ? 1.0 : x[i];
    y[i] = v * v * v * (v * (v * 6.0 - 15.0) + 10.0);
  }
}

// warpwise: grid=(n+127)/128 block=128 n=1<<20 m=1<<20 at=[n]:uniform(0,m) table=[m]:uniform(0,100000) y=[n]
void gather_rows(int n, int m, const int *at, const int *table, int *y) {
#pragma omp target teams distribute parallel for map(to : at[0 : n], table[0 : m]) map(from : y[0 : n])
  for (int i = 0; i < n; i++) y[i] = table[at[i] % m] ^ (i << 3);
}

// Sum over a loop, one result.
// warpwise: grid=264 block=256 n=1<<22 sum=[1]:zeros x=[n]
double sum_squares(int n, const float *x) {
  double sum = 0.0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : x[0 : n])
  for (int i = 0; i < n; i++) sum += (double)x[i] * x[i];
  return sum;
}

// warpwise: grid=132 block=128 n=1<<20 top=[1]:zeros x=[n]:uniform(0,1000000)
int largest(int n, const int *x) {
  int top = 0;
#pragma omp target teams distribute parallel for reduction(max : top) map(to : x[0 : n])
  for (int i = 0; i < n; i++) top = x[i] > top ? x[i] : top;
  return top;
}

// Bytes that lie in a range.
// warpwise: grid=528 block=128 n=1<<22 count=[1]:zeros x=[n]:uniform(0,256)
long count_range(int n, const unsigned char *x) {
  long count = 0;
#pragma omp target teams distribute parallel for reduction(+ : count) map(to : x[0 : n])
  for (int i = 0; i < n; i++) count += x[i] >= 48 && x[i] < 58;
  return count;
}

// Collatz lengths: loops inside of very different length.
// warpwise: grid=(n+127)/128 block=128 n=131072 steps=[n]
void collatz_steps(int n, int *steps) {
#pragma omp target teams distribute parallel for map(from : steps[0 : n])
  for (int i = 0; i < n; i++) {
    unsigned long v = i + 1;
    int k = 0;
    while (v != 1 && k < 500) v = v & 1 ? 3 * v + 1 : v >> 1, k++;
    steps[i] = k;
  }
}

// warpwise: grid=(n+127)/128 block=128 n=262144 terms=24 x=[n] y=[n]
void cosine_series(int n, int terms, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; i++) {
    float v = x[i] * x[i], term = 1.0f, s = 1.0f;
    for (int k = 1; k <= terms; k++) {
      term *= -v / (float)(2 * k * (2 * k - 1));
      s += term;
    }
    y[i] = s;
  }
}

// Votes with atomics in 64 bins.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 x=[n]:uniform(0,100000) bins=[64]:zeros
void vote_bins(int n, const unsigned *x, int *bins) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : bins[0 : 64])
  for (int i = 0; i < n; i++) {
    unsigned h = x[i] * 2654435769u;
#pragma omp atomic
    bins[h >> 26] += 1;
  }
}
