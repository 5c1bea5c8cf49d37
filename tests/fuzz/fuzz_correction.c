/* fuzz_correction.c - any text as a learned correction: a message, or one that gives
 * numbers in order and comes back from what is written of it. */
#include "fuzz.h"

#include <math.h>

#include "../../src/predict/learn/correct_int.h"

static void use(const ww_correction *c) {
  ww_features x;
  ww_gpu g = {.name = "h200"};
  for (int k = 0; k < WW_NFEATURES; k++)
    x.v[k] = (float)(k % 7) - 2;
  ww_correction_knows(c, &g);
  fuzz_must(!(ww_correction_trust(c, &x) < 0));
  for (int m = 0; m < WW_NMETRICS; m++) {
    ww_quantity q;
    if (ww_correction_value(c, (ww_metric)m, &x, 0.5, m * 10.0, &q))
      fuzz_must(!(q.low > q.value) && !(q.high < q.value));
  }
}

/* Written and read: what is no UTF-8 is mended by the first time. */
static void
again(const ww_correction *c, ww_arena *a, ww_correction **back, ww_buf *b) {
  ww_err e = {0};
  ww_correction_write(c, b);
  if (ww_correction_parse(b->s, b->n, a, back, &e)) {
    fprintf(stderr, "%s\n%s\n", b->s, e.msg);
    abort();
  }
}

int fuzz_correction(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_correction *c, *back;
  ww_err e = {0};
  if (ww_correction_parse(text, n, a, &c, &e))
    fuzz_must(e.msg[0]);
  else {
    ww_buf mended = {0}, once = {0}, twice = {0};
    use(c);
    again(c, a, &back, &mended);
    again(back, a, &back, &once);
    again(back, a, &back, &twice);
    fuzz_must(!strcmp(once.s, twice.s));
    ww_buf_free(&mended);
    ww_buf_free(&once);
    ww_buf_free(&twice);
  }
  ww_arena_free(a);
  free(text);
  return 0;
}
