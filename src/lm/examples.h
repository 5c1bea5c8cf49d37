/* examples.h - what a model learns from: questions and answers as tokens, and batches
 * packed from them.
 *
 * Read from JSON lines, one example each; any mix of these members:
 *   {"prompt": "...", "completion": "..."}          the loss is on the completion alone
 *   {"messages": [{"role": .., "content": ..}, ..]}  chat, the loss is on the
 * assistant's (Llama 3's form or ChatML, see chat.h)
 *   {"text": "..."}                                  the loss is on all of it
 *   "numbers": [4.1, null, ..]                       asked of the regression head at
 * the prompt's last token (of a text: at its last) "weight": 0.5 what its tokens'
 * loss counts, 1 where it is not said "features": [..] numeric inputs of
 * the document as `warpwise dataset export --as prompts|questions` writes them. A
 * completion or text that does not end with one of the model's end tokens gets the
 * first of them.
 */
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
  /* [n, numbers], NaN: not known; [n, features], the first NaN: the example has none */
  float *number, *feature;
  float *weight; /* [n] of its tokens' loss; NULL: 1 of all */
  /* examples that were longer than the rows and lost the middle of their prompt */
  uint32_t cut;
  uint64_t tokens; /* of all */
} ww_examples;

/* Reads the files (NULL behind the last) and tokenizes on `threads` threads (0: one a
 * core). Examples longer than `most` tokens lose the middle of their prompt; a text
 * becomes several. An error names the line and leaves nothing to free. */
ww_status ww_examples_read(const char *const *paths,
                           const ww_tokenizer *t,
                           const ww_lm_config *c,
                           uint32_t most,
                           uint32_t threads,
                           ww_examples *out,
                           ww_err *e);
void ww_examples_free(ww_examples *x); /* all zero afterwards; may be already */
/* of all that is learned from, to know the data again */
uint64_t ww_examples_hash(const ww_examples *x);

/* What the first lines of the first file have, so that a new model can be given heads
 * for them.
 */
typedef struct {
  uint32_t numbers, features;
  /* how often the special token that begins the prompt is repeated there */
  uint32_t feature_tokens;
} ww_examples_shape;
ww_status ww_examples_peek(const char *const *paths,
                           const ww_tokenizer *t,
                           ww_examples_shape *out,
                           ww_err *e);

/* The texts of files one after the other, for ww_bpe_plan.next: prompts, completions,
 * messages, texts. */
typedef struct ww_texts ww_texts;
ww_status ww_texts_open(const char *const *paths, ww_texts **out, ww_err *e);
/* NULL: no more, or an error, see _close */
const char *ww_texts_next(void *texts, size_t *n);
ww_status ww_texts_close(ww_texts *t, ww_err *e); /* what stopped it; accepts NULL */

/* Packs a shuffled epoch after the other into rows of T tokens, whole documents only;
 * the place in the stream is two numbers, so that a training resumes exactly. Which
 * documents share a row and in what order rows come depends on examples, T and seed,
 * not on B. */
typedef struct ww_packer ww_packer;
ww_packer *ww_packer_new(
    const ww_examples *x, const ww_lm_config *c, uint32_t B, uint32_t T, uint64_t seed);
void ww_packer_free(ww_packer *p); /* accepts NULL */
/* before the first batch: this share of prompts' tokens and of features is disturbed;
 * 0: none */
void ww_packer_noise(ww_packer *p, float share);
/* valid until the next call; a batch may begin in one epoch and end in the next */
const ww_lm_batch *ww_packer_next(ww_packer *p);
/* The same up to the end of the epoch: missing rows of the last batch are padding, then
 * NULL, then the epoch begins again. */
const ww_lm_batch *ww_packer_next_once(ww_packer *p);
void ww_packer_tell(const ww_packer *p,
                    uint64_t *epoch,
                    uint64_t *row); /* of the next batch's first row */
void ww_packer_seek(ww_packer *p, uint64_t epoch, uint64_t row);
uint64_t ww_packer_rows(ww_packer *p); /* of the present epoch */
/* share of its tokens that are no padding */
double ww_packer_filled(ww_packer *p);
bool ww_any_known(const float *v, uint32_t n); /* that is no NaN */
/* Which of n is at place k of a shuffled order: a permutation of 0 .. n - 1 for each
 * seed, O(1). */
uint64_t ww_shuffled(uint64_t k, uint64_t n, uint64_t seed);

#endif
