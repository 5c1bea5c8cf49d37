/* test_emulate.c - the device memory of emulated programs, and memory that the
 * interpreter borrows from them. */
#include "unit.h"

#include <stdlib.h>

#include "../../src/measure/emulate/runtime/emu.h"
#include "../../src/trace/trace.h"

static uint64_t number(const void *p) {
  return (uint64_t)(uintptr_t)p;
}

static void allocations_are_found_by_any_address_in_them(void **state) {
  (void)state;
  enum { N = 200 };
  char *p[N];
  ww_emu_block b;
  for (int i = 0; i < N; i++)
    assert_non_null(p[i] = ww_emu_alloc(1 + 3001ull * (uint64_t)i, EMU_DEVICE));
  for (int i = 0; i < N; i++) {
    uint64_t n = 1 + 3001ull * (uint64_t)i;
    assert_int_equal(number(p[i]) % 256, 0);
    for (uint64_t at = 0; at < n; at += 997)
      assert_int_equal(p[i][at], 0);
    const uint64_t offsets[] = {0, n / 2, n - 1, n};
    for (int k = 0; k < 4; k++) {
      assert_true(ww_emu_find(number(p[i]) + offsets[k], &b));
      assert_int_equal(b.base, number(p[i]));
      assert_int_equal(b.bytes, n);
    }
    assert_true(!ww_emu_find(number(p[i]) - 1, &b) || b.base != number(p[i]));
    assert_true(!ww_emu_find(number(p[i]) + n + 1, &b) || b.base != number(p[i]));
  }
  for (int i = 0; i < N; i += 2)
    assert_true(ww_emu_free(p[i], false));
  for (int i = 0; i < N; i++)
    assert_int_equal(ww_emu_find(number(p[i]), &b) && b.base == number(p[i]), i & 1);
  for (int i = 1; i < N; i += 2)
    assert_true(ww_emu_free(p[i], false));
}

static void what_is_not_an_allocation_is_not_freed(void **state) {
  (void)state;
  char *p = ww_emu_alloc(1000, EMU_DEVICE), *h = ww_emu_alloc(1000, EMU_PINNED),
       own[16];
  assert_false(ww_emu_free(p + 1, false));
  assert_false(ww_emu_free(own, false));
  assert_false(ww_emu_free(p, true)); /* not host memory */
  assert_false(ww_emu_free(h, false));
  assert_true(ww_emu_free(p, false));
  assert_false(ww_emu_free(p, false));
  assert_true(ww_emu_free(h, true));
}

static void ids_are_never_used_again(void **state) {
  (void)state;
  uint64_t last = 0;
  for (int i = 0; i < 10; i++) {
    ww_emu_block b;
    void *p = ww_emu_alloc(1 << 20, EMU_MANAGED);
    assert_true(ww_emu_find(number(p), &b));
    assert_true(b.id > last);
    last = b.id;
    assert_true(ww_emu_free(p, false));
  }
}

static void the_gpus_memory_is_a_limit(void **state) {
  (void)state;
  uint64_t all = ww_emu_get()->memory, before = ww_emu_used();
  assert_null(ww_emu_alloc(all + 1, EMU_DEVICE));
  void *p = ww_emu_alloc(1 << 20, EMU_DEVICE);
  assert_null(ww_emu_alloc(all - before - (1 << 20) + 1, EMU_DEVICE));
  assert_int_equal(ww_emu_used(), before + (1 << 20));
  ww_emu_free(p, false);
  assert_int_equal(ww_emu_used(), before);
}

static void borrowed_memory_keeps_its_address_and_contents(void **state) {
  (void)state;
  uint8_t *host = calloc(3, 10000);
  ww_memory *m = ww_memory_new(1);
  host[10000] = 7;
  assert_non_null(
      ww_memory_borrow(m, host + 20000, 10000, WW_GLOBAL)); /* in any order */
  assert_non_null(ww_memory_borrow(m, host, 10000, WW_GLOBAL));
  assert_non_null(ww_memory_borrow(m, host + 10000, 10000, WW_CONST));
  assert_null(ww_memory_borrow(m, host + 9999, 1, WW_GLOBAL)); /* taken */
  assert_null(ww_memory_borrow(m, host + 19999, 2, WW_GLOBAL));
  assert_null(
      ww_memory_borrow(m, (void *)4096, 16,
                       WW_GLOBAL)); /* among the windows of shared and local memory */
  assert_ptr_equal(ww_memory_at(m, number(host) + 10000, 10000), host + 10000);
  assert_null(ww_memory_at(m, number(host) + 9000, 1001));
  *(uint8_t *)ww_memory_at(m, number(host) + 20001, 1) = 9;
  ww_memory_free(m);
  assert_int_equal(host[10000], 7);
  assert_int_equal(host[20001], 9);
  free(host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(allocations_are_found_by_any_address_in_them),
      cmocka_unit_test(what_is_not_an_allocation_is_not_freed),
      cmocka_unit_test(ids_are_never_used_again),
      cmocka_unit_test(the_gpus_memory_is_a_limit),
      cmocka_unit_test(borrowed_memory_keeps_its_address_and_contents),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
