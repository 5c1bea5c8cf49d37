/* tokenizer_bpe.c - the merging itself: a word's symbols are joined, lowest rank first
 * and leftmost first among equals, until no pair merges.
 *
 * Workload: hundreds of megabytes of source, most words short and seen before. So each
 * thread keeps a cache of words, a short word is scanned anew after each merge, and
 * only long ones (whole texts, in SentencePiece style) get a heap. No allocation per
 * word. */
#include <pthread.h>

#include "order.h"
#include "tokenizer_int.h"

#define CACHE_BITS 15
#define SHORT 40 /* symbols up to which a scan beats the heap */

/* One cache line. */
typedef struct {
  uint32_t serial; /* of the tokenizer; 0: empty */
  uint8_t n, nids;
  char word[18];
  int32_t ids[10];
} cached;

struct ww_token_work {
  cached *cache; /* 2^CACHE_BITS, direct-mapped */
  ww_split_work *split;
  ww_buf buffers[2];
  uint32_t *id, *rank, *next, *prev; /* by symbol; rank of the pair that it begins */
  size_t cap;
  /* rank << 32 | symbol; what no longer holds is dropped when it comes up */
  ww_heap heap;
};

/* ---- one per thread, gone with it ---- */

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local ww_token_work *mine;

static void work_free(void *p) {
  ww_token_work *w = p;
  if (!w)
    return;
  free(w->cache);
  ww_split_work_free(w->split);
  ww_buf_free(w->buffers);
  ww_buf_free(w->buffers + 1);
  free(w->id);
  free(w->heap.v);
  free(w);
  mine = NULL;
}

static void key_new(void) {
  pthread_key_create(&key, work_free);
}

ww_token_work *ww_token_work_get(void) {
  if (mine)
    return mine;
  mine = ww_xcalloc(1, sizeof *mine);
  mine->cache = ww_xcalloc(1 << CACHE_BITS, sizeof *mine->cache);
  mine->split = ww_split_work_new();
  pthread_once(&once, key_new);
  /* fails: the thread's memory stays until the process ends */
  pthread_setspecific(key, mine);
  return mine;
}

ww_split_work *ww_token_work_split(ww_token_work *w) {
  return w->split;
}
ww_buf *ww_token_work_buffers(ww_token_work *w) {
  return w->buffers;
}

static void room(ww_token_work *w, size_t n) {
  if (n <= w->cap)
    return;
  w->cap = n + n / 2 + 64;
  free(w->id);
  free(w->heap.v);
  w->id = ww_xmalloc(4 * w->cap * sizeof *w->id);
  w->rank = w->id + w->cap;
  w->next = w->rank + w->cap;
  w->prev = w->next + w->cap;
  /* a merge takes one, adds two at most */
  w->heap.v = ww_xmalloc(2 * w->cap * sizeof *w->heap.v);
}

/* ---- merging ---- */

static inline const ww_merge *
pair(const ww_tokenizer *t, uint32_t left, uint32_t right) {
  for (uint32_t k = ww_merge_hash(left, right);; k++) {
    const ww_merge *m = &t->merge[k & t->merge_mask];
    if (m->left == left && m->right == right && m->id != WW_NO_ID)
      return m;
    if (m->id == WW_NO_ID)
      return NULL;
  }
}

static inline uint32_t rank_of(const ww_tokenizer *t, uint32_t left, uint32_t right) {
  const ww_merge *m = pair(t, left, right);
  return m ? m->rank : UINT32_MAX;
}

/* The plain way: looks for the best pair of all, joins it, looks again. */
static size_t merge_short(const ww_tokenizer *t, ww_token_work *w, size_t n) {
  uint32_t *id = w->id;
  uint32_t *rank = w->rank;
  for (size_t k = 0; k + 1 < n; k++)
    rank[k] = rank_of(t, id[k], id[k + 1]);
  while (n > 1) {
    size_t best = 0;
    for (size_t k = 1; k + 1 < n; k++)
      if (rank[k] < rank[best])
        best = k;
    if (rank[best] == UINT32_MAX)
      break;
    id[best] = pair(t, id[best], id[best + 1])->id;
    n--;
    for (size_t k = best + 1; k < n; k++) {
      id[k] = id[k + 1];
      rank[k] = rank[k + 1];
    }
    if (best + 1 < n)
      rank[best] = rank_of(t, id[best], id[best + 1]);
    if (best > 0)
      rank[best - 1] = rank_of(t, id[best - 1], id[best]);
  }
  return n;
}

static void push(ww_token_work *w, uint32_t rank, uint32_t at) {
  if (rank != UINT32_MAX)
    ww_heap_push(&w->heap, (uint64_t)rank << 32 | at);
}

/* The same with symbols as a list and a heap of pairs. */
static size_t merge_long(const ww_tokenizer *t, ww_token_work *w, size_t n) {
  uint32_t *id = w->id;
  uint32_t *rank = w->rank;
  uint32_t *next = w->next;
  uint32_t *prev = w->prev;
  uint32_t end = n;
  w->heap.n = 0;
  for (uint32_t k = 0; k < end; k++) {
    next[k] = k + 1;
    prev[k] = k ? k - 1 : end;
    rank[k] = k + 1 < end ? rank_of(t, id[k], id[k + 1]) : UINT32_MAX;
    push(w, rank[k], k);
  }
  while (w->heap.n) {
    uint64_t top = ww_heap_pop(&w->heap);
    uint32_t at = top;
    uint32_t right = next[at];
    if (rank[at] != top >> 32)
      continue; /* merged since, or away */
    id[at] = pair(t, id[at], id[right])->id;
    rank[right] = UINT32_MAX;
    next[at] = next[right];
    if (next[at] < end)
      prev[next[at]] = at;
    rank[at] = next[at] < end ? rank_of(t, id[at], id[next[at]]) : UINT32_MAX;
    push(w, rank[at], at);
    uint32_t left = prev[at];
    if (left == end)
      continue;
    rank[left] = rank_of(t, id[left], id[at]);
    push(w, rank[left], left);
  }
  size_t out = 0;
  for (uint32_t k = 0; k < end; k = next[k])
    id[out++] = id[k]; /* out <= k */
  return out;
}

/* ---- symbols ---- */

/* The token of the character at p and its bytes; WW_NO_ID where it has none, or the
 * first byte is no UTF-8. */
static inline uint32_t
character(const ww_tokenizer *t, const char *p, size_t n, size_t *len) {
  bool ascii;
  *len = 1;
  if (!(*p & 0x80))
    return t->char_id[(uint8_t)*p];
  if (ww_mark_at(p, p + n)) {
    *len = 3;
    return t->mark_id;
  }
  size_t whole = ww_utf8_length(*p);
  if (whole > n || ww_utf8_valid(p, whole, &ascii) != whole)
    return WW_NO_ID;
  *len = whole;
  return ww_tokenizer_character(t, p, whole);
}

/* A SentencePiece-style word: each character that is a token, else its bytes, else the
 * unknown one.
 */
static size_t
characters(const ww_tokenizer *t, uint32_t *id, const char *word, size_t n) {
  size_t out = 0;
  bool unknown = false;
  for (size_t k = 0, len; k < n; k += len) {
    uint32_t known = character(t, word + k, n - k, &len);
    bool bytes = known == WW_NO_ID && t->byte_fallback;
    for (size_t b = 0; b < len; b++)
      bytes &= t->byte_id[(uint8_t)word[k + b]] != WW_NO_ID;
    if (known != WW_NO_ID) {
      id[out++] = known;
    } else if (bytes) {
      for (size_t b = 0; b < len; b++)
        id[out++] = t->byte_id[(uint8_t)word[k + b]];
    } else if (!(unknown && t->fuse_unknown)) {
      id[out++] = t->unknown;
    }
    unknown = known == WW_NO_ID && !bytes;
  }
  return out;
}

static size_t
encode(const ww_tokenizer *t, ww_token_work *w, const char *word, size_t n) {
  room(w, n);
  if (t->whole_first) {
    uint32_t id = n <= WW_PIECE_MAX
                      ? ww_tokenizer_find(t, (ww_token_span){word, n}, false)
                      : WW_NO_ID;
    if (id != WW_NO_ID && !(t->flags[id] & WW_TOKEN_ADDED)) {
      w->id[0] = id;
      return 1;
    }
  }
  if (t->byte_level)
    for (size_t k = 0; k < n; k++)
      w->id[k] = t->byte_id[(uint8_t)word[k]];
  else
    n = characters(t, w->id, word, n);
  return n <= SHORT ? merge_short(t, w, n) : merge_long(t, w, n);
}

static inline uint32_t word_hash(const char *word, size_t n, uint32_t serial) {
  uint64_t x = 0;
  uint64_t y = 0;
  if (n >= 8) {
    memcpy(&x, word, 8);
    memcpy(&y, word + n - 8, 8);
  } else if (n >= 4) {
    memcpy(&x, word, 4);
    memcpy(&y, word + n - 4, 4);
  } else
    x = (uint8_t)word[0] | (uint64_t)(uint8_t)word[n / 2] << 8 |
        (uint64_t)(uint8_t)word[n - 1] << 16;
  if (n > 16)
    x ^= (uint64_t)(uint8_t)word[8] << 32 | (uint64_t)(uint8_t)word[9] << 40;
  uint64_t h = (x ^ (uint64_t)serial << 56 ^ n) * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 29) ^ y) * 0xbf58476d1ce4e5b9u;
  return h >> (64 - CACHE_BITS);
}

void ww_tokenizer_word(const ww_tokenizer *t,
                       ww_token_work *w,
                       const char *word,
                       size_t n,
                       ww_arena *a,
                       ww_tokens *out) {
  if (!n)
    return;
  if (n > sizeof w->cache->word) {
    n = encode(t, w, word, n);
    ww_append(a, out, w->id, n);
    return;
  }
  cached *c = &w->cache[word_hash(word, n, t->serial)];
  if (c->serial == t->serial && c->n == n && !memcmp(c->word, word, n)) {
    ww_append(a, out, c->ids, c->nids);
    return;
  }
  size_t got = encode(t, w, word, n);
  ww_append(a, out, w->id, got);
  if (got > sizeof c->ids / sizeof *c->ids)
    return;
  c->serial = t->serial;
  c->n = n;
  c->nids = got;
  memcpy(c->word, word, n);
  memcpy(c->ids, w->id, got * sizeof *c->ids);
}
