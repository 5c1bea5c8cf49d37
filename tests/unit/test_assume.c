/* test_assume.c - assumptions: how each kind is worded, and that a report carries the
 * kinds. */
#include "unit.h"

#include "../../src/report/report.h"

static const char *const worded[WW_NASSUMPTIONS] = {
    [WW_ASSUME_GPU] = "gpu: x, as none was named",
    [WW_ASSUME_HOST_LAUNCH] = "launch: as in the host code, x:3",
    [WW_ASSUME_HOST_DEFAULTS] =
        "sizes: the program's own, as without arguments on its command line",
    [WW_ASSUME_METADATA] = "block and shared memory: as x has them",
    [WW_ASSUME_BLOCK] = "block: 3 x 40 x 5 threads, as none was given",
    [WW_ASSUME_CODE_BLOCK] =
        "block: 3 x 40 x 5 threads, as the code's constants ask for",
    [WW_ASSUME_GRID] = "grid: 3 x 40 x 5 blocks, as none was given",
    [WW_ASSUME_FITTED_GRID] =
        "grid: 3 x 40 x 5 blocks, as many as have work with what was given",
    [WW_ASSUME_SIZED_GRID] =
        "grid: 3 x 40 x 5 blocks, as many as have work with the sizes below",
    [WW_ASSUME_KEPT_BLOCK] =
        "block: 3 x 40 x 5 threads, the first axes as long as they were",
    [WW_ASSUME_KEPT_THREADS] = "grid: 3 x 40 x 5 blocks, for as many threads as before",
    [WW_ASSUME_SHARED_BYTES] =
        "shared: 3 bytes of dynamic shared memory, from the accesses",
    [WW_ASSUME_REGISTERS] = "registers: estimated; x",
    [WW_ASSUME_LANGUAGE_MODEL] = "all: by a language model from source, launch and "
                                 "GPU; nothing was compiled or traced",
    [WW_ASSUME_MODEL_COMPILED] =
        "all: by a language model from source, launch and GPU, and the registers and "
        "memory that the code takes",
    [WW_ASSUME_MODEL_TRACED] =
        "all: by a language model from source, launch and GPU, and what the machine "
        "model says of its trace",
    [WW_ASSUME_TEXT_ALONE] =
        "not compiled or traced, the language model knows the text alone: x",
    [WW_ASSUME_UNUSED_SYMBOL] = "symbol `x` is not used by the source: left out",
    [WW_ASSUME_STORES_NOTHING] =
        "x stores nothing: the compiler leaves out what it computes",
    [WW_ASSUME_NOT_GIVEN] = "x: not given",
    [WW_ASSUME_ZERO_STRUCT] = "x: a struct of 3 zero bytes",
    [WW_ASSUME_STRUCT] =
        "x: a struct of 3 bytes whose integers are 40 and other numbers "
        "1; give it in a launch spec",
    [WW_ASSUME_FLOAT] = "x: 3.0",
    [WW_ASSUME_INTEGER] = "x: 3",
    [WW_ASSUME_ALL_THREADS] = "x: 3, the number of threads",
    [WW_ASSUME_ROW_LENGTH] = "x: 3, as a row of usual length",
    [WW_ASSUME_ROWS] = "x: 3, as a usual number of rows",
    [WW_ASSUME_COVERED] = "x: 3, as a usual size of what the grid covers",
    [WW_ASSUME_TURNS] = "x: 3, as a usual number of turns",
    [WW_ASSUME_AXIS_THREADS] = "x: 3, the threads along its axis",
    [WW_ASSUME_LOCAL_BYTES] = "x: 3 bytes of local memory, from the accesses",
    [WW_ASSUME_BUFFER_BYTES] = "x: 3 bytes, from the accesses",
    [WW_ASSUME_ZEROS] = "x: zeros",
    [WW_ASSUME_COUNTER] = "x: zeros, as it counts up",
    [WW_ASSUME_FLAGS] = "x: zeros, as threads wait for it to change",
    [WW_ASSUME_ROW_POINTERS] = "x: row pointers rising from 0 to 3",
    [WW_ASSUME_RISING] = "x: sorted, rising from 0 to 3",
    [WW_ASSUME_INTEGERS] = "x: integers in [3, 40)",
    [WW_ASSUME_INDICES] = "x: integers in [3, 40), as they index other buffers",
    [WW_ASSUME_LOOP_ENDS] = "x: integers in [3, 40), as they end a loop",
    [WW_ASSUME_COMPARED] = "x: integers in [3, 40), around what they are compared with",
    [WW_ASSUME_RECORDED_ZEROS] = "x: zeros, as its first bytes are",
    [WW_ASSUME_RECORDED_RISING] = "x: rising from 3 to 40, as its first elements do",
    [WW_ASSUME_RECORDED_RANGE] = "x: numbers in [3, 40), as its first elements are",
    [WW_ASSUME_CONTENTS_DECIDE] =
        "x: its contents decide addresses and branches; with other contents the time "
        "is 0.00 us to 0.04 us",
    [WW_ASSUME_OTHER_CONTENTS] =
        "x: other contents, as the kernel does not end with these",
    [WW_ASSUME_TAKEN_INSIDE] = "x: 3 accesses lay outside it, "
                               "and were taken inside it",
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

static ww_report back_from(const ww_assumptions *list, ww_arena *a) {
  ww_report r = {.by = WW_BY_MACHINE, .assumed = *list}, back;
  ww_buf b = {0};
  ww_err e = {0};
  ww_report_write(&r, &(ww_json){.out = &b}, NULL, NULL);
  assert_int_equal(ww_report_parse(b.s, a, &back, &e), WW_OK);
  ww_buf_free(&b);
  return back;
}

static void what_contents_decide(void **state) {
  ww_assumption x = {WW_ASSUME_CONTENTS_DECIDE, "row", {1500, 2500000, 7}};
  assert_string_equal(ww_assumption_text(&x, *state),
                      "row: its contents decide addresses, trip counts and branches; "
                      "with other contents the time is 1.50 us to 2.50 ms");
  x = (ww_assumption){WW_ASSUME_COMPARED, "x", {(uint64_t)-1, 1}};
  ww_assumptions list = {0};
  ww_push(*state, &list, x);
  ww_report back = back_from(&list, *state);
  assert_string_equal(ww_assumption_text(&back.assumed.v[0], *state),
                      "x: integers in [-1, 1), around what they are compared with");
}

/* A report carries kinds and values: whatever the words look like. */
static void kinds_come_back(void **state) {
  static const char *const arguments[] = {"n",          "block", "launch",
                                          "gpu",        "a: b",  "$a and 0",
                                          "a dir/f.cu", "`t`",   "x: zeros"};
  for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
    ww_assumptions all = {0};
    for (int k = 0; k < WW_NASSUMPTIONS; k++)
      ww_push(*state, &all,
              (ww_assumption){(ww_assumption_kind)k, arguments[i], {0, 1u << 31, 10}});
    ww_report back = back_from(&all, *state);
    assert_int_equal(back.assumed.n, WW_NASSUMPTIONS);
    for (int k = 0; k < WW_NASSUMPTIONS; k++) {
      assert_int_equal(back.assumed.v[k].kind, k);
      assert_string_equal(back.assumed.v[k].argument, arguments[i]);
      assert_string_equal(ww_assumption_text(&back.assumed.v[k], *state),
                          ww_assumption_text(&all.v[k], *state));
    }
  }
}

/* A sentence alone stays a sentence, also where it is one of ours. */
static void sentences_are_kept(void **state) {
  static const char text[] =
      "{\"schema_version\":1,\"by\":\"machine\",\"assumed\":[\"x: zeros\",\"\",\"y\"],"
      "\"assumptions\":[{\"kind\":\"of_another_version\"},7]}";
  static const char *const want[] = {"x: zeros", "", "y"};
  ww_report r;
  ww_err e = {0};
  assert_int_equal(ww_report_parse(text, *state, &r, &e), WW_OK);
  assert_int_equal(r.assumed.n, 3);
  for (uint32_t k = 0; k < 3; k++) {
    assert_int_equal(r.assumed.v[k].kind, WW_ASSUME_WORDED);
    assert_string_equal(ww_assumption_text(&r.assumed.v[k], *state), want[k]);
  }
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
      TEST(what_contents_decide),
      TEST(kinds_come_back),
      TEST(sentences_are_kept),
      TEST(lists),
  };
  return RUN(tests);
}
