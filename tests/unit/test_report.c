/* test_report.c - reports out and in, and as a table. */
#include "unit.h"

#include <stdlib.h>

#include "../../src/report/report.h"

static const char *written(const ww_report *r, ww_arena *a) {
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_report_write(r, &j, NULL, NULL);
  const char *text = ww_strdup(a, b.s);
  ww_buf_free(&b);
  return text;
}

static const char *printed(const ww_report *r, ww_arena *a) {
  char *text;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  ww_report_print(r, f);
  fclose(f);
  const char *out = ww_strdup(a, text);
  free(text);
  return out;
}

static const char full[] =
    "{\"schema_version\":1,\"file\":\"main.cu\",\"kernel\":\"saxpy\",\"gpu\":\"h200\","
    "\"by\":"
    "\"grounded\","
    "\"launch\":{\"kernel\":\"saxpy\",\"grid\":[4096,1,1],\"block\":[256,1,1],\"args\":"
    "[{\"value\":"
    "9007199254740993},{\"value\":2.0}]},"
    "\"assumed\":[\"x: 4194304 bytes, from the accesses\"],"
    "\"assumptions\":[{\"kind\":\"buffer_bytes\",\"argument\":\"x\",\"values\":["
    "4194304]}],"
    "\"metrics\":{\"time_us\":{\"value\":5.1,\"low\":4.7,\"high\":5.6},\"dram_read_"
    "bytes\":{"
    "\"value\":8388608},\"registers\":{\"value\":0}},"
    "\"roofline\":{\"class\":\"bandwidth\"},\"bottleneck\":\"dram bandwidth\","
    "\"findings\":[{\"line\":12,\"rule\":\"uncoalesced-load\",\"message\":\"lanes are "
    "128 bytes "
    "apart\",\"gain\":1.8}],"
    "\"sampled\":{\"blocks\":6,\"of\":4096}}";

static void full_report_round_trips(void **state) {
  ww_report r;
  ww_err e = {0};
  if (ww_report_parse(full, *state, &r, &e) != WW_OK)
    fail_msg("%s", e.msg);
  assert_string_equal(written(&r, *state), full);
  assert_true(r.m[WW_M_time_us].known && r.m[WW_M_time_us].interval);
  assert_true(r.m[WW_M_registers].known &&
              !r.m[WW_M_registers].interval); /* zero is a value, not "unknown" */
  assert_false(r.m[WW_M_ai].known);
}

static void findings_round_trip(void **state) {
  ww_finding f = {.rule = "low-occupancy",
                  .cause = "little fits",
                  .remedy = "take less",
                  .also = {{12, 14, 15}, 3, 2},
                  .bounds = {256, 4}};
  ww_finding_word(&f, *state);
  assert_string_equal(f.message,
                      "little fits (also lines 12, 14, 15 and 2 more): take less");
  ww_report r = {.by = WW_BY_MACHINE, .findings = &f, .nfindings = 1}, back;
  ww_err e = {0};
  assert_int_equal(ww_report_parse(written(&r, *state), *state, &back, &e), WW_OK);
  const ww_finding *g = back.findings;
  assert_string_equal(g->message, f.message);
  assert_string_equal(g->cause, f.cause);
  assert_string_equal(g->remedy, f.remedy);
  assert_memory_equal(&g->also, &f.also, sizeof f.also);
  assert_memory_equal(g->bounds, f.bounds, sizeof f.bounds);
}

/* Numbers come from their members alone, never from words. */
static void plain_findings_are_read(void **state) {
  const char *text =
      "{\"schema_version\":1,\"by\":\"machine\",\"findings\":[{\"rule\":\"x\","
      "\"message\":\"fits: __launch_bounds__(256, 4)\",\"cause\":\"fits\","
      "\"also\":[7,\"8\",9],\"bounds\":[256]}]}";
  ww_report r;
  ww_err e = {0};
  assert_int_equal(ww_report_parse(text, *state, &r, &e), WW_OK);
  ww_finding *f = r.findings;
  assert_true(!f->bounds[0] && !f->bounds[1] && !f->cause);
  assert_true(f->also.n == 1 && f->also.line[0] == 7);
  ww_finding_word(f, *state);
  assert_string_equal(f->message, "fits: __launch_bounds__(256, 4)");
}

static void error_report_round_trips(void **state) {
  const char *text =
      "{\"schema_version\":1,\"file\":\"main.cu\",\"kernel\":\"k\",\"error\":{"
      "\"code\":\"unsupported\",\"message\":\"no\",\"file\":\"a.h\",\"line\":3}}";
  ww_report r;
  ww_err e = {0};
  assert_int_equal(ww_report_parse(text, *state, &r, &e), WW_OK);
  assert_int_equal(r.error.code, WW_EUNSUPPORTED);
  assert_string_equal(written(&r, *state), text);
}

static void every_metric_round_trips(void **state) {
  ww_report r = {.kernel = "k", .by = WW_BY_TRACE}, back;
  ww_err e = {0};
  for (int i = 0; i < WW_NMETRICS; i++)
    ww_report_set(&r, (ww_metric)i, i * 1.25 + 1e-3);
  assert_int_equal(ww_report_parse(written(&r, *state), *state, &back, &e), WW_OK);
  for (int i = 0; i < WW_NMETRICS; i++)
    assert_true(back.m[i].known && back.m[i].value == r.m[i].value);
}

static void unknown_members_are_passed_over(void **state) {
  ww_report r;
  ww_err e = {0};
  assert_int_equal(
      ww_report_parse("{\"schema_version\":1,\"by\":\"trace\",\"counts\":{\"x\":1},"
                      "\"metrics\":{\"future\":{\"value\":1}}}",
                      *state, &r, &e),
      WW_OK);
}

static void bad_reports(void **state) {
  static const char *const rows[][2] = {
      {"[]", "report: expected an object"},
      {"{}", "schema_version: this version of warpwise reads 1"},
      {"{\"schema_version\":2}",
       "schema_version: written by a newer warpwise, this one reads 1: update"},
      {"{\"schema_version\":1}",
       "by: expected grounded, machine, text, trace or hardware"},
      {"{\"schema_version\":1,\"by\":\"magic\"}",
       "by: expected grounded, machine, text, trace or hardware"},
      {"{\"schema_version\":1,\"by\":\"text\",\"metrics\":[]}",
       "metrics: expected an object"},
      {"{\"schema_version\":1,\"by\":\"text\",\"metrics\":{\"time_us\":{\"value\":"
       "1e999}}}",
       "metrics.time_us: expected an object with a number \"value\""},
      {"{\"schema_version\":1,\"by\":\"text\",\"metrics\":{\"time_us\":5}}",
       "metrics.time_us: expected an object with a number \"value\""},
      {"{\"schema_version\":1,\"by\":\"text\",\"metrics\":{\"time_us\":{\"value\":"
       "\"5\"}}}",
       "metrics.time_us: expected an object with a number \"value\""},
      {"{\"schema_version\":1,\"by\":\"text\",\"launch\":{\"gird\":1}}",
       "unknown member \"gird\"; known are: file, kernel, grid, block, shared, args, "
       "symbols, "
       "flags, cache, seed, count, "
       "cooperative, binary, note, cluster, files, library, at"},
      {"{\"schema_version\":1,\"by\":\"text\",\"findings\":[{}]}",
       "findings[0]: expected \"rule\" and \"message\""},
      {"{\"schema_version\":1,\"by\":\"text\",\"assumed\":[1]}",
       "assumed: expected an array of strings"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_report r;
    ww_err e = {0};
    assert_int_equal(ww_report_parse(rows[i][0], *state, &r, &e), WW_EPARSE);
    check_text(e.msg, rows[i][1], i);
  }
}

static void add_member(void *ctx, ww_json *j) {
  ww_json_kint(j, "extra", *(int *)ctx);
}

static void extra_members_come_last(void **state) {
  ww_report r = {.kernel = "k", .by = WW_BY_TRACE};
  ww_buf b = {0};
  ww_json j = {0};
  int n = 5;
  (void)state;
  ww_json_begin(&j, &b);
  ww_report_write(&r, &j, add_member, &n);
  assert_string_equal(
      b.s, "{\"schema_version\":1,\"kernel\":\"k\",\"by\":\"trace\",\"assumed\":[],"
           "\"metrics\":{},\"extra\":5}");
  ww_buf_free(&b);
}

static void table_for_people(void **state) {
  ww_report r;
  ww_err e = {0};
  ww_set_color(0);
  assert_int_equal(ww_report_parse(full, *state, &r, &e), WW_OK);
  assert_string_equal(
      printed(&r, *state),
      "saxpy  main.cu  on h200  by grounded\n"
      "  grid 4096  block 256  (6 of 4096 blocks run)\n"
      "  time_us                          5.1 us  4.7 us .. 5.6 us\n"
      "  dram_read_bytes                8.389 MB\n"
      "  registers                  0 per thread\n"
      "  roofline class: bandwidth\n"
      "  bottleneck: dram bandwidth\n"
      "  main.cu:12 lanes are 128 bytes apart (up to 1.8x) [uncoalesced-load]\n"
      "  assumed x: 4194304 bytes, from the accesses\n");
}

static void what_is_no_number_is_left_out(void **state) {
  ww_report r = {.by = WW_BY_TRACE};
  ww_report_set(&r, WW_M_ai, __builtin_nan(""));
  ww_report_set(&r, WW_M_time_us, __builtin_inf());
  assert_string_equal(
      written(&r, *state),
      "{\"schema_version\":1,\"by\":\"trace\",\"assumed\":[],\"metrics\":{}}");
}

static void metrics_are_found_by_name(void **state) {
  (void)state;
  for (int i = 0; i < WW_NMETRICS; i++)
    assert_int_equal(ww_metric_named(ww_metrics[i].name), i);
  assert_int_equal(ww_metric_named("nonsense"), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(full_report_round_trips),
      TEST(findings_round_trip),
      TEST(plain_findings_are_read),
      TEST(error_report_round_trips),
      TEST(every_metric_round_trips),
      TEST(unknown_members_are_passed_over),
      TEST(bad_reports),
      TEST(extra_members_come_last),
      TEST(table_for_people),
      TEST(metrics_are_found_by_name),
      TEST(what_is_no_number_is_left_out),
  };
  return RUN(tests);
}
