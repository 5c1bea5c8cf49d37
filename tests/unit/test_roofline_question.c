/* test_roofline_question.c - the roofline question and its answer: src/data/roofline.c;
 * docs/roofline-question.md shows roofline.def as it is. */
#include "unit.h"

#include <math.h>

#include "../../src/data/roofline.h"

static const ww_balance three = {
    .fp64 = 0.5, .fp32 = 32, .integer = 16, .fp16 = INFINITY, .tensor = INFINITY};

static ww_gpu gpu_of(void **state) {
  ww_gpu g;
  ww_err e = {0};
  if (ww_gpu_load("rtx3080", *state, &g, &e))
    fail_msg("%s", e.msg);
  return g;
}

static const char *
last_of(const ww_roofline_question *q, ww_roofline_ask ask, ww_arena *a) {
  ww_strings said;
  ww_roofline_messages(q, ask, a, &said);
  assert_true(said.n % 2 == 0); /* the system, then pairs but for the last answer */
  return said.v[said.n - 1];
}

/* ---- the manual ---- */

static void must_have(const char *page, const char *text) {
  if (!strstr(page, text))
    fail_msg("docs/roofline-question.md does not have: %s", text);
}

static void the_manual_shows_the_table(void **state) {
  char *page;
  ww_err e = {0};
  if (ww_read_file(*state, "docs/roofline-question.md", 1 << 20, &page, NULL, &e))
    fail_msg("%s", e.msg);
#define TEXT(name, text) must_have(page, "\n" text "\n");
#define ASK(id, name, examples, source, figures, closing)                     \
  must_have(page, "\n| `" name "` | " #examples " | " #source " | `" #figures \
                  "` | `" #closing "` |\n");
#define EXAMPLE(language, is, kernel, grid, block, file, source)                  \
  must_have(page, "\n| " language " | " #is " | `" kernel "` | " grid " | " block \
                  " | `" file "` |\n");
#include "../../src/data/roofline.def"
}

/* Examples come from our own kernels, never from what is evaluated. */
static void examples_stand_in_the_corpus(void **state) {
  char *text;
  ww_err e = {0};
  int n = 0;
#define EXAMPLE(language, is, kernel, grid, block, file, source)  \
  if (ww_read_file(*state, file, 1 << 20, &text, NULL, &e))       \
    fail_msg("%s", e.msg);                                        \
  assert_true(ww_starts(file, "corpus/"));                        \
  if (!strstr(text, source))                                      \
    fail_msg("%s does not have %s as it is shown", file, kernel); \
  n++;
#include "../../src/data/roofline.def"
  assert_int_equal(n, 4);
}

/* ---- the question ---- */

static void a_question_has_its_parts(void **state) {
  ww_gpu g = gpu_of(state);
  ww_report measured = {0};
  ww_report_set(&measured, WW_M_time_us, 2);
  ww_report_set(&measured, WW_M_dram_gbps, 500);
  ww_report_set(&measured, WW_M_flops_fp64, 123);
  ww_report_set(&measured, WW_M_flops_fp16, 456);
  ww_roofline_question q = {.kernel = "twice(int)",
                            .language = "openmp",
                            .arguments = "100 7",
                            .gpu = &g,
                            .balance = three,
                            .grid = {4},
                            .block = {32, 8, 1},
                            .source = "void twice(int n) {}",
                            .measured = &measured};
  const char *text = last_of(&q, WW_ROOFLINE_ZERO_SHOT, *state);
  assert_non_null(strstr(text, "Single precision: peak 24320 Gop/s, balance point 32 "
                               "operations per byte\n"));
  assert_null(strstr(text, "Half precision"));
  assert_non_null(strstr(text, "Kernel: twice(int)\nGrid: 4 x 1 x 1 blocks\n"
                               "Block: 32 x 8 x 1 threads\n"
                               "Arguments of the program: 100 7\n"
                               "Source:\n```openmp\nvoid twice(int n) {}\n```\n"));
  assert_null(strstr(text, "Measured"));
  text = last_of(&q, WW_ROOFLINE_PROFILE, *state);
  assert_null(strstr(text, "Source"));
  assert_non_null(strstr(text, "Bytes read and written in memory: 1000000\n"
                               "Double-precision operations: 123\n"));
  assert_null(strstr(text, "456")); /* the roof has no such kind */
  text = last_of(&q, WW_ROOFLINE_TOOLS, *state);
  assert_non_null(strstr(text, "has no answer for this launch"));
  q.predicted = &measured;
  text = last_of(&q, WW_ROOFLINE_TOOLS, *state);
  assert_non_null(strstr(text, "Predicted by"));
  assert_non_null(strstr(text, "Source"));
}

static void examples_come_before(void **state) {
  ww_gpu g = gpu_of(state);
  ww_roofline_question q = {
      .kernel = "k", .language = "openmp", .gpu = &g, .balance = three};
  ww_strings said;
  ww_roofline_messages(&q, WW_ROOFLINE_FEW_SHOT, *state, &said);
  assert_int_equal(said.n, 6);
  assert_non_null(strstr(said.v[1], "pick_third"));
  assert_string_equal(said.v[2], "Bandwidth");
  assert_non_null(strstr(said.v[3], "collatz_steps"));
  assert_string_equal(said.v[4], "Compute");
  q.language = "cuda";
  ww_roofline_messages(&q, WW_ROOFLINE_FEW_SHOT, *state, &said);
  assert_non_null(strstr(said.v[1], "axpy"));
}

/* A long source is cut around its kernel, and never inside a character. */
static void long_sources_are_cut(void **state) {
  ww_gpu g = gpu_of(state);
  ww_roofline_question q = {
      .kernel = "late<int>", .plain = "late", .gpu = &g, .balance = three};
  for (int shift = 0; shift < 3; shift++) {
    ww_buf b = {0};
    ww_buf_fmt(&b, "%.*s", shift, "--");
    while (b.n < 2 * WW_ROOFLINE_SOURCE_MOST)
      ww_buf_puts(&b, "\u20ac");
    ww_buf_puts(&b, "void late() {}\n");
    while (b.n < 5 * WW_ROOFLINE_SOURCE_MOST)
      ww_buf_puts(&b, "\u20ac");
    q.source = b.s;
    const char *text = last_of(&q, WW_ROOFLINE_ZERO_SHOT, *state);
    const char *from = strstr(text, "[...]\n");
    assert_non_null(from);
    assert_non_null(strstr(from + 1, "\n[...]\n```"));
    assert_non_null(strstr(text, "void late() {}"));
    assert_true(strlen(text) < WW_ROOFLINE_SOURCE_MOST + 2000);
    assert_true(((unsigned char)from[6] & 0xc0) != 0x80);
    ww_buf_free(&b);
  }
}

/* ---- the answer ---- */

static void answers_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    ww_bound is;
  } rows[] = {
      {"Compute", WW_BOUND_COMPUTE},
      {"Bandwidth", WW_BOUND_BANDWIDTH},
      {"**bandwidth**-bound.", WW_BOUND_BANDWIDTH},
      {"It is not compute, it is bandwidth.", WW_BOUND_UNKNOWN},
      {"It may be compute or bandwidth.\nAnswer: Compute", WW_BOUND_COMPUTE},
      {"Answer: Bandwidth? No.\nAnswer: **Compute-bound**", WW_BOUND_COMPUTE},
      {"The answer follows.\nCompute.", WW_BOUND_COMPUTE},
      {"Compute. That is my answer.", WW_BOUND_COMPUTE},
      {"<think>bandwidth, or compute?</think>\nCompute", WW_BOUND_COMPUTE},
      {"<think>surely compute", WW_BOUND_UNKNOWN},
      {"I recompute it.", WW_BOUND_UNKNOWN},
      {"I do not know.", WW_BOUND_UNKNOWN},
      {"", WW_BOUND_UNKNOWN},
  };
  for (size_t k = 0; k < WW_COUNT(rows); k++)
    if (ww_roofline_answer(rows[k].text) != rows[k].is)
      fail_msg("\"%s\" is read as %s", rows[k].text,
               ww_bound_names[ww_roofline_answer(rows[k].text)]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_manual_shows_the_table), TEST(examples_stand_in_the_corpus),
      TEST(a_question_has_its_parts),   TEST(examples_come_before),
      TEST(long_sources_are_cut),       TEST(answers_are_read)};
  return RUN(tests);
}
