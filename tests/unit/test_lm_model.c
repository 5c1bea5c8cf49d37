/* test_lm_model.c - configurations, the flat layout, rope, and whole models written and
 * read in both formats. */
#include "folder.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/lm/model.h"

/* Small and crooked: sizes that are no multiples of 64, grouped heads, features of an
 * odd number.
 */
static ww_lm_config small(ww_lm_arch arch) {
  return (ww_lm_config){.arch = arch,
                        .vocab = 70,
                        .width = 96,
                        .layers = 3,
                        .heads = 6,
                        .kv_heads = 2,
                        .head_size = 10,
                        .hidden = 100,
                        .context = 50,
                        .norm_eps = 1e-5f,
                        .tied = arch == WW_LM_QWEN2,
                        .qkv_bias = arch == WW_LM_QWEN2,
                        .rope_theta = 10000,
                        .bos = 1,
                        .eos = {2, 3, -1, -1},
                        .neos = 2,
                        .numbers = 5,
                        .features = 7,
                        .feature_tokens = 2};
}

static void expect_parse(const char *json, ww_lm_config *c) {
  ww_err e = {0};
  if (ww_lm_config_parse(json, strlen(json), c, &e))
    fail_msg("%s: %s", json, e.msg);
}

/* ---- config.json ---- */

#define LLAMA32                                                                       \
  "\"model_type\":\"llama\",\"vocab_size\":128256,\"hidden_size\":3072,\"num_hidden_" \
  "layers\":28,"                                                                      \
  "\"num_attention_heads\":24,"                                                       \
  "\"num_key_value_heads\":8,\"head_dim\":128,\"intermediate_size\":8192,\"max_"      \
  "position_"                                                                         \
  "embeddings\":131072,\"rms_norm_eps\":1e-05,"                                       \
  "\"tie_word_embeddings\":true,\"hidden_act\":\"silu\",\"attention_bias\":false,"    \
  "\"mlp_bias\":"                                                                     \
  "false,\"bos_token_id\":128000,"

static void config_of_llama3(void **state) {
  (void)state;
  ww_lm_config old, new;
  expect_parse(
      "{" LLAMA32
      "\"eos_token_id\":[128001,128008,128009],\"rope_theta\":500000.0,\"rope_"
      "scaling\":{\"factor\":32.0,\"high_freq_factor\":4.0,"
      "\"low_freq_factor\":1.0,\"original_max_position_embeddings\":8192,\"rope_type\":"
      "\"llama3\"}}",
      &old);
  expect_parse(
      "{" LLAMA32 "\"eos_token_id\":[128001,128008,128009],\"rope_parameters\":{"
      "\"factor\":32.0,\"high_freq_factor\":4.0,\"low_freq_factor\":1.0,"
      "\"original_max_position_embeddings\":8192,\"rope_theta\":500000.0,\"rope_type\":"
      "\"llama3\"}}",
      &new);
  assert_memory_equal(&old, &new, sizeof old);
  assert_true(old.arch == WW_LM_LLAMA && old.rope == WW_ROPE_LLAMA3 &&
              old.rope_theta == 500000 && old.rope_factor == 32);
  assert_true(old.rope_low == 1 && old.rope_high == 4 && old.rope_original == 8192 &&
              old.tied && !old.qkv_bias);
  assert_true(old.neos == 3 && old.eos[2] == 128009 && old.bos == 128000 &&
              old.kv_heads == 8);
  assert_int_equal(ww_lm_config_params(&old), 3212749824); /* as published */
}

static void config_defaults(void **state) {
  (void)state;
  ww_lm_config c;
  expect_parse(
      "{\"model_type\":\"qwen2\",\"vocab_size\":100,\"hidden_size\":64,\"num_hidden_"
      "layers\":2,\"num_attention_heads\":4,"
      "\"intermediate_size\":128,\"use_sliding_window\":false,\"sliding_window\":16,"
      "\"head_dim\":null,\"eos_token_id\":null,"
      "\"rope_scaling\":null,\"something_else\":{\"x\":1}}",
      &c);
  assert_true(c.arch == WW_LM_QWEN2 && c.qkv_bias && c.kv_heads == 4 &&
              c.head_size == 16 && c.neos == 0 && c.bos == -1);
  assert_true(c.rope == WW_ROPE_PLAIN && c.rope_theta == 10000 && !c.tied &&
              c.numbers == 0 && c.norm_eps == 1e-6f);
}

static void config_there_and_back(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    ww_lm_config c = small(k % 2 ? WW_LM_QWEN2 : WW_LM_LLAMA), back;
    c.rope = (ww_rope_kind)(k / 2);
    if (c.rope)
      c.rope_factor = 2.5f;
    if (c.rope == WW_ROPE_LLAMA3) {
      c.rope_low = 1;
      c.rope_high = 4;
      c.rope_original = 20;
    }
    c.neos = (uint32_t)(k % 3);
    for (uint32_t i = c.neos; i < 4; i++)
      c.eos[i] = -1;
    if (k == 4) {
      c.features = c.feature_tokens = 0;
      c.bos = -1;
      c.rope_theta = 1234567.9f;
    }
    ww_buf b = {0};
    ww_lm_config_print(&c, &b);
    expect_parse(b.s, &back);
    assert_memory_equal(&c, &back, sizeof c);
    if (c.rope)
      assert_non_null(strstr(b.s, "\"factor\": 2.5"));
    assert_non_null(
        strstr(b.s, k == 4 ? "\"rope_theta\": 1234567.9" : "\"rope_theta\": 10000.0"));
    assert_non_null(strstr(b.s, "1e-05"));
    ww_buf_free(&b);
  }
}

static void config_refuses(void **state) {
  ww_arena *a = *state;
  static const char *const rows[][2] = {
      {"\"model_type\":\"gemma\"", "\"gemma\" are not supported"},
      {"\"model_type\":7", "no model_type"},
      {"\"hidden_act\":\"gelu\"", "hidden_act \"gelu\""},
      {"\"hidden_act\":7", "hidden_act"},
      {"\"vocab_size\":null", "no vocab_size"},
      {"\"vocab_size\":-3", "at least 0"},
      {"\"vocab_size\":99999999999", "absurd"},
      {"\"vocab_size\":99999999", "vocab_size is 99999999"},
      {"\"num_attention_heads\":0", "num_attention_heads"},
      {"\"num_attention_heads\":5", "no multiple of num_attention_heads"},
      {"\"num_key_value_heads\":3", "no multiple of num_key_value_heads"},
      {"\"head_dim\":15", "odd"},
      {"\"head_dim\":4096", "head_dim is 4096"},
      {"\"rms_norm_eps\":\"x\"", "expected a number"},
      {"\"rms_norm_eps\":-1", "rms_norm_eps"},
      {"\"rope_theta\":0", "rope_theta"},
      {"\"rope_theta\":1e999", "absurd"},
      {"\"rope_scaling\":{\"type\":\"yarn\",\"factor\":4}",
       "\"yarn\" is not supported"},
      {"\"rope_scaling\":{\"type\":\"linear\"}", "no factor"},
      {"\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8,\"low_freq_factor\":4,"
       "\"high_freq_"
       "factor\":4}",
       "below its high_freq_factor"},
      {"\"rope_scaling\":3", "expected an object"},
      {"\"mlp_bias\":true", "mlp_bias"},
      {"\"quantization_config\":{}", "quantised"},
      {"\"use_sliding_window\":true,\"sliding_window\":16", "sliding window"},
      {"\"partial_rotary_factor\":0.5", "partial_rotary_factor"},
      {"\"bos_token_id\":100", "bos_token_id (100)"},
      {"\"eos_token_id\":[1,100]", "eos_token_id (100)"},
      {"\"eos_token_id\":\"x\"", "eos_token_id"},
      {"\"eos_token_id\":[1,2,3,4,5]", "more than 4"},
      {"\"warpwise\":{\"features\":3}", "go together"},
      {"\"warpwise\":{\"numbers\":5000}", "warpwise.numbers is 5000"},
      {"\"tie_word_embeddings\":1", "true or false"},
      {"\"model_type\":\"qwen2\",\"attention_bias\":false", "Qwen2 without biases"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    /* the first of two members of a name counts */
    const char *json =
        ww_fmt(a,
               "{%s,\"model_type\":\"llama\",\"vocab_size\":100,\"hidden_size\":64,"
               "\"num_hidden_layers\":2,"
               "\"num_attention_heads\":4,\"intermediate_size\":128}",
               rows[i][0]);
    ww_lm_config c;
    ww_err e = {0};
    ww_status rc = ww_lm_config_parse(json, strlen(json), &c, &e);
    if (rc == WW_OK || !strstr(e.msg, rows[i][1]))
      fail_msg("row %zu: \"%s\", want \"%s\"", i, e.msg, rows[i][1]);
  }
  ww_lm_config c;
  ww_err e = {0};
  assert_int_equal(ww_lm_config_parse("[", 1, &c, &e), WW_EPARSE);
  assert_int_equal(ww_lm_config_parse("[]", 2, &c, &e), WW_EPARSE);
}

/* ---- layout ---- */

static bool may_follow(ww_param_id id) {
  return id == WW_P_k || id == WW_P_v || id == WW_P_up || id == WW_P_kb ||
         id == WW_P_vb;
}

static void layout_holds_each_parameter_once(void **state) {
  ww_arena *a = *state;
  for (int k = 0; k < 2; k++) {
    ww_lm_config c = small(k ? WW_LM_QWEN2 : WW_LM_LLAMA);
    c.width = 99;
    c.hidden = 101; /* nothing ends at a multiple of 64 by chance */
    ww_lm_layout l;
    ww_lm_layout_make(&c, a, &l);
    uint64_t end = 0, sum = 0;
    for (uint32_t i = 0; i < l.n; i++) {
      const ww_lm_slot *p = &l.v[i];
      if (may_follow(p->id))
        assert_int_equal(p->at, end);
      else
        assert_true(p->at % 64 == 0 && p->at >= end && p->at < end + 64);
      assert_true((p->at < l.matrices) == (p->cols > 1));
      assert_ptr_equal(ww_lm_param(&l, p->id, p->layer), p);
      end = p->at + p->rows * p->cols;
      sum += p->rows * p->cols;
    }
    assert_true(l.total >= end && l.total < end + 64 && l.total % 64 == 0 &&
                l.matrices % 64 == 0);
    assert_int_equal(sum, ww_lm_config_params(&c));
    assert_int_equal(l.n, k ? 1 + 3 * 7 + 2 + 3 * 5 + 3 : 1 + 3 * 7 + 3 + 3 * 2 + 3);
    assert_int_equal(l.v[0].id, WW_P_embed);
    assert_int_equal(l.v[1].id, WW_P_q);
    assert_string_equal(ww_lm_param(&l, WW_P_up, 2)->name,
                        "model.layers.2.mlp.up_proj.weight");
    assert_true(ww_lm_param(&l, WW_P_k, 1)->rows == 20 &&
                ww_lm_param(&l, WW_P_k, 1)->cols == 99);
    assert_true(ww_lm_param(&l, WW_P_feature_w, 0)->rows == 198 &&
                ww_lm_param(&l, WW_P_number_w, 0)->rows == 10);
    assert_null(ww_lm_param(&l, k ? WW_P_head : WW_P_qb, 0));
    assert_null(ww_lm_param(&l, WW_P_q, 3));
    assert_null(ww_lm_param(&l, WW_P_embed, 1));
    char name[WW_LM_NAME];
    ww_lm_param_gguf(ww_lm_param(&l, WW_P_norm_mlp, 2), name);
    assert_string_equal(name, "blk.2.ffn_norm.weight");
  }
}

/* ---- rope ---- */

/* The formula, in doubles. */
static double llama3_freq(const ww_lm_config *c, uint32_t i) {
  double f = pow(c->rope_theta, -2.0 * i / c->head_size), wave = 2 * M_PI / f,
         old = c->rope_original;
  double smooth = (old / wave - c->rope_low) / ((double)c->rope_high - c->rope_low);
  smooth = smooth < 0   ? 0
           : smooth > 1 ? 1
                        : smooth; /* the ends of the blend are the two other cases */
  return (1 - smooth) * f / c->rope_factor + smooth * f;
}

static void rope_as_computed_by_the_formula(void **state) {
  ww_arena *a = *state;
  ww_lm_config c = {.head_size = 128,
                    .rope_theta = 500000,
                    .rope = WW_ROPE_LLAMA3,
                    .rope_factor = 32,
                    .rope_low = 1,
                    .rope_high = 4,
                    .rope_original = 8192};
  enum { N = 300 };
  float *table = WW_NEWN(a, float, N * 128);
  ww_lm_rope_table(&c, N, table);
  uint32_t slow = 0, blend = 0;
  for (uint32_t i = 0; i < 64; i++) {
    double f = llama3_freq(&c, i), plain = pow(500000, -2.0 * i / 128);
    slow += fabs(f * 32 / plain - 1) < 1e-6;
    blend += f < 0.999 * plain && f > 1.001 * plain / 32;
    for (uint32_t p = 0; p < N; p += 37) {
      const float *at = table + ((uint64_t)p * 64 + i) * 2;
      assert_true(fabs((double)at[0] - cos(p * f)) < 5e-5 &&
                  fabs((double)at[1] - sin(p * f)) < 5e-5);
    }
  }
  assert_true(slow == 29 && blend == 6); /* all three cases are there */
  c.rope = WW_ROPE_LINEAR;
  c.rope_factor = 4;
  ww_lm_rope_table(&c, 9, table);
  assert_true(fabsf(table[(8 * 64) * 2] - cosf(2)) <
              1e-6f); /* position 8 turns as 2 did */
  c.rope = WW_ROPE_PLAIN;
  ww_lm_rope_table(&c, 3, table);
  assert_true(table[0] == 1 && table[1] == 0 &&
              fabsf(table[(2 * 64) * 2 + 1] - sinf(2)) < 1e-6f);
}

/* ---- models on disk ---- */

/* Numbers that every type holds exactly: quarters from -32 to 32. Gaps are 0. */
static float *random_flat(ww_arena *a, const ww_lm_layout *l) {
  float *flat = WW_NEWN(a, float, l->total);
  uint64_t s = 3;
  for (uint32_t i = 0; i < l->n; i++)
    for (uint64_t k = 0; k < l->v[i].rows * l->v[i].cols; k++) {
      s = s * 6364136223846793005ull + 1442695040888963407ull;
      flat[l->v[i].at + k] = (float)((int32_t)(s >> 40 & 255) - 128) / 4;
    }
  return flat;
}

static const char tokenizer_json[] =
    "{\"added_tokens\":[{\"id\":3,\"content\":\"<|end|>\",\"special\":true},{\"id\":4,"
    "\"content\":"
    "\"extra\",\"special\":false}],"
    "\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"\\\\p{N}{1,3}\"}},"
    "\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},\"merges\":[["
    "\"a\",\"b\"]]}}";

static void check_flat(const char *path,
                       const ww_lm_config *c,
                       const ww_lm_layout *l,
                       const float *flat,
                       ww_arena *a) {
  ww_lm_config back;
  ww_weights *w;
  ww_err e = {0};
  const char *tokenizer;
  if (ww_lm_open_files(path, a, &w, &back, &tokenizer, &e))
    fail_msg("%s: %s", path, e.msg);
  assert_memory_equal(&back, c, sizeof back);
  float *got = ww_alloc(a, sizeof *got * l->total);
  memset(got, 0xff, sizeof *got * l->total);
  if (ww_lm_read_params(w, c, l, got, &e))
    fail_msg("%s: %s", path, e.msg);
  for (uint64_t i = 0; i < l->total; i++)
    if (got[i] != flat[i])
      fail_msg("%s: value %llu is %g, was %g", path, (unsigned long long)i,
               (double)got[i], (double)flat[i]);
  assert_non_null(tokenizer);
  assert_true(ww_file_regular(tokenizer));
  ww_weights_close(w);
}

static void models_there_and_back(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a);
  const char *gguf = ww_fmt(a, "%s.gguf", dir),
             *tokenizer = ww_fmt(a, "%s.tokenizer", dir);
  ww_err e = {0};
  assert_int_equal(
      ww_write_file_atomic(tokenizer, tokenizer_json, sizeof tokenizer_json - 1, &e),
      WW_OK);
  for (int k = 0; k < 12; k++) {
    ww_lm_config c = small(k % 3 == 2 ? WW_LM_QWEN2 : WW_LM_LLAMA);
    if (k % 3 == 1)
      c.qkv_bias =
          true; /* a Llama with biases: transformers wants one on the output too */
    c.rope = (ww_rope_kind)(k % 4 == 3 ? 0 : k % 4);
    if (c.rope)
      c.rope_factor = 8;
    if (c.rope == WW_ROPE_LLAMA3) {
      c.rope_low = 1;
      c.rope_high = 2;
      c.rope_original = 30;
    }
    ww_lm_layout l;
    ww_lm_layout_make(&c, a, &l);
    float *flat = random_flat(a, &l);
    ww_dtype type = (ww_dtype)(k % 3);
    assert_int_equal(ww_lm_write_folder(dir, &c, flat, type, tokenizer, &e), WW_OK);
    check_flat(dir, &c, &l, flat, a);
    assert_int_equal(ww_lm_write_gguf(gguf, &c, flat, type, tokenizer, &e), WW_OK);
    check_flat(gguf, &c, &l, flat, a);
  }
  assert_int_equal(folder_files(dir), 3);
  unlink(gguf);
  unlink(tokenizer);
  folder_drop(dir);
}

/* Rows of Q in a llama GGUF: head by head, the two halves interleaved. Vectors stay
 * F32, rows that blocks do not fill become F16. */
static void gguf_of_a_llama(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a);
  const char *path = ww_path_join(a, dir, "m.gguf"),
             *tokenizer = ww_path_join(a, dir, "tokenizer.json");
  ww_lm_config c = small(WW_LM_LLAMA);
  ww_lm_layout l;
  ww_weights *w;
  ww_err e = {0};
  ww_lm_layout_make(&c, a, &l);
  float *flat = random_flat(a, &l);
  float *q = flat + ww_lm_param(&l, WW_P_q, 1)->at;
  for (uint64_t row = 0; row < 60; row++)
    for (uint64_t k = 0; k < 96; k++)
      q[row * 96 + k] = (float)row; /* every row says which it was */
  assert_int_equal(
      ww_write_file_atomic(tokenizer, tokenizer_json, sizeof tokenizer_json - 1, &e),
      WW_OK);
  assert_int_equal(ww_lm_write_gguf(path, &c, flat, WW_DTYPE_Q8_0, tokenizer, &e),
                   WW_OK);
  assert_int_equal(ww_weights_open(path, &w, &e), WW_OK);
  const ww_tensor *t = ww_weights_find(w, "blk.1.attn_q.weight");
  assert_true(t && t->type == WW_DTYPE_Q8_0 && t->dim[0] == 60 && t->dim[1] == 96);
  float got[60 * 96];
  ww_to_f32(got, t->data, t->type, 60 * 96);
  static const int order[] = {0, 5, 1, 6, 2, 7, 3, 8, 4, 9};
  for (int row = 0; row < 60; row++)
    assert_true(fabsf(got[row * 96 + 95] - (float)(row / 10 * 10 + order[row % 10])) <
                0.3f);
  assert_int_equal(ww_weights_find(w, "warpwise.features.weight")->type,
                   WW_DTYPE_F16); /* 7 columns */
  assert_int_equal(ww_weights_find(w, "blk.0.ffn_down.weight")->type,
                   WW_DTYPE_F16); /* 100 columns */
  assert_int_equal(ww_weights_find(w, "blk.0.ffn_norm.weight")->type, WW_DTYPE_F32);
  const ww_meta *tokens = ww_weights_meta(w, "tokenizer.ggml.tokens"),
                *types = ww_weights_meta(w, "tokenizer.ggml.token_type");
  assert_true(tokens && tokens->n == 70 && types->n == 70 && types->items[3].u == 3 &&
              types->items[4].u == 4 && types->items[5].u == 5);
  assert_string_equal(tokens->items[2].text, "ab");
  assert_string_equal(ww_weights_meta(w, "tokenizer.ggml.merges")->items[0].text,
                      "a b");
  assert_string_equal(ww_weights_meta(w, "tokenizer.ggml.pre")->text, "llama-bpe");
  assert_string_equal(ww_weights_meta(w, "warpwise.tokenizer_json")->text,
                      tokenizer_json);
  ww_weights_close(w);
  folder_drop(dir);
}

/* Without our own keys the rope of a Llama 3 is told from its divisors. */
static void rope_of_a_foreign_gguf(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a);
  const char *path = ww_path_join(a, dir, "m.gguf"),
             *copy = ww_path_join(a, dir, "n.gguf");
  ww_lm_config c = small(WW_LM_LLAMA), back;
  c.head_size = 64;
  c.rope = WW_ROPE_LLAMA3;
  c.rope_theta = 500000;
  c.rope_factor = 8;
  c.rope_low = 1;
  c.rope_high = 4;
  c.rope_original = 8192;
  ww_lm_layout l;
  ww_weights *w;
  ww_err e = {0};
  ww_lm_layout_make(&c, a, &l);
  assert_int_equal(
      ww_lm_write_gguf(path, &c, random_flat(a, &l), WW_DTYPE_F16, NULL, &e), WW_OK);
  assert_int_equal(ww_weights_open(path, &w, &e), WW_OK);
  ww_meta meta[64];
  ww_tensor tensors[64];
  uint32_t nmeta = 0, n = ww_weights_count(w);
  for (uint32_t i = 0; i < ww_weights_nmeta(w); i++)
    if (!ww_starts(ww_weights_meta_at(w, i)->key, "warpwise.rope"))
      meta[nmeta++] = *ww_weights_meta_at(w, i);
  for (uint32_t i = 0; i < n; i++)
    tensors[i] = *ww_weights_at(w, i);
  assert_int_equal(ww_gguf_write(copy, tensors, n, meta, nmeta, &e), WW_OK);
  ww_weights_close(w);
  assert_int_equal(ww_weights_open(copy, &w, &e), WW_OK);
  assert_int_equal(ww_lm_config_of_gguf(w, &back, &e), WW_OK);
  assert_memory_equal(&c, &back, sizeof c);
  ww_weights_close(w);
  folder_drop(dir);
}

/* Sizes that the weights do not have, tensors that are not there, a full disk. */
static void models_that_do_not_fit(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a);
  ww_lm_config c = small(WW_LM_LLAMA), other = c;
  ww_lm_layout l, lo;
  ww_weights *w;
  ww_err e = {0};
  const char *tokenizer;
  ww_lm_layout_make(&c, a, &l);
  float *flat = random_flat(a, &l);
  assert_int_equal(ww_lm_write_folder(dir, &c, flat, WW_DTYPE_BF16, NULL, &e), WW_OK);
  assert_int_equal(ww_lm_open_files(dir, a, &w, &c, &tokenizer, &e), WW_OK);
  assert_null(tokenizer);
  other.vocab = 71;
  ww_lm_layout_make(&other, a, &lo);
  assert_int_equal(ww_lm_read_params(w, &other, &lo, WW_NEWN(a, float, lo.total), &e),
                   WW_EDATA);
  assert_non_null(strstr(e.msg, "\"model.embed_tokens.weight\" is 70 x 96 where the "
                                "configuration asks for 71 x 96"));
  other = c;
  other.layers = 4;
  ww_lm_layout_make(&other, a, &lo);
  assert_int_equal(ww_lm_read_params(w, &other, &lo, WW_NEWN(a, float, lo.total), &e),
                   WW_EDATA);
  assert_non_null(
      strstr(e.msg, "no tensor \"model.layers.3.self_attn.q_proj.weight\""));
  ww_weights_close(w);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit most = {20000, 20000}; /* config.json fits, the weights do not */
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &most);
    _exit(ww_lm_write_folder(dir, &other, WW_NEWN(a, float, lo.total), WW_DTYPE_F32,
                             NULL, &e) != WW_EIO);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(folder_files(dir), 2);
  assert_int_equal(ww_lm_open_files(dir, a, &w, &other, NULL, &e), WW_OK);
  assert_memory_equal(&other, &c, sizeof c); /* the old model, configuration and all */
  ww_weights_close(w);
  assert_int_equal(ww_lm_write_folder(dir, &c, flat, WW_DTYPE_Q8_0, NULL, &e),
                   WW_EUSAGE);
  assert_int_equal(ww_lm_write_gguf(dir, &c, flat, WW_DTYPE_I8, NULL, &e), WW_EUSAGE);
  folder_drop(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(config_of_llama3),
      TEST(config_defaults),
      TEST(config_there_and_back),
      TEST(config_refuses),
      TEST(layout_holds_each_parameter_once),
      TEST(rope_as_computed_by_the_formula),
      TEST(models_there_and_back),
      TEST(gguf_of_a_llama),
      TEST(rope_of_a_foreign_gguf),
      TEST(models_that_do_not_fit),
  };
  return RUN(tests);
}
