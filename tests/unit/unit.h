/* unit.h - cmocka with what it wants included first, and an arena for each test. */
#ifndef WW_UNIT_H
#define WW_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../src/base/base.h"

static inline int arena_setup(void **state) {
  *state = ww_arena_new();
  return 0;
}

static inline int arena_teardown(void **state) {
  ww_arena_free(*state);
  return 0;
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, arena_setup, arena_teardown)
#define RUN(tests) cmocka_run_group_tests(tests, NULL, NULL)

/* assert_string_equal with the line of the caller's table row */
#define check_text(got, want, row)                                            \
  do {                                                                        \
    if (strcmp((got), (want)) != 0)                                           \
      fail_msg("row %d: got \"%s\", want \"%s\"", (int)(row), (got), (want)); \
  } while (0)

#endif
