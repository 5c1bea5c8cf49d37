/* gguf_model.c - a model as one GGUF: its configuration from the metadata, and the
 * whole of it written.
 *
 * llama.cpp's keys come first, so that it runs what we write; what it has no key for
 * (the heads for numbers, the exact rope, the tokenizer.json) stands under "warpwise.".
 * A llama3 rope is there as the tensor rope_freqs.weight: what each frequency is
 * divided by. */
#include <inttypes.h>

#include "config_int.h"
#include "weights_int.h"

#include <math.h>

/* ---- reading ---- */

typedef struct {
  const ww_weights *w;
  const char *arch;
  ww_err *e;
  ww_status rc; /* the first failure; what is asked after it is 0 */
} asker;

static const ww_meta *key_of(const asker *q, const char *key, char name[128]) {
  snprintf(name, 128, "%s.%s", q->arch, key);
  return ww_weights_meta(q->w, name);
}

/* An array (one value a layer) counts as one where all of it is the same. */
static const ww_meta *same_item(asker *q, const ww_meta *m, const char *name) {
  if (!m || m->kind != WW_META_ARRAY || !m->n)
    return m;
  for (uint64_t i = 1; i < m->n; i++)
    if (m->items[i].kind != m->items[0].kind || m->items[i].u != m->items[0].u ||
        m->items[i].real != m->items[0].real)
      q->rc = ww_fail(q->e, WW_EUNSUPPORTED,
                      "%s differs from layer to layer, which is not supported", name);
  return m->items;
}

/* otherwise UINT32_MAX: it must be there. */
static uint32_t ask_size(asker *q, const char *key, uint32_t otherwise) {
  char name[128];
  const ww_meta *m = same_item(q, key_of(q, key, name), name);
  if (q->rc || (!m && otherwise != UINT32_MAX))
    return q->rc ? 0 : otherwise;
  if (!m)
    q->rc = ww_fail(q->e, WW_EDATA, "the metadata has no %s", name);
  else if ((m->kind != WW_META_UINT && m->kind != WW_META_INT) || m->u > UINT32_MAX)
    q->rc = ww_fail(q->e, WW_EDATA, "%s is no whole number of 32 bits", name);
  return q->rc ? 0 : m->u;
}

static float ask_real(asker *q, const char *key, float otherwise) {
  char name[128];
  const ww_meta *m = key_of(q, key, name);
  if (q->rc || !m)
    return q->rc ? 0 : otherwise;
  if (m->kind != WW_META_REAL || !(fabs(m->real) < 3e38)) {
    q->rc = ww_fail(q->e, WW_EDATA, "%s is no number", name);
    return 0;
  }
  return m->real;
}

static int32_t ask_id(const ww_weights *w, const char *key) {
  const ww_meta *m = ww_weights_meta(w, key);
  return m && (m->kind == WW_META_UINT || m->kind == WW_META_INT) && m->u <= INT32_MAX
             ? (int32_t)m->u
             : -1;
}

static void add_eos(ww_lm_config *c, int32_t id) {
  if (id < 0 || c->neos == 4)
    return;
  for (uint32_t i = 0; i < c->neos; i++)
    if (c->eos[i] == id)
      return;
  c->eos[c->neos++] = id;
}

static void ask_ids(const ww_weights *w, ww_lm_config *c) {
  const ww_meta *all = ww_weights_meta(w, "warpwise.eos");
  c->bos = ask_id(w, "tokenizer.ggml.bos_token_id");
  memset(c->eos, 0xff, sizeof c->eos); /* -1 */
  for (uint64_t i = 0; all && all->kind == WW_META_ARRAY && i < all->n; i++)
    add_eos(c, all->items[i].u <= INT32_MAX ? (int32_t)all->items[i].u : -1);
  add_eos(c, ask_id(w, "tokenizer.ggml.eos_token_id"));
  if (!all)
    add_eos(c, ask_id(w, "tokenizer.ggml.eot_token_id"));
}

static void ask_sizes(asker *q, ww_lm_config *c) {
  c->width = ask_size(q, "embedding_length", UINT32_MAX);
  c->layers = ask_size(q, "block_count", UINT32_MAX);
  c->hidden = ask_size(q, "feed_forward_length", UINT32_MAX);
  c->heads = ask_size(q, "attention.head_count", UINT32_MAX);
  c->kv_heads = ask_size(q, "attention.head_count_kv", c->heads);
  c->head_size =
      ask_size(q, "attention.key_length", c->heads ? c->width / c->heads : 0);
  c->context = ask_size(q, "context_length", 2048);
  c->norm_eps = ask_real(q, "attention.layer_norm_rms_epsilon", 1e-6f);
  const ww_tensor *embed = ww_weights_find(q->w, "token_embd.weight");
  c->vocab =
      ask_size(q, "vocab_size",
               embed && embed->ndim == 2 && embed->dim[0] <= UINT32_MAX ? embed->dim[0]
                                                                        : UINT32_MAX);
  uint32_t turned = ask_size(q, "rope.dimension_count", c->head_size);
  uint32_t window = ask_size(q, "attention.sliding_window", 0);
  if (q->rc)
    return;
  if (turned != c->head_size)
    q->rc = ww_fail(q->e, WW_EUNSUPPORTED,
                    "rotary embedding of part of a head is not supported");
  if (window && window < c->context)
    q->rc = ww_fail(q->e, WW_EUNSUPPORTED,
                    "a sliding window of %u tokens is not supported", window);
  if (ask_size(q, "expert_count", 0))
    q->rc = ww_fail(q->e, WW_EUNSUPPORTED, "mixtures of experts are not supported");
}

/* What llama3 scaling divides each frequency by: 1 for the short waves, the factor for
 * the long ones. */
static void rope_divisors(const ww_lm_config *c, float *to) {
  float scaled[WW_LM_MAX_HEAD / 2];
  ww_lm_config plain = *c;
  plain.rope = WW_ROPE_PLAIN;
  ww_lm_rope_freqs(c, scaled);
  ww_lm_rope_freqs(&plain, to);
  for (uint32_t i = 0; i < c->head_size / 2; i++)
    to[i] /= scaled[i];
}

/* The divisors alone do not say how they were made. All published models were trained
 * with 8192 tokens and factors 1 and 4: what that gives must be what the file has. */
static ww_status guess_llama3(const ww_tensor *t, ww_lm_config *c, ww_err *e) {
  float have[WW_LM_MAX_HEAD / 2];
  float want[WW_LM_MAX_HEAD / 2];
  float most = 1;
  uint32_t half = c->head_size / 2;
  if (c->head_size > WW_LM_MAX_HEAD || t->type > WW_DTYPE_BF16 || t->ndim != 1 ||
      t->dim[0] != half)
    return ww_fail(e, WW_EUNSUPPORTED, "tensor \"%s\" is not %u numbers", t->name,
                   half);
  ww_to_f32(have, t->data, t->type, half);
  for (uint32_t i = 0; i < half; i++)
    most = have[i] > most ? have[i] : most;
  if (c->rope != WW_ROPE_LLAMA3 && most > 1) {
    c->rope = WW_ROPE_LLAMA3;
    c->rope_factor = most;
    c->rope_low = 1;
    c->rope_high = 4;
    c->rope_original = 8192;
  }
  ww_status rc = ww_lm_config_check(c, e);
  if (rc)
    return rc;
  rope_divisors(c, want);
  for (uint32_t i = 0; i < half; i++)
    if (!(fabsf(have[i] - want[i]) <= 1e-3f * want[i]))
      return ww_fail(e, WW_EUNSUPPORTED,
                     "tensor \"%s\" describes a rope that is not llama3's", t->name);
  return WW_OK;
}

static void ask_rope(asker *q, ww_lm_config *c) {
  char name[128];
  const ww_meta *kind = key_of(q, "rope.scaling.type", name);
  const ww_meta *original = ww_weights_meta(q->w, "warpwise.rope_original");
  const ww_tensor *divisors = ww_weights_find(q->w, "rope_freqs.weight");
  const char *text = kind && kind->kind == WW_META_TEXT ? kind->text : "none";
  c->rope_theta = ask_real(q, "rope.freq_base", 10000);
  if (!strcmp(text, "linear")) {
    c->rope = WW_ROPE_LINEAR;
    c->rope_factor = ask_real(q, "rope.scaling.factor", 1);
  } else if (strcmp(text, "none")) {
    q->rc = ww_fail(q->e, WW_EUNSUPPORTED,
                    "rope scaling of type \"%.40s\" is not supported", text);
  }
  if (original && !q->rc) {
    asker ours = {.w = q->w, .arch = "warpwise", .e = q->e};
    c->rope = WW_ROPE_LLAMA3;
    c->rope_original = ask_size(&ours, "rope_original", 0);
    c->rope_factor = ask_real(&ours, "rope_factor", 0);
    c->rope_low = ask_real(&ours, "rope_low", 0);
    c->rope_high = ask_real(&ours, "rope_high", 0);
    q->rc = ours.rc;
  }
  if (!q->rc && divisors)
    q->rc = guess_llama3(divisors, c, q->e);
}

static ww_status ask_arch(const ww_weights *w, ww_lm_config *c, ww_err *e) {
  const ww_meta *arch = ww_weights_meta(w, "general.architecture");
  const ww_meta *parts = ww_weights_meta(w, "split.count");
  if (!arch || arch->kind != WW_META_TEXT)
    return ww_fail(e, WW_EDATA, "the metadata has no general.architecture");
  if (parts && parts->u > 1)
    return ww_fail(e, WW_EUNSUPPORTED,
                   "this is one of %" PRIu64
                   " parts of a model; join them (gguf-split --merge)",
                   parts->u);
  int k = 0;
  while (k < WW_LM_NARCHS && strcmp(ww_lm_archs[k].gguf, arch->text))
    k++;
  if (k == WW_LM_NARCHS)
    return ww_fail(
        e, WW_EUNSUPPORTED,
        "models of architecture \"%.60s\" are not supported; llama and qwen2 are",
        arch->text);
  c->arch = k;
  return WW_OK;
}

ww_status ww_lm_config_of_gguf(const ww_weights *w, ww_lm_config *out, ww_err *e) {
  memset(out, 0, sizeof *out);
  ww_status rc = ask_arch(w, out, e);
  if (rc)
    return rc;
  asker q = {.w = w, .arch = ww_lm_archs[out->arch].gguf, .e = e};
  asker ours = {.w = w, .arch = "warpwise", .e = e};
  out->tied = !ww_weights_find(w, "output.weight");
  out->qkv_bias = ww_weights_find(w, "blk.0.attn_q.bias") != NULL;
  ask_ids(w, out);
  ask_sizes(&q, out);
  out->numbers = ask_size(&ours, "numbers", 0);
  out->features = ask_size(&ours, "features", 0);
  out->feature_tokens = ask_size(&ours, "feature_tokens", 0);
  if (!q.rc && !ours.rc)
    ask_rope(&q, out);
  if (q.rc || ours.rc)
    return q.rc ? q.rc : ours.rc;
  return ww_lm_config_check(out, e);
}

/* ---- writing ---- */

void ww_meta_add(ww_metas *m, ww_meta one) {
  ww_push(m->a, &m->list, one);
}

static void meta_uint(ww_metas *m, const char *key, uint64_t v) {
  ww_meta_add(m, (ww_meta){.key = key, .kind = WW_META_UINT, .u = v});
}

static void meta_real(ww_metas *m, const char *key, double v) {
  ww_meta_add(m, (ww_meta){.key = key, .kind = WW_META_REAL, .real = v});
}

void ww_meta_text(ww_metas *m, const char *key, const char *text, size_t n) {
  ww_meta_add(m,
              (ww_meta){.key = key, .kind = WW_META_TEXT, .text = text, .text_n = n});
}

void ww_meta_array(
    ww_metas *m, const char *key, ww_meta_kind of, ww_meta *items, uint64_t n) {
  ww_meta_add(
      m,
      (ww_meta){.key = key, .kind = WW_META_ARRAY, .of = of, .items = items, .n = n});
}

static void describe_rope(const ww_lm_config *c, ww_metas *m) {
  ww_arena *a = m->a;
  const char *arch = ww_lm_archs[c->arch].gguf;
  meta_uint(m, ww_fmt(a, "%s.rope.dimension_count", arch), c->head_size);
  meta_real(m, ww_fmt(a, "%s.rope.freq_base", arch), c->rope_theta);
  if (c->rope == WW_ROPE_LINEAR) {
    ww_meta_text(m, ww_fmt(a, "%s.rope.scaling.type", arch), "linear", 6);
    meta_real(m, ww_fmt(a, "%s.rope.scaling.factor", arch), c->rope_factor);
  } else if (c->rope == WW_ROPE_LLAMA3) {
    meta_uint(m, "warpwise.rope_original", c->rope_original);
    meta_real(m, "warpwise.rope_factor", c->rope_factor);
    meta_real(m, "warpwise.rope_low", c->rope_low);
    meta_real(m, "warpwise.rope_high", c->rope_high);
  }
}

static void describe_ids(const ww_lm_config *c, ww_metas *m) {
  ww_meta *eos = WW_NEWN(m->a, ww_meta, c->neos + 1);
  for (uint32_t i = 0; i < c->neos; i++)
    eos[i] = (ww_meta){.kind = WW_META_UINT, .u = c->eos[i]};
  if (c->bos >= 0)
    meta_uint(m, "tokenizer.ggml.bos_token_id", c->bos);
  if (c->neos)
    meta_uint(m, "tokenizer.ggml.eos_token_id", c->eos[0]);
  if (c->neos > 1)
    meta_uint(m, "tokenizer.ggml.eot_token_id", c->eos[1]);
  if (c->neos > 1)
    ww_meta_array(m, "warpwise.eos", WW_META_UINT, eos, c->neos);
}

static void describe(const ww_lm_config *c, ww_dtype type, ww_metas *m) {
  /* llama.cpp's numbers */
  static const uint8_t file_types[] = {[WW_DTYPE_F32] = 0,
                                       [WW_DTYPE_F16] = 1,
                                       [WW_DTYPE_BF16] = 32,
                                       [WW_DTYPE_Q8_0] = 7};
  const char *arch = ww_lm_archs[c->arch].gguf;
  const struct {
    const char *key;
    uint32_t value;
  } sizes[] = {
      {"context_length", c->context},
      {"embedding_length", c->width},
      {"block_count", c->layers},
      {"feed_forward_length", c->hidden},
      {"attention.head_count", c->heads},
      {"attention.head_count_kv", c->kv_heads},
      {"attention.key_length", c->head_size},
      {"attention.value_length", c->head_size},
      {"vocab_size", c->vocab},
  };
  ww_meta_text(m, "general.architecture", arch, strlen(arch));
  ww_meta_text(m, "general.type", "model", 5);
  meta_uint(m, "general.file_type", file_types[type]);
  meta_uint(m, "general.quantization_version", 2);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    meta_uint(m, ww_fmt(m->a, "%s.%s", arch, sizes[i].key), sizes[i].value);
  meta_real(m, ww_fmt(m->a, "%s.attention.layer_norm_rms_epsilon", arch), c->norm_eps);
  describe_rope(c, m);
  describe_ids(c, m);
  if (c->numbers)
    meta_uint(m, "warpwise.numbers", c->numbers);
  if (c->features)
    meta_uint(m, "warpwise.features", c->features);
  if (c->features)
    meta_uint(m, "warpwise.feature_tokens", c->feature_tokens);
}

static ww_tensor *sources(
    const ww_lm_config *c, const float *flat, ww_dtype type, ww_arena *a, uint32_t *n) {
  ww_lm_layout l;
  ww_tensor *s = ww_lm_tensors(c, flat, type, &l, 1, a);
  for (uint32_t i = 0; i < l.n; i++) {
    char *name = ww_alloc(a, WW_LM_NAME);
    ww_lm_param_gguf(l.v + i, name);
    s[i].name = name;
    s[i].turn_heads = ww_lm_turned_heads(c, l.v[i].id);
    if (s[i].ndim == 1)
      s[i].type = WW_DTYPE_F32;
    else if (type == WW_DTYPE_Q8_0 && l.v[i].cols % 32)
      s[i].type = WW_DTYPE_F16; /* blocks of 32 must fill a row */
  }
  *n = l.n;
  if (c->rope != WW_ROPE_LLAMA3)
    return s;
  float *divisors = WW_NEWN(a, float, c->head_size / 2);
  rope_divisors(c, divisors);
  s[(*n)++] = (ww_tensor){.name = "rope_freqs.weight",
                          .type = WW_DTYPE_F32,
                          .ndim = 1,
                          .dim = {c->head_size / 2},
                          .floats = divisors};
  return s;
}

/* All of another GGUF's tokenizer that is not said yet; its texts stay in that file. */
static void copy_tokenizer(const ww_weights *from, ww_metas *m) {
  for (uint32_t i = 0; i < ww_weights_nmeta(from); i++) {
    const ww_meta *x = ww_weights_meta_at(from, i);
    bool there = !ww_starts(x->key, "tokenizer.");
    for (uint32_t k = 0; !there && k < m->list.n; k++)
      there = !strcmp(m->list.v[k].key, x->key);
    if (!there)
      ww_meta_add(m, *x);
  }
}

ww_status ww_lm_write_gguf(const char *path,
                           const ww_lm_config *c,
                           const float *flat,
                           ww_dtype type,
                           const char *tokenizer_from,
                           ww_err *e) {
  if (type > WW_DTYPE_Q8_0)
    return ww_fail(e, WW_EUSAGE,
                   "weights are written as F32, F16, BF16 or Q8_0, not %s",
                   ww_dtype_name(type));
  ww_status rc = ww_lm_config_check(c, e);
  if (rc)
    return rc;
  ww_arena *a = ww_arena_new();
  ww_metas m = {.a = a};
  char *json = NULL;
  size_t json_n = 0;
  uint32_t n = 0;
  describe(c, type, &m);
  ww_weights *from = NULL;
  if (tokenizer_from)
    rc = ww_lm_tokenizer_json(tokenizer_from, a, &json, &json_n, &from, e);
  if (!rc && json)
    rc = ww_gguf_tokenizer(json, json_n, c, &m, e);
  if (!rc && from)
    copy_tokenizer(from, &m);
  if (!rc) {
    ww_tensor *s = sources(c, flat, type, a, &n);
    rc = ww_gguf_write(path, s, n, m.list.v, m.list.n, e);
  }
  ww_weights_close(from);
  ww_arena_free(a);
  return rc;
}
