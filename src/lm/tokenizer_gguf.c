/* tokenizer_gguf.c - tokenizers that a GGUF carries, and llama2.c's tokenizer.bin.
 *
 * A GGUF that we wrote has the whole tokenizer.json under warpwise.tokenizer_json.
 * Others have tokenizer.ggml.*: kind "gpt2" (byte-level, merges as strings, the split
 * pattern by name) or "llama" (SentencePiece: merges follow from scores). */

#include <inttypes.h>

#include "tokenizer_int.h"
#include "weights.h"

/* tokenizer.ggml.token_type */
enum { NORMAL = 1, UNKNOWN = 2, CONTROL = 3, USER = 4, BYTE = 6 };

typedef struct {
  const ww_weights *w;
  ww_tokenizer *t;
  const ww_meta *tokens, *types, *scores, *merges;
  ww_err *e;
} file;

static ww_token_span text_of(const ww_meta *m) {
  return m->text ? (ww_token_span){m->text, m->text_n} : (ww_token_span){"", 0};
}

static bool is_text(const ww_meta *m, const char *text) {
  return m && m->kind == WW_META_TEXT && m->text_n == strlen(text) &&
         !memcmp(m->text, text, m->text_n);
}

static bool flag(const file *f, const char *key, bool otherwise) {
  const ww_meta *m = ww_weights_meta(f->w, key);
  return m && m->kind == WW_META_BOOL ? m->u != 0 : otherwise;
}

static int32_t id_at(const file *f, const char *key) {
  const ww_meta *m = ww_weights_meta(f->w, key);
  return m && (m->kind == WW_META_UINT || m->kind == WW_META_INT) && m->u < f->tokens->n
             ? (int32_t)m->u
             : -1;
}

static uint64_t type_at(const file *f, uint32_t id) {
  return f->types ? f->types->items[id].u : NORMAL;
}

/* An array of one kind with as many items as there are tokens. */
static ww_status array_at(file *f, const char *key, bool needed, const ww_meta **out) {
  *out = ww_weights_meta(f->w, key);
  if (!*out && !needed)
    return WW_OK;
  if (!*out || (*out)->kind != WW_META_ARRAY)
    return ww_fail(
        f->e, WW_EDATA,
        "the file has no %s; its tokenizer cannot be read, give a tokenizer.json", key);
  if (f->tokens && (*out)->n != f->tokens->n)
    return ww_fail(f->e, WW_EDATA, "%s has %" PRIu64 " entries for %" PRIu64 " tokens",
                   key, (*out)->n, f->tokens->n);
  return WW_OK;
}

static ww_status read_tokens(file *f) {
  ww_status st = array_at(f, "tokenizer.ggml.tokens", true, &f->tokens);
  if (!st && (f->tokens->of != WW_META_TEXT || f->tokens->n > WW_TOKENS_MAX))
    st =
        ww_fail(f->e, WW_EDATA, "tokenizer.ggml.tokens is no array of at most %u texts",
                WW_TOKENS_MAX);
  if (!st)
    st = array_at(f, "tokenizer.ggml.token_type", false, &f->types);
  if (!st && f->types && f->types->of != WW_META_INT && f->types->of != WW_META_UINT)
    st = ww_fail(f->e, WW_EDATA,
                 "tokenizer.ggml.token_type is no array of whole numbers");
  if (!st)
    st = ww_tokenizer_room(f->t, f->tokens->n, f->tokens->n, f->e);
  for (uint32_t id = 0; !st && id < f->tokens->n; id++) {
    bool ascii;
    ww_token_span s = text_of(f->tokens->items + id);
    if (ww_utf8_valid(s.s, s.n, &ascii) != s.n)
      st = ww_fail(f->e, WW_EDATA, "token %u is not UTF-8", id);
    if (!st)
      st = ww_tokenizer_put(f->t, id, s, f->e);
  }
  return st;
}

/* Control tokens are special, a user's own are found in text as well. */
static ww_status read_added(file *f) {
  WW_VEC(ww_added) list = {0};
  for (uint32_t id = 0; id < f->tokens->n; id++) {
    uint64_t type = type_at(f, id);
    if (type == UNKNOWN && f->t->unknown == WW_NO_ID && !f->t->byte_level)
      f->t->unknown = id;
    if ((type != CONTROL && type != USER && type != UNKNOWN) ||
        !f->tokens->items[id].text_n)
      continue;
    ww_token_span s = text_of(f->tokens->items + id);
    s.s = ww_strndup(f->t->a, s.s, s.n);
    ww_push(f->t->a, &list, (ww_added){.match = s, .id = id, .special = type != USER});
  }
  return ww_tokenizer_add(f->t, list.v, list.n, f->e);
}

/* ---- byte-level ---- */

static ww_status read_pattern(file *f) {
  static const struct {
    const char *name, *pattern;
    bool whole, nfc, bos;
  } known[] = {{"llama-bpe", WW_SPLIT_LLAMA3, true, false, true},
               {"llama3", WW_SPLIT_LLAMA3, true, false, true},
               {"llama-v3", WW_SPLIT_LLAMA3, true, false, true},
               {"qwen2", WW_SPLIT_QWEN2, false, true, false},
               {"gpt-2", WW_SPLIT_GPT2, false, false, false},
               {"gpt2", WW_SPLIT_GPT2, false, false, false},
               {"default", WW_SPLIT_GPT2, false, false, false}};
  const ww_meta *pre = ww_weights_meta(f->w, "tokenizer.ggml.pre");
  for (uint32_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (pre ? !is_text(pre, known[k].name) : strcmp(known[k].name, "gpt-2"))
      continue;
    f->t->whole_first = known[k].whole;
    if (known[k].nfc)
      f->t->norm[f->t->norms++] = (ww_norm){.kind = WW_NORM_FORM, .form = WW_NFC};
    if (flag(f, "tokenizer.ggml.add_bos_token", known[k].bos) && f->t->bos >= 0)
      f->t->before[f->t->nbefore++] = f->t->bos;
    return ww_split_add(f->t->split, known[k].pattern, strlen(known[k].pattern), true,
                        f->e);
  }
  return ww_fail(
      f->e, WW_EUNSUPPORTED,
      "tokenizer.ggml.pre is \"%.60s\"; known are llama-bpe, qwen2 and gpt-2",
      pre && pre->text ? pre->text : "?");
}

static ww_status read_byte_level(file *f, ww_merges *merges) {
  ww_buf scratch = {0};
  f->t->byte_level = true;
  ww_status st = read_tokens(f);
  if (!st) {
    f->merges = ww_weights_meta(f->w, "tokenizer.ggml.merges");
    if (!f->merges || f->merges->kind != WW_META_ARRAY || f->merges->of != WW_META_TEXT)
      st = ww_fail(f->e, WW_EDATA,
                   "the file has no tokenizer.ggml.merges; give a tokenizer.json");
  }
  for (uint64_t k = 0; !st && k < f->merges->n; k++) {
    ww_token_span l = text_of(f->merges->items + k);
    const char *space = l.n > 1 ? memchr(l.s + 1, ' ', l.n - 1) : NULL;
    if (!space) {
      st = ww_fail(f->e, WW_EDATA,
                   "merge %" PRIu64 " is not two tokens with a space between them", k);
      break;
    }
    ww_token_span r = {space + 1, l.n - (space - l.s) - 1};
    l.n = space - l.s;
    st = ww_tokenizer_add_merge(f->t, merges, l, r, &scratch, f->e);
  }
  ww_buf_free(&scratch);
  if (!st)
    st = read_added(f);
  return st ? st : read_pattern(f);
}

/* ---- SentencePiece ---- */

static void sentencepiece(ww_tokenizer *t, bool prefix) {
  if (prefix)
    t->norm[t->norms++] = (ww_norm){.kind = WW_NORM_PREPEND, .to = {WW_SPACE_MARK, 3}};
  t->norm[t->norms++] =
      (ww_norm){.kind = WW_NORM_REPLACE, .from = {" ", 1}, .to = {WW_SPACE_MARK, 3}};
  t->byte_fallback = t->fuse_unknown = true;
  t->strip_space = prefix;
}

static ww_status read_pieces(file *f, ww_merges *merges) {
  ww_status st = read_tokens(f);
  if (!st)
    st = array_at(f, "tokenizer.ggml.scores", true, &f->scores);
  if (!st && f->scores->of != WW_META_REAL)
    st = ww_fail(f->e, WW_EDATA, "tokenizer.ggml.scores is no array of numbers");
  if (!st)
    st = read_added(f);
  if (st)
    return st;
  float *score = WW_NEWN(f->t->a, float, f->t->vocab);
  for (uint32_t id = 0; id < f->t->vocab; id++)
    score[id] = f->scores->items[id].real;
  sentencepiece(f->t, flag(f, "tokenizer.ggml.add_space_prefix", true));
  if (flag(f, "tokenizer.ggml.add_bos_token", true) && f->t->bos >= 0)
    f->t->before[f->t->nbefore++] = f->t->bos;
  return ww_tokenizer_score_merges(f->t, score, merges, f->e);
}

ww_status ww_tokenizer_read_weights(const ww_weights *w, ww_tokenizer *t, ww_err *e) {
  const ww_meta *json = ww_weights_meta(w, "warpwise.tokenizer_json");
  const ww_meta *model = ww_weights_meta(w, "tokenizer.ggml.model");
  if (json && json->kind == WW_META_TEXT)
    return ww_tokenizer_read_json(json->text, json->text_n, t, e);
  bool bytes = is_text(model, "gpt2");
  if (!bytes && !is_text(model, "llama"))
    return ww_fail(e, WW_EUNSUPPORTED,
                   "the file's tokenizer is %s%.60s%s; gpt2 and llama are read",
                   model ? "\"" : "", model && model->text ? model->text : "not there",
                   model ? "\"" : "");
  file f = {.w = w, .t = t, .e = e};
  ww_status st = array_at(&f, "tokenizer.ggml.tokens", true, &f.tokens);
  if (st)
    return st;
  t->bos = id_at(&f, "tokenizer.ggml.bos_token_id");
  t->eos = id_at(&f, "tokenizer.ggml.eos_token_id");
  ww_merges merges = {0};
  st = bytes ? read_byte_level(&f, &merges) : read_pieces(&f, &merges);
  if (!st && flag(&f, "tokenizer.ggml.add_eos_token", false) && t->eos >= 0)
    t->after[t->nafter++] = t->eos;
  return st ? st : ww_tokenizer_finish(t, &merges, e);
}

ww_status ww_tokenizer_read_gguf(const char *path, ww_tokenizer *t, ww_err *e) {
  ww_weights *w;
  ww_status st = ww_weights_open(path, &w, e);
  if (st)
    return st;
  st = ww_tokenizer_read_weights(w, t, e);
  ww_weights_close(w);
  return st;
}

/* ---- tokenizer.bin: int32 longest token, then for each token float score, int32
 * length, bytes; spaces are spaces ---- */

/* 0 <unk>, 1 <s>, 2 </s>, then the bytes, as "<0x0A>" or as themselves. */
static ww_status
put_bin(ww_tokenizer *t, uint32_t id, const char *s, uint32_t n, ww_buf *b, ww_err *e) {
  static const char *const first[] = {"<unk>", "<s>", "</s>"};
  b->n = 0;
  if (id < 3)
    ww_buf_puts(b, first[id]);
  else if (id < 259)
    ww_buf_fmt(b, "<0x%02X>", id - 3);
  for (uint32_t k = 0; id >= 259 && k < n; k++)
    ww_buf_add(b, s[k] == ' ' ? WW_SPACE_MARK : s + k, s[k] == ' ' ? 3 : 1);
  bool ascii;
  ww_token_span raw = ww_span_of(b);
  if (ww_utf8_valid(raw.s, raw.n, &ascii) != raw.n)
    return ww_fail(e, WW_EDATA, "token %u is not UTF-8", id);
  return ww_tokenizer_put(t, id, raw, e);
}

ww_status
ww_tokenizer_read_bin(const char *bytes, size_t n, ww_tokenizer *t, ww_err *e) {
  WW_VEC(float) score = {0};
  ww_buf b = {0};
  ww_status st = n < 4 ? ww_fail(e, WW_EPARSE, "the tokenizer.bin is empty") : WW_OK;
  for (size_t at = 4; !st && at < n;) {
    uint32_t id = score.n;
    uint32_t len = 0;
    float x = 0;
    if (n - at >= 8) {
      memcpy(&x, bytes + at, 4);
      memcpy(&len, bytes + at + 4, 4);
    }
    if (n - at < 8 || len > n - at - 8) {
      st = ww_fail(e, WW_EPARSE, "the tokenizer.bin ends within token %u", id);
      break;
    }
    if (id >= t->vocab)
      st = ww_tokenizer_room(t, t->vocab ? 2 * t->vocab : 1024, t->vocab + 1, e);
    if (!st)
      st = put_bin(t, id, bytes + at + 8, len, &b, e);
    ww_push(t->a, &score, x);
    at += 8 + (size_t)len;
  }
  ww_buf_free(&b);
  if (!st && score.n < 259)
    st = ww_fail(e, WW_EDATA, "a tokenizer.bin of %u tokens; the first 259 are fixed",
                 score.n);
  if (st)
    return st;
  t->vocab = score.n;
  ww_added added[3];
  for (uint32_t id = 0; id < 3; id++)
    added[id] = (ww_added){.match = t->piece[id], .id = id, .special = true};
  t->unknown = 0;
  t->bos = 1;
  t->eos = 2;
  t->before[t->nbefore++] = 1;
  sentencepiece(t, true);
  ww_merges merges = {0};
  st = ww_tokenizer_add(t, added, 3, e);
  if (!st)
    st = ww_tokenizer_score_merges(t, score.v, &merges, e);
  return st ? st : ww_tokenizer_finish(t, &merges, e);
}
