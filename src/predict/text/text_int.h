/* text_int.h - what text.c (questions in, reports out) and write.c (the model's own
 * words) share. */
#ifndef WW_PREDICT_TEXT_INT_H
#define WW_PREDICT_TEXT_INT_H

#include "question_evidence.h"
#include "text.h"

/* tokens that an answer's JSON and its explanation take at most */
enum { WW_TEXT_JSON_ROOM = 320, WW_TEXT_WHY_ROOM = 120 };

/* Tokens of several sequences that go through the model together. */
typedef struct {
  ww_tokens token;
  WW_VEC(uint32_t) sequence;
  WW_VEC(bool) wanted;
} ww_text_pass;
void ww_text_pass_add(
    ww_text_pass *p, ww_arena *a, int32_t token, uint32_t sequence, bool wanted);
ww_status ww_text_pass_run(const ww_text_pass *p,
                           ww_lm_session *s,
                           const float *features,
                           float *logits,
                           float *numbers,
                           ww_err *e);

/* ---- write.c ---- */
typedef struct ww_text_grammar ww_text_grammar;
/* How a tokenizer writes an answer; lives in the arena. */
ww_text_grammar *ww_text_grammar_new(const ww_tokenizer *t, ww_arena *a);

typedef struct {
  const ww_text_grammar *g;
  ww_lm_session *session; /* its sequences stand behind their questions */
  uint32_t vocab, n;
  float *logits; /* [n][vocab], room */
  const ww_text_question *questions;
} ww_text_writing;
/* text and why of out[n] */
ww_status
ww_text_write(const ww_text_writing *x, ww_text_answer *out, ww_arena *a, ww_err *e);

#endif
