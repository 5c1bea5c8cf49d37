/* test_text.c - the oracle `text` on a small random model: questions in batches and
 * alone, JSON under its grammar, models that do not fit. */
#include "folder.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../src/predict/text/question_evidence.h"
#include "../../src/predict/text/text.h"

/* ---- a model ---- */

static const char *const specials[] = {WW_QUESTION_FEATURE, WW_QUESTION_END,
                                       WW_ANSWER_END, WW_ANSWER_WHY, NULL};

typedef struct {
  ww_arena *a;
  uint32_t n;
} texts;

/* A tokenizer learns from answers as they are, and a little code. */
static const char *next_text(void *ctx, size_t *n) {
  texts *t = ctx;
  double v[WW_NMETRICS];
  ww_buf b = {0};
  if (t->n++ >= 20)
    return NULL;
  for (int m = 0; m < WW_NMETRICS; m++)
    v[m] = (m + t->n) % 6 == 0
               ? NAN
               : pow(10, (m * 7 + (int)t->n) % 13 - 3) * (1 + t->n / 21.0);
  ww_question_answer(v, &b);
  ww_buf_puts(&b, "(FA cr Rh,FB Rh zero){if(gx< Ph)FB[gx]=nfB*FA[gx]+FB[gx]*fkf;}\nest "
                  "Af Cg Ca Ab 0 Cg");
  const char *s = ww_strdup(t->a, b.s);
  *n = b.n;
  ww_buf_free(&b);
  return s;
}

static const char *
make_model_of(ww_arena *a, const char *dir, uint32_t numbers, uint32_t features) {
  ww_err e = {0};
  const char *tokenizer = ww_path_join(a, dir, "tokenizer.json"),
             *path = ww_path_join(a, dir, "m.gguf");
  texts t = {.a = a};
  ww_bpe_plan plan = {.vocab = 400, .special = specials, .next = next_text, .ctx = &t};
  if (ww_bpe_train(&plan, tokenizer, &e))
    fail_msg("%s", e.msg);
  ww_lm_config c = {.arch = WW_LM_LLAMA,
                    .vocab = 400,
                    .width = 32,
                    .layers = 2,
                    .heads = 2,
                    .kv_heads = 2,
                    .head_size = 16,
                    .hidden = 64,
                    .context = 768,
                    .norm_eps = 1e-5f,
                    .tied = true,
                    .rope_theta = 10000,
                    .bos = -1,
                    .eos = {-1, -1, -1, -1},
                    .numbers = numbers,
                    .features = features,
                    .feature_tokens = WW_QUESTION_FEATURE_TOKENS};
  ww_lm_layout l;
  ww_lm_layout_make(&c, a, &l);
  float *flat = WW_NEWN(a, float, l.total);
  uint64_t seed = 88172645463325252u;
  for (uint64_t i = 0; i < l.total; i++) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    flat[i] = i < l.matrices ? ((float)(seed >> 40) / (1 << 24) - 0.5f) * 0.6f : 1.0f;
  }
  if (ww_lm_write_gguf(path, &c, flat, WW_DTYPE_F32, tokenizer, &e))
    fail_msg("%s", e.msg);
  return path;
}

static const char *make_model(ww_arena *a, const char *dir, uint32_t numbers) {
  return make_model_of(a, dir, numbers, WW_QUESTION_FEATURES);
}

/* ---- questions ---- */

static void questions(ww_arena *a, ww_gpu *g, ww_text_question *q, uint32_t n) {
  static const char source[] =
      "__global__ void k(int n, const float *x, float *y) { int i = "
      "blockIdx.x * blockDim.x + threadIdx.x; "
      "for (int j = 0; j < n; j++) y[i] += x[i * n + j]; }";
  ww_err e;
  if (ww_gpu_load("h200", a, g, &e))
    fail_msg("%s", e.msg);
  for (uint32_t i = 0; i < n; i++) {
    ww_arg args[3] = {{.kind = WW_ARG_VALUE, .is_int = true, .ivalue = 10 << i},
                      {.kind = WW_ARG_BUFFER, .buffer = {.bytes = 40960u << i}},
                      {.kind = WW_ARG_BUFFER, .buffer = {.bytes = 4096}}};
    ww_launch l = {.kernel = "k",
                   .grid = {4, 1, 1},
                   .block = {256, 1, 1},
                   .args = args,
                   .nargs = 3};
    ww_question_kernel *k;
    if (ww_question_read(source, sizeof source - 1, "k", NULL, 0, a, &k, &e))
      fail_msg("%s", e.msg);
    ww_question_ask(k, &l, g, a, &q[i]);
  }
}

static void answers_always_parse(void **state) {
  enum { N = 18 }; /* more than a batch */
  ww_arena *a = *state;
  const char *dir = folder_new(a), *path = make_model(a, dir, WW_NMETRICS);
  ww_text_question q[N];
  ww_text_answer all[N], one;
  ww_gpu g;
  ww_text *t;
  ww_err e = {0};
  questions(a, &g, q, N);
  if (ww_text_open(path, 1, &t, &e) || ww_text_ask(t, q, N, true, a, all, &e))
    fail_msg("%s", e.msg);
  for (uint32_t i = 0; i < N; i++) {
    ww_buf b = {0};
    ww_question_answer(all[i].json, &b); /* the writer's form is the grammar's */
    check_text(all[i].text, b.s, i);
    ww_buf_free(&b);
    assert_true(all[i].report.by == WW_BY_TEXT && all[i].report.m[WW_M_time_us].known);
    assert_string_equal(all[i].report.gpu, g.name);
  }
  assert_true(fabsf(all[0].number[0] - all[5].number[0]) >
              1e-6f); /* it reads what it is asked */
  for (uint32_t i = 0; i < N; i += 8) {
    assert_int_equal(ww_text_ask(t, &q[i], 1, true, a, &one, &e), WW_OK);
    for (int m = 0; m < WW_NMETRICS; m++)
      assert_true(fabsf(one.number[m] - all[i].number[m]) < 1e-3f);
    assert_string_equal(one.text, all[i].text);
  }
  assert_int_equal(ww_text_ask(t, q, 1, false, a, &one, &e), WW_OK);
  assert_null(one.text);
  ww_text_close(t);
  folder_drop(dir);
}

/* The grammar runs pieces of the answer; training had it whole: the tokens must be the
 * same. */
static void pieces_are_the_whole(void **state) {
  ww_arena *a = *state;
  const char *dir = folder_new(a);
  ww_err e = {0};
  ww_tokenizer *t;
  make_model(a, dir, WW_NMETRICS);
  if (ww_tokenizer_open(ww_path_join(a, dir, "tokenizer.json"), &t, &e))
    fail_msg("%s", e.msg);
  double v[WW_NMETRICS];
  ww_buf b = {0};
  for (int m = 0; m < WW_NMETRICS; m++)
    v[m] = m % 5 == 0 ? NAN : m % 5 == 1 ? 0 : 3.7e-9 * pow(10, m);
  ww_question_answer(v, &b);
  ww_tokens whole = {0}, pieces = {0};
  ww_tokenizer_encode(t, b.s, b.n, false, a, &whole);
  for (const char *s = b.s; *s;) { /* {"key": value ,"key": value } */
    const char *colon = strchr(s, ':'), *end = colon ? colon + 1 : s + strlen(s);
    ww_tokenizer_encode(t, s, (size_t)(end - s), false, a, &pieces);
    for (s = end; *s && *s != ',' && *s != '}'; s++) {}
    ww_tokenizer_encode(t, end, (size_t)(s - end), false, a, &pieces);
  }
  assert_int_equal(whole.n, pieces.n);
  assert_memory_equal(whole.v, pieces.v, whole.n * sizeof *whole.v);
  ww_buf_free(&b);
  ww_tokenizer_free(t);
  folder_drop(dir);
}

static ww_evidence evidence_of(ww_evidence_form form) {
  ww_evidence x = {.form = form, .bottleneck = WW_TERM_DRAM};
  for (int m = 0; m < WW_NMETRICS; m++)
    x.metrics[m] = m % 4 ? (float)(10 + m) : NAN;
  return x;
}

/* What was traced is where the head's numbers begin; the answer has an explanation
 * behind its JSON, of bounded length, and nothing in it that a terminal obeys. */
static void traced_questions_are_explained(void **state) {
  enum { N = 3 };
  ww_arena *a = *state;
  const char *dir = folder_new(a), *path = make_model(a, dir, WW_NMETRICS);
  ww_text_question q[N], bare;
  ww_text_answer all[N], one;
  ww_gpu g;
  ww_text *t;
  ww_err e = {0};
  questions(a, &g, q, N);
  ww_evidence traced = evidence_of(WW_EVIDENCE_TRACED);
  ww_evidence compiled = evidence_of(WW_EVIDENCE_COMPILED);
  ww_question_tell(&q[1], &traced, a);
  ww_question_tell(&q[2], &compiled, a);
  bare = q[1];
  memset(bare.base, 0, sizeof bare.base);
  if (ww_text_open(path, 1, &t, &e) || ww_text_ask(t, q, N, true, a, all, &e) ||
      ww_text_ask(t, &bare, 1, true, a, &one, &e))
    fail_msg("%s", e.msg);
  assert_true(all[0].form == WW_EVIDENCE_SOURCE && !all[0].why);
  assert_true(all[2].form == WW_EVIDENCE_COMPILED && !all[2].why);
  assert_true(all[1].form == WW_EVIDENCE_TRACED && all[1].text);
  assert_true(all[1].why && strlen(all[1].why) <= WW_EXPLANATION_MOST);
  for (const char *s = all[1].why; *s; s++)
    assert_in_range(*s, ' ', '~');
  for (int m = 0; m < WW_NMETRICS; m++)
    assert_true(fabsf(all[1].number[m] - one.number[m] - q[1].base[m]) < 1e-3f);
  assert_int_equal(all[0].report.assumed.v[0].kind, WW_ASSUME_LANGUAGE_MODEL);
  assert_int_equal(all[1].report.assumed.v[0].kind, WW_ASSUME_MODEL_TRACED);
  assert_int_equal(all[2].report.assumed.v[0].kind, WW_ASSUME_MODEL_COMPILED);
  ww_text_close(t);
  folder_drop(dir);
}

/* Why, by fixed rules; shares are none above the whole. */
static void explanations(void **state) {
  ww_evidence x = evidence_of(WW_EVIDENCE_TRACED);
  ww_buf b = {0};
  (void)state;
  x.metrics[WW_M_occupancy_limit_pct] = 50;
  x.limiter = WW_LIMIT_REGISTERS;
  x.features.v[WW_F_partial] = 7;
  x.features.v[WW_F_lanes] = 0.5f;
  x.features.v[WW_F_resident] = 1;
  x.features.v[WW_F_launch + WW_TERM_DRAM] = 1;
  x.features.v[WW_F_launch + WW_TERM_L2] = 0.8f;
  ww_evidence_explain(&x, &b);
  assert_string_equal(
      b.s, "limited by DRAM bandwidth; 100 % of the stored sectors are not full; "
           "50 % of the lanes work; occupancy is limited by registers");
  x.form = WW_EVIDENCE_COMPILED;
  b.n = 0;
  ww_evidence_explain(&x, &b);
  assert_int_equal(b.n, 0);
  ww_buf_free(&b);
}

/* A question that fills the context leaves room for both: JSON and explanation. */
static void long_traced_questions(void **state) {
  ww_arena *a = *state;
  const char *dir = folder_new(a), *path = make_model(a, dir, WW_NMETRICS);
  ww_text_question q;
  ww_text_answer x;
  ww_gpu g;
  ww_text *t;
  ww_err e = {0};
  ww_buf b = {0};
  questions(a, &g, &q, 1);
  ww_evidence traced = evidence_of(WW_EVIDENCE_TRACED);
  ww_question_tell(&q, &traced, a);
  while (b.n < 20000)
    ww_buf_puts(&b, "q8 %$ ");
  ww_buf_puts(&b, q.text);
  q.text = b.s;
  q.n = b.n;
  if (ww_text_open(path, 1, &t, &e) || ww_text_ask(t, &q, 1, true, a, &x, &e))
    fail_msg("%s", e.msg);
  assert_true(x.text && x.why);
  ww_text_close(t);
  ww_buf_free(&b);
  folder_drop(dir);
}

/* An older model never saw evidence: it answers questions without it, refuses others.
 */
static void models_of_the_source_alone(void **state) {
  ww_arena *a = *state;
  const char *dir = folder_new(a),
             *path = make_model_of(a, dir, WW_NMETRICS, WW_QUESTION_SOURCE_FEATURES);
  ww_text_question q[2];
  ww_text_answer x[2];
  ww_gpu g;
  ww_text *t;
  ww_err e = {0};
  questions(a, &g, q, 2);
  ww_evidence traced = evidence_of(WW_EVIDENCE_TRACED);
  if (ww_text_open(path, 1, &t, &e) || ww_text_ask(t, q, 2, true, a, x, &e))
    fail_msg("%s", e.msg);
  ww_question_tell(&q[1], &traced, a);
  assert_int_equal(ww_text_ask(t, q, 2, true, a, x, &e), WW_EDATA);
  assert_non_null(strstr(e.msg, "--evidence"));
  ww_text_close(t);
  folder_drop(dir);
}

/* Whatever the numbers are, the report agrees with itself. */
static void reports_agree(void **state) {
  ww_gpu g;
  ww_err e;
  if (ww_gpu_load("h200", *state, &g, &e))
    fail_msg("%s", e.msg);
  for (int k = -4; k <= 4; k++) {
    ww_text_answer x = {0};
    ww_report r;
    for (int m = 0; m < WW_NMETRICS; m++) {
      x.number[m] = (float)(k * (m % 3 - 1));
      x.spread[m] = -1;
      x.json[m] = NAN;
    }
    ww_text_report(NULL, &x, &g, *state, &r);
    const ww_quantity *t = &r.m[WW_M_time_us];
    assert_true(t->known && t->interval && t->low < t->value && t->value < t->high);
    assert_true(r.by == WW_BY_TEXT && r.assumed.n == 1);
    assert_true(r.m[WW_M_dram_gbps].value <= g.dram_peak * 1.0001);
    assert_true(r.m[WW_M_l2_hit_pct].value <= 100 &&
                r.m[WW_M_occupancy_pct].value <= r.m[WW_M_occupancy_limit_pct].value);
    if (r.m[WW_M_ai].known)
      assert_true(fabs(r.m[WW_M_ai].value * r.m[WW_M_dram_gbps].value -
                       r.m[WW_M_gflops].value) <= 1e-6 * r.m[WW_M_gflops].value + 1e-9);
  }
}

static void models_that_do_not_fit(void **state) {
  ww_arena *a = *state;
  const char *dir = folder_new(a), *path = make_model(a, dir, 3),
             *side = ww_path_join(a, dir, "m.json");
  ww_text *t = NULL;
  ww_err e = {0};
  assert_int_equal(ww_text_open(path, 1, &t, &e), WW_EDATA);
  assert_non_null(strstr(e.msg, "docs/text-model.md"));
  assert_null(t);
  assert_int_not_equal(ww_text_open(ww_path_join(a, dir, "none.gguf"), 1, &t, &e),
                       WW_OK);
  make_model(a, dir, WW_NMETRICS);
  assert_int_equal(ww_write_file_atomic(side, "{\"question_version\":99}", 23, &e),
                   WW_OK);
  assert_int_equal(ww_text_open(path, 1, &t, &e), WW_EDATA);
  assert_non_null(strstr(e.msg, "version 99"));
  assert_int_equal(ww_write_file_atomic(side, "{\"interval_scale\":1.5}", 22, &e),
                   WW_OK);
  assert_int_equal(ww_text_open(path, 1, &t, &e), WW_OK);
  ww_text_close(t);
  folder_drop(dir);
}

/* Single bits of the shipped model and of what stands beside it: a damaged one is not
 * asked. */
static void a_damaged_model(void **state) {
  ww_arena *a = *state;
  const char *dir = folder_new(a), *path = ww_path_join(a, dir, "text.gguf"),
             *side = ww_path_join(a, dir, "text.json");
  char *weights, *beside;
  size_t n, beside_n;
  ww_text *t = NULL;
  ww_err e = {0};
  assert_int_equal(ww_read_file(a, "models/text.gguf", 1 << 30, &weights, &n, &e),
                   WW_OK);
  assert_int_equal(ww_read_file(a, "models/text.json", 1 << 20, &beside, &beside_n, &e),
                   WW_OK);
  for (uint64_t k = 0; k < 6; k++) {
    char *in = k < 4
                   ? weights
                   : strstr(beside, k == 4 ? "interval_scale\":" : "time_caution\":") +
                         (k == 4 ? 16 : 14);
    size_t at = k < 4 ? ww_hash(&k, sizeof k, 0) % n : 0;
    in[at] ^= 1;
    ww_write_file_atomic(path, weights, n, &e);
    ww_write_file_atomic(side, beside, beside_n, &e);
    assert_int_equal(ww_text_open(path, 1, &t, &e), WW_EDATA);
    assert_non_null(strstr(e.msg, "damaged"));
    in[at] ^= 1;
  }
  ww_write_file_atomic(side, beside, beside_n, &e);
  assert_int_equal(ww_text_open(path, 1, &t, &e), WW_OK);
  ww_text_close(t);
  folder_drop(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(answers_always_parse),
                                     TEST(pieces_are_the_whole),
                                     TEST(traced_questions_are_explained),
                                     TEST(long_traced_questions),
                                     TEST(explanations),
                                     TEST(models_of_the_source_alone),
                                     TEST(reports_agree),
                                     TEST(models_that_do_not_fit),
                                     TEST(a_damaged_model)};
  return RUN(tests);
}
