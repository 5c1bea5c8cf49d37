/* export_question.c - one launch as what our language model learns from: the question's
 * text and features, and what was measured. */
#include <math.h>

#include "../base/json_put.h"
#include "export_int.h"

static void numbers(ww_json *j, const char *key, const float *v, uint32_t n) {
  char text[32];
  ww_json_put(j, "%s:[", key);
  for (uint32_t i = 0; i < n; i++) {
    snprintf(text, sizeof text, "%.5g", (double)v[i]);
    ww_json_raw(j, isfinite(v[i]) ? text : "null");
  }
  ww_json_end_arr(j);
}

void ww_export_question(const ww_exported *x, const ww_text_question *q, ww_buf *out) {
  const ww_store_row *r = x->row;
  float number[WW_NMETRICS];
  ww_buf answer = {0};
  ww_json j = {.out = out};
  for (int m = 0; m < WW_NMETRICS; m++)
    number[m] = ww_question_number(m, r->m[m]);
  ww_json_put(&j, "{prompt:%s", q->text);
  if (isfinite(r->m[WW_M_dram_read_bytes])) {
    ww_question_answer(r->m, &answer);
    ww_buf_puts(&answer, WW_ANSWER_END);
    ww_json_kstr(&j, "completion", answer.s);
  }
  numbers(&j, "features", q->features, WW_QUESTION_FEATURES);
  numbers(&j, "numbers", number, WW_NMETRICS);
  ww_json_put(&j, "id:%s,family:%s}",
              ww_fmt(x->arena, "%s#%u", r->kernel.key, r->number), r->kernel.family);
  ww_buf_puts(out, "\n");
  ww_buf_free(&answer);
}
