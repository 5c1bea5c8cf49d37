/* fuzz_question.c - any text as a source of the language model's questions: a question
 * of bounded length comes out, or a message. */
#include "fuzz.h"

#include <math.h>

#include "../../src/predict/text/question.h"

static void figures(ww_gpu *g) { /* a description as far as questions read it */
  *g = (ww_gpu){.name = "fuzz", .lanes = 32, .sms = 132};
  g->boost_mhz = 1980;
  g->dram_peak = 4800;
  g->l2_bytes = 6e7;
  g->peak_fp32 = 67;
  g->l2_gbps = NAN;
  g->max_threads = NAN;
}

int fuzz_question(const uint8_t *data, size_t n) {
  static const char *const flags[] = {"-DN=4", "-DT=float", "-D", "-DF(x)=x x"};
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  ww_gpu g;
  ww_question_kernel *k;
  figures(&g);
  ww_arg args[4] = {
      {.kind = WW_ARG_VALUE, .is_int = true, .ivalue = n % 3 ? 100000 : -7},
      {.kind = WW_ARG_BUFFER,
       .buffer = {.bytes = 4096, .fill = {.kind = WW_FILL_MONOTONE, .hi = 9000}}},
      {.kind = WW_ARG_BUFFER, .buffer = {.bytes = UINT64_MAX}},
      {.kind = WW_ARG_HEX, .hex = (const uint8_t *)"\1\2\3\4", .hex_n = 4}};
  ww_launch l = {.grid = {n % 1000, n % 5, 1},
                 .block = {n % 1025, 1, 1},
                 .args = args,
                 .nargs = (uint32_t)(n % 5)};
  if (!ww_question_read(text, n, NULL, flags, 4, a, &k, &e)) {
    ww_text_question q;
    ww_question_ask(k, &l, &g, a, &q);
    if (q.n > 8000)
      abort();
    for (int i = 0; i < WW_QUESTION_FEATURES; i++)
      if (!isfinite(q.features[i]))
        abort();
  } else if (!e.msg[0])
    abort();
  ww_arena_free(a);
  free(text);
  return 0;
}
