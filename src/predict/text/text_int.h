/* text_int.h - what text.c and text_json.c share. */
#ifndef WW_PREDICT_TEXT_INT_H
#define WW_PREDICT_TEXT_INT_H

#include "../../lm/infer.h"
#include "text.h"

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

/* The JSON of n sequences of the session at a time, each standing behind its question;
 * logits [n][vocab] are those of their last tokens. Keys and punctuation are forced,
 * digits chosen among what the grammar allows. */
typedef struct ww_text_grammar ww_text_grammar;
ww_text_grammar *ww_text_grammar_new(const ww_tokenizer *t, ww_arena *a);
ww_status ww_text_json(const ww_text_grammar *g,
                       ww_lm_session *s,
                       uint32_t vocab,
                       uint32_t n,
                       float *logits,
                       ww_arena *a,
                       const char **out,
                       ww_err *e);

#endif
