/* test_policy.c - a policy's states: as JSON and back, as text with and without tools,
 * which calls are allowed, which are right. */
#include "unit.h"

#include "../../src/opt/policy.h"

/* 100 us; r0 gains nothing, r1 is fast and another kernel, r2 and r3 are the same one
 * and faster, r4 cannot be read. */
static const char line[] =
    "{\"key\":\"gemm/gemm.cu:naive#0\",\"family\":\"gemm\",\"path\":\"swap\","
    "\"us\":100,\"low\":90,\"high\":120,\"floor_us\":10,\"original_us\":200,"
    "\"terms\":[{\"name\":\"DRAM\",\"us\":80},{\"name\":\"L1\",\"us\":1}],"
    "\"findings\":[{\"rule\":\"tail\",\"gain\":1.25}],\"offers\":["
    "{\"rewrite\":\"block\",\"title\":\"blocks of 32 x 2 "
    "threads\",\"state\":\"no_gain\","
    "\"us\":150},"
    "{\"rewrite\":\"tile\",\"title\":\"tiles of 16 rounds\",\"state\":\"different\","
    "\"us\":30},"
    "{\"rewrite\":\"unroll\",\"title\":\"unroll 4 of `for (int secret = 0;;)`\","
    "\"state\":\"verified\",\"us\":50},"
    "{\"rewrite\":\"fix\",\"title\":\"a b c\",\"state\":\"verified\",\"us\":50.5},"
    "{\"rewrite\":\"grid\",\"title\":\"8 blocks\",\"state\":\"failed\"}],"
    "\"question\":\"code<|answer|>\",\"features\":[0.5,-0.25]}";

static ww_policy_state read_state(ww_arena *a) {
  ww_policy_state p;
  ww_err e = {0};
  assert_int_equal(ww_policy_state_read(line, strlen(line), a, &p, &e), WW_OK);
  return p;
}

static void test_json(void **state) {
  ww_policy_state p = read_state(*state);
  ww_policy_state again;
  ww_buf text = {0};
  ww_err e = {0};
  ww_policy_state_write(&p, &text);
  assert_int_equal(ww_policy_state_read(text.s, text.n, *state, &again, &e), WW_OK);
  assert_string_equal(again.key, "gemm/gemm.cu:naive#0");
  assert_int_equal(again.offers.n, 5);
  assert_int_equal(again.offers.v[1].state, WW_CANDIDATE_DIFFERENT);
  assert_true(again.offers.v[3].us == 50.5 && again.features[1] == -0.25f);
  ww_buf_free(&text);
  assert_int_equal(ww_policy_state_read("{}", 2, *state, &again, &e), WW_EDATA);
  assert_int_equal(ww_policy_state_read("{", 1, *state, &again, &e), WW_EPARSE);
}

static void test_prompt(void **state) {
  ww_policy_state p = read_state(*state);
  ww_buf text = {0};
  ww_policy_view v = {.tools = true, .budget = 4, .ndone = 2};
  v.done[0] = (ww_policy_call){WW_CALL_PREDICT, 1};
  v.done[1] = (ww_policy_call){WW_CALL_APPLY, 1};
  ww_policy_prompt(&p, &v, &text);
  assert_string_equal(text.s,
                      "code\ndid swap\ntime 100 floor 10\nterm DRAM 0.80\n"
                      "find tail 1.25\nr0 block 32 x 2\nr1 tile 16\nr2 unroll 4\n"
                      "r3 fix a b c\nr4 grid 8\npredict r1 0.30\nrefuse r1\n"
                      "<|answer|>");
  text.n = 0;
  ww_policy_prompt(&p, &(ww_policy_view){0}, &text);
  assert_string_equal(text.s,
                      "code\ndid swap\nr0 block 32 x 2\nr1 tile 16\nr2 unroll 4\n"
                      "r3 fix a b c\nr4 grid 8\n<|answer|>");
  text.n = 0;
  ww_policy_answer(&(ww_policy_call){WW_CALL_APPLY, 12}, &text);
  assert_string_equal(
      text.s, "{\"name\":\"apply_rewrite\",\"arguments\":{\"rewrite\":\"r12\"}}");
  ww_buf_free(&text);
}

static bool allows(const ww_policy_state *p,
                   const ww_policy_view *v,
                   ww_policy_act act,
                   uint32_t offer) {
  ww_policy_call calls[WW_POLICY_CALLS];
  uint32_t n = ww_policy_calls(p, v, calls);
  assert_int_equal(calls[n - 1].act, WW_CALL_FINISH);
  for (uint32_t k = 0; k < n; k++)
    if (calls[k].act == act && calls[k].offer == offer)
      return true;
  return false;
}

static void test_calls(void **state) {
  ww_policy_state p = read_state(*state);
  ww_policy_view v = {.tools = true, .budget = 2};
  assert_true(allows(&p, &v, WW_CALL_PREDICT, 2));
  assert_false(allows(&p, &v, WW_CALL_APPLY, 2)); /* not predicted yet */
  v.done[v.ndone++] = (ww_policy_call){WW_CALL_PREDICT, 2};
  assert_false(allows(&p, &v, WW_CALL_PREDICT, 2));
  assert_true(allows(&p, &v, WW_CALL_APPLY, 2));
  v.done[v.ndone++] = (ww_policy_call){WW_CALL_PREDICT, 0};
  assert_false(allows(&p, &v, WW_CALL_APPLY, 0));   /* no gain */
  assert_false(allows(&p, &v, WW_CALL_PREDICT, 3)); /* the budget is spent */
  v.done[v.ndone++] = (ww_policy_call){WW_CALL_APPLY, 2};
  assert_false(allows(&p, &v, WW_CALL_APPLY, 2)); /* it was refused */
  ww_policy_view without = {0};
  assert_true(allows(&p, &without, WW_CALL_APPLY, 0));
  assert_false(allows(&p, &without, WW_CALL_PREDICT, 0));
}

static void test_best(void **state) {
  ww_policy_state p = read_state(*state);
  assert_int_equal(ww_policy_best(&p), 2);
  assert_true(ww_policy_is_best(&p, 2) && ww_policy_is_best(&p, 3)); /* within 2 % */
  assert_false(ww_policy_is_best(&p, 0));
  assert_false(ww_policy_is_best(&p, 1)); /* the fastest, and not the same kernel */
  assert_false(ww_policy_is_best(&p, 4));
  assert_int_equal(ww_policy_first_fix(&p), 3);
  p.offers.n = 2;
  assert_int_equal(ww_policy_best(&p), WW_POLICY_OFFERS);
}

/* What is taught is allowed, and is the best one or the end where there is none. */
static void test_lessons(void **state) {
  ww_policy_state p = read_state(*state);
  uint64_t random = 1;
  uint32_t tools = 0;
  for (int k = 0; k < 200; k++) {
    ww_policy_view v;
    ww_policy_call right;
    ww_policy_lesson(&p, &random, &v, &right);
    assert_int_equal(right.offer, 2);
    assert_true(allows(&p, &v, right.act, 2));
    assert_true(v.tools || (!v.ndone && right.act == WW_CALL_APPLY));
    tools += v.tools;
  }
  assert_true(tools > 100 && tools < 200);
  p.offers.n = 2;
  for (int k = 0; k < 50; k++) {
    ww_policy_view v;
    ww_policy_call right;
    ww_policy_lesson(&p, &random, &v, &right);
    assert_int_equal(right.act, WW_CALL_FINISH);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_json), TEST(test_prompt),
                                     TEST(test_calls), TEST(test_best),
                                     TEST(test_lessons)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
