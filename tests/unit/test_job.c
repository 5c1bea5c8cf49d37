/* test_job.c - the file of a job (lines, crashes, resuming) and what is believed of a
 * measurement. The whole of it on a device: tests/tune. */
#include <math.h>
#include <unistd.h>

#include "../../src/opt/job.h"
#include "folder.h"

static ww_arena *arena;
static const char *folder;

static const char launch_json[] =
    "{\"grid\":[4,1,1],\"block\":[64,1,1],\"args\":[{\"buffer\":{\"bytes\":1024,"
    "\"type\":\"f32\",\"fill\":\"random\"}},{\"hex\":\"00010000\"}]}";

static ww_job_candidate candidate(const char *label, const char *text) {
  static const char *flags[] = {"-DBX=64"};
  static ww_job_value values[] = {{"BX", 64}, {"TILE", 2}};
  ww_err e = {0};
  ww_job_candidate c = {.label = label,
                        .file = "k.cu",
                        .text = text,
                        .flags = flags,
                        .nflags = 1,
                        .kernel = "k",
                        .values = values,
                        .nvalues = 2,
                        .predicted = {true, true, 10, 8, 13},
                        .needs = {.read_bytes = 4096, .flops32 = 1e6},
                        .verdict = WW_JOB_SAME};
  if (ww_launch_parse(launch_json, NULL, arena, &c.launch, &e))
    fail_msg("%s", e.msg);
  return c;
}

static const char *make_job(ww_job *j, const char *name) {
  ww_err e = {0};
  const char *path = ww_path_join(arena, folder, name);
  unlink(path);
  *j = (ww_job){.path = path,
                .tool = "tune",
                .gpu = "h200",
                .settings = "{\"seed\":3}",
                .a = arena};
  assert_int_equal(ww_job_create(j, &e), WW_OK);
  assert_int_equal(ww_job_create(j, &e), WW_EUSAGE);
  return path;
}

static void add(ww_job *j, const char *label, const char *text) {
  ww_err e = {0};
  uint32_t id = 99;
  ww_job_candidate c = candidate(label, text);
  if (ww_job_add(j, &c, &id, &e))
    fail_msg("%s", e.msg);
  assert_int_equal(id, j->v.n - 1);
  assert_string_equal(j->v.v[id].flags[0], "-DBX=64");
  assert_string_equal(j->v.v[id].values[1].name, "TILE");
}

static void test_round_trip(void **state) {
  (void)state;
  ww_err e = {0};
  ww_job j;
  ww_job r;
  double t[2] = {5, 6};
  double o[2] = {10, 12.5};
  const char *path = make_job(&j, "round.job");
  add(&j, "original", "one\n\"text\"");
  add(&j, "BX=64", "one\n\"text\"");
  add(&j, "other", "two");
  ww_job_result out = {.state = WW_JOB_MEASURED,
                       .us = 5.5,
                       .ratio = 2,
                       .p = 0.25,
                       .samples = t,
                       .pair = o,
                       .n = 2,
                       .registers = 40,
                       .device = "a device"};
  assert_int_equal(ww_job_put(&j, 1, &out, &e), WW_OK);
  if (ww_job_read(path, arena, &r, &e))
    fail_msg("%s", e.msg);
  assert_int_equal(r.v.n, 3);
  assert_string_equal(r.tool, "tune");
  assert_string_equal(r.settings, "{\"seed\":3}");
  assert_string_equal(r.v.v[1].text, "one\n\"text\"");
  assert_ptr_equal(r.v.v[1].text, r.v.v[0].text);
  assert_string_equal(r.v.v[2].text, "two");
  assert_string_equal(r.v.v[2].flags[0], "-DBX=64");
  assert_string_equal(r.v.v[2].values[1].name, "TILE");
  assert_true(r.v.v[2].values[1].value == 2);
  assert_true(r.v.v[2].predicted.high == 13);
  assert_true(r.v.v[2].needs.flops32 == 1e6);
  assert_int_equal(r.v.v[2].verdict, WW_JOB_SAME);
  assert_int_equal(r.v.v[2].launch.block[0], 64);
  assert_int_equal(r.v.v[2].launch.args[0].buffer.bytes, 1024);
  assert_int_equal(r.v.v[2].result.state, WW_JOB_NONE);
  assert_int_equal(r.v.v[1].result.state, WW_JOB_MEASURED);
  assert_int_equal(r.v.v[1].result.n, 2);
  assert_true(r.v.v[1].result.pair[1] == 12.5);
  assert_int_equal(r.v.v[1].result.registers, 40);
}

/* A line that was cut off anywhere is passed over, then cut off by the next writer. */
static void test_cut_off(void **state) {
  (void)state;
  ww_err e = {0};
  ww_job j;
  ww_job r;
  char *text;
  size_t n;
  const char *path = make_job(&j, "cut.job");
  add(&j, "original", "one");
  assert_int_equal(ww_read_file(arena, path, 1 << 20, &text, &n, &e), WW_OK);
  size_t whole = n;
  add(&j, "BX=64", "two");
  assert_int_equal(ww_read_file(arena, path, 1 << 20, &text, &n, &e), WW_OK);
  for (size_t cut = whole; cut < n; cut += 7) {
    assert_int_equal(truncate(path, cut), 0);
    if (ww_job_read(path, arena, &r, &e))
      fail_msg("cut at %zu: %s", cut, e.msg);
    assert_int_equal(r.v.n, 1);
    add(&r, "BX=64", "two");
    if (ww_job_read(path, arena, &r, &e))
      fail_msg("after the cut at %zu: %s", cut, e.msg);
    assert_int_equal(r.v.n, 2);
  }
}

static void test_broken(void **state) {
  (void)state;
  ww_err e = {0};
  ww_job j;
  ww_job r;
  const char *path = make_job(&j, "broken.job");
  static const char *const lines[] = {"{\"candidate\":1,\"text\":\"\"}\n",
                                      "{\"result\":0,\"state\":\"measured\"}\n",
                                      "{\"candidate\":0}\n", "{\"cand\n"};
  for (uint32_t k = 0; k < WW_COUNT(lines); k++) {
    const char *text = ww_fmt(arena, "{\"job\":1,\"tool\":\"tune\"}\n%s", lines[k]);
    assert_int_equal(ww_write_file_atomic(path, text, strlen(text), &e), WW_OK);
    assert_int_equal(ww_job_read(path, arena, &r, &e), WW_EDATA);
    assert_int_equal(e.line, 2);
  }
  assert_int_equal(ww_write_file_atomic(path, "{}\n", 3, &e), WW_OK);
  assert_int_equal(ww_job_read(path, arena, &r, &e), WW_EDATA);
}

static void test_held(void **state) {
  (void)state;
  ww_err e = {0};
  ww_job j;
  int first;
  int second;
  const char *path = make_job(&j, "held.job");
  assert_int_equal(ww_job_hold(path, &first, &e), WW_OK);
  assert_int_equal(ww_job_hold(path, &second, &e), WW_ELIMIT);
  add(&j, "original", "one"); /* who holds it writes */
  ww_job_release(first);
  assert_int_equal(ww_job_hold(path, &second, &e), WW_OK);
  ww_job_release(second);
}

/* Wilcoxon's tables: nine pairs, all the same way: 2 of 512; one against, the smallest:
 * 4 of 512. */
static void test_pairs(void **state) {
  (void)state;
  double a[9];
  double b[9];
  for (int k = 0; k < 9; k++) {
    a[k] = 10;
    b[k] = 11 + k;
  }
  assert_true(fabs(ww_pairs_p(a, b, 9) - 2 / 512.) < 1e-12);
  b[0] = 9.5;
  assert_true(fabs(ww_pairs_p(a, b, 9) - 4 / 512.) < 1e-12);
  b[0] = 1; /* the largest: rank 9 against 1 to 8 */
  assert_true(ww_pairs_p(a, b, 9) > 0.1);
  assert_true(ww_pairs_p(a, a, 9) == 1);
  assert_true(ww_pairs_p(a, b, 0) == 1);
}

static void test_contents(void **state) {
  (void)state;
  char why[160];
  float f[4] = {1, 2, NAN, 1e-9f};
  float g[4] = {1.00001f, 2, NAN, 2e-9f};
  int32_t i[2] = {1, 2};
  int32_t k[2] = {1, 3};
  assert_true(ww_contents_same("f32", f, g, sizeof f, why));
  assert_false(ww_contents_same("i32", f, g, sizeof f, why));
  g[1] = 2.01f;
  assert_false(ww_contents_same("f32", f, g, sizeof f, why));
  assert_non_null(strstr(why, "element 1"));
  g[1] = NAN;
  assert_false(ww_contents_same("f32", f, g, sizeof f, why));
  assert_false(ww_contents_same("i32", i, k, sizeof i, why));
  assert_true(ww_contents_same("i32", i, k, 4, why));
  assert_false(ww_contents_same(NULL, i, k, sizeof i, why));
  uint16_t h[2] = {0x3c00, 0x3c00};
  uint16_t near_h[2] = {0x3c00, 0x3c01};
  assert_true(ww_contents_same("f16", h, near_h, 4, why));
}

static void test_floor(void **state) {
  (void)state;
  ww_gpu g = {.dram_peak = 1000, .peak_fp32 = 10, .l2_bytes = 1e6};
  ww_job_needs n = {.read_bytes = 1e9};
  assert_true(fabs(ww_needs_floor(&n, &g) - 900) < 1e-6);
  n.flops32 = 1e11;
  assert_true(fabs(ww_needs_floor(&n, &g) - 9000) < 1e-6);
  n = (ww_job_needs){.written_bytes = 1e6}; /* stays in L2 */
  assert_true(ww_needs_floor(&n, &g) == 0);
}

int main(void) {
  arena = ww_arena_new();
  folder = folder_new(arena);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip), cmocka_unit_test(test_cut_off),
      cmocka_unit_test(test_broken),     cmocka_unit_test(test_held),
      cmocka_unit_test(test_pairs),      cmocka_unit_test(test_contents),
      cmocka_unit_test(test_floor),
  };
  int failed = cmocka_run_group_tests_name("job", tests, NULL, NULL);
  folder_drop(folder);
  ww_arena_free(arena);
  return failed;
}
