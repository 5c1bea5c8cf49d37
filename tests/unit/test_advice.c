/* test_advice.c - advice: findings are sorted and priced by the time model, silent
 * without their cause; lines add up. */
#include "unit.h"

#include <math.h>

#include "../../src/predict/advice/advice.h"
#include "../../src/query/query.h"
#include "source.h"

typedef struct {
  ww_gpu gpu;
  ww_params params;
  ww_prediction p;
  ww_advice advice;
} advised;

static void advise_file(const char *file, ww_arena *a, advised *out) {
  ww_err e = {0};
  ww_launch l = {0};
  if (source_load(file))
    fail_msg("%s does not load", file);
  const ww_fn *fn = NULL;
  for (uint32_t k = 0; k < unit.module.nfns; k++)
    if (unit.module.fns[k].kernel)
      fn = &unit.module.fns[k];
  char *text;
  size_t n;
  if (ww_read_file(a, file, 1 << 20, &text, &n, &e))
    fail_msg("%s", e.msg);
  const char *comment = ww_source_comment(text, n, fn->line, a);
  assert_non_null(comment);
  if (source_launch(fn, comment, a, &l, &e))
    fail_msg("%s", e.msg);
  if (ww_gpu_load("gpus/h200.json", a, &out->gpu, &e))
    fail_msg("%s", e.msg);
  if (ww_params_load(a, &out->params, &e))
    fail_msg("%s", e.msg);
  ww_query_targets q = {.gpus = &out->gpu, .n = 1, .params = &out->params};
  if (ww_query_predict(&unit, fn, &l, &q, NULL, a, &out->p, &e))
    fail_msg("%s: %s", file, e.msg);
  ww_advise(&unit.module, fn, &out->gpu, &out->params, &out->p, a, &out->advice);
}

static bool found(const ww_advice *d, ww_rule rule) {
  for (uint32_t k = 0; k < d->nitems; k++)
    if (d->items[k].rule == rule)
      return true;
  return false;
}

static void gains_are_the_models(void **state) {
  advised x;
  advise_file("tests/explain/transpose.cu", *state, &x);
  assert_true(x.advice.nitems > 0);
  for (uint32_t k = 0; k < x.advice.nitems; k++) {
    const ww_advice_item *i = &x.advice.items[k];
    assert_true(fabs(i->gain * i->us - x.p.timing.us) < 1e-6 * x.p.timing.us);
    assert_true(i->gain >= 1.03);
    if (k)
      assert_true(i->gain <= i[-1].gain);
    assert_true(strlen(i->cause) > 20 && strlen(i->remedy) > 10);
  }
  source_unload(NULL);
}

static void lines_add_up(void **state) {
  static const char *const files[] = {"tests/explain/transpose.cu",
                                      "tests/explain/median.cu",
                                      "tests/explain/column_scan.cu"};
  for (size_t f = 0; f < 3; f++) {
    advised x;
    double sum = 0, inst = 0;
    advise_file(files[f], *state, &x);
    for (uint32_t k = 0; k < x.advice.nlines; k++) {
      sum += x.advice.lines[k].share;
      inst += x.advice.lines[k].instructions;
      assert_true(x.advice.lines[k].share >= 0);
      if (k)
        assert_true(x.advice.lines[k].share <= x.advice.lines[k - 1].share);
    }
    if (fabs(sum + x.advice.rest - 1) > 1e-6)
      fail_msg("%s: shares %g and %g", files[f], sum, x.advice.rest);
    if (inst > 1.001 * x.p.work.lowered.total ||
        inst < 0.9 * x.p.work.lowered.total) /* some belong to no line */
      fail_msg("%s: %g of %g instructions", files[f], inst, x.p.work.lowered.total);
    source_unload(NULL);
  }
}

static void silent_without_cause(void **state) {
  static const ww_rule never[] = {
      WW_RULE_UNCOALESCED_LOAD,  WW_RULE_UNCOALESCED_STORE,  WW_RULE_BANK_CONFLICT,
      WW_RULE_DIVERGENCE,        WW_RULE_MEMORY_ACCUMULATOR, WW_RULE_DOUBLE_CONSTANT,
      WW_RULE_ATOMIC_CONTENTION, WW_RULE_NARROW_ACCESS,      WW_RULE_LOCAL_MEMORY,
      WW_RULE_RUNTIME_DIVISION,  WW_RULE_RECOMPUTATION,      WW_RULE_PARTIAL_WARPS};
  advised x;
  advise_file("tests/explain/good/axpy.cu", *state, &x);
  for (size_t k = 0; k < sizeof never / sizeof *never; k++)
    if (found(&x.advice, never[k]))
      fail_msg("axpy: %s", ww_rules[never[k]].id);
  source_unload(NULL);
  advise_file("tests/explain/good/double_sum.cu", *state, &x);
  assert_false(found(&x.advice, WW_RULE_DOUBLE_CONSTANT));
  source_unload(NULL);
}

/* The branch that parts the lanes is blamed, whether it stands in a loop or not. */
static void where_lanes_part(void **state) {
  advised x;
  advise_file("tests/explain/parity.cu", *state, &x);
  assert_true(x.advice.nitems > 0);
  assert_int_equal(x.advice.items[0].rule, WW_RULE_DIVERGENCE);
  assert_int_equal(x.advice.items[0].line, 8);
  assert_true(x.advice.items[0].gain > 1.5 && x.advice.items[0].gain < 2);
  source_unload(NULL);
}

/* Small whole powers are a few multiplications; the longest of blocks that grow takes
 * twice the mean. */
static void powers_and_uneven_blocks(void **state) {
  advised x;
  advise_file("tests/explain/powers.cu", *state, &x);
  assert_true(found(&x.advice, WW_RULE_EXPENSIVE_MATH));
  source_unload(NULL);
  advise_file("tests/explain/triangle.cu", *state, &x);
  assert_true(x.p.work.chain.spread > 1.7 && x.p.work.chain.spread < 2.2);
  assert_true(found(&x.advice, WW_RULE_IMBALANCE));
  source_unload(NULL);
}

static void a_report_carries_them(void **state) {
  advised x;
  advise_file("tests/explain/row_sum.cu", *state, &x);
  assert_int_equal(x.p.report.nfindings, x.advice.nitems);
  assert_string_equal(x.p.report.findings[0].rule, "uncoalesced-load");
  assert_non_null(strstr(x.p.report.findings[0].message, "sectors"));
  assert_non_null(strstr(x.p.report.findings[0].file, "row_sum.cu"));
  source_unload(NULL);
}

static void every_rule_is_documented(void **state) {
  char *text;
  size_t n;
  ww_err e;
  assert_int_equal(ww_read_file(*state, "docs/explain.md", 1 << 20, &text, &n, &e),
                   WW_OK);
  for (int k = 0; k < WW_NRULES; k++)
    if (!strstr(text,
                ww_fmt(*state, "| `%s` | %s |", ww_rules[k].id, ww_rules[k].title)))
      fail_msg("docs/explain.md: no row for %s", ww_rules[k].id);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(gains_are_the_models),     TEST(lines_add_up),
      TEST(silent_without_cause),     TEST(a_report_carries_them),
      TEST(every_rule_is_documented), TEST(where_lanes_part),
      TEST(powers_and_uneven_blocks),
  };
  return RUN(tests);
}
