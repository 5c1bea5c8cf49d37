/* OpenMP on the host, beside one region for the device: each construct must do its work exactly once. */
#include <omp.h>
#include <stdlib.h>

static int private_count;
#pragma omp threadprivate(private_count)

static int loops(void) {
  int n = 100, sum = 0, order = 0, in_order = 1;
#pragma omp parallel for reduction(+ : sum) schedule(static, 7)
  for (int i = 0; i < n; i++) sum += i;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 3)
  for (int i = 0; i < n; i++) sum += i;
#pragma omp parallel for reduction(+ : sum) schedule(guided)
  for (long i = n - 1; i >= 0; i -= 3)
    for (int j = 0; j < 1; j++) sum++;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < n; i++) {
#pragma omp ordered
    in_order &= order++ == i;
  }
#pragma omp parallel for schedule(dynamic) /* no iteration at all */
  for (unsigned i = 5; i < 5; i++) sum = -1;
#pragma omp parallel for collapse(2) lastprivate(order)
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) order = 4 * i + j;
  return sum == 4950 + 4950 + 34 && in_order && order == 15;
}

static int fibonacci(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static int tasks(void) {
  int f = 0, sum = 0, parts = 0, once = 0, critical = 0, count[3] = {0};
#pragma omp parallel num_threads(4)
  {
#pragma omp single
    {
      f = fibonacci(15);
#pragma omp taskloop shared(sum)
      for (int i = 0; i < 50; i++) {
#pragma omp atomic
        sum += i;
      }
    }
#pragma omp sections
    {
#pragma omp section
      count[0]++;
#pragma omp section
      count[1]++;
#pragma omp section
      count[2]++;
    }
#pragma omp master
    once++;
#pragma omp critical
    critical += omp_get_num_threads() == 1 && omp_get_thread_num() == 0;
#pragma omp barrier
    private_count++;
#pragma omp atomic update
    parts++;
  }
  return f == 610 && sum == 1225 && once == 1 && critical == 1 && count[0] == 1 && count[1] == 1 && count[2] == 1 &&
         private_count == 1 && parts == 1;
}

static int many_variables(void) { /* a region that captures more than the registers hold */
  double a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12, m = 13, n = 14, o = 15,
         p = 16, q = 17, r = 18, s = 19, t = 20;
#pragma omp parallel
  {
#pragma omp critical
    a += b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t;
  }
  return a == 210;
}

int main(void) {
  omp_lock_t lock;
  double t = omp_get_wtime();
  int *x = calloc(64, sizeof *x);
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  if (omp_test_lock(&lock)) return 1;
  omp_unset_lock(&lock);
  if (!loops()) return 2;
  if (!tasks()) return 3;
  if (!many_variables()) return 4;
  if (omp_get_num_devices() != 1 || !omp_is_initial_device() || omp_get_wtime() < t) return 5;
#pragma omp target parallel for map(tofrom : x [0:64])
  for (int i = 0; i < 64; i++) x[i] = i;
  return 0;
}
