/* infer.h - a model on the CPU: loaded once, run by sessions that keep keys and values.
 *
 * Two ways through the same model: exact (fp32 weights and sums, plain C, the
 * reference) and fast (weights as int8 blocks or 16 bit, kernels chosen at run time for
 * AVX2, AVX-512, VNNI, AMX). A test ties them. A model is immutable and shared; a
 * session belongs to one thread at a time and runs on a team of `threads`. */
#ifndef WW_LM_INFER_H
#define WW_LM_INFER_H

#include "model.h"
#include "tokenizer.h"

typedef struct ww_lm ww_lm;
typedef struct {
  bool exact; /* fp32 reference */
  /* fast: WW_DTYPE_Q8_0, WW_DTYPE_F16, WW_DTYPE_BF16 or WW_DTYPE_F32; WW_NDTYPE: as in
   * the file */
  ww_dtype weights;
  uint32_t threads; /* 0: one per core that this process may use */
} ww_lm_options;

ww_status ww_lm_open(const char *path,
                     const ww_lm_options *o,
                     ww_lm **out,
                     ww_err *e); /* o NULL: fast, as in the file */
void ww_lm_close(ww_lm *m);      /* accepts NULL */
const ww_lm_config *ww_lm_config_of(const ww_lm *m);
const ww_tokenizer *ww_lm_tokenizer(const ww_lm *m); /* NULL: the files have none */

typedef struct ww_lm_session ww_lm_session;
/* Room for `sequences` sequences of up to `tokens` tokens each. */
ww_status ww_lm_session_new(
    ww_lm *m, uint32_t sequences, uint32_t tokens, ww_lm_session **out, ww_err *e);
void ww_lm_session_free(ww_lm_session *s);                     /* accepts NULL */
void ww_lm_session_clear(ww_lm_session *s, uint32_t sequence); /* forgets its tokens */
void ww_lm_session_cut(ww_lm_session *s,
                       uint32_t sequence,
                       uint32_t keep); /* forgets all but the first `keep` */
uint32_t ww_lm_session_length(const ww_lm_session *s, uint32_t sequence);
/* tokens that one sequence may have */
uint32_t ww_lm_session_room(const ww_lm_session *s);

/* Tokens of one or more sequences in one pass: each is appended to its sequence, in
 * order. */
typedef struct {
  uint32_t n;
  const int32_t *token;     /* [n] */
  const uint32_t *sequence; /* [n]; NULL: all of sequence 0 */
  const bool *wanted;       /* [n]: whose outputs are wanted; NULL: the last one's */
  /* [sequences seen for the first time in this pass, in order][config.features]; NULL:
   * none */
  const float *features;
} ww_lm_pass;
/* Outputs of the wanted positions, one after the other; either may be NULL. logits
 * [wanted][vocab]; numbers [wanted][2 * numbers]: all means, then all log spreads. */
ww_status ww_lm_run(
    ww_lm_session *s, const ww_lm_pass *p, float *logits, float *numbers, ww_err *e);

#endif
