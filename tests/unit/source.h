/* source.h - a source file read once for a group of tests. */
#ifndef WW_TEST_SOURCE_H
#define WW_TEST_SOURCE_H

#include "../../src/front/front.h"
#include "../../src/trace/inputs.h"

static ww_unit unit;
static ww_arena *unit_arena;

static inline int source_load(const char *file) {
  ww_front_options o = {.files = &file, .nfiles = 1, .dialect = -1, .no_sdk = true};
  ww_err e = {0};
  unit_arena = ww_arena_new();
  if (ww_front_load(&o, unit_arena, &unit, &e)) {
    print_error("%s\n", e.msg);
    return 1;
  }
  return 0;
}

/* What such a comment says of a launch of the kernel. */
static inline ww_status source_launch(
    const ww_fn *fn, const char *comment, ww_arena *a, ww_launch *l, ww_err *e) {
  ww_launch_params params = ww_kernel_params(&unit.module, fn, a);
  *l = (ww_launch){0};
  return ww_launch_settle(l, comment, NULL, &params, a, e);
}

static inline int source_unload(void **state) {
  (void)state;
  ww_arena_free(unit_arena);
  return 0;
}

#endif
