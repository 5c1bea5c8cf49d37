/* Variables of the device: `declare target` has a copy with the initial value, `link` has none until it is mapped. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma omp declare target(table)
float big[64];
#pragma omp declare target link(big)

int main(int argc, char **argv) {
  int d[8], sum = 0, run = argc > 1 && !strcmp(argv[1], "run");
  table[1] = 20; /* on the host only */
  if (!omp_target_is_present(table, 0)) return 1;
  omp_target_memcpy(d, omp_get_mapped_ptr(table, 0), sizeof d, 0, 0, omp_get_initial_device(), 0);
  if (d[0] != 1 || d[1] != 2) return 2;
#pragma omp target update to(table)
  omp_target_memcpy(d, omp_get_mapped_ptr(table, 0), sizeof d, 0, 0, omp_get_initial_device(), 0);
  if (d[1] != 20) return 3;
#pragma omp target map(tofrom : sum)
  for (int i = 0; i < 8; i++) sum += table[i];
  if (run && sum != 54) return 4;
#pragma omp target data map(tofrom : big)
  {
    if (!omp_target_is_present(big, 0)) exit(5);
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 64; i++) big[i] = (float)i;
  }
  if (run && big[63] != 63) return 6;
  return omp_target_is_present(big, 0) ? 7 : 0;
}
