/* test_expr.c - the expressions of launch specs. */
#include "unit.h"

#include "../../src/report/launch.h"

static bool names(void *ctx, const char *name, size_t n, double *value) {
  (void)ctx;
  if (n == 1 && *name == 'n')
    return *value = 1000, true;
  if (n == 5 && memcmp(name, "alpha", 5) == 0)
    return *value = 0.5, true;
  return false;
}

static void values(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool is_int;
    int64_t i;
    double f;
  } rows[] = {
      {"1", true, 1, 1},
      {"1<<20", true, 1048576, 1048576},
      {"0x10", true, 16, 16},
      {"1e6", true, 1000000, 1e6},
      {"1M", true, 1048576, 1048576},
      {"3*64k+1", true, 196609, 196609},
      {"64K", true, 65536, 65536},
      {"1.5m", true, 1572864, 1572864},
      {"2G", true, 2147483648, 2147483648.0},
      {"1.5", false, 0, 1.5},
      {"2.0", false, 0, 2},
      {"1.5f", false, 0, 1.5},
      {"(n+255)/256", true, 4, 4},
      {"n/256", true, 3, 3},
      {"-7/2", true, -3, -3},
      {"7%4", true, 3, 3},
      {"2+3*4", true, 14, 14},
      {"(2+3)*4", true, 20, 20},
      {"1+1<<3", true, 16, 16},
      {"10-3-2", true, 5, 5},
      {"100/5/2", true, 10, 10},
      {"- -3", true, 3, 3},
      {"+3", true, 3, 3},
      {" n * n ", true, 1000000, 1e6},
      {"n*alpha", false, 0, 500},
      {"n*1.0", false, 0, 1000},
      {"256>>4", true, 16, 16},
      {"2**10", true, 1024, 1024},
      {"2*3**2", true, 18, 18},
      {"n<=1000", true, 1, 1},
      {"n<1000", true, 0, 0},
      {"1+1==2", true, 1, 1},
      {"n!=1000||alpha>0.4", true, 1, 1},
      {"1||0&&0", true, 1, 1},
      {"n == 0 or 8 / n == 0 and not 0", true, 1, 1},
      {"!n", true, 0, 0},
      {"0&&5/0", true, 0, 0},
      {"1||5/0", true, 1, 1},
      {"n>5?2:3/0", true, 2, 2},
      {"0?1:0?2:3", true, 3, 3},
      {"min(n,64,128)", true, 64, 64},
      {"max(n/2,3)+1", true, 501, 501},
      {"1<<2<5", true, 1, 1},
      {"9007199254740993", true, 9007199254740993, 9007199254740992.0},
      {"9007199254740993*3", true, 27021597764222979, 27021597764222980.0},
      {"-9223372036854775808", true, INT64_MIN, -9223372036854775808.0},
      {"18446744073709551615", true, -1, 18446744073709551615.0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_number v = {0};
    ww_err e = {0};
    if (ww_expr_number(rows[i].text, names, NULL, &v, &e) != WW_OK)
      fail_msg("%s: %s", rows[i].text, e.msg);
    if (v.is_int != rows[i].is_int || v.f != rows[i].f ||
        (v.is_int && v.i != rows[i].i))
      fail_msg("%s: got %d %lld %g", rows[i].text, v.is_int, (long long)v.i, v.f);
  }
}

/* Where names stand for any value, the form alone counts; words of a message inside the
 * text make no difference. */
static void form(void **state) {
  (void)state;
  static const char *const good[] = {"n/0", "1<<n", "n%0.5", "1<<(n-2)", "n/(n-1)"};
  static const char *const bad[] = {"x)division by", "division by", "n/0)",
                                    "whole n",       "n/0 shift",   "(n"};
  ww_number out;
  ww_err e = {0};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++)
    if (ww_expr_number(good[k], ww_expr_any, NULL, &out, &e))
      fail_msg("%s: %s", good[k], e.msg);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    ww_arena *a = ww_arena_new();
    uint64_t dims[3] = {0};
    const char *exprs[3] = {0};
    if (!ww_expr_number(bad[k], ww_expr_any, NULL, &out, &e))
      fail_msg("%s is taken", bad[k]);
    if (!ww_launch_shape(bad[k], "grid", a, dims, exprs, &e))
      fail_msg("%s is taken as a grid", bad[k]);
    ww_arena_free(a);
  }
}

static void errors(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"", "it ends too early"},
      {"1+", "it ends too early"},
      {"(1", "a ')' is missing"},
      {"1 2", "an operator is expected"},
      {"1)", "an operator is expected"},
      {"m+1", "\"m\" has no value"},
      {"*3", "a number, a name or '(' is expected"},
      {"5/0", "division by zero"},
      {"5%0", "division by zero"},
      {"5.0/0", "division by zero"},
      {"1.5%2", "% << >> need whole numbers"},
      {"1<<63", "a shift must be by 0 to 62"},
      {"1<<-1", "a shift must be by 0 to 62"},
      {"4<<62", "the result does not fit 64 bits"},
      {"9223372036854775807+1", "the result does not fit 64 bits"},
      {"3037000500*3037000500", "the result does not fit 64 bits"},
      {"99999999999999999999", "a number does not fit 64 bits"},
      {"18446744073709551615+0", "the result does not fit 64 bits"},
      {"1e999", "a number is too large"},
      {"1e308*10.0", "the result is too large"},
      {"12ab", "a number with letters behind it"},
      {"12kB", "a number with letters behind it"},
      {"n n", "an operator is expected"},
      {"1;2", "an operator is expected"},
      {"1?2", "a ':' is missing"},
      {"min(1,2", "a ')' is missing"},
      {"2**65", "** needs whole numbers, the second from 0 to 64"},
      {"0||5/0", "division by zero"},
      {"1=2", "an operator is expected"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_number v;
    ww_err e = {0};
    assert_int_equal(ww_expr_number(rows[i][0], names, NULL, &v, &e), WW_EPARSE);
    char want[200];
    snprintf(want, sizeof want, "in \"%s\": %s", rows[i][0], rows[i][1]);
    check_text(e.msg, want, i);
  }
}

static void deep_nesting_is_refused(void **state) {
  (void)state;
  char text[20001];
  memset(text, '(', 20000);
  text[20000] = 0;
  ww_number v;
  ww_err e = {0};
  assert_int_equal(ww_expr_number(text, NULL, NULL, &v, &e), WW_EPARSE);
  assert_non_null(strstr(e.msg, "nested too deeply"));
}

static void names_are_seen(void **state) {
  (void)state;
  assert_false(ww_expr_has_name("0x1f + 1e6 * 1.5f"));
  assert_true(ww_expr_has_name("4*n"));
  assert_true(ww_expr_has_name("_x"));
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(values), TEST(errors), TEST(form),
                                     TEST(deep_nesting_is_refused),
                                     TEST(names_are_seen)};
  return RUN(tests);
}
