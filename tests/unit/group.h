/* group.h - cmocka with what it wants included first, and one arena for a group of
 * tests (unit.h: one for each test). */
#ifndef WW_TEST_GROUP_H
#define WW_TEST_GROUP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../src/base/base.h"

static ww_arena *arena;

static inline int group_setup(void **state) {
  (void)state;
  arena = ww_arena_new();
  return 0;
}

static inline int group_teardown(void **state) {
  (void)state;
  ww_arena_free(arena);
  return 0;
}

#endif
