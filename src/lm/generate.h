/* generate.h - text out of a model: prompt in, tokens one after the other, until the
 * model or the grammar ends it. */
#ifndef WW_LM_GENERATE_H
#define WW_LM_GENERATE_H

#include "grammar.h"
#include "infer.h"
#include "sample.h"

typedef struct {
  uint32_t most; /* new tokens; 0: as many as the session has room for */
  ww_sample_options sample;
  const ww_grammar *grammar; /* NULL: anything */
  /* texts that end it (and are left out), NULL-terminated, or NULL */
  const char *const *stop;
  const float *features; /* [config.features] of the prompt, or NULL */
  /* Each piece of whole characters as it comes; false: stop. NULL: none. */
  bool (*piece)(void *ctx, const char *text, size_t n);
  void *ctx;
} ww_generate_options;

typedef enum { WW_FINISH_STOP, WW_FINISH_LENGTH, WW_FINISH_CANCEL } ww_finish;
typedef struct {
  ww_buf text; /* the caller frees it */
  ww_finish finish;
  uint32_t prompt_tokens, tokens;
  /* of `tokens`: those that the grammar left no choice of, run in one pass */
  uint32_t forced;
  double prompt_s, s; /* seconds: of the prompt, of all */
} ww_generated;

/* Continues `sequence` (which keeps what it had) with the prompt. */
ww_status ww_lm_generate(ww_lm_session *s,
                         const ww_lm *m,
                         uint32_t sequence,
                         const int32_t *prompt,
                         uint32_t n,
                         const ww_generate_options *o,
                         ww_generated *out,
                         ww_err *e);

#endif
