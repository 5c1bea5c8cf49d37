/* Data regions, no matter what runs on the device: references, updates, deletion, sections, the API's own memory. Each check
 * has a number, which is the exit code when it fails. */
#include <omp.h>
#include <stdlib.h>

#define CHECK(number, condition) \
  if (!(condition)) exit(number) /* no return out of a data region */

static int on_device(const int *host) { /* the device's copy of one integer, -1 where there is none */
  int v = -1;
  const void *p = omp_get_mapped_ptr(host, 0);
  if (p) omp_target_memcpy(&v, p, sizeof v, 0, 0, omp_get_initial_device(), 0);
  return v;
}

static void references(int *x, int n) {
#pragma omp target enter data map(to : x [0:n])
  CHECK(1, omp_target_is_present(x, 0) && on_device(x + 3) == 3);
  x[3] = 30;
#pragma omp target data map(to : x [0:n]) /* there already: nothing is copied */
  {
    CHECK(2, on_device(x + 3) == 3);
#pragma omp target data map(always, to : x [0:n])
    CHECK(3, on_device(x + 3) == 30);
  }
  x[4] = 40;
#pragma omp target exit data map(from : x [0:n]) /* the last: copies back and ends it */
  CHECK(4, x[4] == 4 && !omp_target_is_present(x, 0));
#pragma omp target enter data map(alloc : x [0:n])
#pragma omp target enter data map(alloc : x [0:n])
#pragma omp target exit data map(delete : x [0:n])
  CHECK(5, !omp_target_is_present(x, 0));
}

static void updates(int *x, int n) {
#pragma omp target data map(to : x [0:n])
  {
    x[7] = 70, x[8] = 80;
#pragma omp target update to(x [7:1])
    CHECK(10, on_device(x + 7) == 70 && on_device(x + 8) == 8);
#pragma omp target update from(x [8:1])
    CHECK(11, x[8] == 8);
  }
  CHECK(12, x[7] == 70);
}

static void sections(int *x, int n) {
#pragma omp target data map(tofrom : x [n / 2:n / 2])
  {
    CHECK(20, omp_target_is_present(x + n / 2, 0) && !omp_target_is_present(x, 0));
#pragma omp target teams distribute parallel for map(tofrom : x [n / 2:n / 2])
    for (int i = n / 2; i < n; i++) x[i]++;
  }
}

static void own_memory(int *x, int n) {
  size_t bytes = (size_t)n * sizeof *x;
  int *d = omp_target_alloc(bytes, 0);
  CHECK(30, d && !omp_target_memcpy(d, x, bytes, 0, 0, 0, omp_get_initial_device()));
  CHECK(31, !omp_target_associate_ptr(x, d, bytes, 0, 0) && omp_get_mapped_ptr(x + 1, 0) == d + 1);
  x[1] = -5;
#pragma omp target data map(to : x [0:n]) use_device_ptr(x)
  CHECK(32, x == d);
  CHECK(33, !omp_target_disassociate_ptr(x, 0) && !omp_target_is_present(x, 0));
#pragma omp target teams distribute parallel for is_device_ptr(d)
  for (int i = 0; i < n; i++) d[i] = i;
  omp_target_free(d, 0);
#pragma omp target device(omp_get_initial_device()) map(tofrom : x [0:n]) /* runs on the host */
  x[2] = 1234;
  CHECK(34, x[2] == 1234);
}

int main(void) {
  int n = 1000, *x = malloc((size_t)n * sizeof *x);
  for (int i = 0; i < n; i++) x[i] = i;
  references(x, n);
  for (int i = 0; i < n; i++) x[i] = i;
  updates(x, n);
  sections(x, n);
  own_memory(x, n);
  return 0;
}
