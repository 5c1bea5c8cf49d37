/* train.h - what `warpwise train` fits: the time model's parameters and what is learned
 * on top (train.c), a language model (train_lm.c). */
#ifndef WW_CMD_TRAIN_H
#define WW_CMD_TRAIN_H

#include "cmd.h"

typedef struct {
  const char *machine, *out;
  bool true_counters, no_cross;
  bool correction, score, intervals, markdown;
  const char *corpus, *sources;
  ww_strings features;
  uint64_t rows, each, jobs, budget, rounds, leaves;
  /* of a language model */
  const char *model, *valid, *tokenizer; /* model: a folder, a .gguf, or "new" */
  ww_strings data, special;
  uint64_t width, layers, heads, kv_heads, hidden, context, vocab,
      feature_tokens; /* 0: not given */
  bool untied, add_heads;
  uint64_t steps, batch, tokens, accumulate, seed, every, check_every, check_rows,
      patience, lora, log_every;
  const char *epochs, *lr, *lr_least, *warmup, *decay, *clip, *beta2, *alpha,
      *number_weight, *noise, *average, *dropout, *minutes, *peak; /* numbers */
  const char *precision, *save_as, *checkpoint, *log, *curve;
  bool deterministic, resume, merge;
  const char *parts, *ranks, *wait; /* of several ranks: folder, way, seconds */
} ww_train_options;

/* A language model from examples in JSON lines; a tokenizer from their texts. */
ww_status ww_train_lm(ww_cmd *c, const ww_train_options *o);
ww_status ww_train_tokenizer(ww_cmd *c, const ww_train_options *o);

#endif
