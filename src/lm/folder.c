/* folder.c - a model on disk: its parameters read into our order, and written.
 *
 * Ours is Hugging Face's order of rows. A llama GGUF has the rows of each head of Q and
 * K interleaved (row 2i + s here is row s * half + i there); they are put back as they
 * are read, so nobody behind this file knows of it. */
#include <inttypes.h>

#include "config_int.h"
#include "weights_int.h"

/* ---- reading ---- */

static const ww_tensor *find_param(const ww_weights *w,
                                   const ww_lm_slot *p,
                                   const char **name,
                                   char scratch[WW_LM_NAME]) {
  *name = p->name;
  if (w->gguf) {
    ww_lm_param_gguf(p, scratch);
    *name = scratch;
  }
  const ww_tensor *t = ww_weights_find(w, *name);
  if (!t && ww_starts(p->name, "model."))
    t = ww_weights_find(w, p->name + 6); /* a trunk saved without its head */
  return t;
}

static ww_status
check_param(const ww_tensor *t, const ww_lm_slot *p, const char *name, ww_err *e) {
  if (!t)
    return ww_fail(
        e, WW_EDATA,
        "the weights have no tensor \"%s\", which their configuration asks for", name);
  if (t->type > WW_DTYPE_Q8_0)
    return ww_fail(e, WW_EUNSUPPORTED,
                   "tensor \"%s\" is of type %s; supported are F32, F16, BF16 and Q8_0",
                   name, t->type_name);
  if (t->type == WW_DTYPE_Q8_0 && p->cols % 32)
    return ww_fail(e, WW_EUNSUPPORTED, "tensor \"%s\": a vector of type Q8_0", name);
  bool fits = t->ndim == 2 ? t->dim[0] == p->rows && t->dim[1] == p->cols
                           : t->ndim == 1 && p->cols == 1 && t->dim[0] == p->rows;
  if (fits)
    return WW_OK;
  return ww_fail(e, WW_EDATA,
                 "tensor \"%s\" is %" PRIu64 " x %" PRIu64
                 " where the configuration asks for %" PRIu64 " x %" PRIu64,
                 name, t->dim[0], t->ndim > 1 ? t->dim[1] : 1, p->rows, p->cols);
}

uint32_t ww_lm_turned_heads(const ww_lm_config *c, ww_param_id id) {
  if (!ww_lm_archs[c->arch].gguf_permutes_qk)
    return 0;
  return id == WW_P_q || id == WW_P_qb   ? c->heads
         : id == WW_P_k || id == WW_P_kb ? c->kv_heads
                                         : 0;
}

ww_status ww_lm_read_param(const ww_weights *w,
                           const ww_lm_config *c,
                           const ww_lm_slot *p,
                           float *to,
                           ww_err *e) {
  char scratch[WW_LM_NAME];
  const char *name;
  const ww_tensor *t = find_param(w, p, &name, scratch);
  ww_status rc = check_param(t, p, name, e);
  if (rc)
    return rc;
  uint32_t heads = w->gguf ? ww_lm_turned_heads(c, p->id) : 0;
  if (!heads) {
    ww_to_f32(to, t->data, t->type, p->rows * p->cols);
    return WW_OK;
  }
  uint64_t size = p->rows / heads, half = size / 2,
           row_bytes = ww_dtype_bytes(t->type, p->cols);
  const uint8_t *from = t->data;
  for (uint64_t row = 0; row < p->rows; row++) {
    uint64_t first = row / size * size, in = row - first; /* in = s * half + i */
    ww_to_f32(to + row * p->cols,
              from + (first + in % half * 2 + in / half) * row_bytes, t->type, p->cols);
  }
  return WW_OK;
}

ww_status ww_lm_read_params(const ww_weights *w,
                            const ww_lm_config *c,
                            const ww_lm_layout *l,
                            float *flat,
                            ww_err *e) {
  uint64_t end = 0;
  for (uint32_t i = 0; i < l->n; i++) {
    const ww_lm_slot *p = l->v + i;
    memset(flat + end, 0, sizeof(float) * (p->at - end)); /* gaps */
    ww_status rc = ww_lm_read_param(w, c, p, flat + p->at, e);
    if (rc)
      return rc;
    end = p->at + p->rows * p->cols;
  }
  memset(flat + end, 0, sizeof(float) * (l->total - end));
  return WW_OK;
}

/* ---- writing ---- */

#define SHARD ((uint64_t)4000 << 20)

/* transformers' Llama has a bias on all four projections or on none: ours of the output
 * is zero. */
static uint32_t
zero_biases(const ww_lm_config *c, ww_tensor *s, ww_dtype type, ww_arena *a) {
  if (!c->qkv_bias || c->arch != WW_LM_LLAMA)
    return 0;
  const float *zeros = WW_NEWN(a, float, c->width);
  for (uint32_t layer = 0; layer < c->layers; layer++)
    s[layer] =
        (ww_tensor){.name = ww_fmt(a, "model.layers.%u.self_attn.o_proj.bias", layer),
                    .type = type,
                    .ndim = 1,
                    .dim = {c->width},
                    .floats = zeros};
  return c->layers;
}

ww_tensor *ww_lm_tensors(const ww_lm_config *c,
                         const float *flat,
                         ww_dtype type,
                         ww_lm_layout *l,
                         uint32_t more,
                         ww_arena *a) {
  ww_lm_layout_make(c, a, l);
  ww_tensor *s = WW_NEWN(a, ww_tensor, l->n + more);
  for (uint32_t i = 0; i < l->n; i++) {
    const ww_lm_slot *p = l->v + i;
    s[i] = (ww_tensor){.name = p->name,
                       .type = type,
                       .ndim = p->at < l->matrices ? 2 : 1,
                       .dim = {p->rows, p->cols},
                       .floats = flat + p->at};
  }
  return s;
}

static ww_status write_weights(const char *dir,
                               const ww_lm_config *c,
                               const float *flat,
                               ww_dtype type,
                               ww_arena *a,
                               ww_err *e) {
  ww_lm_layout l;
  ww_tensor *s = ww_lm_tensors(c, flat, type, &l, c->layers, a);
  uint32_t n = l.n + zero_biases(c, s + l.n, type, a);
  return ww_safetensors_write_sharded(dir, s, n, SHARD, e);
}

static ww_status
prepare(ww_out *o, const char *path, const char *bytes, size_t n, ww_err *e) {
  ww_status rc = ww_out_open(o, path, e);
  if (rc)
    return rc;
  ww_out_write(o, bytes, n);
  return ww_out_finish(o);
}

ww_status ww_lm_tokenizer_json(const char *from,
                               ww_arena *a,
                               char **json,
                               size_t *n,
                               ww_weights **gguf,
                               ww_err *e) {
  size_t len = strlen(from);
  *json = NULL;
  *gguf = NULL;
  if (len < 5 || strcasecmp(from + len - 5, ".gguf"))
    return ww_read_file(a, from, WW_TOKENIZER_MAX, json, n, e);
  ww_status rc = ww_weights_open(from, gguf, e);
  if (rc)
    return rc;
  const ww_meta *m = ww_weights_meta(*gguf, "warpwise.tokenizer_json");
  if (!m || m->kind != WW_META_TEXT)
    return WW_OK;
  *json = ww_strndup(a, m->text, m->text_n);
  *n = m->text_n;
  ww_weights_close(*gguf);
  *gguf = NULL;
  return WW_OK;
}

ww_status ww_lm_write_folder(const char *dir,
                             const ww_lm_config *c,
                             const float *flat,
                             ww_dtype type,
                             const char *tokenizer_from,
                             ww_err *e) {
  if (type > WW_DTYPE_BF16)
    return ww_fail(e, WW_EUSAGE, "a folder's weights are F32, F16 or BF16, not %s",
                   ww_dtype_name(type));
  ww_status rc = ww_lm_config_check(c, e);
  if (rc)
    return rc;
  if (mkdir(dir, 0777) && errno != EEXIST)
    return ww_fail(e, WW_EIO, "cannot make '%s': %s", dir, strerror(errno));
  ww_arena *a = ww_arena_new();
  ww_buf json = {0};
  char *tokenizer = NULL;
  size_t n = 0;
  /* lie ready before the weights change: only a rename is left that could fail */
  ww_out small[2];
  uint32_t ready = 0;
  ww_lm_config_print_as(c, type, &json);
  ww_weights *gguf = NULL;
  if (tokenizer_from)
    rc = ww_lm_tokenizer_json(tokenizer_from, a, &tokenizer, &n, &gguf, e);
  ww_weights_close(gguf); /* what only llama.cpp reads has no place in a folder */
  if (!rc)
    rc = prepare(&small[ready++], ww_path_join(a, dir, "config.json"), json.s, json.n,
                 e);
  if (!rc && tokenizer)
    rc = prepare(&small[ready++], ww_path_join(a, dir, "tokenizer.json"), tokenizer, n,
                 e);
  if (!rc)
    rc = write_weights(dir, c, flat, type, a, e);
  for (uint32_t i = 0; i < ready; i++) {
    if (!rc)
      rc = ww_out_commit(small + i);
    if (rc)
      ww_out_drop(small + i);
  }
  ww_buf_free(&json);
  ww_arena_free(a);
  return rc;
}
