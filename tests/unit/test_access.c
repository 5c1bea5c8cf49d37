/* test_access.c - loads and stores have the widths that nvcc gives them.
 *
 * Each row is what the code of nvcc 13.0 for sm_90 has for a kernel of
 * tests/front/access.cu: how many accesses of one kind, all of them this wide. */
#include "unit.h"
#include "source.h"

static const struct {
  const char *kernel;
  ww_op op;
  ww_space space;
  uint32_t n, bytes;
} rows[] = {
    {"through_half", WW_OP_ST, WW_SHARED, 1, 16},
    {"through_half", WW_OP_LD, WW_SHARED, 1, 16},
    {"through_half", WW_OP_ST, WW_GLOBAL, 1, 16},
    {"word_of_bytes", WW_OP_LD, WW_SHARED, 1, 4},
    {"word_of_bytes", WW_OP_ST, WW_SHARED, 1, 1},
    {"fields", WW_OP_LD, WW_GLOBAL, 4, 4},
    {"packed_field", WW_OP_LD, WW_GLOBAL, 4, 1},
    {"part_of_vector", WW_OP_LD, WW_GLOBAL, 2, 4},
    {"neighbours", WW_OP_LD, WW_SHARED, 1, 16},
    {"padded", WW_OP_LD, WW_SHARED, 4, 4},
    {"dynamic", WW_OP_LD, WW_SHARED, 1, 16},
    {"global_words", WW_OP_LD, WW_GLOBAL, 4, 4},
    {"store_pair", WW_OP_ST, WW_SHARED, 1, 8},
};

static void as_wide_as_nvcc_has_them(void **state) {
  (void)state;
  for (size_t r = 0; r < WW_COUNT(rows); r++) {
    const ww_fn *fn = ww_ir_find(&unit.module, rows[r].kernel);
    uint32_t n = 0;
    assert_non_null(fn);
    ww_ins_walk w = {.fn = fn};
    for (const ww_ins *i; (i = ww_next_ins(&w));) {
      ww_space space = i->space == WW_GENERIC ? WW_GLOBAL : i->space;
      if (i->op != rows[r].op || space != rows[r].space)
        continue;
      uint32_t bytes = i->n * ww_type_bytes[i->type];
      if (bytes != rows[r].bytes)
        fail_msg("%s: %u bytes instead of %u", rows[r].kernel, bytes, rows[r].bytes);
      n++;
    }
    if (n != rows[r].n)
      fail_msg("%s: %u accesses of %u bytes instead of %u", rows[r].kernel, n,
               rows[r].bytes, rows[r].n);
  }
}

/* An array behind six words of another: one word alone, pairs of the array. */
static void an_array_lies_where_it_lies(void **state) {
  (void)state;
  uint32_t of[17] = {0};
  ww_ins_walk w = {.fn = ww_ir_find(&unit.module, "second_array")};
  for (const ww_ins *i; (i = ww_next_ins(&w));)
    if (i->op == WW_OP_LD && i->space == WW_SHARED)
      of[i->n * ww_type_bytes[i->type]]++;
  assert_int_equal(of[4], 1);
  assert_int_equal(of[8], 2);
  assert_int_equal(of[16], 0);
}

static int load(void **state) {
  (void)state;
  return source_load("tests/front/access.cu");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_wide_as_nvcc_has_them),
      cmocka_unit_test(an_array_lies_where_it_lies),
  };
  return cmocka_run_group_tests(tests, load, source_unload);
}
