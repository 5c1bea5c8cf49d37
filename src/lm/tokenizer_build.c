/* tokenizer_build.c - fills a tokenizer's tables from what a file says, and checks that
 * it holds together.
 *
 * Invariant: ids are below `vocab`, each has one piece, no two share one; a merge makes
 * a token that is longer than either part, so that merging ends (no cycles). */
#include <stdatomic.h>

#include "order.h"
#include "tokenizer_int.h"

ww_tokenizer *ww_tokenizer_blank(void) {
  static atomic_uint serials;
  ww_tokenizer *t = ww_xcalloc(1, sizeof *t);
  t->a = ww_arena_new();
  t->serial = atomic_fetch_add(&serials, 1) + 1;
  t->split = ww_split_new();
  t->unknown = WW_NO_ID;
  t->bos = t->eos = -1;
  memset(t->byte_id, 0xff, sizeof t->byte_id);
  return t;
}

/* ---- GPT-2's alphabet: every byte a visible character ---- */

static bool is_visible(uint32_t b) {
  return (b > 32 && b < 127) || (b > 160 && b != 173 && b < 256);
}

uint32_t ww_tokenizer_letter(uint8_t byte) {
  uint32_t unseen = 0;
  for (uint32_t b = 0; b < byte; b++)
    unseen += !is_visible(b);
  return is_visible(byte) ? byte : 256 + unseen;
}

/* The byte of a code point below 324, -1: none. */
static int byte_of(uint32_t code) {
  if (code < 256)
    return is_visible(code) ? (int)code : -1;
  uint32_t k = code - 256; /* 0..32, 127..160, 173 */
  return k < 33 ? (int)k : k < 67 ? (int)(127 + k - 33) : k == 67 ? 173 : -1;
}

/* Raw text as bytes; false (nothing appended) where a character is not of the alphabet.
 */
static bool to_bytes(ww_token_span raw, ww_buf *out) {
  size_t had = out->n;
  for (uint32_t k = 0; k < raw.n;) {
    uint8_t c = raw.s[k];
    uint32_t code = c;
    uint32_t len = 1;
    if (c >= 0xc2 && c < 0xc6 && k + 1 < raw.n) {
      code = (c & 31u) << 6 | (raw.s[k + 1] & 63u);
      len = 2;
    }
    int b = len == 1 && c >= 0x80 ? -1 : byte_of(code);
    if (b < 0) {
      out->n = had;
      return false;
    }
    char byte = b;
    ww_buf_add(out, &byte, 1);
    k += len;
  }
  return true;
}

/* ---- pieces ---- */

/* Bytes of it in a message. */
static int shown(ww_token_span s) {
  return ww_least(s.n, 60);
}

static uint64_t piece_hash(ww_token_span s, bool literal) {
  return ww_hash(s.s, s.n, literal);
}

uint32_t ww_tokenizer_find(const ww_tokenizer *t, ww_token_span s, bool literal) {
  if (!t->slots)
    return WW_NO_ID;
  for (uint64_t k = piece_hash(s, literal);; k++) {
    uint32_t id = t->slot[k & (t->slots - 1)];
    if (id == WW_NO_ID)
      return id;
    if (t->piece[id].n == s.n && !(t->flags[id] & WW_TOKEN_LITERAL) == !literal &&
        !memcmp(t->piece[id].s, s.s, s.n))
      return id;
  }
}

/* A character's token; special ones are not for text. */
uint32_t ww_tokenizer_character(const ww_tokenizer *t, const char *s, uint32_t n) {
  uint32_t id = ww_tokenizer_find(t, (ww_token_span){s, n}, false);
  return id != WW_NO_ID && (t->flags[id] & WW_TOKEN_SPECIAL) ? WW_NO_ID : id;
}

uint32_t
ww_tokenizer_find_raw(const ww_tokenizer *t, ww_token_span raw, ww_buf *scratch) {
  scratch->n = 0;
  if (t->byte_level && to_bytes(raw, scratch))
    return ww_tokenizer_find(t, ww_span_of(scratch), false);
  return ww_tokenizer_find(t, raw, t->byte_level);
}

static void enter(ww_tokenizer *t, uint32_t id) {
  uint64_t k = piece_hash(t->piece[id], t->flags[id] & WW_TOKEN_LITERAL);
  while (t->slot[k & (t->slots - 1)] != WW_NO_ID)
    k++;
  t->slot[k & (t->slots - 1)] = id;
}

ww_status ww_tokenizer_room(ww_tokenizer *t, uint32_t n, uint32_t entries, ww_err *e) {
  if (n > WW_TOKENS_MAX)
    return ww_fail(e, WW_ELIMIT, "the tokenizer has an id of %u; at most %u are read",
                   n - 1, WW_TOKENS_MAX);
  if (n > 65536 && n / 8 > entries)
    return ww_fail(
        e, WW_EDATA,
        "the tokenizer has %u tokens but ids up to %u; most of its vocabulary is holes",
        entries, n - 1);
  if (n <= t->vocab)
    return WW_OK;
  t->piece = ww_grow(t->a, t->piece, t->vocab * sizeof *t->piece, n * sizeof *t->piece);
  t->text = ww_grow(t->a, t->text, t->vocab * sizeof *t->text, n * sizeof *t->text);
  t->flags = ww_grow(t->a, t->flags, t->vocab, n);
  t->vocab = n;
  uint32_t slots = 64;
  while (slots < 2 * n)
    slots *= 2;
  if (slots <= t->slots)
    return WW_OK;
  t->slot = WW_NEWN(t->a, uint32_t, slots);
  t->slots = slots;
  memset(t->slot, 0xff, slots * sizeof *t->slot);
  for (uint32_t id = 0; id < n; id++)
    if (t->piece[id].s)
      enter(t, id);
  return WW_OK;
}

/* "<0x0A>": the byte, -1: something else. */
static int byte_token(ww_token_span s) {
  char *end;
  if (s.n != 6 || memcmp(s.s, "<0x", 3) || s.s[5] != '>')
    return -1;
  char hex[3] = {s.s[3], s.s[4], 0};
  long v = strtol(hex, &end, 16);
  return *end || hex[0] == ' ' || hex[0] == '+' || hex[0] == '-' ? -1 : v;
}

/* What decoding gives for a SentencePiece-style token: marks are spaces, <0x0A> is a
 * byte. */
static ww_token_span plain_text(ww_tokenizer *t, uint32_t id, ww_token_span s) {
  int byte = byte_token(s);
  if (byte >= 0) {
    t->byte_id[byte] = id;
    char *one = ww_alloc(t->a, 2);
    one[0] = byte;
    return (ww_token_span){one, 1};
  }
  if (!memmem(s.s, s.n, WW_SPACE_MARK, 3))
    return s;
  char *to = ww_alloc(t->a, s.n + 1);
  uint32_t n = 0;
  for (uint32_t k = 0; k < s.n;) {
    bool mark = ww_mark_at(s.s + k, s.s + s.n);
    to[n++] = mark ? ' ' : s.s[k];
    k += mark ? 3 : 1;
  }
  return (ww_token_span){to, n};
}

ww_status ww_tokenizer_put(ww_tokenizer *t, uint32_t id, ww_token_span raw, ww_err *e) {
  if (raw.n > WW_PIECE_MAX)
    return ww_fail(e, WW_ELIMIT, "token %u has %u bytes; at most %u are read", id,
                   raw.n, WW_PIECE_MAX);
  if (t->piece[id].s)
    return ww_fail(e, WW_EDATA, "two tokens have the id %u: \"%.*s\" is the second", id,
                   shown(raw), raw.s);
  ww_buf bytes = {0};
  bool literal = t->byte_level && !to_bytes(raw, &bytes);
  ww_token_span s = t->byte_level && !literal ? ww_span_of(&bytes) : raw;
  char *own = ww_alloc(t->a, s.n + 1); /* a token may hold a NUL */
  if (s.n)
    memcpy(own, s.s, s.n);
  s.s = own;
  ww_buf_free(&bytes);
  if (ww_tokenizer_find(t, s, literal) != WW_NO_ID)
    return ww_fail(e, WW_EDATA,
                   "the token \"%.*s\" is there twice, the second time as %u",
                   shown(raw), raw.s, id);
  t->piece[id] = s;
  t->text[id] = t->byte_level ? s : plain_text(t, id, s);
  if (literal)
    t->flags[id] |= WW_TOKEN_LITERAL;
  if (t->byte_level && !literal && s.n == 1)
    t->byte_id[(uint8_t)s.s[0]] = id;
  enter(t, id);
  return WW_OK;
}

/* ---- merges ---- */

ww_status ww_tokenizer_add_merge(ww_tokenizer *t,
                                 ww_merges *list,
                                 ww_token_span left,
                                 ww_token_span right,
                                 ww_buf *scratch,
                                 ww_err *e) {
  uint32_t l = ww_tokenizer_find_raw(t, left, scratch);
  uint32_t r = ww_tokenizer_find_raw(t, right, scratch);
  if (l == WW_NO_ID || r == WW_NO_ID)
    return ww_fail(
        e, WW_EDATA,
        "merge %u joins \"%.*s\" and \"%.*s\"; the vocabulary has no \"%.*s\"", list->n,
        shown(left), left.s, shown(right), right.s, shown(l == WW_NO_ID ? left : right),
        l == WW_NO_ID ? left.s : right.s);
  ww_token_span pl = t->piece[l];
  ww_token_span pr = t->piece[r];
  if (!pl.n || !pr.n)
    return ww_fail(e, WW_EDATA, "merge %u joins an empty token and would never end",
                   list->n);
  bool literal = (t->flags[l] | t->flags[r]) & WW_TOKEN_LITERAL;
  scratch->n = 0;
  ww_buf_add(scratch, pl.s, pl.n);
  ww_buf_add(scratch, pr.s, pr.n);
  uint32_t id = ww_tokenizer_find(t, ww_span_of(scratch), literal);
  if (id == WW_NO_ID && !literal)
    return ww_fail(
        e, WW_EDATA,
        "merge %u joins \"%.*s\" and \"%.*s\" to a token that the vocabulary has not",
        list->n, shown(left), left.s, shown(right), right.s);
  if (literal)
    id = l; /* its parts never come up: kept for the ranks of those behind it */
  uint32_t rank = list->n;
  ww_push(t->a, list, (ww_merge){l, r, rank, id});
  return WW_OK;
}

typedef struct {
  float score;
  uint32_t id;
} scored;

static int by_score(const void *x, const void *y) {
  const scored *a = x;
  const scored *b = y;
  if (a->score != b->score)
    return a->score > b->score ? -1 : 1;
  return ww_order(a->id, b->id);
}

ww_status ww_tokenizer_score_merges(ww_tokenizer *t,
                                    const float *score,
                                    ww_merges *list,
                                    ww_err *e) {
  scored *order = ww_xcalloc(t->vocab, sizeof *order);
  uint32_t n = 0;
  uint32_t rank = 0;
  ww_status st = WW_OK;
  for (uint32_t id = 0; id < t->vocab; id++) {
    bool plain = t->piece[id].s && !(t->flags[id] & WW_TOKEN_ADDED) &&
                 byte_token(t->piece[id]) < 0;
    if (plain && score[id] != score[id])
      st = ww_fail(e, WW_EDATA, "the score of token %u is no number", id);
    if (plain && t->piece[id].n > 512)
      st = ww_fail(
          e, WW_ELIMIT,
          "token %u has %u bytes; at most 512 are read where merges come from scores",
          id, t->piece[id].n);
    if (plain)
      order[n++] = (scored){score[id], id};
  }
  if (!st)
    qsort(order, n, sizeof *order, by_score);
  for (uint32_t k = 0; k < n && !st; k++) {
    if (k && order[k].score != order[k - 1].score)
      rank = k;
    ww_token_span s = t->piece[order[k].id];
    for (uint32_t at = 1; at < s.n; at++) {
      if (((uint8_t)s.s[at] & 0xc0) == 0x80)
        continue;
      uint32_t l = ww_tokenizer_find(t, (ww_token_span){s.s, at}, false);
      uint32_t r =
          l == WW_NO_ID
              ? l
              : ww_tokenizer_find(t, (ww_token_span){s.s + at, s.n - at}, false);
      if (r != WW_NO_ID)
        ww_push(t->a, list, (ww_merge){l, r, rank, order[k].id});
    }
  }
  free(order);
  return st;
}

static void hash_merges(ww_tokenizer *t, const ww_merges *list) {
  uint32_t size = 16;
  while (size / 4 * 3 < list->n)
    size *= 2;
  t->merge = WW_NEWN(t->a, ww_merge, size);
  t->merge_mask = size - 1;
  t->merges = list->n;
  for (uint32_t k = 0; k < size; k++)
    t->merge[k].id = WW_NO_ID;
  for (uint32_t m = 0; m < list->n; m++) {
    const ww_merge *x = list->v + m;
    ww_merge *at;
    uint32_t k = ww_merge_hash(x->left, x->right);
    do
      at = &t->merge[k++ & t->merge_mask];
    while (at->id != WW_NO_ID && (at->left != x->left || at->right != x->right));
    *at = *x; /* listed twice: the later counts */
  }
}

/* ---- added tokens ---- */

ww_status
ww_tokenizer_add(ww_tokenizer *t, const ww_added *added, uint32_t n, ww_err *e) {
  uint32_t top = t->vocab;
  ww_buf scratch = {0};
  ww_status st = WW_OK;
  for (uint32_t k = 0; k < n; k++)
    if (added[k].id >= top)
      top = added[k].id + 1;
  st = ww_tokenizer_room(t, top, t->vocab + n, e);
  t->raw = WW_NEWN(t->a, ww_added, n + 1);
  t->normal = WW_NEWN(t->a, ww_added, n + 1);
  for (uint32_t k = 0; k < n && !st; k++) {
    ww_added x = added[k];
    uint32_t known = ww_tokenizer_find_raw(t, x.match, &scratch);
    if (!x.match.n) {
      st = ww_fail(e, WW_EDATA, "the added token %u is empty", x.id);
    } else if (known != WW_NO_ID && known != x.id) {
      st =
          ww_fail(e, WW_EDATA,
                  "the added token \"%.*s\" has the id %u, in the vocabulary it has %u",
                  shown(x.match), x.match.s, x.id, known);
    } else if (known == WW_NO_ID) {
      st = ww_tokenizer_put(t, x.id, x.match, e);
    }
    if (st)
      break;
    if (known == WW_NO_ID)
      t->text[x.id] = x.match; /* as it is written, whatever the alphabet */
    t->flags[x.id] |= WW_TOKEN_ADDED | (x.special ? WW_TOKEN_SPECIAL : 0);
    if (x.normalized)
      t->normal[t->normals++] = x;
    else
      t->raw[t->raws++] = x;
  }
  ww_buf_free(&scratch);
  return st;
}

static int by_match(const void *x, const void *y) {
  ww_token_span a = ((const ww_added *)x)->match;
  ww_token_span b = ((const ww_added *)y)->match;
  int c = memcmp(a.s, b.s, ww_least(a.n, b.n));
  return c ? c : ww_order(a.n, b.n);
}

static void normalize_match(ww_tokenizer *t, ww_token_span *s) {
  ww_buf b[2] = {0};
  ww_token_span to = ww_tokenizer_normalize(t, s->s, s->n, true, b);
  s->s = memcpy(ww_alloc(t->a, to.n + 1), to.s, to.n);
  s->n = to.n;
  ww_buf_free(b);
  ww_buf_free(b + 1);
}

/* Whether a merge makes a token that has a mark behind something else: then a text
 * cannot be cut there. */
static bool reaches_over(const ww_tokenizer *t) {
  for (uint32_t k = 0; k <= t->merge_mask; k++) {
    if (t->merge[k].id == WW_NO_ID)
      continue;
    ww_token_span s = t->piece[t->merge[k].id];
    bool other = false;
    for (uint32_t at = 0; at < s.n;) {
      bool mark = ww_mark_at(s.s + at, s.s + s.n);
      if (mark && other)
        return true;
      other |= !mark;
      at += mark ? 3 : 1;
    }
  }
  return false;
}

ww_status ww_tokenizer_finish(ww_tokenizer *t, const ww_merges *list, ww_err *e) {
  if (!t->vocab)
    return ww_fail(e, WW_EDATA, "the tokenizer has no tokens");
  hash_merges(t, list);
  for (uint32_t b = 0; b < 256; b++) {
    if (t->byte_level && t->byte_id[b] == WW_NO_ID)
      return ww_fail(e, WW_EDATA,
                     "byte 0x%02x has no token; a byte-level vocabulary needs all 256",
                     b);
    if (!t->byte_level && t->byte_id[b] == WW_NO_ID && t->unknown == WW_NO_ID)
      return ww_fail(e, WW_EDATA,
                     "byte 0x%02x has no token and there is no unk_token: some texts "
                     "have no tokens",
                     b);
  }
  if (!t->byte_level && !t->byte_fallback && t->unknown == WW_NO_ID)
    return ww_fail(e, WW_EDATA, "without byte_fallback the model needs an unk_token");
  for (uint32_t k = 0; k < t->normals; k++)
    normalize_match(t, &t->normal[k].match);
  if (t->raws)
    qsort(t->raw, t->raws, sizeof *t->raw, by_match);
  if (t->normals)
    qsort(t->normal, t->normals, sizeof *t->normal, by_match);
  for (uint32_t k = 0; k < t->nbefore + t->nafter; k++) {
    uint32_t id = k < t->nbefore ? t->before[k] : t->after[k - t->nbefore];
    if (id >= t->vocab)
      return ww_fail(e, WW_EDATA, "the template's token %u is not in the vocabulary",
                     id);
  }
  if (t->nbefore && t->bos < 0)
    t->bos = t->before[0];
  for (uint32_t c = 0; c < 128; c++)
    t->char_id[c] = ww_tokenizer_character(t, &(char){c}, 1);
  t->mark_id = ww_tokenizer_character(t, WW_SPACE_MARK, 3);
  t->cut_at_marks = !t->byte_level && !t->cut_each_mark && !reaches_over(t);
  return WW_OK;
}
