/* tokenizer_int.h - what the files of the tokenizer share: the tables, how they are
 * filled, the work of one thread.
 *
 * A piece is a token as the model's tables spell it; its text is what decoding gives.
 * Of byte-level models both are the token's bytes (the file's "Ġthe" is " the"); of
 * SentencePiece-style ones the piece is "▁the", the text " the". Symbols are ids. */
#ifndef WW_LM_TOKENIZER_INT_H
#define WW_LM_TOKENIZER_INT_H

#include <stdlib.h>

#include "split.h"
#include "tokenizer.h"

#define WW_NO_ID UINT32_MAX
/* ids of a vocabulary; the largest of today's have 2^18 */
#define WW_TOKENS_MAX (1u << 24)
#define WW_PIECE_MAX 65535u          /* bytes of a token */
#define WW_SPACE_MARK "\xe2\x96\x81" /* U+2581, for a space */

typedef struct {
  const char *s;
  uint32_t n;
} ww_token_span;

enum {
  WW_TOKEN_SPECIAL = 1,
  WW_TOKEN_ADDED = 2,
  /* byte-level: spelled outside the byte alphabet; no text gives it */
  WW_TOKEN_LITERAL = 4
};

typedef struct {
  uint32_t left, right, rank, id; /* id WW_NO_ID: an empty slot */
} ww_merge;

/* A token that is found in text before anything else is done with it. */
typedef struct {
  ww_token_span match; /* the content; of a normalized one, normalized */
  uint32_t id;
  bool special, lstrip, rstrip,
      normalized; /* lstrip, rstrip: takes the white space beside it too */
} ww_added;

typedef enum { WW_NORM_FORM, WW_NORM_PREPEND, WW_NORM_REPLACE } ww_norm_kind;
typedef struct {
  ww_norm_kind kind;
  ww_normal_form form;
  ww_token_span from, to; /* REPLACE; PREPEND: to */
  /* PREPEND: unless it stands there already; only to the start of the text, not behind
   * added tokens */
  bool unless, at_start;
} ww_norm;

struct ww_tokenizer {
  ww_arena *a;
  /* never 0, no two alike: marks this one's words in the threads' caches */
  uint32_t serial;
  uint32_t vocab;
  ww_token_span *piece, *text; /* by id; s NULL: a hole */
  uint8_t *flags;
  /* piece -> id, open addressing, power of two; WW_NO_ID: empty */
  uint32_t *slot, slots;
  ww_merge *merge;
  uint32_t merges, merge_mask;
  bool byte_level;
  bool whole_first;   /* ignore_merges: a word that is a token is that token */
  bool byte_fallback; /* characters that are no token become bytes */
  bool fuse_unknown;  /* unknown characters in a row become one */
  /* SentencePiece style: no merge reaches over a mark that follows something else, so
   * these begin words */
  bool cut_at_marks;
  bool cut_each_mark;    /* each mark begins a word */
  bool strip_space;      /* decoding takes one space away from the front */
  uint32_t byte_id[256]; /* WW_NO_ID: none */
  /* SentencePiece style: of ASCII characters; WW_NO_ID: none, or special */
  uint32_t char_id[128];
  uint32_t mark_id; /* of U+2581 alone */
  uint32_t unknown;
  ww_splitter *split;
  ww_norm norm[8];
  uint32_t norms;
  /* found in the text as given; in normalized text. Sorted by match */
  ww_added *raw, *normal;
  uint32_t raws, normals;
  uint32_t before[8], after[8]; /* what the template puts around a text */
  uint32_t nbefore, nafter;
  int32_t bos, eos;
};

/* ---- filling (tokenizer_build.c): new, pieces, merges, added ones, finish ---- */

typedef WW_VEC(ww_merge) ww_merges;
ww_tokenizer *ww_tokenizer_blank(void);
/* Makes room for ids below n; `entries` is how many tokens the file lists, to tell
 * holes from nonsense. */
ww_status ww_tokenizer_room(ww_tokenizer *t, uint32_t n, uint32_t entries, ww_err *e);
/* raw: as the file spells it, UTF-8; byte-level ones in GPT-2's alphabet. */
ww_status ww_tokenizer_put(ww_tokenizer *t, uint32_t id, ww_token_span raw, ww_err *e);
uint32_t
ww_tokenizer_find_raw(const ww_tokenizer *t, ww_token_span raw, ww_buf *scratch);
uint32_t ww_tokenizer_find(const ww_tokenizer *t, ww_token_span piece, bool literal);
uint32_t ww_tokenizer_character(const ww_tokenizer *t, const char *s, uint32_t n);
ww_status ww_tokenizer_add_merge(ww_tokenizer *t,
                                 ww_merges *list,
                                 ww_token_span left,
                                 ww_token_span right,
                                 ww_buf *scratch,
                                 ww_err *e);
/* Merges by score (SentencePiece): every way to cut a token into two tokens; the higher
 * the score, the earlier. */
ww_status ww_tokenizer_score_merges(ww_tokenizer *t,
                                    const float *score,
                                    ww_merges *list,
                                    ww_err *e);
ww_status
ww_tokenizer_add(ww_tokenizer *t, const ww_added *added, uint32_t n, ww_err *e);
ww_status ww_tokenizer_finish(ww_tokenizer *t, const ww_merges *list, ww_err *e);
/* the code point of GPT-2's alphabet for a byte */
uint32_t ww_tokenizer_letter(uint8_t byte);

static inline bool ww_mark_at(const char *p, const char *end) {
  return end - p >= 3 && !memcmp(p, WW_SPACE_MARK, 3);
}

static inline ww_token_span ww_span_of(const ww_buf *b) {
  return (ww_token_span){b->s ? b->s : "", b->n};
}

static inline uint32_t ww_merge_hash(uint32_t left, uint32_t right) {
  return (uint32_t)((((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15u) >> 32);
}

/* ---- kinds of files ---- */

ww_status
ww_tokenizer_read_json(const char *json, size_t n, ww_tokenizer *t, ww_err *e);
struct ww_weights;
ww_status ww_tokenizer_read_weights(const struct ww_weights *w,
                                    ww_tokenizer *t,
                                    ww_err *e); /* a GGUF that is open */
ww_status ww_tokenizer_read_gguf(const char *path, ww_tokenizer *t, ww_err *e);
ww_status ww_tokenizer_read_bin(const char *bytes,
                                size_t n,
                                ww_tokenizer *t,
                                ww_err *e); /* llama2.c's tokenizer.bin */

/* ---- streaming JSON (tokenizer_scan.c) ---- */

typedef struct {
  const char *start, *p, *end;
  ww_buf text; /* of the last string that had escapes */
  ww_err *e;
} ww_text_scan;
bool ww_scan_open(ww_text_scan *s, char bracket); /* eats [ or { */
/* before each member: the comma, or the closing bracket (*end) */
bool ww_scan_more(ww_text_scan *s, char close, bool *first, bool *end);
/* valid until the next string */
bool ww_scan_string(ww_text_scan *s, ww_token_span *out);
bool ww_scan_key(ww_text_scan *s, ww_token_span *out); /* a string and the colon */
bool ww_scan_uint(ww_text_scan *s, uint32_t *out);
/* any value; *out: where it stands */
bool ww_scan_skip(ww_text_scan *s, ww_token_span *out);
char ww_scan_peek(ww_text_scan *s); /* the next byte that is not blank; 0 at the end */
bool ww_scan_fail(ww_text_scan *s, const char *what); /* false, with the place */

/* ---- encoding (tokenizer.c, tokenizer_bpe.c) ---- */

/* The text as the model's tables want it: `s` itself or one of the two buffers. start:
 * no added token stands before it. */
ww_token_span ww_tokenizer_normalize(
    const ww_tokenizer *t, const char *s, size_t n, bool start, ww_buf b[2]);

typedef struct ww_token_work ww_token_work; /* of one thread: cache of words, buffers */
ww_token_work *ww_token_work_get(void);
ww_split_work *ww_token_work_split(ww_token_work *w);
ww_buf *ww_token_work_buffers(ww_token_work *w); /* two */
/* Appends the ids of one word; words of at most 18 bytes are remembered. */
void ww_tokenizer_word(const ww_tokenizer *t,
                       ww_token_work *w,
                       const char *word,
                       size_t n,
                       ww_arena *a,
                       ww_tokens *out);

#endif
