/* fuzz_expr.c - any text as an expression, a shape, a fill and an argument: a number
 * and what was said, or a message. */
#include "fuzz.h"

#include <math.h>

#include "../../src/report/launch.h"

static bool lookup(void *ctx, const char *name, size_t n, double *value) {
  (void)ctx;
  *value = n == 1 ? name[0] - 'm' : n == 2 ? 0x1p52 : 0.5;
  return n < 4;
}

int fuzz_expr(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  ww_number x;
  ww_launch l = {0};
  ww_fill fill = {0};
  uint64_t dims[3] = {0};
  const char *exprs[3] = {0};
  if (ww_expr_number(text, lookup, NULL, &x, &e))
    fuzz_must(e.msg[0]);
  else if (x.is_int)
    fuzz_must(fabs(x.f - (double)x.i) <= fabs(x.f) * 1e-9 ||
              x.i < 0); /* negative: the bits of 2^63 and more */
  ww_expr_has_name(text);
  ww_launch_shape(text, "grid", a, dims, exprs, &e);
  ww_launch_fill(text, "/nowhere", a, &fill, &e);
  ww_launch_arg(text, a, &l, &e);
  ww_arena_free(a);
  free(text);
  return 0;
}
