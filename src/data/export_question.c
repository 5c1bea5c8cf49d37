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

/* The JSON, and behind it what a traced launch is limited by. */
static void completion(const double *measured, const ww_evidence *told, ww_json *j) {
  ww_buf b = {0};
  ww_question_answer(measured, &b);
  if (told->form == WW_EVIDENCE_TRACED) {
    ww_buf_puts(&b, WW_ANSWER_WHY);
    ww_evidence_explain(told, &b);
  }
  ww_buf_puts(&b, WW_ANSWER_END);
  ww_json_kstr(j, "completion", b.s);
  ww_buf_free(&b);
}

void ww_export_question(const ww_exported *x,
                        const ww_text_question *q,
                        const ww_evidence *told,
                        ww_buf *out) {
  const ww_store_row *r = x->row;
  float number[WW_NMETRICS];
  ww_json j = {.out = out};
  for (int m = 0; m < WW_NMETRICS; m++)
    number[m] = ww_question_number(m, r->m[m]) - q->base[m];
  ww_json_put(&j, "{prompt:%s", q->text);
  if (isfinite(r->m[WW_M_dram_read_bytes]))
    completion(r->m, told, &j);
  numbers(&j, "features", q->features, WW_QUESTION_FEATURES);
  numbers(&j, "numbers", number, WW_NMETRICS);
  if (q->form) {
    numbers(&j, "base", q->base, WW_NMETRICS);
    ww_json_kstr(&j, "form", ww_evidence_names[q->form]);
  }
  ww_json_put(&j, "id:%s,family:%s}",
              ww_fmt(x->arena, "%s#%u", r->kernel.key, r->number), r->kernel.family);
  ww_buf_puts(out, "\n");
}
