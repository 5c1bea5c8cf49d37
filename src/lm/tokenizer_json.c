/* tokenizer_json.c - Hugging Face's tokenizer.json: the vocabulary and the merges are
 * streamed, the few small members become trees.
 *
 * Known: model BPE; normalizers Prepend, Replace of a string, NFC and its kin;
 * pre-tokenizers Split (isolated), ByteLevel, Digits, Metaspace; post-processors
 * TemplateProcessing and ByteLevel (which changes no ids); Sequences of these. Anything
 * else is refused by name. */

#include <inttypes.h>

#include "../base/jsonread.h"
#include "tokenizer_int.h"

typedef struct {
  ww_tokenizer *t;
  /* values as they stand in the file; s NULL: not there */
  ww_token_span normalizer, pre, post, decoder, added, vocab, merges;
  ww_token_span type, unk, prefix, suffix, dropout, byte_fallback, fuse_unk,
      ignore_merges;
  bool model, patterns; /* patterns: something splits the text */
  bool several;         /* pre-tokenizers */
  ww_err *e;
} file;

static bool is(ww_token_span s, const char *name) {
  return s.n == strlen(name) && !memcmp(s.s, name, s.n);
}
static bool absent(ww_token_span s) {
  return !s.s || is(s, "null");
}
static bool truth(ww_token_span s) {
  return s.s && is(s, "true");
}

/* ---- where things stand ---- */

typedef struct {
  const char *key;
  ww_token_span *to;
} place;

static bool find_places(ww_text_scan *s, const place *places, file *f);

static bool find_model(ww_text_scan *s, file *f) {
  const place places[] = {{"type", &f->type},
                          {"vocab", &f->vocab},
                          {"merges", &f->merges},
                          {"unk_token", &f->unk},
                          {"dropout", &f->dropout},
                          {"continuing_subword_prefix", &f->prefix},
                          {"end_of_word_suffix", &f->suffix},
                          {"byte_fallback", &f->byte_fallback},
                          {"fuse_unk", &f->fuse_unk},
                          {"ignore_merges", &f->ignore_merges},
                          {0}};
  if (f->model)
    return ww_scan_fail(s, "a second model");
  f->model = true;
  return find_places(s, places, f);
}

static bool find_places(ww_text_scan *s, const place *places, file *f) {
  bool first = true, end;
  if (!ww_scan_open(s, '{'))
    return false;
  while (ww_scan_more(s, '}', &first, &end)) {
    ww_token_span key;
    ww_token_span value;
    if (end)
      return true;
    if (!ww_scan_key(s, &key))
      return false;
    if (places->to == &f->added && is(key, "model")) {
      if (!find_model(s, f))
        return false;
      continue;
    }
    const place *p = places;
    while (p->key && !is(key, p->key))
      p++;
    if (!ww_scan_skip(s, &value))
      return false;
    if (p->key && p->to->s)
      return ww_scan_fail(s, "a member is there twice");
    if (p->key)
      *p->to = value;
  }
  return false;
}

static cJSON *tree(file *f, ww_token_span s) {
  ww_buf copy = {0}; /* the reader wants a text that ends where it ends */
  ww_buf_add(&copy, s.s, s.n);
  cJSON *o = ww_json_read(copy.s, copy.n, f->e);
  ww_buf_free(&copy);
  return o;
}

/* ---- small trees ---- */

typedef ww_status member_reader(file *f, const cJSON *o);

static const char *text_of(const cJSON *o, const char *key) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
}
static const char *type_of(const cJSON *o) {
  const char *s = text_of(o, "type");
  return s ? s : "?";
}
static bool true_of(const cJSON *o, const char *key) {
  return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, key));
}
static ww_token_span keep(ww_tokenizer *t, const char *s) {
  return (ww_token_span){ww_strdup(t->a, s), strlen(s)};
}

static ww_status add_norm(file *f, ww_norm x) {
  if (f->t->norms == sizeof f->t->norm / sizeof *f->t->norm)
    return ww_fail(f->e, WW_EUNSUPPORTED, "tokenizer.json: more than %u normalizers",
                   f->t->norms);
  f->t->norm[f->t->norms++] = x;
  return WW_OK;
}

/* All of a Sequence. */
static ww_status read_each(file *f, const cJSON *list, member_reader *read) {
  const cJSON *x;
  cJSON_ArrayForEach(x, list) {
    ww_status st = read(f, x);
    if (st)
      return st;
  }
  return WW_OK;
}

static ww_status read_normalizer(file *f, const cJSON *o) {
  static const char *const forms[] = {
      [WW_NFC] = "NFC", [WW_NFD] = "NFD", [WW_NFKC] = "NFKC", [WW_NFKD] = "NFKD"};
  const char *type = type_of(o);
  for (uint32_t k = 0; k < 4; k++)
    if (!strcmp(type, forms[k]))
      return add_norm(f, (ww_norm){.kind = WW_NORM_FORM, .form = k});
  if (!strcmp(type, "Prepend") && text_of(o, "prepend"))
    return add_norm(
        f, (ww_norm){.kind = WW_NORM_PREPEND, .to = keep(f->t, text_of(o, "prepend"))});
  if (!strcmp(type, "Replace")) {
    const char *from =
        text_of(cJSON_GetObjectItemCaseSensitive(o, "pattern"), "String");
    const char *to = text_of(o, "content");
    if (from && *from && to)
      return add_norm(f, (ww_norm){.kind = WW_NORM_REPLACE,
                                   .from = keep(f->t, from),
                                   .to = keep(f->t, to)});
  }
  if (!strcmp(type, "Sequence"))
    return read_each(f, cJSON_GetObjectItemCaseSensitive(o, "normalizers"),
                     read_normalizer);
  return ww_fail(f->e, WW_EUNSUPPORTED,
                 "tokenizer.json: the normalizer %.60s is not known in this form",
                 type);
}

/* Marks for spaces: SentencePiece's way as a pre-tokenizer. */
static ww_status read_metaspace(file *f, const cJSON *o) {
  const char *mark = text_of(o, "replacement");
  const char *scheme = text_of(o, "prepend_scheme");
  if (!mark || strcmp(mark, WW_SPACE_MARK))
    return ww_fail(f->e, WW_EUNSUPPORTED,
                   "tokenizer.json: a Metaspace with another mark than U+2581");
  if (!scheme)
    scheme = true_of(o, "add_prefix_space") ? "always" : "never";
  const cJSON *split = cJSON_GetObjectItemCaseSensitive(o, "split");
  f->t->cut_each_mark = !split || cJSON_IsTrue(split);
  ww_status st = add_norm(f, (ww_norm){.kind = WW_NORM_REPLACE,
                                       .from = keep(f->t, " "),
                                       .to = keep(f->t, WW_SPACE_MARK)});
  if (!st && strcmp(scheme, "never"))
    st = add_norm(f, (ww_norm){.kind = WW_NORM_PREPEND,
                               .to = keep(f->t, WW_SPACE_MARK),
                               .unless = true,
                               .at_start = !strcmp(scheme, "first")});
  return st;
}

static ww_status read_split(file *f, const cJSON *o) {
  const cJSON *pattern = cJSON_GetObjectItemCaseSensitive(o, "pattern");
  const char *regex = text_of(pattern, "Regex");
  const char *behavior = text_of(o, "behavior");
  if (!regex || !behavior || strcmp(behavior, "Isolated") || true_of(o, "invert"))
    return ww_fail(f->e, WW_EUNSUPPORTED,
                   "tokenizer.json: a Split that is not an isolated Regex");
  f->patterns = true;
  return ww_split_add(f->t->split, regex, strlen(regex), true, f->e);
}

static ww_status read_byte_level(file *f, const cJSON *o) {
  const cJSON *regex = cJSON_GetObjectItemCaseSensitive(o, "use_regex");
  f->t->byte_level = true;
  if (true_of(o, "add_prefix_space")) {
    if (f->several)
      return ww_fail(
          f->e, WW_EUNSUPPORTED,
          "tokenizer.json: a ByteLevel with add_prefix_space behind a Split");
    ww_norm space = {.kind = WW_NORM_PREPEND, .to = keep(f->t, " "), .unless = true};
    ww_status st = add_norm(f, space);
    if (st)
      return st;
  }
  if (regex && !cJSON_IsTrue(regex))
    return WW_OK;
  return ww_split_add(f->t->split, WW_SPLIT_GPT2, strlen(WW_SPLIT_GPT2), true, f->e);
}

static ww_status read_pre(file *f, const cJSON *o) {
  const char *type = type_of(o);
  if (!strcmp(type, "Sequence")) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "pretokenizers");
    f->several |= cJSON_GetArraySize(list) != 1;
    return read_each(f, list, read_pre);
  }
  if (!strcmp(type, "Split"))
    return read_split(f, o);
  if (!strcmp(type, "ByteLevel"))
    return read_byte_level(f, o);
  if (!strcmp(type, "Metaspace"))
    return read_metaspace(f, o);
  if (!strcmp(type, "Digits")) {
    f->patterns = true;
    const char *pattern = true_of(o, "individual_digits") ? "\\p{N}" : "\\p{N}+";
    return ww_split_add(f->t->split, pattern, strlen(pattern), true, f->e);
  }
  return ww_fail(f->e, WW_EUNSUPPORTED,
                 "tokenizer.json: the pre-tokenizer %.60s is not known", type);
}

/* Ids of a template's special token. */
static ww_status
template_token(file *f, const cJSON *o, const char *name, uint32_t *to, uint32_t *n) {
  const cJSON *all = cJSON_GetObjectItemCaseSensitive(o, "special_tokens");
  const cJSON *x;
  cJSON_ArrayForEach(x, cJSON_GetObjectItemCaseSensitive(
                            cJSON_GetObjectItemCaseSensitive(all, name), "ids")) {
    uint64_t id;
    ww_status st = ww_json_want_uint(
        x, "tokenizer.json: post_processor.special_tokens.ids", &id, f->e);
    if (st)
      return st;
    if (*n == 8 || id >= WW_TOKENS_MAX)
      return ww_fail(
          f->e, WW_ELIMIT,
          "tokenizer.json: a template with more than 8 tokens, or an id beyond all");
    to[(*n)++] = id;
  }
  return WW_OK;
}

static ww_status read_post(file *f, const cJSON *o) {
  const char *type = type_of(o);
  const cJSON *x;
  ww_status st = WW_OK;
  if (!strcmp(type, "ByteLevel"))
    return WW_OK;
  if (!strcmp(type, "Sequence"))
    return read_each(f, cJSON_GetObjectItemCaseSensitive(o, "processors"), read_post);
  if (strcmp(type, "TemplateProcessing"))
    return ww_fail(f->e, WW_EUNSUPPORTED,
                   "tokenizer.json: the post-processor %.60s is not known", type);
  bool behind = false;
  cJSON_ArrayForEach(x, cJSON_GetObjectItemCaseSensitive(o, "single")) {
    const char *id = text_of(cJSON_GetObjectItemCaseSensitive(x, "SpecialToken"), "id");
    if (!id)
      behind = true;
    else if (!st)
      st = behind ? template_token(f, o, id, f->t->after, &f->t->nafter)
                  : template_token(f, o, id, f->t->before, &f->t->nbefore);
  }
  return st;
}

/* What decoding does beyond the tables: the first space may go. */
static ww_status read_decoder(file *f, const cJSON *o) {
  const char *type = type_of(o);
  const char *scheme = text_of(o, "prepend_scheme");
  if (!strcmp(type, "Sequence"))
    return read_each(f, cJSON_GetObjectItemCaseSensitive(o, "decoders"), read_decoder);
  if (!strcmp(type, "Metaspace"))
    f->t->strip_space =
        scheme ? strcmp(scheme, "never") : true_of(o, "add_prefix_space");
  if (!strcmp(type, "Strip")) {
    const char *what = text_of(o, "content");
    if (!what || strcmp(what, " ") || ww_json_whole(o, "start") > 1 ||
        ww_json_whole(o, "stop"))
      return ww_fail(
          f->e, WW_EUNSUPPORTED,
          "tokenizer.json: a decoder that strips more than one space at the front");
    f->t->strip_space = ww_json_whole(o, "start") == 1;
  }
  if (!strcmp(type, "ByteLevel"))
    f->t->byte_level = true;
  static const char *const known[] = {"Metaspace",    "Strip", "ByteLevel", "Replace",
                                      "ByteFallback", "Fuse",  NULL};
  for (uint32_t k = 0; known[k]; k++)
    if (!strcmp(type, known[k]))
      return WW_OK;
  return ww_fail(f->e, WW_EUNSUPPORTED,
                 "tokenizer.json: the decoder %.60s is not known", type);
}

static ww_status read_added(file *f, const cJSON *list) {
  uint32_t n = cJSON_GetArraySize(list);
  uint32_t k = 0;
  ww_added *v = ww_xcalloc(n + 1, sizeof *v);
  ww_status st = WW_OK;
  const cJSON *o;
  cJSON_ArrayForEach(o, list) {
    uint64_t id = 0;
    const char *content = text_of(o, "content");
    if (!content)
      st =
          ww_fail(f->e, WW_EDATA, "tokenizer.json: added_tokens[%u] has no content", k);
    if (!st)
      st = ww_json_want_uint(cJSON_GetObjectItemCaseSensitive(o, "id"),
                             "tokenizer.json: added_tokens.id", &id, f->e);
    if (!st && id >= WW_TOKENS_MAX)
      st = ww_fail(f->e, WW_ELIMIT,
                   "tokenizer.json: an added token has the id %" PRIu64, id);
    if (!st && true_of(o, "single_word"))
      st = ww_fail(f->e, WW_EUNSUPPORTED,
                   "tokenizer.json: the added token \"%.60s\" is a single_word",
                   content);
    if (st)
      break;
    v[k++] = (ww_added){.match = keep(f->t, content),
                        .id = id,
                        .special = true_of(o, "special"),
                        .lstrip = true_of(o, "lstrip"),
                        .rstrip = true_of(o, "rstrip"),
                        .normalized = true_of(o, "normalized")};
  }
  if (!st)
    st = ww_tokenizer_add(f->t, v, k, f->e);
  free(v);
  return st;
}

/* ---- the large ones ---- */

/* {"piece": id, ...}; twice, to know how many there are before there is room for them.
 */
static ww_status read_vocab(file *f) {
  uint32_t entries = 0;
  uint32_t top = 0;
  for (uint32_t pass = 0; pass < 2; pass++) {
    ww_text_scan s = {f->vocab.s, f->vocab.s, f->vocab.s + f->vocab.n, {0}, f->e};
    bool first = true, end = false, good = ww_scan_open(&s, '{');
    ww_status st = WW_OK;
    while (good && !st) {
      ww_token_span piece;
      uint32_t id;
      good = ww_scan_more(&s, '}', &first, &end);
      if (!good || end)
        break;
      good = ww_scan_key(&s, &piece) && ww_scan_uint(&s, &id);
      if (!good)
        break;
      if (pass)
        st = ww_tokenizer_put(f->t, id, piece, f->e);
      if (!pass) {
        entries++;
        top = id >= top ? id + 1 : top;
      }
    }
    ww_buf_free(&s.text);
    if (!good)
      return WW_EPARSE;
    if (!pass && !st)
      st = ww_tokenizer_room(f->t, top, entries, f->e);
    if (st)
      return st;
  }
  return WW_OK;
}

/* One merge: "a b" or ["a", "b"], where a piece may hold a space. */
static bool
scan_merge(ww_text_scan *s, ww_buf *left, ww_token_span *l, ww_token_span *r) {
  if (ww_scan_peek(s) != '[') {
    if (!ww_scan_string(s, l))
      return false;
    const char *space = memchr(l->s, ' ', l->n);
    if (!space)
      return ww_scan_fail(s, "a merge is two tokens with a space between them");
    *r = (ww_token_span){space + 1, l->n - (space - l->s) - 1};
    l->n = space - l->s;
    return true;
  }
  bool first = true, end;
  if (!ww_scan_open(s, '['))
    return false;
  for (int k = 0; k < 3; k++) { /* two tokens and the end */
    if (!ww_scan_more(s, ']', &first, &end))
      return false;
    if (end != (k == 2))
      return ww_scan_fail(s, "a merge is two tokens");
    if (k < 2 && !ww_scan_string(s, k ? r : l))
      return false;
    if (k)
      continue;
    left->n = 0;
    ww_buf_add(left, l->s, l->n);
    *l = ww_span_of(left);
  }
  return true;
}

static ww_status read_merges(file *f, ww_merges *list) {
  if (!f->merges.s)
    return WW_OK;
  ww_text_scan s = {f->merges.s, f->merges.s, f->merges.s + f->merges.n, {0}, f->e};
  ww_buf left = {0};
  ww_buf scratch = {0};
  ww_status st = WW_OK;
  bool first = true, end = false, good = ww_scan_open(&s, '[');
  while (good && !st) {
    ww_token_span l;
    ww_token_span r;
    good = ww_scan_more(&s, ']', &first, &end);
    if (!good || end)
      break;
    good = scan_merge(&s, &left, &l, &r);
    if (good)
      st = ww_tokenizer_add_merge(f->t, list, l, r, &scratch, f->e);
  }
  ww_buf_free(&s.text);
  ww_buf_free(&left);
  ww_buf_free(&scratch);
  return good ? st : WW_EPARSE;
}

static ww_status read_model(file *f, ww_merges *merges) {
  if (!f->model || !f->vocab.s)
    return ww_fail(f->e, WW_EDATA, "tokenizer.json has no model with a vocab");
  if (f->type.s ? !is(f->type, "\"BPE\"") : !f->merges.s)
    return ww_fail(f->e, WW_EUNSUPPORTED,
                   "tokenizer.json: a model of type %.*s; only BPE is read",
                   f->type.n < 60 ? f->type.n : 60, f->type.s ? f->type.s : "");
  if ((!absent(f->prefix) && !is(f->prefix, "\"\"")) ||
      (!absent(f->suffix) && !is(f->suffix, "\"\"")))
    return ww_fail(f->e, WW_EUNSUPPORTED,
                   "tokenizer.json: a BPE with a subword prefix or a word suffix");
  if (!absent(f->dropout) && strtod(f->dropout.s, NULL) != 0)
    return ww_fail(f->e, WW_EUNSUPPORTED,
                   "tokenizer.json: a BPE with dropout gives no fixed tokens");
  f->t->byte_fallback = truth(f->byte_fallback);
  f->t->fuse_unknown = truth(f->fuse_unk);
  f->t->whole_first = truth(f->ignore_merges);
  ww_status st = read_vocab(f);
  if (!st)
    st = read_merges(f, merges);
  if (st || absent(f->unk))
    return st;
  cJSON *unk = tree(f, f->unk);
  if (!cJSON_IsString(unk))
    st = ww_fail(f->e, WW_EDATA, "tokenizer.json: unk_token is no string");
  ww_buf scratch = {0};
  if (!st)
    f->t->unknown = ww_tokenizer_find_raw(f->t, keep(f->t, unk->valuestring), &scratch);
  if (!st && f->t->unknown == WW_NO_ID)
    st = ww_fail(f->e, WW_EDATA, "tokenizer.json: unk_token is not in the vocabulary");
  ww_buf_free(&scratch);
  cJSON_Delete(unk);
  return st;
}

/* A member's tree, given to its reader. */
static ww_status with_tree(file *f, ww_token_span s, member_reader *read) {
  if (absent(s))
    return WW_OK;
  cJSON *o = tree(f, s);
  if (!o)
    return WW_EPARSE;
  ww_status st = read(f, o);
  cJSON_Delete(o);
  return st;
}

ww_status
ww_tokenizer_read_json(const char *json, size_t n, ww_tokenizer *t, ww_err *e) {
  file f = {.t = t, .e = e};
  const place places[] = {{"added_tokens", &f.added}, {"normalizer", &f.normalizer},
                          {"pre_tokenizer", &f.pre},  {"post_processor", &f.post},
                          {"decoder", &f.decoder},    {0}};
  ww_text_scan s = {json, json, json + n, {0}, e};
  bool good = find_places(&s, places, &f);
  if (good && ww_scan_peek(&s))
    good = ww_scan_fail(&s, "something follows the object");
  ww_buf_free(&s.text);
  if (!good)
    return WW_EPARSE;
  ww_merges merges = {0};
  ww_status st = with_tree(&f, f.normalizer, read_normalizer);
  if (!st)
    st = with_tree(&f, f.pre, read_pre);
  if (!st)
    st = with_tree(&f, f.decoder, read_decoder);
  if (!st && f.patterns && !t->byte_level)
    st = ww_fail(e, WW_EUNSUPPORTED,
                 "tokenizer.json: patterns that split the text of a model that is not "
                 "ByteLevel");
  if (!st)
    st = read_model(&f, &merges);
  if (!st)
    st = with_tree(&f, f.added, read_added);
  if (!st)
    st = with_tree(&f, f.post, read_post);
  return st ? st : ww_tokenizer_finish(t, &merges, e);
}
