/* test_sizes.c - a launch at another size: arguments, grid and buffers follow; what is
 * no size stays. */
#include "unit.h"

#include "../../src/trace/inputs.h"
#include "../../src/query/query.h"
#include "../../src/trace/sizes.h"
#include "source.h"

/* The kernel of a file, its launch completed, times f. */
static bool
scaled(const char *file, double f, ww_arena *a, ww_launch *out, const char **names) {
  ww_err e = {0};
  ww_launch l = {0};
  ww_assumed said = {0};
  char *text;
  size_t n;
  if (source_load(file) || ww_read_file(a, file, 1 << 20, &text, &n, &e))
    fail_msg("%s does not load", file);
  const ww_fn *fn = NULL;
  for (uint32_t k = 0; !fn && k < unit.module.nfns; k++)
    if (unit.module.fns[k].kernel)
      fn = &unit.module.fns[k];
  const char *comment = ww_source_comment(text, n, fn->line, a);
  if (source_launch(fn, comment, a, &l, &e) ||
      ww_inputs_complete(&unit.module, fn, &l, NULL, &said, a, &e))
    fail_msg("%s: %s", file, e.msg);
  bool any = ww_launch_scale(fn, &l, f, a, out, names);
  *names = any ? ww_strdup(a, *names) : NULL;
  source_unload(NULL);
  return any;
}

static void squares(void **state) {
  ww_launch l;
  const char *names;
  assert_true(scaled("tests/explain/matmul.cu", 2, *state, &l, &names));
  assert_string_equal(names, "n");
  assert_int_equal(l.args[3].ivalue, 4096);
  assert_int_equal(l.grid[0], 256);
  assert_int_equal(l.grid[1], 256);
  assert_int_equal(l.block[0], 16);
  assert_true(l.args[0].buffer.bytes >= 4 * 4096ull * 4096);
  assert_true(l.args[0].buffer.bytes < 4 * 4096ull * 4100);
  assert_true(scaled("tests/explain/matmul.cu", 0.5, *state, &l, &names));
  assert_int_equal(l.args[3].ivalue, 1024);
  assert_int_equal(l.grid[1], 64);
  assert_true(l.args[2].buffer.bytes < 4 * 1024ull * 1028);
}

/* A loop over the grid has the blocks that it had. */
static void grid_stride(void **state) {
  ww_launch l;
  const char *names;
  assert_true(scaled("tests/explain/good/double_sum.cu", 4, *state, &l, &names));
  assert_int_equal(l.args[2].ivalue, 1 << 26);
  assert_int_equal(l.grid[0], 1056);
  assert_true(l.args[0].buffer.bytes >= 4ull << 26);
}

static void no_sizes(void **state) {
  ww_launch l;
  const char *names;
  assert_false(scaled("tests/explain/good/scores.cu", 2, *state, &l, &names));
}

static void shares_of_blocks(void **state) {
  (void)state;
  assert_int_equal(ww_elements_per_block(1 << 20, 4096, 256), 256);
  assert_int_equal(ww_elements_per_block(1 << 20, 1024, 256), 1024);
  assert_int_equal(ww_elements_per_block(4096, 512, 256), 8); /* a warp for each row */
  assert_int_equal(ww_elements_per_block(1 << 20, 1000, 256), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(squares), TEST(grid_stride), TEST(no_sizes),
                                     TEST(shares_of_blocks)};
  return RUN(tests);
}
