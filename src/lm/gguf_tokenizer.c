/* gguf_tokenizer.c - a tokenizer.json as the metadata that llama.cpp reads: tokens,
 * their kinds, merges, how text is split.
 *
 * Best effort for others; for ourselves the whole tokenizer.json goes along, so nothing
 * is lost. Every id below the model's vocabulary gets a token, as llama.cpp asks: those
 * that the tokenizer does not have are called unused. */
#include <inttypes.h>

#include "config_int.h"

#include "../base/jsonread.h"

/* tokenizer.ggml.token_type */
enum { NORMAL = 1, UNKNOWN, CONTROL, USER, UNUSED, BYTE };

typedef struct {
  const ww_lm_config *c;
  ww_arena *a;
  ww_metas *m;
  ww_meta *token, *type; /* [vocab] */
  ww_err *e;
} writer;

static const cJSON *get(const cJSON *obj, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(obj, key);
}

static ww_meta text_item(ww_arena *a, const char *s) {
  return (ww_meta){.kind = WW_META_TEXT, .text = ww_strdup(a, s), .text_n = strlen(s)};
}

static ww_status
set_token(writer *w, const char *text, const cJSON *id, uint64_t type) {
  int64_t v = -1;
  bool big;
  if (!text || !ww_json_as_int(id, &v, &big) || big || v < 0)
    return ww_fail(w->e, WW_EPARSE, "the tokenizer's token \"%.60s\" has no id",
                   text ? text : "?");
  if (v >= w->c->vocab)
    return ww_fail(
        w->e, WW_EDATA,
        "the tokenizer's token \"%.60s\" has id %lld, but the model's vocabulary is %u",
        text, (long long)v, w->c->vocab);
  w->token[v] = text_item(w->a, text);
  w->type[v].u = type;
  return WW_OK;
}

static bool is_byte(const char *s) {
  return strlen(s) == 6 && ww_starts(s, "<0x") && s[5] == '>';
}

static ww_status tokens(writer *w, const cJSON *tree, bool pieces) {
  const cJSON *model = get(tree, "model");
  const cJSON *unknown = get(model, "unk_token");
  const cJSON *t;
  uint32_t n = w->c->vocab;
  w->token = WW_NEWN(w->a, ww_meta, n);
  w->type = WW_NEWN(w->a, ww_meta, n);
  for (uint32_t i = 0; i < n; i++)
    w->type[i] = (ww_meta){.kind = WW_META_INT, .u = UNUSED};
  cJSON_ArrayForEach(t, get(model, "vocab")) {
    bool unk =
        pieces && cJSON_IsString(unknown) && !strcmp(unknown->valuestring, t->string);
    ww_status rc = set_token(w, t->string, t,
                             unk                            ? UNKNOWN
                             : pieces && is_byte(t->string) ? BYTE
                                                            : NORMAL);
    if (rc)
      return rc;
  }
  cJSON_ArrayForEach(t, get(tree, "added_tokens")) {
    int64_t id = -1;
    bool big, control = cJSON_IsTrue(get(t, "special"));
    ww_json_as_int(get(t, "id"), &id, &big);
    bool unk = id >= 0 && id < n && w->type[id].u == UNKNOWN;
    ww_status rc = set_token(w, cJSON_GetStringValue(get(t, "content")), get(t, "id"),
                             unk       ? UNKNOWN
                             : control ? CONTROL
                                       : USER);
    if (rc)
      return rc;
  }
  for (uint32_t i = 0; i < n; i++)
    if (!w->token[i].text)
      w->token[i] = text_item(w->a, ww_fmt(w->a, "[PAD%u]", i));
  ww_meta_array(w->m, "tokenizer.ggml.tokens", WW_META_TEXT, w->token, n);
  ww_meta_array(w->m, "tokenizer.ggml.token_type", WW_META_INT, w->type, n);
  return WW_OK;
}

/* A merge as "a b", however the file writes it. */
static const char *merge_text(ww_arena *a, const cJSON *m) {
  if (cJSON_IsString(m))
    return ww_strdup(a, m->valuestring);
  const char *x = cJSON_GetStringValue(cJSON_GetArrayItem(m, 0));
  const char *y = cJSON_GetStringValue(cJSON_GetArrayItem(m, 1));
  return x && y ? ww_fmt(a, "%s %s", x, y) : NULL;
}

static ww_status merges(writer *w, const cJSON *model) {
  const cJSON *all = get(model, "merges");
  const cJSON *m;
  ww_meta *v = WW_NEWN(w->a, ww_meta, cJSON_GetArraySize(all) + 1);
  uint64_t n = 0;
  cJSON_ArrayForEach(m, all) {
    const char *text = merge_text(w->a, m);
    if (!text)
      return ww_fail(w->e, WW_EPARSE, "the tokenizer's merge %" PRIu64 " is no pair",
                     n);
    v[n++] = (ww_meta){.kind = WW_META_TEXT, .text = text, .text_n = strlen(text)};
  }
  ww_meta_array(w->m, "tokenizer.ggml.merges", WW_META_TEXT, v, n);
  return WW_OK;
}

/* SentencePiece's tokenizers have scores for merges: in its vocabularies a token made
 * earlier has the lower id. */
static void scores(writer *w) {
  ww_meta *v = WW_NEWN(w->a, ww_meta, w->c->vocab);
  for (uint32_t i = 0; i < w->c->vocab; i++)
    v[i] = (ww_meta){.kind = WW_META_REAL,
                     .real = w->type[i].u == NORMAL ? -(double)i : 0};
  ww_meta_array(w->m, "tokenizer.ggml.scores", WW_META_REAL, v, w->c->vocab);
}

/* Whether a name or a text with that in it stands anywhere in a part of the file. */
static bool mentions(const cJSON *part, const char *what) {
  for (const cJSON *n = part ? part->child : NULL; n; n = n->next)
    if ((n->string && strstr(n->string, what)) ||
        (cJSON_IsString(n) && strstr(n->valuestring, what)) || mentions(n, what))
      return true;
  return false;
}

/* llama.cpp knows splits by name. Those of three digits at a time are Llama 3's, of one
 * digit Qwen2's; GPT-2's has no pattern in the file. */
static const char *split_name(const cJSON *pre) {
  return mentions(pre, "{1,3}")   ? "llama-bpe"
         : mentions(pre, "Regex") ? "qwen2"
                                  : "gpt-2";
}

ww_status ww_gguf_tokenizer(
    const char *json, size_t n, const ww_lm_config *c, ww_metas *m, ww_err *e) {
  cJSON *tree = ww_json_read(json, n, e);
  if (!tree)
    return WW_EPARSE;
  const cJSON *model = get(tree, "model");
  bool pieces = cJSON_IsTrue(get(model, "byte_fallback"));
  writer w = {.c = c, .a = m->a, .m = m, .e = e};
  const char *kind = pieces ? "llama" : "gpt2";
  const char *pre = pieces ? "default" : split_name(get(tree, "pre_tokenizer"));
  ww_status rc = WW_OK;
  if (!cJSON_IsObject(get(model, "vocab")))
    rc = ww_fail(e, WW_EPARSE, "the tokenizer.json has no model.vocab");
  ww_meta_text(m, "tokenizer.ggml.model", kind, strlen(kind));
  ww_meta_text(m, "tokenizer.ggml.pre", pre, strlen(pre));
  bool bos = c->bos >= 0 && mentions(get(tree, "post_processor"), "TemplateProcessing");
  ww_meta_add(
      m,
      (ww_meta){.key = "tokenizer.ggml.add_bos_token", .kind = WW_META_BOOL, .u = bos});
  if (!rc)
    rc = tokens(&w, tree, pieces);
  if (!rc && pieces)
    scores(&w);
  if (!rc && !pieces)
    rc = merges(&w, model);
  if (!rc)
    ww_meta_text(m, "warpwise.tokenizer_json", json, n);
  cJSON_Delete(tree);
  return rc;
}
