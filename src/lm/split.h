/* split.h - text into the words that BPE works on, none crossing another:
 * tokenizer.json's Split patterns, and NFC and its kin before them.
 *
 * Patterns run on PCRE2. The three that the models here use (GPT-2's, Llama 3's,
 * Qwen2's) are also written out by hand for ASCII, which is most of any source file;
 * the two ways agree, and a test holds them to it. */
#ifndef WW_LM_SPLIT_H
#define WW_LM_SPLIT_H

#include "../base/base.h"

#define WW_SPLIT_GPT2 \
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
#define WW_SPLIT_LLAMA3_OF(digits)                                           \
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}" digits \
  "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define WW_SPLIT_LLAMA3 WW_SPLIT_LLAMA3_OF("{1,3}")
/* one digit a word; what our own tokenizers use */
#define WW_SPLIT_QWEN2 WW_SPLIT_LLAMA3_OF("")

/* immutable once built; any number of threads */
typedef struct ww_splitter ww_splitter;
typedef struct ww_split_work ww_split_work; /* what one thread needs to match */
typedef void ww_word_fn(void *ctx, const char *word, size_t n);

ww_splitter *ww_split_new(void);    /* without patterns: a text is one word */
void ww_split_free(ww_splitter *s); /* accepts NULL */
/* Cuts the words of the patterns before it again: matches and what lies between them
 * are words. `written_out` false: PCRE2 alone. */
ww_status ww_split_add(
    ww_splitter *s, const char *pattern, size_t n, bool written_out, ww_err *e);
ww_split_work *ww_split_work_new(void);
void ww_split_work_free(ww_split_work *w);
/* Every byte of the text is in one word, in order. Bytes that are no UTF-8 become words
 * of their own, which no pattern sees. */
void ww_split_text(const ww_splitter *s,
                   ww_split_work *w,
                   const char *text,
                   size_t n,
                   ww_word_fn *word,
                   void *ctx);

/* ---- UTF-8 and normal forms ---- */

/* bytes at the front that are UTF-8; *ascii: and ASCII all */
size_t ww_utf8_valid(const char *s, size_t n, bool *ascii);
/* bytes of the character that starts so, in text known to be valid; 1 to 4 */
uint32_t ww_utf8_length(uint8_t lead);
uint32_t ww_utf8_put(char out[4], uint32_t code); /* bytes written */
/* The escape of a JSON string at *p, behind its backslash, as UTF-8; 0: *what is wrong
 * with it. */
uint32_t
ww_utf8_unescape(const char **p, const char *end, char out[4], const char **what);
typedef enum { WW_NFC, WW_NFD, WW_NFKC, WW_NFKD } ww_normal_form;
/* Appends; bytes that are no UTF-8 stay as they are. */
void ww_utf8_normalize(ww_normal_form form, const char *s, size_t n, ww_buf *out);

#endif
