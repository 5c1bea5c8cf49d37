/* examples.h - what a model learns from: questions and answers as tokens, and batches packed from them.
 *
 * Read from JSON lines, one example each; any mix of these members:
 *   {"prompt": "...", "completion": "..."}          the loss is on the completion alone
 *   {"messages": [{"role": .., "content": ..}, ..]}  chat, the loss is on the assistant's (the tokenizer's chat template, ChatML without one)
 *   {"text": "..."}                                  the loss is on all of it
 *   "numbers": [4.1, null, ..]                       asked of the regression head at the prompt's last token
 *   "features": [..]                                 numeric inputs of the document
 * as `warpwise dataset export --as prompts|questions` writes them. */
#ifndef WW_LM_EXAMPLES_H
#define WW_LM_EXAMPLES_H

#include "net.h"
#include "tokenizer.h"

typedef struct {
  uint64_t at;     /* of its first token in `token` */
  uint32_t n;      /* tokens */
  uint32_t prompt; /* of these are the prompt */
} ww_example;

typedef struct {
  ww_arena *arena;
  int32_t *token;
  ww_example *v;
  uint32_t n;
  uint32_t numbers, features; /* per example; 0: none */
  float *number, *feature;    /* [n, numbers], NaN: not known; [n, features] */
  uint32_t cut;               /* examples that were longer than `most` and lost the middle of their prompt */
  uint64_t tokens;            /* of all */
} ww_examples;

/* Reads and tokenizes on `threads` threads. Examples longer than `most` tokens lose the middle of their prompt. */
ww_status ww_examples_read(const char *path, const ww_tokenizer *t, const ww_lm_config *c, uint32_t most, uint32_t threads, ww_examples *out,
                           ww_err *e);
void ww_examples_free(ww_examples *x);

/* Packs a shuffled epoch after the other into rows of T tokens, whole documents only; the place in the stream is two numbers, so
 * that a training resumes exactly. */
typedef struct ww_packer ww_packer;
ww_packer *ww_packer_new(const ww_examples *x, const ww_lm_config *c, uint32_t B, uint32_t T, uint64_t seed);
void ww_packer_free(ww_packer *p);
const ww_lm_batch *ww_packer_next(ww_packer *p); /* valid until the next call */
void ww_packer_tell(const ww_packer *p, uint64_t *epoch, uint64_t *example);
void ww_packer_seek(ww_packer *p, uint64_t epoch, uint64_t example);

#endif
