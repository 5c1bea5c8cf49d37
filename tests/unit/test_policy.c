/* test_policy.c - a policy's states: as JSON and back, as text with and without tools,
 * which calls are allowed, which are right. */
#include <math.h>

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
    "{\"rewrite\":\"fix\",\"title\":\"uncoalesced-load: swap "
    "b\",\"state\":\"verified\",\"us\":50.5},"
    "{\"rewrite\":\"unroll\",\"title\":\"unroll 4 of `while (x)`\",\"state\":"
    "\"failed\"}],"
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
  ww_policy_prompt(&p, &v, WW_CALL_PREDICT, 512, &text);
  assert_string_equal(text.s,
                      "code\ntime 100 floor 10\nterm DRAM 0.80\n"
                      "find tail 1.25\nblock 32 x 2\ntile 16\nunroll 4\n"
                      "fix uncoalesced-load\nunroll 4 #2\npredict tile 16: 0.30\n"
                      "refuse tile 16\n"
                      "<|answer|>{\"name\":\"predict\",\"arguments\":{\"rewrite\":\"");
  text.n = 0;
  ww_policy_prompt(&p, &(ww_policy_view){0}, WW_CALL_APPLY, 6, &text);
  assert_string_equal(
      text.s, "co..e\nblock 32 x 2\ntile 16\nunroll 4\n"
              "fix uncoalesced-load\nunroll 4 #2\n"
              "<|answer|>{\"name\":\"apply_rewrite\",\"arguments\":{\"rewrite\":\"");
  text.n = 0;
  ww_policy_answer(&p, &(ww_policy_call){WW_CALL_APPLY, 4}, &text);
  assert_string_equal(text.s, "unroll 4 #2\"}}");
  ww_buf_free(&text);
}

/* Is it one of the calls that are allowed, all of one act? */
static bool allows(const ww_policy_state *p,
                   const ww_policy_view *v,
                   ww_policy_act act,
                   uint32_t offer) {
  ww_policy_call calls[WW_POLICY_CALLS];
  uint32_t n = ww_policy_calls(p, v, calls);
  bool found = false;
  assert_true(n > 0);
  for (uint32_t k = 0; k < n; k++) {
    assert_int_equal(calls[k].act, calls[0].act);
    found |= calls[k].act == act && calls[k].offer == offer;
  }
  return found;
}

static void test_calls(void **state) {
  ww_policy_state p = read_state(*state);
  ww_policy_view v = {.tools = true, .budget = 3};
  assert_true(allows(&p, &v, WW_CALL_PREDICT, 2));
  v.done[v.ndone++] = (ww_policy_call){WW_CALL_PREDICT, 2};
  assert_false(allows(&p, &v, WW_CALL_PREDICT, 2)); /* it is known */
  v.done[v.ndone++] = (ww_policy_call){WW_CALL_PREDICT, 0};
  v.done[v.ndone++] = (ww_policy_call){WW_CALL_PREDICT, 1};
  assert_false(allows(&p, &v, WW_CALL_PREDICT, 3)); /* the budget is spent */
  assert_true(allows(&p, &v, WW_CALL_APPLY, 1));
  assert_false(allows(&p, &v, WW_CALL_APPLY, 2)); /* not the fastest */
  v.done[v.ndone++] = (ww_policy_call){WW_CALL_APPLY, 1};
  assert_true(allows(&p, &v, WW_CALL_APPLY, 2)); /* the fastest was refused */
  v.done[v.ndone++] = (ww_policy_call){WW_CALL_APPLY, 2};
  assert_true(allows(&p, &v, WW_CALL_FINISH, 0)); /* the other one gains nothing */
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
  p.offers.n = 2;
  assert_int_equal(ww_policy_best(&p), WW_POLICY_OFFERS);
}

/* What is taught is allowed, gains, is the same kernel and was not called before. */
static void test_lessons(void **state) {
  ww_policy_state p = read_state(*state);
  uint64_t random = 1;
  uint32_t tools = 0;
  uint32_t taught[5] = {0};
  for (int k = 0; k < 200; k++) {
    ww_policy_view v;
    ww_policy_call right;
    ww_policy_lesson(&p, &random, &v, &right);
    assert_true(allows(&p, &v, right.act, right.offer));
    assert_int_equal(right.act, v.tools ? WW_CALL_PREDICT : WW_CALL_APPLY);
    for (uint32_t i = 0; !v.tools && i < v.ndone; i++)
      assert_true(v.done[i].offer == 1 || v.done[i].offer == 4); /* refused */
    tools += v.tools;
    taught[right.offer]++;
  }
  assert_true(tools > 100 && tools < 200);
  assert_true(taught[2] > 50 && taught[3] > 50); /* one as good as the other */
  assert_int_equal(taught[2] + taught[3], 200);
}

/* By the order of findings the fix comes first; with two predictions the other one,
 * which is another kernel, is refused and the fix applied. */
static void test_ways(void **state) {
  ww_policy_state p = read_state(*state);
  ww_policy_played way;
  ww_err e = {0};
  p.offers.v[0] = p.offers.v[1];
  ww_policy_view without = {0};
  assert_int_equal(ww_policy_play(NULL, &p, &without, NULL, &way, &e), WW_OK);
  assert_true(way.last.act == WW_CALL_APPLY && way.last.offer == 3);
  ww_policy_view tools = {.tools = true, .budget = 2};
  assert_int_equal(ww_policy_play(NULL, &p, &tools, NULL, &way, &e), WW_OK);
  assert_int_equal(ww_policy_predicted(&way.view), 2);
  assert_int_equal(way.view.ndone, 3);
  assert_true(way.last.act == WW_CALL_APPLY && way.last.offer == 3);
  assert_true(fabs(way.reward - log(100 / 50.5)) < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_json),    TEST(test_prompt),
                                     TEST(test_calls),   TEST(test_best),
                                     TEST(test_lessons), TEST(test_ways)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
