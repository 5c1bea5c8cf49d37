/* bpe_train.c - trains a byte-level BPE: counts the words of the texts, then joins the
 * commonest pair of symbols until the vocabulary is full.
 *
 * Invariant: a pair's count is right after each merge; the heap may hold old counts,
 * which are put right when they come up. Ties go to the pair with the lower ids, so the
 * order of the texts does not matter. Workload: hundreds of megabytes of source with
 * about a million different words, some ten thousand merges. */

#include "../base/json_put.h"
#include "../base/map.h"
#include "tokenizer_int.h"

/* ---- texts by number: words with their counts, tokens with their ids ---- */

typedef struct {
  const char *s;
  uint32_t n;
  uint64_t count;
} entry;

typedef struct {
  ww_dict numbers;
  WW_VEC(entry) v;
  size_t bytes; /* of all */
} texts;

/* The number of a text; *added: it is new. */
static uint32_t number(texts *t, ww_arena *a, const char *s, size_t n, bool *added) {
  const uint32_t *known = ww_dict_find(&t->numbers, s, n);
  *added = !known;
  if (known)
    return *known;
  entry x = {ww_strndup(a, s, n), n, 0};
  *ww_dict_at(&t->numbers, a, x.s, n, added) = t->v.n;
  ww_push(a, &t->v, x);
  t->bytes += n;
  return t->v.n - 1;
}

/* ---- pairs ---- */

typedef struct {
  uint32_t left, right;
  int64_t count;
  WW_VEC(uint32_t) in; /* words that have it, or had it */
  bool touched;
} pair;

typedef struct {
  int64_t count;
  uint32_t left, right, pair;
} candidate;

typedef struct {
  const ww_bpe_plan *plan;
  ww_err *e;
  texts words, tokens;
  uint32_t *symbols, *start, *length; /* of all words, end to end; by word */
  /* malloc's, as the heap and the lists of words are */
  WW_VEC(pair) pairs;
  ww_map numbers; /* of pairs, by their symbols */
  WW_VEC(candidate) heap;
  WW_VEC(uint32_t) touched; /* pairs that one merge made more of */
  WW_VEC(ww_merge) merges;
  uint32_t specials;
  ww_arena *a;
} trainer;

static uint32_t find_pair(trainer *t, uint32_t left, uint32_t right) {
  bool fresh;
  uint32_t *k =
      ww_map_at(&t->numbers, NULL, ((uint64_t)left << 32 | right) + 1, &fresh);
  if (!fresh)
    return *k;
  ww_push(NULL, &t->pairs, (pair){.left = left, .right = right});
  return *k = t->pairs.n - 1;
}

static void more(trainer *t, uint32_t left, uint32_t right, uint32_t word) {
  uint32_t k = find_pair(t, left, right);
  pair *p = t->pairs.v + k;
  p->count += t->words.v.v[word].count;
  if (!p->in.n || p->in.v[p->in.n - 1] != word)
    ww_push(NULL, &p->in, word);
  if (p->touched)
    return;
  p->touched = true;
  ww_push(t->a, &t->touched, k);
}

static void less(trainer *t, uint32_t left, uint32_t right, uint32_t word) {
  uint32_t k = find_pair(t, left, right); /* may add: first, the list moves */
  t->pairs.v[k].count -= t->words.v.v[word].count;
}

/* ---- the heap: the commonest first, then the lowest ids ---- */

static bool before(const candidate *a, const candidate *b) {
  if (a->count != b->count)
    return a->count > b->count;
  return a->left != b->left ? a->left < b->left : a->right < b->right;
}

static void push(trainer *t, uint32_t k) {
  const pair *p = t->pairs.v + k;
  candidate x = {p->count, p->left, p->right, k};
  if (x.count < 2)
    return;
  uint32_t at = t->heap.n;
  ww_push(NULL, &t->heap, x);
  candidate *heap = t->heap.v;
  for (; at && before(&x, heap + (at - 1) / 2); at = (at - 1) / 2)
    heap[at] = heap[(at - 1) / 2];
  heap[at] = x;
}

static candidate pop(trainer *t) {
  uint32_t at = 0;
  uint32_t n = --t->heap.n;
  candidate *heap = t->heap.v;
  candidate top = heap[0];
  candidate x = heap[n];
  for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && before(heap + child + 1, heap + child))
      child++;
    if (!before(heap + child, &x))
      break;
    heap[at] = heap[child];
  }
  heap[at] = x;
  return top;
}

static void push_touched(trainer *t) {
  for (uint32_t k = 0; k < t->touched.n; k++) {
    t->pairs.v[t->touched.v[k]].touched = false;
    push(t, t->touched.v[k]);
  }
  t->touched.n = 0;
}

/* ---- training ---- */

static ww_status first_tokens(trainer *t) {
  bool added;
  for (uint32_t b = 0; b < 256; b++)
    number(&t->tokens, t->a, &(char){b}, 1, &added);
  for (const char *const *s = t->plan->special; s && *s; s++, t->specials++) {
    if (!**s || strlen(*s) > WW_PIECE_MAX)
      return ww_fail(t->e, WW_EUSAGE, "a special token is empty or too long");
    number(&t->tokens, t->a, *s, strlen(*s), &added);
    if (!added)
      return ww_fail(t->e, WW_EUSAGE,
                     "the special token \"%.60s\" is there twice, or a single byte",
                     *s);
  }
  if (t->plan->vocab < t->tokens.v.n || t->plan->vocab > WW_TOKENS_MAX)
    return ww_fail(
        t->e, WW_EUSAGE,
        "a vocabulary of %u; %u (bytes and special tokens) to %u can be trained",
        t->plan->vocab, t->tokens.v.n, WW_TOKENS_MAX);
  return WW_OK;
}

static void count_word(void *ctx, const char *word, size_t n) {
  bool added;
  trainer *t = ctx;
  if (n < 2 || n > WW_PIECE_MAX)
    return; /* a byte alone has no pairs */
  uint32_t k = number(&t->words, t->a, word, n, &added);
  t->words.v.v[k].count++;
}

static const char *pattern_of(const trainer *t) {
  return t->plan->pattern ? t->plan->pattern : WW_SPLIT_QWEN2;
}

static ww_status count_words(trainer *t) {
  const char *pattern = pattern_of(t);
  const char *text;
  ww_splitter *split = ww_split_new();
  ww_split_work *work = ww_split_work_new();
  ww_status st = ww_split_add(split, pattern, strlen(pattern), true, t->e);
  uint64_t bytes = 0;
  for (size_t n = 0; !st && (text = t->plan->next(t->plan->ctx, &n)); bytes += n) {
    ww_split_text(split, work, text, n, count_word, t);
    ww_progress("counting words: MB", (bytes + n) >> 20, 0);
    if (t->words.bytes > (size_t)3 << 30 || t->words.v.n > 1u << 29)
      st = ww_fail(
          t->e, WW_ELIMIT,
          "more than 3 GB of different words: the pattern does not split this text");
  }
  ww_split_work_free(work);
  ww_split_free(split);
  return st;
}

static void first_pairs(trainer *t) {
  uint32_t n = t->words.v.n;
  uint32_t at = 0;
  t->symbols = ww_xmalloc((t->words.bytes + 1) * sizeof *t->symbols);
  t->start = ww_xmalloc((n + 1) * sizeof *t->start);
  t->length = ww_xmalloc((n + 1) * sizeof *t->length);
  for (uint32_t w = 0; w < n; w++) {
    const entry *x = t->words.v.v + w;
    t->start[w] = at;
    t->length[w] = x->n;
    for (uint32_t k = 0; k < x->n; k++)
      t->symbols[at + k] = (uint8_t)x->s[k];
    for (uint32_t k = 0; k + 1 < x->n; k++)
      more(t, t->symbols[at + k], t->symbols[at + k + 1], w);
    at += x->n;
  }
  push_touched(t);
}

/* Joins a pair within one word; the counts of its neighbours follow. */
static void
merge_word(trainer *t, uint32_t word, uint32_t left, uint32_t right, uint32_t id) {
  uint32_t *s = t->symbols + t->start[word];
  uint32_t n = t->length[word];
  uint32_t out = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (k + 1 == n || s[k] != left || s[k + 1] != right) {
      s[out++] = s[k];
      continue;
    }
    if (out) {
      less(t, s[out - 1], left, word);
      more(t, s[out - 1], id, word);
    }
    if (k + 2 < n) {
      less(t, right, s[k + 2], word);
      more(t, id, s[k + 2], word);
    }
    s[out++] = id;
    k++;
  }
  t->length[word] = out;
}

/* The token that two make; WW_NO_ID where a special one is spelled so. */
static uint32_t joined(trainer *t, uint32_t left, uint32_t right, ww_buf *b) {
  bool added;
  b->n = 0;
  ww_buf_add(b, t->tokens.v.v[left].s, t->tokens.v.v[left].n);
  ww_buf_add(b, t->tokens.v.v[right].s, t->tokens.v.v[right].n);
  uint32_t id = number(&t->tokens, t->a, b->s, b->n, &added);
  return id < 256 + t->specials ? WW_NO_ID : id;
}

static void merge_pairs(trainer *t) {
  ww_buf scratch = {0};
  while (t->tokens.v.n < t->plan->vocab && t->heap.n) {
    candidate top = pop(t);
    pair p = t->pairs.v[top.pair];
    if (top.count < p.count)
      continue; /* a newer entry is in the heap */
    if (top.count > p.count) {
      push(t, top.pair);
      continue;
    }
    uint32_t id = joined(t, top.left, top.right, &scratch);
    uint32_t rank = t->merges.n;
    memset(&t->pairs.v[top.pair].in, 0, sizeof p.in);
    for (uint32_t k = 0; id != WW_NO_ID && k < p.in.n; k++)
      merge_word(t, p.in.v[k], top.left, top.right, id);
    free(p.in.v);
    t->pairs.v[top.pair].count = 0;
    if (id != WW_NO_ID)
      ww_push(t->a, &t->merges, (ww_merge){top.left, top.right, rank, id});
    push_touched(t);
    ww_progress("merging", t->tokens.v.n, t->plan->vocab);
  }
  ww_progress("merging", t->plan->vocab, t->plan->vocab);
  ww_buf_free(&scratch);
}

/* ---- writing ---- */

/* A token as the file spells it: special ones as they are, others in GPT-2's alphabet.
 */
static const char *spelled(const trainer *t, uint32_t id, ww_buf *b) {
  const entry *x = t->tokens.v.v + id;
  if (id >= 256 && id < 256 + t->specials)
    return x->s;
  b->n = 0;
  for (uint32_t k = 0; k < x->n; k++) {
    char utf8[4];
    ww_buf_add(b, utf8, ww_utf8_put(utf8, ww_tokenizer_letter(x->s[k])));
  }
  return b->s;
}

#define BYTE_LEVEL \
  "{type:'ByteLevel',add_prefix_space:false,trim_offsets:true,use_regex:false}"

static void write_special(const trainer *t, ww_json *j) {
  ww_json_put(j, "added_tokens:[");
  for (uint32_t k = 0; k < t->specials; k++)
    ww_json_put(j,
                "{id:%u,content:%s,single_word:false,lstrip:false,rstrip:false,"
                "normalized:false,"
                "special:true}",
                256 + k, t->plan->special[k]);
  ww_json_put(j, "]");
}

static void write_model(const trainer *t, ww_json *j) {
  ww_buf b = {0};
  ww_buf two = {0};
  ww_json_put(
      j,
      "model:{type:'BPE',dropout:null,unk_token:null,continuing_subword_prefix:null,"
      "end_of_word_suffix:null,fuse_unk:false,byte_fallback:false,ignore_merges:false,"
      "vocab:{");
  for (uint32_t id = 0; id < t->tokens.v.n; id++)
    ww_json_kuint(j, spelled(t, id, &b), id);
  ww_json_put(j, "},merges:[");
  for (uint32_t k = 0; k < t->merges.n; k++) {
    two.n = 0;
    ww_buf_puts(&two, spelled(t, t->merges.v[k].left, &b));
    ww_buf_puts(&two, " ");
    ww_buf_puts(&two, spelled(t, t->merges.v[k].right, &b));
    ww_json_str(j, two.s);
  }
  ww_json_put(j, "]}");
  ww_buf_free(&b);
  ww_buf_free(&two);
}

static ww_status write_file(const trainer *t, const char *path) {
  ww_buf out = {0};
  ww_json j = {0};
  ww_tokenizer *check = NULL;
  ww_json_begin(&j, &out);
  ww_json_put(&j, "{version:'1.0',truncation:null,padding:null");
  write_special(t, &j);
  ww_json_put(
      &j,
      "normalizer:null,pre_tokenizer:{type:'Sequence',pretokenizers:[{type:'Split',"
      "pattern:{Regex:%s},behavior:'Isolated',invert:false}," BYTE_LEVEL
      "]},post_processor:null,decoder:" BYTE_LEVEL,
      pattern_of(t));
  write_model(t, &j);
  ww_json_put(&j, "}");
  ww_buf_puts(&out, "\n");
  /* nothing is written that we could not read */
  ww_status st = ww_tokenizer_parse(out.s, out.n, &check, t->e);
  if (!st)
    st = ww_write_file_atomic(path, out.s, out.n, t->e);
  ww_tokenizer_free(check);
  ww_buf_free(&out);
  return st;
}

static void trainer_free(trainer *t) {
  for (uint32_t k = 0; k < t->pairs.n; k++)
    free(t->pairs.v[k].in.v);
  free(t->pairs.v);
  ww_map_free(&t->numbers);
  free(t->heap.v);
  free(t->symbols);
  free(t->start);
  free(t->length);
  ww_arena_free(t->a);
}

ww_status ww_bpe_train(const ww_bpe_plan *plan, const char *path, ww_err *e) {
  trainer t = {.plan = plan, .e = e, .a = ww_arena_new()};
  ww_status st = first_tokens(&t);
  if (!st)
    st = count_words(&t);
  if (!st) {
    first_pairs(&t);
    merge_pairs(&t);
    st = write_file(&t, path);
  }
  trainer_free(&t);
  return st;
}
