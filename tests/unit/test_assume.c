/* test_assume.c - assumptions: how each kind is worded, and that reading is the inverse
 * of it. */
#include "unit.h"

#include "../../src/report/report.h"

/* Reports lie in other people's stores: a wording never changes, new kinds get new
 * ones.
 */
static const char *const worded[WW_NASSUMPTIONS] = {
    [WW_ASSUME_GPU] = "gpu: x, as none was named",
    [WW_ASSUME_HOST_LAUNCH] = "launch: as in the host code, x:3",
    [WW_ASSUME_METADATA] = "block and shared memory: as x has them",
    [WW_ASSUME_BLOCK] = "block: 3 x 40 x 5 threads, as no launch was given",
    [WW_ASSUME_GRID] = "grid: 3 x 40 x 5 blocks, as no launch was given",
    [WW_ASSUME_FITTED_GRID] =
        "grid: 3 x 40 x 5 blocks, as many as have work with what was given",
    [WW_ASSUME_SHARED_BYTES] =
        "shared: 3 bytes of dynamic shared memory, from the accesses",
    [WW_ASSUME_REGISTERS] = "registers: estimated; x",
    [WW_ASSUME_LANGUAGE_MODEL] = "all: by a language model from source, launch and "
                                 "GPU; nothing was compiled or traced",
    [WW_ASSUME_UNUSED_SYMBOL] = "symbol `x` is not used by the source: left out",
    [WW_ASSUME_NOT_GIVEN] = "x: not given",
    [WW_ASSUME_ZERO_STRUCT] = "x: a struct of 3 zero bytes",
    [WW_ASSUME_FLOAT] = "x: 3.0",
    [WW_ASSUME_INTEGER] = "x: 3",
    [WW_ASSUME_ALL_THREADS] = "x: 3, the number of threads",
    [WW_ASSUME_ROW_LENGTH] = "x: 3, as a row of usual length",
    [WW_ASSUME_AXIS_THREADS] = "x: 3, the threads along its axis",
    [WW_ASSUME_LOCAL_BYTES] = "x: 3 bytes of local memory, from the accesses",
    [WW_ASSUME_BUFFER_BYTES] = "x: 3 bytes, from the accesses",
    [WW_ASSUME_ZEROS] = "x: zeros",
    [WW_ASSUME_COUNTER] = "x: zeros, as it counts up",
    [WW_ASSUME_FLAGS] = "x: zeros, as threads wait for it to change",
    [WW_ASSUME_ROW_POINTERS] = "x: row pointers rising from 0 to 3",
    [WW_ASSUME_INDICES] = "x: integers in [3, 40), as they index other buffers",
    [WW_ASSUME_LOOP_ENDS] = "x: integers in [3, 40), as they end a loop",
    [WW_ASSUME_RANDOM_INTEGERS] = "x: random integers",
    [WW_ASSUME_RANDOM_NUMBERS] = "x: random numbers in [0, 1)",
    [WW_ASSUME_WORDED] = "x",
};

static void every_kind_is_worded(void **state) {
  for (int k = 0; k < WW_NASSUMPTIONS; k++) {
    ww_assumption x = {(ww_assumption_kind)k, "x", {3, 40, 5}};
    assert_string_equal(ww_assumption_text(&x, *state), worded[k]);
  }
}

/* With every argument that has to be told from the words around it. */
static void reading_is_the_inverse(void **state) {
  static const char *const arguments[] = {"n",          "block", "launch",
                                          "gpu",        "a: b",  "$a and 0",
                                          "a dir/f.cu", "`t`",   "x: zero"};
  for (int k = 0; k < WW_NASSUMPTIONS; k++)
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
      ww_assumption x = {(ww_assumption_kind)k, arguments[i], {0, UINT64_MAX, 10}};
      const char *sentence = ww_assumption_text(&x, *state);
      ww_assumption y = ww_assumption_read(sentence, *state);
      assert_int_equal(y.kind, k);
      if (y.argument)
        assert_string_equal(y.argument, arguments[i]);
      assert_string_equal(ww_assumption_text(&y, *state), sentence);
    }
}

/* Another program's words stay as they are, also where they resemble ours. */
static void other_sentences_are_kept(void **state) {
  static const char *const others[] = {
      "",
      "contents like those of last year",
      "x: 03 bytes, from the accesses",
      "x:  bytes, from the accesses",
      "x: 99999999999999999999 bytes, from the accesses",
      "x: -3 bytes, from the accesses",
      "block: 1 x 2 threads, as no launch was given",
      "x: zeros ",
      "gpu: h200, as none was name"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    ww_assumption x = ww_assumption_read(others[i], *state);
    assert_int_equal(x.kind, WW_ASSUME_WORDED);
    assert_string_equal(ww_assumption_text(&x, *state), others[i]);
  }
}

static void values_are_read(void **state) {
  ww_assumption x =
      ww_assumption_read("launch: as in the host code, a:b.cu:12", *state);
  assert_int_equal(x.kind, WW_ASSUME_HOST_LAUNCH);
  assert_string_equal(x.argument, "a:b.cu");
  assert_int_equal(x.value[0], 12);
  x = ww_assumption_read("block: 32 x 8 x 1 threads, as no launch was given", *state);
  assert_null(x.argument);
  assert_true(x.value[0] == 32 && x.value[1] == 8 && x.value[2] == 1);
}

static void lists(void **state) {
  ww_assumptions some = {0}, all = {0};
  char name[] = "n";
  ww_push(*state, &some, (ww_assumption){WW_ASSUME_INTEGER, name, {7}});
  ww_push(*state, &some, (ww_assumption){WW_ASSUME_GRID, NULL, {1, 2, 3}});
  ww_assumptions_add(&all, &some, *state);
  ww_assumptions_add(&all, &some, *state);
  name[0] = '?'; /* copies do not depend on the first list */
  assert_int_equal(all.n, 4);
  assert_string_equal(ww_assumptions_find(&all, WW_ASSUME_INTEGER)->argument, "n");
  assert_ptr_equal(ww_assumptions_find(&all, WW_ASSUME_GRID), &all.v[1]);
  assert_null(ww_assumptions_find(&all, WW_ASSUME_BLOCK));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(every_kind_is_worded),
      TEST(reading_is_the_inverse),
      TEST(other_sentences_are_kept),
      TEST(values_are_read),
      TEST(lists),
  };
  return RUN(tests);
}
