/* fuzz_gpu.c - any text as the description of a GPU: a message that names the member,
 * or figures within their bounds that come back as they were written, and an occupancy
 * for any block. */
#include "fuzz.h"

#include "../../src/gpu/gpu.h"
#include "../../src/predict/model/predict.h"

/* Written, read and written: what is no UTF-8 is mended by the first of them. */
static void again(const ww_gpu *g, bool pretty, ww_arena *a, ww_gpu *back, ww_buf *b) {
  ww_err e = {0};
  ww_gpu_write(g, pretty, b);
  if (ww_gpu_parse(b->s, b->n, a, back, &e)) {
    fprintf(stderr, "%s\n%s\n", b->s, e.msg);
    abort();
  }
}

static void check(ww_gpu *g) {
  ww_occupancy o;
  static const uint64_t threads[] = {1, 33, 256, 1024, 65536};
  fuzz_must(g->name && g->full_name && g->vendor && g->architecture);
  fuzz_must((g->lanes == 32 || g->lanes == 64) && g->sms);
  for (uint32_t k = 0; k < WW_NGPU_FIGURES; k++) {
    double v = ww_figure_of(g, k);
    fuzz_must(isnan(v) ||
              (v >= ww_gpu_figures[k].least && v <= ww_gpu_figures[k].most));
  }
  for (uint32_t k = 0; k < ww_ngpu_curves; k++) {
    ww_curve *c = ww_curve_at(g, k);
    for (double x = 1; x < 1e13; x *= 97)
      fuzz_must(!isnan(ww_curve_at_x(c, x)) || !c->n);
  }
  for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
    ww_occupancy_of(g, threads[k], 32 + 64 * (double)k, k % 2 ? 40000 : 0, &o);
    fuzz_must(o.limit_pct >= 0 && o.limit_pct <= 100);
  }
}

int fuzz_gpu(const uint8_t *data, size_t n) {
  ww_arena *a = ww_arena_new();
  ww_gpu g, back;
  ww_err e = {0};
  char *text = fuzz_text(data, n);
  bool valid = !ww_gpu_parse(text, n, a, &g, &e);
  if (valid) {
    ww_buf mended = {0}, once = {0}, twice = {0};
    again(&g, n % 2, a, &back, &mended);
    again(&back, n % 2, a, &g, &once);
    again(&g, n % 2, a, &back, &twice);
    fuzz_must(!strcmp(once.s, twice.s));
    check(&g);
    ww_buf_free(&mended);
    ww_buf_free(&once);
    ww_buf_free(&twice);
  } else
    fuzz_must(e.msg[0]);
  free(text);
  ww_arena_free(a);
  return 0;
}
