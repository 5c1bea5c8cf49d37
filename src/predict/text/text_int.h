/* text_int.h - what text.c and text_json.c share. */
#ifndef WW_PREDICT_TEXT_INT_H
#define WW_PREDICT_TEXT_INT_H

#include "../../lm/infer.h"
#include "text.h"

/* The JSON of n sequences of the session at a time, each standing behind its question; logits
 * [n][vocab] are those of their last tokens. Keys and punctuation are forced, digits chosen among
 * what the grammar allows. */
typedef struct ww_text_grammar ww_text_grammar;
ww_text_grammar *ww_text_grammar_new(const ww_tokenizer *t, ww_arena *a);
ww_status ww_text_json(const ww_text_grammar *g, ww_lm_session *s, uint32_t vocab, uint32_t n,
                       float *logits, ww_arena *a, const char **out, ww_err *e);

#endif
