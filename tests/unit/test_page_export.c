/* test_page_export.c - reports as one HTML file: any text stays text, errors have their
 * place, kernels do not mix. */
#include "unit.h"

#include "../../src/predict/show/page_export.h"

#define HOSTILE "<script>alert(1)</script>"

static const char *source(void *ctx, const char *file, ww_arena *a) {
  (void)a;
  return strcmp(file, "k.cu") ? NULL : ctx;
}

static ww_buf exported(const char *const *lines,
                       uint32_t n,
                       const ww_gpu *gpus,
                       uint32_t ngpus,
                       const char *text) {
  ww_buf b = {0};
  ww_arena *a = ww_arena_new();
  ww_report *reports = WW_NEWN(a, ww_report, n + 1);
  for (uint32_t k = 0; k < n; k++)
    if (ww_report_parse(lines[k], a, &reports[k], &reports[k].error))
      assert_true(reports[k].error.code);
  ww_export_html(&(ww_export){.reports = reports,
                              .n = n,
                              .gpus = gpus,
                              .ngpus = ngpus,
                              .source = source,
                              .ctx = (void *)(uintptr_t)text,
                              .made = HOSTILE},
                 &b);
  ww_arena_free(a);
  assert_non_null(strstr(b.s, "</html>"));
  return b;
}

static uint32_t count(const char *text, const char *what) {
  uint32_t n = 0;
  for (const char *p = text; (p = strstr(p, what)); p++)
    n++;
  return n;
}

static void text_stays_text(void **state) {
  ww_gpu g = {.name = "<b>",
              .full_name = "A & " HOSTILE,
              .vendor = "nvidia",
              .architecture = "sm_90"};
  const char *report =
      "{\"schema_version\":1,\"file\":\"" HOSTILE "\",\"kernel\":\"k\\\"" HOSTILE
      "\",\"gpu\":\"<b>\",\"by\":\"machine\","
      "\"assumed\":[\"" HOSTILE "\"],\"metrics\":{\"time_us\":{\"value\":5,\"low\":4,"
      "\"high\":6}},\"bottleneck\":\"" HOSTILE
      "\",\"findings\":[{\"file\":\"k.cu\",\"line\":2,\"rule\":\"" HOSTILE
      "\",\"message\":\"" HOSTILE "\",\"gain\":2}],"
      "\"lines\":[{\"file\":\"k.cu\",\"line\":2,\"share\":0.5,\"sectors_per_request\":"
      "32}]}";
  ww_buf b = exported(&report, 1, &g, 1, "first\n" HOSTILE "\n");
  (void)state;
  assert_null(strstr(b.s, "<script"));
  assert_null(strstr(b.s, "<b>\"")); /* the GPU's name */
  assert_true(count(b.s, "&lt;script&gt;") >= 8);
  assert_non_null(strstr(b.s, "id=\"k0-2\""));
  assert_non_null(strstr(b.s, "--h:0.500"));
  ww_buf_free(&b);
}

#define REPORT(kernel, gpu, us)                                                      \
  "{\"schema_version\":1,\"file\":\"k.cu\",\"kernel\":\"" kernel "\",\"gpu\":\"" gpu \
  "\",\"by\":\"machine\",\"assumed\":[],\"metrics\":{\"time_us\":{\"value\":" us "}}}"

static void kernels_and_gpus(void **state) {
  ww_gpu g[2] = {{.name = "one", .full_name = "GPU One"},
                 {.name = "two", .full_name = "GPU Two"}};
  const char *reports[] = {
      REPORT("first", "one", "5"),
      "{\"schema_version\":1,\"file\":\"k.cu\",\"kernel\":\"first\",\"error\":{"
      "\"code\":\"usage\","
      "\"message\":\"not on this one\"}}",
      REPORT("second", "one", "7"),
      REPORT("second", "two", "9"),
      REPORT("second", "one", "11"), /* another launch of it */
      REPORT("second", "two", "13"),
  };
  ww_buf b = exported(reports, 6, g, 2, "");
  (void)state;
  assert_int_equal(count(b.s, "<h2>first</h2>"), 1);
  assert_int_equal(count(b.s, "<h2>second</h2>"), 2);
  assert_int_equal(count(b.s, "class=\"tile\""), 6);
  assert_non_null(strstr(b.s, "<h3>GPU Two</h3><p class=\"bad\">not on this one"));
  assert_non_null(strstr(b.s, "Nothing stands out"));
  ww_buf_free(&b);
}

static void nothing_and_nonsense(void **state) {
  const char *reports[] = {
      "", "[", "{}", "{\"kernel\":7,\"metrics\":[],\"lines\":{},\"findings\":\"x\"}"};
  ww_buf b = exported(NULL, 0, NULL, 0, "");
  (void)state;
  ww_buf_free(&b);
  b = exported(reports, 4, NULL, 0, "");
  ww_buf_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_stays_text),
      cmocka_unit_test(kernels_and_gpus),
      cmocka_unit_test(nothing_and_nonsense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
