/* test_docs.c - docs/metrics.md is what metrics.def says. `test_docs --write FILE`
 * rewrites it (make docs). */
#include "unit.h"

#include <stdlib.h>

#include "../../src/report/report.h"

static void metrics_page(ww_buf *b) {
  static const char *const rules[] = {"share of scale", "left out", "cannot be"};
  ww_buf_puts(
      b,
      "# Metrics\n\n"
      "Made from `src/report/metrics.def` by `make docs`; a test compares. One launch, "
      "caches "
      "cold unless the spec says\n"
      "`\"cache\":\"warm\"`. A metric that is not known is absent from a report, never "
      "zero.\n\n"
      "\"Zero\" says what scoring does where the true value is zero: the error is the "
      "prediction's share of the metric's\n"
      "scale, the launch is left out, or it cannot be.\n\n"
      "| metric | unit | meaning | NVIDIA | AMD | zero |\n|---|---|---|---|---|---|\n");
  for (int i = 0; i < WW_NMETRICS; i++) {
    const ww_metric_info *m = &ww_metrics[i];
    ww_buf_fmt(b, "| `%s` | %s | %s | `%s` | `%s` | %s |\n", m->name, m->unit,
               m->meaning, m->nvidia, m->amd, rules[m->zero]);
  }
}

static void metrics_page_is_current(void **state) {
  ww_buf b = {0};
  ww_err e = {0};
  char *text;
  metrics_page(&b);
  if (ww_read_file(*state, "docs/metrics.md", 1 << 20, &text, NULL, &e) != WW_OK)
    fail_msg("%s", e.msg);
  int differ = strcmp(text, b.s);
  ww_buf_free(&b);
  if (differ)
    fail_msg("docs/metrics.md is not what metrics.def says: run `make docs`");
}

/* Every ```json block of docs/launch.md parses as a launch spec. */
static void launch_page_examples_parse(void **state) {
  char *text;
  ww_err e = {0};
  int blocks = 0;
  if (ww_read_file(*state, "docs/launch.md", 1 << 20, &text, NULL, &e) != WW_OK)
    fail_msg("%s", e.msg);
  for (char *p = text; (p = strstr(p, "```json\n")) != NULL; blocks++) {
    ww_launch l;
    p += 8;
    char *end = strstr(p, "```");
    assert_non_null(end);
    if (ww_launch_parse(ww_strndup(*state, p, (size_t)(end - p)), ".", *state, &l,
                        &e) != WW_OK)
      fail_msg("docs/launch.md, block %d: %s", blocks + 1, e.msg);
    p = end + 3;
  }
  assert_true(blocks >= 5);
}

/* Every `--arg ...` of docs/launch.md parses. */
static void launch_page_arguments_parse(void **state) {
  char *text;
  ww_err e = {0};
  int n = 0;
  if (ww_read_file(*state, "docs/launch.md", 1 << 20, &text, NULL, &e) != WW_OK)
    fail_msg("%s", e.msg);
  for (char *p = text; (p = strstr(p, "--arg ")) != NULL; n++) {
    ww_launch l = {0};
    p += 6;
    bool quoted = *p == '\'';
    p += quoted;
    const char *arg = ww_strndup(*state, p, strcspn(p, quoted ? "'\n" : " `\n"));
    if (ww_launch_arg(arg, *state, &l, &e) != WW_OK)
      fail_msg("docs/launch.md, --arg %s: %s", arg, e.msg);
  }
  assert_true(n >= 5);
}

static void report_page_examples_parse(void **state) {
  char *text;
  ww_err e = {0};
  int blocks = 0;
  if (ww_read_file(*state, "docs/report.md", 1 << 20, &text, NULL, &e) != WW_OK)
    fail_msg("%s", e.msg);
  for (char *p = text; (p = strstr(p, "```json\n")) != NULL; blocks++) {
    ww_report r;
    p += 8;
    char *end = strstr(p, "```");
    assert_non_null(end);
    if (ww_report_parse(ww_strndup(*state, p, (size_t)(end - p)), *state, &r, &e) !=
        WW_OK)
      fail_msg("docs/report.md, block %d: %s", blocks + 1, e.msg);
    p = end + 3;
  }
  assert_true(blocks >= 2);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--write") == 0) {
    ww_buf b = {0};
    ww_err e = {0};
    metrics_page(&b);
    ww_status rc = ww_write_file_atomic(argv[2], b.s, b.n, &e);
    if (rc != WW_OK)
      fprintf(stderr, "%s\n", e.msg);
    ww_buf_free(&b);
    return rc != WW_OK;
  }
  const struct CMUnitTest tests[] = {
      TEST(metrics_page_is_current), TEST(launch_page_examples_parse),
      TEST(launch_page_arguments_parse), TEST(report_page_examples_parse)};
  return RUN(tests);
}
