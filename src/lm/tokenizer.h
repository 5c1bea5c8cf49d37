/* tokenizer.h - text to token ids and back: byte-level BPE (GPT-2, Llama 3, Qwen2.5:
 * tokenizer.json, or a GGUF's) and SentencePiece-style BPE (Llama 2).
 *
 * Same ids as Hugging Face's `tokenizers` for the parts of tokenizer.json that these
 * models use; what is not known is an error, not a guess. A tokenizer is immutable
 * after opening and may be used by many threads; each keeps a cache of words (2 MiB)
 * until it ends. Text may be any bytes: what is no UTF-8 is kept, where others put
 * U+FFFD, so byte-level models give back what they were given (after NFC, where the
 * file asks for it). */
#ifndef WW_LM_TOKENIZER_H
#define WW_LM_TOKENIZER_H

#include "../base/base.h"

typedef struct ww_tokenizer ww_tokenizer;
typedef WW_VEC(int32_t) ww_tokens; /* arena-owned */

/* tokenizer.json, a folder that has one, a .gguf that carries one (whole under
 * warpwise.tokenizer_json, or as tokenizer.ggml.*), or llama2.c's tokenizer.bin. */
ww_status ww_tokenizer_open(const char *path, ww_tokenizer **out, ww_err *e);
ww_status ww_tokenizer_parse(const char *json, size_t n, ww_tokenizer **out, ww_err *e);
void ww_tokenizer_free(ww_tokenizer *t);            /* accepts NULL */
uint32_t ww_tokenizer_vocab(const ww_tokenizer *t); /* ids are below it */
/* a token's id by its text ("<|answer|>"), -1: none */
int32_t ww_tokenizer_id(const ww_tokenizer *t, const char *token);
/* its bytes as decoding gives them; NULL: no such id */
const char *ww_tokenizer_text(const ww_tokenizer *t, int32_t id, uint32_t *n);
bool ww_tokenizer_special(const ww_tokenizer *t, int32_t id);
/* what the template puts in front, -1: nothing */
int32_t ww_tokenizer_bos(const ww_tokenizer *t);

/* special: texts of special (and other added) tokens become those tokens, and the
 * template's BOS is put in front where the model has one, as transformers does by
 * default. Without it the text is text alone: no byte of it can become a special token.
 * Appends to *out. */
void ww_tokenizer_encode(const ww_tokenizer *t,
                         const char *text,
                         size_t n,
                         bool special,
                         ww_arena *a,
                         ww_tokens *out);
void ww_tokenizer_decode(const ww_tokenizer *t,
                         const int32_t *ids,
                         uint32_t n,
                         bool special,
                         ww_buf *out); /* special: print them too */

/* Trains a byte-level BPE of `vocab` entries (256 bytes, `special` ones, merges) on
 * texts that `next` hands out one after the other (NULL: no more), and writes a
 * tokenizer.json that transformers loads. The same texts in any order give the same
 * file; ids are the bytes, the special ones, the merges; fewer than `vocab` where no
 * pair is left that comes twice. `pattern` splits text into words that no merge crosses
 * (NULL: Llama 3's with single digits). */
typedef struct {
  uint32_t vocab;
  const char *const *special; /* NULL-terminated */
  const char *pattern;
  const char *(*next)(void *ctx, size_t *n);
  void *ctx;
} ww_bpe_plan;
ww_status ww_bpe_train(const ww_bpe_plan *plan, const char *path, ww_err *e);

#endif
