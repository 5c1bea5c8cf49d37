/* test_json.c - the JSON writer and reader against each other. */
#include "unit.h"

#include <math.h>

#include "../../src/base/json_put.h"
#include "../../src/base/jsonread.h"

static void writer_nests_and_separates(void **state) {
  (void)state;
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_json_obj(&j);
  ww_json_kstr(&j, "a", "x");
  ww_json_key(&j, "list");
  ww_json_arr(&j);
  ww_json_int(&j, -1);
  ww_json_arr(&j);
  ww_json_end_arr(&j);
  ww_json_obj(&j);
  ww_json_end_obj(&j);
  ww_json_bool(&j, false);
  ww_json_end_arr(&j);
  ww_json_kstr(&j, "none", NULL);
  ww_json_key(&j, "raw");
  ww_json_raw(&j, "[1]");
  ww_json_kuint(&j, "u", UINT64_MAX);
  ww_json_end_obj(&j);
  assert_string_equal(
      b.s, "{\"a\":\"x\",\"list\":[-1,[],{},false],\"none\":null,\"raw\":[1],\"u\":"
           "18446744073709551615}");
  ww_buf_free(&b);
}

static void pretty_form_is_the_same_value(void **state) {
  (void)state;
  ww_buf b = {0};
  ww_json j = {.pretty = true};
  ww_json_begin(&j, &b);
  ww_json_obj(&j);
  ww_json_kint(&j, "a", 1);
  ww_json_key(&j, "b");
  ww_json_arr(&j);
  ww_json_int(&j, 2);
  ww_json_end_arr(&j);
  ww_json_end_obj(&j);
  assert_string_equal(b.s, "{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}");
  ww_buf_free(&b);
}

static const char *number_text(double v, ww_buf *b) {
  ww_json j = {0};
  b->n = 0;
  ww_json_begin(&j, b);
  ww_json_num(&j, v);
  return b->s;
}

static void numbers_are_short_and_exact(void **state) {
  (void)state;
  ww_buf b = {0};
  assert_string_equal(number_text(0.1, &b), "0.1");
  assert_string_equal(number_text(8388608, &b), "8388608");
  assert_string_equal(number_text(1.0 / 3, &b), "0.3333333333333333");
  assert_string_equal(number_text(-0.0 + 5e-324, &b), "4.94065645841247e-324");
  assert_string_equal(number_text(__builtin_nan(""), &b), "null");
  assert_string_equal(number_text(-__builtin_inf(), &b), "null");
  ww_buf_free(&b);
}

static void strings_round_trip(void **state) {
  (void)state;
  static const char *const texts[] = {
      "", "plain", "q\"b\\s/", "\n\t\r\b\f\x01\x7f",
      "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ww_buf b = {0};
    ww_json j = {0};
    ww_err e = {0};
    ww_json_begin(&j, &b);
    ww_json_str(&j, texts[i]);
    cJSON *back = ww_json_read(b.s, b.n, &e);
    assert_non_null(back);
    assert_string_equal(back->valuestring, texts[i]);
    cJSON_Delete(back);
    ww_buf_free(&b);
  }
}

static void bytes_that_are_no_utf8_are_replaced(void **state) {
  (void)state;
  static const char *const texts[] = {"\xff",
                                      "\xc3",
                                      "\xc0\x80",
                                      "\xe2\x82",
                                      "\xed\xa0\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xf0\x80\x80\x80"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ww_buf b = {0};
    ww_json j = {0};
    ww_json_begin(&j, &b);
    ww_json_str(&j, texts[i]);
    for (size_t k = 0; k < b.n; k++)
      assert_true((unsigned char)b.s[k] < 0x80);
    assert_non_null(strstr(b.s, "\\ufffd"));
    ww_buf_free(&b);
  }
}

static void reader_keeps_the_text_of_numbers(void **state) {
  (void)state;
  const char *text = "{\"a "
                     "1\":[9007199254740993,2.0,\"3\"],\"\\\"4\":-18,\"e\":1e6,\"u\":"
                     "18446744073709551615}";
  ww_err e = {0};
  cJSON *t = ww_json_read(text, strlen(text), &e);
  int64_t v;
  bool big;
  assert_non_null(t);
  const cJSON *list = t->child;
  assert_true(ww_json_as_int(list->child, &v, &big));
  assert_int_equal(v, 9007199254740993);
  assert_true(ww_json_written_as_int(list->child));
  assert_string_equal(list->child->next->valuestring, "2.0");
  assert_false(ww_json_written_as_int(list->child->next));
  assert_string_equal(list->next->valuestring, "-18");
  assert_true(ww_json_as_int(list->next->next, &v, &big));
  assert_int_equal(v, 1000000);
  assert_true(ww_json_as_int(list->next->next->next, &v, &big));
  assert_true(big);
  assert_int_equal((uint64_t)v, UINT64_MAX);
  cJSON_Delete(t);
}

static void reader_says_where(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint32_t line, col;
    const char *message;
  } bad[] = {
      {"", 1, 1, "not JSON: nothing there"},
      {"  \n ", 2, 2, "not JSON: nothing there"},
      {"{\"a\":1", 1, 7, "not JSON: it ends too early"},
      {"{\"a\":\n x}", 2, 2, "not JSON: unexpected 'x}'"},
      {"{} {}", 1, 4, "not JSON: unexpected '{}'"},
      {"{'a':1}", 1, 2, "not JSON: unexpected 'a':1}'"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ww_err e = {0};
    assert_null(ww_json_read(bad[i].text, strlen(bad[i].text), &e));
    check_text(e.msg, bad[i].message, i);
    assert_int_equal(e.line, bad[i].line);
  }
}

static const char *volatile none; /* what the compiler does not know to be NULL */

static void patterns_look_like_what_they_write(void **state) {
  (void)state;
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_json_put(
      &j,
      "{rule:%s,none:%s,at:{kind:'a loop',size:%d, wide:%lu},ok:%i,list:[1,%g,null,[",
      "x", none, -3, UINT64_MAX, true, 0.5);
  ww_json_put(&j, "]],%s:%ld}", "name", (long)INT64_MIN);
  assert_string_equal(
      b.s, "{\"rule\":\"x\",\"none\":null,\"at\":{\"kind\":\"a loop\",\"size\":-3,"
           "\"wide\":18446744073709551615},\"ok\":true,\"list\":[1,0.5,null,[]],"
           "\"name\":-9223372036854775808}");
  ww_buf_free(&b);
}

static void patterns_leave_out_what_is_not_given(void **state) {
  (void)state;
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_json_put(&j, "{s?:%s,d?:%d,u?:%u,g?:%g,i?:%i,nan!:%g,far!:%g}", none, -1, 0u, 0.0,
              false, NAN, INFINITY);
  assert_string_equal(b.s, "{}");
  b.n = 0;
  ww_json_put(&j, "{s?:%s,d?:%d,u?:%u,g?:%g,i?:%i,zero!:%g,below!:%g,nan:%g}", "", 1,
              2u, 0.5, true, 0.0, -1.5, NAN);
  assert_string_equal(b.s,
                      ",{\"s\":\"\",\"d\":1,\"u\":2,\"g\":0.5,\"i\":true,\"zero\":0,"
                      "\"below\":-1.5,\"nan\":null}");
  ww_buf_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(writer_nests_and_separates),
      TEST(pretty_form_is_the_same_value),
      TEST(patterns_look_like_what_they_write),
      TEST(patterns_leave_out_what_is_not_given),
      TEST(numbers_are_short_and_exact),
      TEST(strings_round_trip),
      TEST(bytes_that_are_no_utf8_are_replaced),
      TEST(reader_keeps_the_text_of_numbers),
      TEST(reader_says_where),
  };
  return RUN(tests);
}
