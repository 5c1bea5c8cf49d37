/* test_fill.c - what buffers hold: frozen bytes, the same in any split, and the
 * distributions they promise. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "../../src/report/launch.h"

#define N 100000

static void *filled(ww_fill f, const char *type, uint64_t n, ww_arena *a) {
  void *p = ww_alloc(a, n * ww_elem_size(type));
  ww_fill_bytes(&f, type, n, ww_fill_seed(1, 0), 0, n, p);
  return p;
}

static void element_sizes(void **state) {
  (void)state;
  assert_int_equal(ww_elem_size("f32"), 4);
  assert_int_equal(ww_elem_size("f16"), 2);
  assert_int_equal(ww_elem_size("bf16"), 2);
  assert_int_equal(ww_elem_size("double"), 8);
  assert_int_equal(ww_elem_size("float4"), 16);
  assert_int_equal(ww_elem_size("f32x4"), 16);
  assert_int_equal(ww_elem_size("i8x16"), 16);
  assert_int_equal(ww_elem_size("uchar3"), 3);
  assert_int_equal(ww_elem_size("bool"), 1);
  assert_int_equal(ww_elem_size("f31"), 0);
  assert_int_equal(ww_elem_size("float5"), 0);
  assert_int_equal(ww_elem_size(""), 0);
  assert_int_equal(ww_elem_size("4"), 0);
  assert_int_equal(ww_elem_size("x4"), 0);
}

/* Trained weights, recorded reports and golden tests depend on these bytes. A change
 * here is a change of format. */
static void bytes_are_frozen(void **state) {
  static const struct {
    ww_fill f;
    const char *type;
    uint64_t hash;
  } rows[] = {
#include "fill_frozen.def"
  };
  int wrong = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t bytes = 1000 * ww_elem_size(rows[i].type);
    uint64_t h = ww_hash(filled(rows[i].f, rows[i].type, 1000, *state), bytes, 0);
    if (h == rows[i].hash)
      continue;
    wrong++;
    print_error("row %d: 0x%016llx\n", (int)i, (unsigned long long)h);
  }
  assert_int_equal(wrong, 0);
}

static void any_split_gives_the_same_bytes(void **state) {
  static const char *const types[] = {"f32", "f16", "i64", "u8", "float3"};
  for (int kind = WW_FILL_ZEROS; kind < WW_FILL_FILE; kind++)
    for (size_t t = 0; t < 5; t++) {
      ww_fill f = {.kind = (uint8_t)kind, .hi = kind == WW_FILL_UNIFORM ? 50 : 0};
      uint32_t size = ww_elem_size(types[t]);
      char *whole = filled(f, types[t], 1000, *state),
           *parts = ww_alloc(*state, 1000 * size);
      for (uint64_t at = 0, step = 1; at < 1000; at += step, step = step * 3 % 97 + 1) {
        if (at + step > 1000)
          step = 1000 - at;
        ww_fill_bytes(&f, types[t], 1000, ww_fill_seed(1, 0), at, step,
                      parts + at * size);
      }
      assert_memory_equal(whole, parts, 1000 * size);
    }
}

static void plain_kinds(void **state) {
  float *ones = filled((ww_fill){.kind = WW_FILL_ONES}, "f32", 10, *state);
  int32_t *index = filled((ww_fill){.kind = WW_FILL_INDEX}, "i32", 300, *state);
  uint8_t *wrapped = filled((ww_fill){.kind = WW_FILL_INDEX}, "u8", 300, *state);
  uint16_t *half = filled((ww_fill){.kind = WW_FILL_INDEX}, "f16", 100000, *state);
  uint16_t *bf = filled((ww_fill){.kind = WW_FILL_ONES}, "bf16", 4, *state);
  double *zeros = filled((ww_fill){.kind = WW_FILL_ZEROS}, "f64", 10, *state);
  assert_true(ones[9] == 1.0f && zeros[9] == 0);
  assert_int_equal(index[299], 299);
  assert_int_equal(wrapped[299], 299 - 256);
  assert_int_equal(half[0], 0);
  assert_int_equal(half[1], 0x3c00);
  assert_int_equal(half[3], 0x4200);
  assert_int_equal(half[2049], 0x6800);  /* ties to even: 2048 */
  assert_int_equal(half[99999], 0x7bff); /* the largest, never infinity */
  assert_int_equal(bf[3], 0x3f80);
}

static void random_floats_fill_the_unit_interval(void **state) {
  float *f = filled((ww_fill){.kind = WW_FILL_RANDOM}, "f32", N, *state);
  double sum = 0, square = 0;
  int bins[20] = {0};
  for (int i = 0; i < N; i++) {
    assert_true(f[i] >= 0 && f[i] < 1);
    sum += f[i];
    square += (double)f[i] * f[i];
    bins[(int)(f[i] * 20)]++;
  }
  double chi2 = 0;
  for (int i = 0; i < 20; i++)
    chi2 += (bins[i] - N / 20.0) * (bins[i] - N / 20.0) / (N / 20.0);
  assert_true(fabs(sum / N - 0.5) < 0.005);
  assert_true(fabs(square / N - 1.0 / 3) < 0.005);
  assert_true(chi2 < 45); /* 19 degrees of freedom, p = 0.0007 */
}

static void small_floats_stay_below_one(void **state) {
  uint16_t *h = filled((ww_fill){.kind = WW_FILL_RANDOM}, "f16", N, *state);
  uint16_t *b = filled((ww_fill){.kind = WW_FILL_RANDOM}, "bf16", N, *state);
  for (int i = 0; i < N; i++)
    assert_true(h[i] < 0x3c00 && b[i] < 0x3f80);
}

static void uniform_keeps_its_bounds(void **state) {
  int32_t *i32 =
      filled((ww_fill){.kind = WW_FILL_UNIFORM, .lo = -3, .hi = 4}, "i32", N, *state);
  float *f32 = filled((ww_fill){.kind = WW_FILL_UNIFORM, .lo = 1000, .hi = 1001}, "f32",
                      N, *state);
  int seen[7] = {0};
  for (int i = 0; i < N; i++) {
    assert_true(i32[i] >= -3 && i32[i] < 4);
    assert_true(f32[i] >= 1000 && f32[i] < 1001);
    seen[i32[i] + 3]++;
  }
  for (int i = 0; i < 7; i++)
    assert_true(abs(seen[i] - N / 7) < N / 70);
}

static void random_integers_use_all_values(void **state) {
  uint8_t *u = filled((ww_fill){.kind = WW_FILL_RANDOM}, "u8", N, *state);
  uint8_t *b = filled((ww_fill){.kind = WW_FILL_RANDOM}, "bool", N, *state);
  int seen[256] = {0}, set = 0;
  for (int i = 0; i < N; i++) {
    seen[u[i]]++;
    assert_true(b[i] < 2);
    set += b[i];
  }
  for (int i = 0; i < 256; i++)
    assert_true(seen[i] > 250);
  assert_true(abs(set - N / 2) < N / 100);
}

static void permutations_hit_everything_once(void **state) {
  static const uint64_t counts[] = {1, 2, 3, 5, 64, 1000, 65537};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    uint64_t n = counts[k];
    uint32_t *p = filled((ww_fill){.kind = WW_FILL_PERMUTATION}, "u32", n, *state);
    char *hit = ww_alloc(*state, n);
    uint64_t fixed = 0;
    for (uint64_t i = 0; i < n; i++) {
      assert_true(p[i] < n);
      assert_false(hit[p[i]]);
      hit[p[i]] = 1;
      fixed += p[i] == i;
    }
    if (n >= 1000)
      assert_true(fixed < 20);
  }
}

static void permutation_mixes(void **state) {
  uint32_t *p = filled((ww_fill){.kind = WW_FILL_PERMUTATION}, "u32", 65536, *state);
  double distance = 0;
  for (int i = 1; i < 65536; i++)
    distance += fabs((double)p[i] - (double)p[i - 1]);
  assert_true(fabs(distance / 65535 - 65536 / 3.0) <
              400); /* neighbours as far apart as chance puts them */
}

static void monotone_goes_from_lo_to_hi(void **state) {
  int32_t *r = filled((ww_fill){.kind = WW_FILL_MONOTONE, .lo = 0, .hi = 8.0 * (N - 1)},
                      "i32", N, *state);
  int most = 0, least = 1 << 30;
  assert_int_equal(r[0], 0);
  assert_int_equal(r[N - 1], 8 * (N - 1));
  for (int i = 1; i < N; i++) {
    int length = r[i] - r[i - 1];
    assert_true(length >= 0);
    if (length > most)
      most = length;
    if (length < least)
      least = length;
  }
  assert_true(least <= 1 && most >= 15); /* rows differ in length */
  int32_t *same = filled((ww_fill){.kind = WW_FILL_MONOTONE}, "i32", 100, *state);
  assert_int_equal(same[99], 99);
}

static void skewed_rows_rise_and_differ(void **state) {
  int32_t *r = filled((ww_fill){.kind = WW_FILL_SKEWED, .lo = 5, .hi = 5 + 8.0 * 3200},
                      "i32", 3201, *state);
  int most = 0;
  assert_int_equal(r[0], 5);
  assert_int_equal(r[3200], 5 + 8 * 3200);
  for (int i = 1; i <= 3200; i++) {
    assert_true(r[i] >= r[i - 1]);
    most = r[i] - r[i - 1] > most ? r[i] - r[i - 1] : most;
    if (i % 32 == 0)
      assert_int_equal(r[i], 5 + 8 * i); /* as many in all */
  }
  assert_int_equal(most, 8 * 33 / 2);
}

static void zipf_has_its_law(void **state) {
  uint32_t *z =
      filled((ww_fill){.kind = WW_FILL_ZIPF, .lo = 10, .hi = 1010}, "u32", N, *state);
  int seen[1000] = {0};
  for (int i = 0; i < N; i++) {
    assert_true(z[i] >= 10 && z[i] < 1010);
    seen[z[i] - 10]++;
  }
  for (int k = 0; k < 8; k++) {
    double p = log2((k + 2.0) / (k + 1)) / log2(1001);
    assert_true(fabs(seen[k] / (double)N - p) < 0.006);
  }
}

static void seeds_and_allocations_differ(void **state) {
  ww_fill f = {.kind = WW_FILL_RANDOM};
  uint64_t x[4], y[4], z[4];
  (void)state;
  ww_fill_bytes(&f, "u64", 4, ww_fill_seed(1, 0), 0, 4, x);
  ww_fill_bytes(&f, "u64", 4, ww_fill_seed(1, 1), 0, 4, y);
  ww_fill_bytes(&f, "u64", 4, ww_fill_seed(2, 0), 0, 4, z);
  for (int i = 0; i < 4; i++)
    assert_true(x[i] != y[i] && x[i] != z[i] && y[i] != z[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(element_sizes),
      TEST(bytes_are_frozen),
      TEST(any_split_gives_the_same_bytes),
      TEST(plain_kinds),
      TEST(random_floats_fill_the_unit_interval),
      TEST(small_floats_stay_below_one),
      TEST(uniform_keeps_its_bounds),
      TEST(random_integers_use_all_values),
      TEST(permutations_hit_everything_once),
      TEST(permutation_mixes),
      TEST(monotone_goes_from_lo_to_hi),
      TEST(skewed_rows_rise_and_differ),
      TEST(zipf_has_its_law),
      TEST(seeds_and_allocations_differ),
  };
  return RUN(tests);
}
