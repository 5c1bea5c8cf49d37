// Structs with pointer members, a user-defined mapper, a lambda: the device's pointers point to device memory and stay
// there when the struct around them is copied.
#include <omp.h>
#include <cstdlib>

struct Field {
  int n, pad;
  float *v;
  double unused[6];
};
struct Pair {
  int n, pad;
  float *v;
};
#pragma omp declare mapper(Pair p) map(p, p.v [0:p.n])

template <class T> static T device_copy(const T &host) {
  T v{};
  void *p = omp_get_mapped_ptr(&host, 0);
  if (p) omp_target_memcpy(&v, p, sizeof v, 0, 0, omp_get_initial_device(), 0);
  return v;
}

int main(int argc, char **) {
  const bool run = argc > 1;
  alignas(16) Field f = {64, 0, (float *)calloc(64, 4), {}};
  alignas(16) Pair p = {32, 0, (float *)calloc(32, 4)};
  float *host = f.v;
#pragma omp target data map(to : f) map(tofrom : f.v [0:f.n])
  {
    Field d = device_copy(f);
    if (d.n != 64 || d.v == host || d.v != omp_get_mapped_ptr(f.v, 0)) exit(1);
    f.n = 50;
#pragma omp target update to(f)
    d = device_copy(f);
    if (d.n != 50 || d.v != omp_get_mapped_ptr(f.v, 0)) exit(2);
#pragma omp target update from(f)
    if (f.v != host) exit(3);
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 50; i++) f.v[i] = (float)i;
  }
  if (omp_target_is_present(host, 0)) return 4;
#pragma omp target data map(mapper(default), tofrom : p)
  {
    Pair d = device_copy(p);
    if (d.n != 32 || d.v == p.v || d.v != omp_get_mapped_ptr(p.v, 0)) exit(5);
#pragma omp target map(tofrom : p)
    p.v[0] = 1;
  }
  if (omp_target_is_present(p.v, 0)) return 6;
#pragma omp target data map(tofrom : f.v [0:8])
  {
    float *v = f.v;
    auto add = [=](int i) { v[i] += 1; };
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 8; i++) add(i);
  }
  return run && (host[49] != 49 || host[7] != 8 || p.v[0] != 1) ? 7 : 0;
}
