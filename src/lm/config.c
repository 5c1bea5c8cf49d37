/* config.c - a model's configuration: checked, read from config.json (as transformers 4
 * and 5 write it), written so that both load it.
 *
 * What changes the arithmetic and is not known here (another activation, another kind
 * of rope, a sliding window) is an error, never ignored: a model that runs gives the
 * numbers its author meant.
 */
#include <inttypes.h>

#include "config_int.h"

#include <math.h>
#include <stdlib.h>

#include "../base/json_put.h"
#include "../base/jsonread.h"

const ww_lm_arch_info ww_lm_archs[WW_LM_NARCHS] = {
    [WW_LM_LLAMA] = {"llama", "LlamaForCausalLM", "llama", false, true},
    [WW_LM_QWEN2] = {"qwen2", "Qwen2ForCausalLM", "qwen2", true, false},
};

/* ---- checking ---- */

/* Sizes by their names in config.json: first those that must be given, then those that
 * need not be, then ours, which stand in an object of their own. */
static const struct {
  const char *name;
  size_t at; /* in ww_lm_config */
  uint32_t least, most;
} sizes[] = {
#define AT(member) offsetof(ww_lm_config, member)
    {"vocab_size", AT(vocab), 1, 1u << 24},
    {"hidden_size", AT(width), 1, 1u << 17},
    {"intermediate_size", AT(hidden), 1, 1u << 20},
    {"num_hidden_layers", AT(layers), 1, 1024},
    {"num_attention_heads", AT(heads), 1, 4096},
    {"num_key_value_heads", AT(kv_heads), 1, 4096},
    {"head_dim", AT(head_size), 2, WW_LM_MAX_HEAD},
    {"max_position_embeddings", AT(context), 1, 1u << 24},
    {"warpwise.numbers", AT(numbers), 0, 4096},
    {"warpwise.features", AT(features), 0, 65536},
    {"warpwise.feature_tokens", AT(feature_tokens), 0, 4096},
#undef AT
};
enum { NEEDED = 5, THEIRS = 8, NSIZES = sizeof sizes / sizeof *sizes };

static uint32_t *size_at(const ww_lm_config *c, int k) {
  return (uint32_t *)((char *)c + sizes[k].at);
}

/* The name of one of ours, within its object. */
static const char *own_name(int k) {
  return sizes[k].name + strlen("warpwise.");
}

static ww_status check_sizes(const ww_lm_config *c, ww_err *e) {
  for (int k = 0; k < NSIZES; k++) {
    uint32_t value = *size_at(c, k);
    if (value < sizes[k].least || value > sizes[k].most)
      return ww_fail(e, WW_EDATA, "%s is %u; a model here has %u to %u", sizes[k].name,
                     value, sizes[k].least, sizes[k].most);
  }
  if (c->heads % c->kv_heads)
    return ww_fail(
        e, WW_EDATA,
        "num_attention_heads (%u) is no multiple of num_key_value_heads (%u)", c->heads,
        c->kv_heads);
  if (c->head_size % 2)
    return ww_fail(e, WW_EDATA, "head_dim (%u) is odd; rotary embedding turns pairs",
                   c->head_size);
  if (!c->features != !c->feature_tokens)
    return ww_fail(
        e, WW_EDATA,
        "warpwise.features (%u) and warpwise.feature_tokens (%u) go together",
        c->features, c->feature_tokens);
  if (c->feature_tokens > c->context)
    return ww_fail(e, WW_EDATA,
                   "warpwise.feature_tokens (%u) is more than the context of %u",
                   c->feature_tokens, c->context);
  return WW_OK;
}

static bool positive(float x) {
  return isfinite(x) && x > 0;
}

static ww_status check_rope(const ww_lm_config *c, ww_err *e) {
  if (!positive(c->rope_theta))
    return ww_fail(e, WW_EDATA, "rope_theta (%g) must be above 0", c->rope_theta);
  if (c->rope > WW_ROPE_LLAMA3)
    return ww_fail(e, WW_EDATA, "no such kind of rope: %d", c->rope);
  if (c->rope != WW_ROPE_PLAIN && !positive(c->rope_factor))
    return ww_fail(e, WW_EDATA, "the rope's factor (%g) must be above 0",
                   c->rope_factor);
  if (c->rope != WW_ROPE_LLAMA3)
    return WW_OK;
  if (!positive(c->rope_low) || !positive(c->rope_high) || c->rope_high <= c->rope_low)
    return ww_fail(e, WW_EDATA,
                   "the rope's low_freq_factor (%g) must be above 0 and below its "
                   "high_freq_factor (%g)",
                   c->rope_low, c->rope_high);
  if (!c->rope_original || c->rope_original > 1u << 24)
    return ww_fail(e, WW_EDATA,
                   "the rope's original_max_position_embeddings (%u) must be 1 to %u",
                   c->rope_original, 1u << 24);
  return WW_OK;
}

ww_status ww_lm_config_check(const ww_lm_config *c, ww_err *e) {
  if (c->arch >= WW_LM_NARCHS)
    return ww_fail(e, WW_EDATA, "no such architecture: %d", c->arch);
  ww_status rc = check_sizes(c, e);
  if (rc || (rc = check_rope(c, e)))
    return rc;
  if (!isfinite(c->norm_eps) || c->norm_eps < 0 || c->norm_eps > 1)
    return ww_fail(e, WW_EDATA, "rms_norm_eps (%g) must be 0 to 1", c->norm_eps);
  if (c->arch == WW_LM_QWEN2 && !c->qkv_bias)
    return ww_fail(e, WW_EDATA,
                   "a Qwen2 without biases of Q, K and V is none; call it a Llama");
  if (c->neos > 4)
    return ww_fail(e, WW_EDATA, "more than 4 end tokens (%u)", c->neos);
  if (c->bos < -1 || c->bos >= (int32_t)c->vocab)
    return ww_fail(e, WW_EDATA, "bos_token_id (%d) is not in the vocabulary of %u",
                   c->bos, c->vocab);
  for (uint32_t i = 0; i < c->neos; i++)
    if (c->eos[i] < 0 || c->eos[i] >= (int32_t)c->vocab)
      return ww_fail(e, WW_EDATA, "eos_token_id (%d) is not in the vocabulary of %u",
                     c->eos[i], c->vocab);
  return WW_OK;
}

/* ---- reading config.json ---- */

/* A member that is there and not null. */
static const cJSON *member(const cJSON *obj, const char *key) {
  const cJSON *n = cJSON_GetObjectItemCaseSensitive(obj, key);
  return cJSON_IsNull(n) ? NULL : n;
}

/* Missing: `otherwise`; 0 there means the member must be given. */
static ww_status want_size(
    const cJSON *obj, const char *key, uint32_t otherwise, uint32_t *out, ww_err *e) {
  const cJSON *n = member(obj, key);
  uint64_t v = otherwise;
  if (!n && !otherwise)
    return ww_fail(e, WW_EPARSE, "config.json has no %s", key);
  ww_status rc = n ? ww_json_want_uint(n, key, &v, e) : WW_OK;
  if (!rc && v > UINT32_MAX)
    rc = ww_fail(e, WW_EDATA, "%s is absurd: %" PRIu64, key, v);
  if (!rc)
    *out = v;
  return rc;
}

static ww_status
want_real(const cJSON *obj, const char *key, double otherwise, float *out, ww_err *e) {
  char scratch[64];
  const cJSON *n = member(obj, key);
  if (n && !cJSON_IsNumber(n))
    return ww_fail(e, WW_EPARSE, "%s: expected a number, not %s", key,
                   ww_json_kind(n, scratch));
  double v = n ? n->valuedouble : otherwise;
  if (isnan(v))
    return ww_fail(e, WW_EPARSE, "config.json has no %s", key);
  if (fabs(v) > 3e38)
    return ww_fail(e, WW_EDATA, "%s is absurd: %g", key, v);
  *out = v;
  return WW_OK;
}

static ww_status
want_bool(const cJSON *obj, const char *key, bool otherwise, bool *out, ww_err *e) {
  char scratch[64];
  const cJSON *n = member(obj, key);
  if (n && !cJSON_IsBool(n))
    return ww_fail(e, WW_EPARSE, "%s: expected true or false, not %s", key,
                   ww_json_kind(n, scratch));
  *out = n ? cJSON_IsTrue(n) : otherwise;
  return WW_OK;
}

static ww_status read_arch(const cJSON *j, ww_lm_config *c, ww_err *e) {
  const cJSON *type = member(j, "model_type");
  if (!cJSON_IsString(type))
    return ww_fail(e, WW_EPARSE, "config.json has no model_type: is it a model's?");
  for (int k = 0; k < WW_LM_NARCHS; k++)
    if (!strcmp(ww_lm_archs[k].model_type, type->valuestring)) {
      c->arch = k;
      return WW_OK;
    }
  return ww_fail(e, WW_EUNSUPPORTED,
                 "models of type \"%.60s\" are not supported; llama and qwen2 are",
                 type->valuestring);
}

/* What would change the numbers and is not computed here. */
static ww_status refuse(const cJSON *j, const ww_lm_config *c, ww_err *e) {
  const cJSON *act = member(j, "hidden_act");
  if (act && !(cJSON_IsString(act) && (!strcmp(act->valuestring, "silu") ||
                                       !strcmp(act->valuestring, "swish"))))
    return ww_fail(e, WW_EUNSUPPORTED, "hidden_act \"%.40s\" is not supported; silu is",
                   act->valuestring ? act->valuestring : "?");
  static const char *const must_be_off[] = {"mlp_bias", "is_encoder_decoder"};
  for (size_t i = 0; i < sizeof must_be_off / sizeof *must_be_off; i++)
    if (cJSON_IsTrue(member(j, must_be_off[i])))
      return ww_fail(e, WW_EUNSUPPORTED, "%s is not supported", must_be_off[i]);
  if (member(j, "quantization_config"))
    return ww_fail(
        e, WW_EUNSUPPORTED,
        "quantised weights (quantization_config) are not supported; take the model in "
        "bf16, or a GGUF in Q8_0");
  const cJSON *window = member(j, "sliding_window");
  if (cJSON_IsTrue(member(j, "use_sliding_window")) && cJSON_IsNumber(window) &&
      window->valuedouble < c->context)
    return ww_fail(e, WW_EUNSUPPORTED, "a sliding window of %g tokens is not supported",
                   window->valuedouble);
  const cJSON *part = member(j, "partial_rotary_factor");
  if (part && !(cJSON_IsNumber(part) && part->valuedouble == 1))
    return ww_fail(e, WW_EUNSUPPORTED,
                   "partial_rotary_factor other than 1 is not supported");
  return WW_OK;
}

static ww_status read_sizes(const cJSON *j, ww_lm_config *c, ww_err *e) {
  ww_status rc = WW_OK;
  for (int k = 0; !rc && k < NEEDED; k++)
    rc = want_size(j, sizes[k].name, 0, size_at(c, k), e);
  if (!rc)
    rc = want_size(j, "max_position_embeddings", c->arch == WW_LM_QWEN2 ? 32768 : 2048,
                   &c->context, e);
  if (!rc && !c->heads)
    rc = ww_fail(e, WW_EDATA, "num_attention_heads is 0");
  if (!rc)
    rc = want_size(j, "num_key_value_heads", c->heads, &c->kv_heads, e);
  if (rc)
    return rc;
  if (!member(j, "head_dim") && c->width % c->heads)
    return ww_fail(e, WW_EDATA,
                   "hidden_size (%u) is no multiple of num_attention_heads (%u), and "
                   "head_dim is not given",
                   c->width, c->heads);
  return want_size(j, "head_dim", c->width / c->heads, &c->head_size, e);
}

/* The kind's own members, of rope_scaling or rope_parameters. */
static ww_status read_rope_kind(const cJSON *r, ww_lm_config *c, ww_err *e) {
  const cJSON *kind = member(r, "rope_type");
  if (!kind)
    kind = member(r, "type"); /* as older files spell it */
  const char *name = cJSON_IsString(kind) ? kind->valuestring : "default";
  if (!strcmp(name, "default"))
    return WW_OK;
  ww_status rc = want_real(r, "factor", NAN, &c->rope_factor, e);
  if (!strcmp(name, "linear")) {
    c->rope = WW_ROPE_LINEAR;
    return rc;
  }
  if (strcmp(name, "llama3"))
    return ww_fail(
        e, WW_EUNSUPPORTED,
        "rope of type \"%.40s\" is not supported; default, linear and llama3 are",
        name);
  c->rope = WW_ROPE_LLAMA3;
  if (rc || (rc = want_real(r, "low_freq_factor", NAN, &c->rope_low, e)) ||
      (rc = want_real(r, "high_freq_factor", NAN, &c->rope_high, e)))
    return rc;
  return want_size(r, "original_max_position_embeddings", c->context, &c->rope_original,
                   e);
}

/* transformers 5 has rope_parameters with the theta inside; 4 has rope_theta beside
 * rope_scaling.
 */
static ww_status read_rope(const cJSON *j, ww_lm_config *c, ww_err *e) {
  const cJSON *r = member(j, "rope_parameters");
  if (!r)
    r = member(j, "rope_scaling");
  if (r && !cJSON_IsObject(r))
    return ww_fail(e, WW_EPARSE, "rope_parameters or rope_scaling: expected an object");
  const cJSON *holder = member(r, "rope_theta") ? r : j;
  ww_status rc = want_real(holder, "rope_theta", 10000, &c->rope_theta, e);
  return rc || !r ? rc : read_rope_kind(r, c, e);
}

/* A token's id, or -1. */
static bool is_id(const cJSON *n, int32_t *out) {
  int64_t v;
  bool big;
  bool good = ww_json_as_int(n, &v, &big) && !big && v >= -1 && v <= INT32_MAX;
  if (good)
    *out = v;
  return good;
}

static ww_status read_ids(const cJSON *j, ww_lm_config *c, ww_err *e) {
  const cJSON *bos = member(j, "bos_token_id");
  const cJSON *eos = member(j, "eos_token_id");
  int32_t v;
  c->bos = -1;
  memset(c->eos, 0xff, sizeof c->eos); /* -1 */
  if (bos && !is_id(bos, &c->bos))
    return ww_fail(e, WW_EPARSE, "bos_token_id: expected a token's id");
  for (const cJSON *n = cJSON_IsArray(eos) ? eos->child : eos; n;
       n = cJSON_IsArray(eos) ? n->next : NULL) {
    if (!is_id(n, &v))
      return ww_fail(e, WW_EPARSE,
                     "eos_token_id: expected a token's id, or an array of them");
    if (v >= 0 && c->neos == 4)
      return ww_fail(e, WW_EUNSUPPORTED, "eos_token_id has more than 4 tokens");
    if (v >= 0)
      c->eos[c->neos++] = v;
  }
  return WW_OK;
}

static ww_status read_ours(const cJSON *w, ww_lm_config *c, ww_err *e) {
  ww_status rc = WW_OK;
  if (w && !cJSON_IsObject(w))
    return ww_fail(e, WW_EPARSE, "warpwise: expected an object");
  for (int k = THEIRS; !rc && k < NSIZES; k++)
    if (member(w, own_name(k)))
      rc = want_size(w, own_name(k), 1, size_at(c, k), e);
  return rc;
}

static ww_status read_tree(const cJSON *j, ww_lm_config *c, ww_err *e) {
  if (!cJSON_IsObject(j))
    return ww_fail(e, WW_EPARSE, "config.json: expected an object");
  ww_status rc = read_arch(j, c, e);
  if (rc || (rc = read_sizes(j, c, e)) || (rc = refuse(j, c, e)) ||
      (rc = want_real(j, "rms_norm_eps", 1e-6, &c->norm_eps, e)) ||
      (rc = want_bool(j, "tie_word_embeddings", false, &c->tied, e)) ||
      (rc = want_bool(j, "attention_bias", ww_lm_archs[c->arch].qkv_bias, &c->qkv_bias,
                      e)) ||
      (rc = read_rope(j, c, e)) || (rc = read_ids(j, c, e)) ||
      (rc = read_ours(member(j, "warpwise"), c, e)))
    return rc;
  return ww_lm_config_check(c, e);
}

ww_status ww_lm_config_parse(const char *json, size_t n, ww_lm_config *out, ww_err *e) {
  memset(out, 0, sizeof *out);
  char *text = ww_xmalloc(n + 1); /* the reader wants a NUL behind it */
  memcpy(text, json, n);
  text[n] = 0;
  cJSON *tree = ww_json_read(text, n, e);
  ww_status rc = tree ? read_tree(tree, out, e) : WW_EPARSE;
  cJSON_Delete(tree);
  free(text);
  return rc;
}

/* ---- writing it ---- */

/* In the fewest digits that give the same float back (1e-05,
 * not 9.999999747378752e-06), and never as a whole number: transformers tells 8.0
 * from 8. */
static void print_real(ww_json *j, const char *key, float f) {
  char text[32];
  for (int digits = 1; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, f);
    if (strtof(text, NULL) == f)
      break;
  }
  if (fabsf(f) < 1e9f && f == floorf(f))
    snprintf(text, sizeof text, "%.1f", f);
  ww_json_key(j, key);
  ww_json_raw(j, text);
}

static void print_rope(ww_json *j, const ww_lm_config *c, bool theta) {
  static const char *const kinds[] = {"default", "linear", "llama3"};
  ww_json_put(j, "{rope_type:%s", kinds[c->rope]);
  if (theta)
    print_real(j, "rope_theta", c->rope_theta);
  if (c->rope != WW_ROPE_PLAIN)
    print_real(j, "factor", c->rope_factor);
  if (c->rope == WW_ROPE_LLAMA3) {
    print_real(j, "low_freq_factor", c->rope_low);
    print_real(j, "high_freq_factor", c->rope_high);
    ww_json_kuint(j, "original_max_position_embeddings", c->rope_original);
  }
  ww_json_end_obj(j);
}

static void print_id(ww_json *j, const char *key, int32_t id) {
  ww_json_key(j, key);
  if (id < 0)
    ww_json_raw(j, "null");
  else
    ww_json_int(j, id);
}

static void print_ids(ww_json *j, const ww_lm_config *c) {
  print_id(j, "bos_token_id", c->bos);
  if (c->neos < 2) {
    print_id(j, "eos_token_id", c->neos ? c->eos[0] : -1);
    return;
  }
  ww_json_put(j, "eos_token_id:[");
  for (uint32_t i = 0; i < c->neos && i < 4; i++)
    ww_json_int(j, c->eos[i]);
  ww_json_end_arr(j);
}

void ww_lm_config_print_as(const ww_lm_config *c, ww_dtype type, ww_buf *json) {
  const ww_lm_arch_info *arch = &ww_lm_archs[c->arch];
  const char *torch = type == WW_DTYPE_BF16  ? "bfloat16"
                      : type == WW_DTYPE_F16 ? "float16"
                                             : "float32";
  ww_json j = {.pretty = true};
  ww_json_begin(&j, json);
  /* dtype and rope_parameters: transformers 5 */
  ww_json_put(&j, "{architectures:[%s],model_type:%s,dtype:%s,torch_dtype:%s",
              arch->architecture, arch->model_type, torch, torch);
  for (int k = 0; k < THEIRS; k++)
    ww_json_kuint(&j, sizes[k].name, *size_at(c, k));
  ww_json_kstr(&j, "hidden_act", "silu");
  print_real(&j, "rms_norm_eps", c->norm_eps);
  ww_json_put(&j, "tie_word_embeddings:%i,attention_bias:%i,mlp_bias:false", c->tied,
              c->qkv_bias);
  print_real(&j, "rope_theta", c->rope_theta);
  ww_json_key(&j, "rope_scaling");
  if (c->rope == WW_ROPE_PLAIN)
    ww_json_raw(&j, "null");
  else
    print_rope(&j, c, false);
  ww_json_key(&j, "rope_parameters");
  print_rope(&j, c, true);
  print_ids(&j, c);
  ww_json_kbool(&j, "use_cache", true);
  if (c->numbers || c->features) {
    ww_json_put(&j, "warpwise:{");
    for (int k = THEIRS; k < NSIZES; k++)
      ww_json_kuint(&j, own_name(k), *size_at(c, k));
    ww_json_end_obj(&j);
  }
  ww_json_end_obj(&j);
  ww_buf_puts(json, "\n");
}

void ww_lm_config_print(const ww_lm_config *c, ww_buf *json) {
  ww_lm_config_print_as(c, WW_DTYPE_F32, json);
}
