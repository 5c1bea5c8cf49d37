/* test_lm_infer.c - inference: the exact path against plain double precision
 * (tests/lm/reference.h), every set of kernels against the exact path, and whatever way
 * the tokens come in - one pass, one by one, many sequences at once - against each
 * other.
 *
 * Differences are measured in units of the logits' own size (root mean square), so that
 * one tolerance fits all models. */
#include "../../src/lm/infer_int.h"
#include "../lm/reference.h"
#include "folder.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- small models of random weights ---- */

static const ww_lm_config MODELS[] = {
    {.arch = WW_LM_LLAMA,
     .vocab = 112,
     .width = 64,
     .layers = 2,
     .heads = 4,
     .kv_heads = 2,
     .head_size = 16,
     .hidden = 96,
     .context = 700,
     .norm_eps = 1e-5f,
     .tied = true,
     .rope_theta = 1e4f,
     .bos = -1},
    /* sizes that fill no panel and no vector */
    {.arch = WW_LM_LLAMA,
     .vocab = 77,
     .width = 48,
     .layers = 3,
     .heads = 3,
     .kv_heads = 1,
     .head_size = 20,
     .hidden = 72,
     .context = 128,
     .norm_eps = 1e-6f,
     .rope_theta = 5e5f,
     .rope = WW_ROPE_LLAMA3,
     .rope_factor = 8,
     .rope_low = 1,
     .rope_high = 4,
     .rope_original = 64,
     .bos = -1},
    {.arch = WW_LM_QWEN2,
     .vocab = 130,
     .width = 80,
     .layers = 2,
     .heads = 5,
     .kv_heads = 5,
     .head_size = 16,
     .hidden = 128,
     .context = 128,
     .norm_eps = 1e-6f,
     .tied = true,
     .qkv_bias = true,
     .rope_theta = 1e6f,
     .bos = -1,
     .numbers = 3,
     .features = 5,
     .feature_tokens = 2},
};
enum { NMODELS = sizeof MODELS / sizeof *MODELS, N = 40 };

static char dirs[NMODELS][64];
static ww_lm_layout layouts[NMODELS];
static float *flats[NMODELS];
static ww_arena *arena;
static int32_t text[700];
static const float FEATURES[5] = {0.5f, -1.0f, 2.0f, 0.25f, -0.75f};

static uint64_t seed = 1;
static float uniform(void) { /* -1 to 1 */
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (float)((double)(seed >> 11) * 0x1p-52 - 1.0);
}

static int make_models(void **state) {
  (void)state;
  arena = ww_arena_new();
  for (int i = 0; i < 700; i++)
    text[i] = (i * 7919 + i / 3) % 77;
  for (int k = 0; k < NMODELS; k++) {
    ww_err e = {0};
    const ww_lm_config *c = &MODELS[k];
    ww_lm_layout_make(c, arena, &layouts[k]);
    flats[k] = ww_xcalloc(layouts[k].total, sizeof(float));
    for (uint32_t i = 0; i < layouts[k].n; i++) {
      const ww_lm_slot *p = &layouts[k].v[i];
      bool norm =
          p->id == WW_P_norm_attn || p->id == WW_P_norm_mlp || p->id == WW_P_norm_final;
      float scale = p->cols > 1 ? 1.5f / sqrtf((float)p->cols) : 0.3f;
      for (uint64_t j = 0; j < p->rows * p->cols; j++)
        flats[k][p->at + j] = (norm ? 1.0f : 0.0f) + scale * uniform();
    }
    snprintf(dirs[k], sizeof dirs[k], "/tmp/ww_infer_XXXXXX");
    if (!mkdtemp(dirs[k]) ||
        ww_lm_write_folder(dirs[k], c, flats[k], WW_DTYPE_F32, NULL, &e))
      return print_error("%s\n", e.msg), -1;
  }
  return 0;
}

static int remove_models(void **state) {
  (void)state;
  for (int k = 0; k < NMODELS; k++) {
    folder_drop(dirs[k]);
    free(flats[k]);
  }
  ww_arena_free(arena);
  return 0;
}

/* ---- helpers ---- */

static ww_lm *open_model(int k, const ww_lm_options *o) {
  ww_err e = {0};
  ww_lm *m = NULL;
  if (ww_lm_open(dirs[k], o, &m, &e))
    fail_msg("%s", e.msg);
  return m;
}

static ww_lm_session *session(ww_lm *m, uint32_t sequences, uint32_t tokens) {
  ww_err e = {0};
  ww_lm_session *s = NULL;
  if (ww_lm_session_new(m, sequences, tokens, &s, &e))
    fail_msg("%s", e.msg);
  return s;
}

static void pass(ww_lm_session *s, const ww_lm_pass *p, float *logits, float *numbers) {
  ww_err e = {0};
  if (ww_lm_run(s, p, logits, numbers, &e))
    fail_msg("%s", e.msg);
}

/* Largest difference in units of b's root mean square. */
static double difference(const float *a, const float *b, size_t n) {
  double most = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    double d = fabs((double)a[i] - b[i]);
    if (!(d <= most))
      most = d; /* NaN counts */
    squares += (double)b[i] * b[i];
  }
  return most / sqrt(squares / (double)n);
}

/* Root mean square of the differences, in the same units: what rounding of weights to
 * few bits is measured by. */
static double spread(const float *a, const float *b, size_t n) {
  double d = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    d += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    squares += (double)b[i] * b[i];
  }
  return sqrt(d / squares);
}

static bool ALL[700];

/* All of n tokens' logits [n][vocab] in one pass, features where the model takes them.
 */
static float *all_logits(ww_lm *m, uint32_t n, float *numbers) {
  const ww_lm_config *c = ww_lm_config_of(m);
  float *out = ww_xcalloc((size_t)n * c->vocab, sizeof *out);
  ww_lm_session *s = session(m, 1, n);
  memset(ALL, 1, sizeof ALL);
  ww_lm_pass p = {
      .n = n, .token = text, .wanted = ALL, .features = c->features ? FEATURES : NULL};
  pass(s, &p, out, numbers);
  ww_lm_session_free(s);
  return out;
}

/* ---- tests ---- */

static void test_exact(void **state) {
  (void)state;
  for (int k = 0; k < NMODELS; k++) {
    const ww_lm_config *c = &MODELS[k];
    ww_lm *m = open_model(k, &(ww_lm_options){.exact = true});
    static double want[N * 130], want_numbers[N * 6];
    static float numbers[N * 6];
    reference_model r = {c, &layouts[k], flats[k]};
    reference(&r, text, N, c->features ? FEATURES : NULL, want,
              c->numbers ? want_numbers : NULL);
    float *got = all_logits(m, N, c->numbers ? numbers : NULL);
    for (uint32_t i = 0; i < N * c->vocab; i++)
      if (!(fabs(got[i] - want[i]) <= 1e-4))
        fail_msg("model %d: logit %u is %g, want %g", k, i, (double)got[i], want[i]);
    for (uint32_t i = 0; i < N * 2 * c->numbers; i++)
      if (!(fabs(numbers[i] - want_numbers[i]) <= 1e-4))
        fail_msg("model %d: number %u is %g, want %g", k, i, (double)numbers[i],
                 want_numbers[i]);
    free(got);
    ww_lm_close(m);
  }
}

/* Products of every set, type and number of rows that takes another path; tiles
 * unpacked on the way. */
static void test_products(void **state) {
  (void)state;
  enum { ROWS = 70, COLS = 72, OUT = 60, STRIDE = 64 };
  static const ww_dtype types[] = {WW_DTYPE_Q8_0, WW_DTYPE_F16, WW_DTYPE_BF16,
                                   WW_DTYPE_F32};
  static float w[OUT * COLS], x[ROWS * COLS], out[ROWS * STRIDE], got[ROWS * OUT],
      want[ROWS * OUT];
  for (int i = 0; i < OUT * COLS; i++)
    w[i] = uniform();
  for (int i = 0; i < ROWS * COLS; i++)
    x[i] = 3 * uniform();
  for (int i = 0; i < ROWS * OUT; i++) {
    double s = 1; /* added to */
    for (int k = 0; k < COLS; k++)
      s += (double)x[i / OUT * COLS + k] * w[i % OUT * COLS + k];
    want[i] = (float)s;
  }
  const ww_kernels *set;
  for (uint32_t i = 0; (set = ww_kernels_at(i)); i++)
    for (int t = 0; t < 4; t++)
      for (uint32_t rows = 1; rows <= ROWS; rows += rows < 10 ? 1 : 12) {
        ww_matrix m;
        uint64_t bytes = ww_matrix_shape(&m, types[t], 4, COLS);
        m.data = aligned_alloc(64, bytes);
        ww_matrix_fill(set, &m, 0, 1, w, OUT, COLS);
        static char room[80 * 96 * 4], scales[2][ROWS * 4 * 4];
        ww_inputs in = {set->form(types[t], rows),
                        m.depth,
                        (float *)room,
                        (int8_t *)room,
                        (float *)scales[0],
                        (int32_t *)scales[1],
                        (uint16_t *)room};
        void *scratch = aligned_alloc(64, ww_scratch_bytes(m.depth, 16));
        for (uint32_t r = 0; r < rows; r++)
          set->prepare(&in, r, x + r * COLS, COLS);
        for (int k = 0; k < ROWS * STRIDE; k++)
          out[k] = 1;
        ww_product_job j = {out, STRIDE, &in, rows, &m, 0, 1, true, scratch};
        set->product(&j);
        j.first = 1;
        j.last = 4;
        set->product(&j);
        for (uint32_t r = 0; r < rows; r++)
          memcpy(got + r * OUT, out + r * STRIDE, OUT * sizeof *got);
        double d = difference(got, want, (size_t)rows * OUT),
               most =
                   types[t] == WW_DTYPE_Q8_0 || types[t] == WW_DTYPE_BF16 ? 2e-2 : 1e-3;
        if (!(d <= most))
          fail_msg("%s, %s, %u rows: off by %g", set->name, ww_dtype_name(types[t]),
                   rows, d);
        for (uint32_t k = rows * STRIDE; k < ROWS * STRIDE; k++)
          assert_true(out[k] == 1); /* no row beyond is touched */
        free(scratch);
        free(m.data);
      }
}

/* Every set of kernels and type of weights against the exact path; 300 tokens are more
 * than one step. */
static void test_fast(void **state) {
  (void)state;
  static const struct {
    ww_dtype type;
    double most;
  } types[] = {{WW_DTYPE_F32, 1e-3},
               {WW_DTYPE_F16, 2e-3},
               {WW_DTYPE_BF16, 2e-2},
               {WW_DTYPE_Q8_0, 4e-2}};
  const ww_kernels *set;
  for (int k = 0; k < NMODELS; k++) {
    uint32_t n = k ? N : 300, vocab = MODELS[k].vocab;
    float exact_numbers[300 * 6], numbers[300 * 6];
    ww_lm *m = open_model(k, &(ww_lm_options){.exact = true});
    float *want = all_logits(m, n, MODELS[k].numbers ? exact_numbers : NULL);
    ww_lm_close(m);
    for (uint32_t i = 0; (set = ww_kernels_at(i)); i++)
      for (int t = 0; t < 4; t++)
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
          setenv("WARPWISE_LM_KERNELS", set->name, 1);
          m = open_model(
              k, &(ww_lm_options){.weights = types[t].type, .threads = threads});
          assert_string_equal(m->k->name, set->name);
          float *got = all_logits(m, n, MODELS[k].numbers ? numbers : NULL);
          double d = spread(got, want, (size_t)n * vocab);
          if (!(d <= types[t].most))
            fail_msg("model %d, %s, %s, %u threads: off by %g", k, set->name,
                     ww_dtype_name(types[t].type), threads, d);
          if (MODELS[k].numbers &&
              !((d = spread(numbers, exact_numbers, n * 6)) <= types[t].most))
            fail_msg("numbers of model %d, %s, %s: off by %g", k, set->name,
                     ww_dtype_name(types[t].type), d);
          free(got);
          ww_lm_close(m);
        }
    free(want);
  }
  unsetenv("WARPWISE_LM_KERNELS");
}

/* The last token's logits, however the tokens came in. */
static void test_cache(void **state) {
  (void)state;
  static const uint32_t pieces[] = {1, 2, 7, 16, 33};
  for (int exact = 0; exact < 2; exact++)
    for (int k = 0; k < NMODELS; k++) {
      uint32_t vocab = MODELS[k].vocab;
      ww_lm *m = open_model(
          k, &(ww_lm_options){.exact = exact, .weights = WW_DTYPE_F16, .threads = 2});
      ww_lm_session *s = session(m, 1, N);
      float want[130], got[130];
      ww_lm_pass p = {
          .n = N, .token = text, .features = MODELS[k].features ? FEATURES : NULL};
      pass(s, &p, want, NULL);
      for (int i = 0; i < 5; i++) {
        ww_lm_session_clear(s, 0);
        for (uint32_t at = 0; at < N; at += pieces[i]) {
          ww_lm_pass part = {.n = N - at < pieces[i] ? N - at : pieces[i],
                             .token = text + at,
                             .features = at ? NULL : p.features};
          pass(s, &part, at + pieces[i] >= N ? got : NULL, NULL);
        }
        double d = difference(got, want, vocab);
        if (!(d <= (exact ? 1e-6 : 5e-3)))
          fail_msg("model %d, pieces of %u: off by %g", k, pieces[i], d);
      }
      ww_lm_session_free(s);
      ww_lm_close(m);
    }
}

/* Five sequences of different lengths, tokens interleaved, against each alone. */
static void test_batch(void **state) {
  (void)state;
  static const uint32_t lengths[] = {3, 17, 40, 1, 29};
  int k = 2;
  uint32_t vocab = MODELS[k].vocab;
  for (int exact = 0; exact < 2; exact++) {
    ww_lm *m = open_model(k, &(ww_lm_options){.exact = exact, .weights = WW_DTYPE_F16});
    ww_lm_session *s = session(m, 5, N);
    int32_t token[128];
    uint32_t sequence[128], n = 0, order[5], asked = 0;
    bool wanted[128];
    float got[5 * 130], want[130], features[25], numbers[5 * 6], want_numbers[6];
    for (int i = 0; i < 25; i++)
      features[i] = uniform();
    for (uint32_t t = 0; t < N; t++)
      for (uint32_t q = 0; q < 5; q++)
        if (t < lengths[q]) {
          token[n] = text[t + q];
          sequence[n] = q;
          wanted[n++] = t + 1 == lengths[q];
          if (t + 1 == lengths[q])
            order[asked++] = q;
        }
    ww_lm_pass p = {.n = n,
                    .token = token,
                    .sequence = sequence,
                    .wanted = wanted,
                    .features = features};
    pass(s, &p, got, numbers);
    for (uint32_t i = 0; i < 5; i++) {
      uint32_t q = order[i];
      ww_lm_session *alone = session(m, 1, N);
      assert_int_equal(ww_lm_session_length(s, q), lengths[q]);
      ww_lm_pass one = {
          .n = lengths[q], .token = text + q, .features = features + 5 * q};
      pass(alone, &one, want, want_numbers);
      double d = difference(got + i * vocab, want, vocab),
             e = difference(numbers + i * 6, want_numbers, 6);
      if (!(d <= 5e-3 && e <= 5e-3))
        fail_msg("sequence %u: logits off by %g, numbers by %g", q, d, e);
      ww_lm_session_free(alone);
    }
    ww_lm_session_free(s);
    ww_lm_close(m);
  }
}

/* A prompt in two sequences, continued in two ways, cut back and continued again. */
static void test_cut_and_continue(void **state) {
  (void)state;
  for (int exact = 0; exact < 2; exact++) {
    ww_lm *m = open_model(2, &(ww_lm_options){.exact = exact, .weights = WW_DTYPE_F16});
    ww_lm_session *s = session(m, 3, N);
    float want[130], got[130];
    ww_lm_pass whole = {.n = 30, .token = text, .features = FEATURES};
    pass(s, &whole, want, NULL);
    static const uint32_t ones[20] = {[0 ... 19] = 1}, twos[20] = {[0 ... 19] = 2};
    ww_lm_pass head = {.n = 20, .token = text, .features = FEATURES};
    ww_lm_session_clear(s, 0);
    pass(s, &head, NULL, NULL);
    head.sequence = ones;
    pass(s, &head, NULL, NULL);
    head.sequence = twos;
    pass(s, &head, NULL, NULL);
    ww_lm_pass other = {.n = 10, .token = text + 5, .sequence = ones},
               same = {.n = 10, .token = text + 20, .sequence = twos};
    pass(s, &other, got, NULL);
    assert_true(difference(got, want, 130) > 0.1); /* another text */
    pass(s, &same, got, NULL);
    assert_true(difference(got, want, 130) <= 5e-3);
    ww_lm_session_cut(s, 1, 20);
    assert_int_equal(ww_lm_session_length(s, 1), 20);
    same.sequence = ones;
    pass(s, &same, got, NULL);
    assert_true(difference(got, want, 130) <= 5e-3);
    ww_lm_session_free(s);
    ww_lm_close(m);
  }
}

/* What cannot be done is said, and changes nothing. */
static void test_errors(void **state) {
  (void)state;
  ww_lm *m = open_model(0, NULL);
  ww_lm_session *s = session(m, 2, 8), *none = NULL;
  ww_err e = {0};
  float out[112], numbers[2];
  static const uint32_t beyond[] = {2};
  int32_t bad[] = {3, 112}, negative[] = {-1};
  assert_int_equal(ww_lm_session_new(m, 1, 701, &none, &e), WW_ELIMIT);
  assert_non_null(strstr(e.msg, "700"));
  assert_int_equal(ww_lm_run(s, &(ww_lm_pass){.n = 2, .token = bad}, out, NULL, &e),
                   WW_EDATA);
  assert_non_null(strstr(e.msg, "112"));
  assert_int_equal(
      ww_lm_run(s, &(ww_lm_pass){.n = 1, .token = negative}, out, NULL, &e), WW_EDATA);
  assert_int_equal(ww_lm_run(s, &(ww_lm_pass){.n = 9, .token = text}, out, NULL, &e),
                   WW_ELIMIT);
  assert_int_equal(ww_lm_run(s,
                             &(ww_lm_pass){.n = 1, .token = text, .sequence = beyond},
                             out, NULL, &e),
                   WW_EUSAGE);
  assert_int_equal(ww_lm_run(s, &(ww_lm_pass){.n = 1, .token = text}, out, numbers, &e),
                   WW_EUSAGE);
  assert_int_equal(ww_lm_run(s,
                             &(ww_lm_pass){.n = 1, .token = text, .features = FEATURES},
                             out, NULL, &e),
                   WW_EUSAGE);
  assert_int_equal(ww_lm_session_length(s, 0), 0);
  pass(s, &(ww_lm_pass){.n = 8, .token = text}, out, NULL);
  assert_int_equal(ww_lm_run(s, &(ww_lm_pass){.n = 1, .token = text}, out, NULL, &e),
                   WW_ELIMIT);
  ww_lm_session_free(s);
  ww_lm_close(m);
  setenv("WARPWISE_LM_KERNELS", "abacus", 1);
  assert_int_equal(ww_lm_open(dirs[0], NULL, &m, &e), WW_EUSAGE);
  unsetenv("WARPWISE_LM_KERNELS");
  assert_int_equal(ww_lm_open("/nonexistent", NULL, &m, &e) != WW_OK, 1);
}

/* A file of llama2.c whose header promises more than there is. */
static void test_cut_short(void **state) {
  (void)state;
  static const int32_t headers[][7] = {{288, 768, 6, 6, 6, 32000, 256},
                                       {65536, 262144, 1024, 1, 1, 16777216, 1048576}};
  char path[96];
  ww_lm *m = NULL;
  for (int i = 0; i < 2; i++) {
    ww_err e = {0};
    snprintf(path, sizeof path, "%s/cut.bin", dirs[0]);
    assert_int_equal(ww_write_file_atomic(path, headers[i], sizeof headers[i], &e),
                     WW_OK);
    assert_int_not_equal(ww_lm_open(path, NULL, &m, &e), WW_OK);
    assert_null(m);
    assert_true(e.msg[0] != 0);
  }
}

/* A child of fork() has the model but none of its threads. */
static void test_fork(void **state) {
  (void)state;
  ww_lm *m = open_model(0, &(ww_lm_options){.weights = WW_DTYPE_Q8_0, .threads = 3});
  ww_lm_session *s = session(m, 1, N);
  float want[112], got[112];
  pass(s, &(ww_lm_pass){.n = N, .token = text}, want, NULL);
  pid_t child = fork();
  if (!child) {
    alarm(20);
    ww_lm_session_clear(s, 0);
    pass(s, &(ww_lm_pass){.n = N, .token = text}, got, NULL);
    _exit(memcmp(got, want, sizeof got) ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  ww_lm_session_clear(s, 0);
  pass(s, &(ww_lm_pass){.n = N, .token = text}, got, NULL);
  assert_memory_equal(got, want, sizeof got);
  ww_lm_session_free(s);
  ww_lm_close(m);
}

/* Sessions of one model on threads of their own. */
typedef struct {
  ww_lm *m;
  float got[112];
} talker;

static void *talk(void *arg) {
  talker *t = arg;
  ww_lm_session *s = session(t->m, 1, N);
  for (int i = 0; i < 30; i++) {
    ww_lm_session_clear(s, 0);
    pass(s, &(ww_lm_pass){.n = N - 1, .token = text}, NULL, NULL);
    pass(s, &(ww_lm_pass){.n = 1, .token = text + N - 1}, t->got, NULL);
  }
  ww_lm_session_free(s);
  return NULL;
}

static void test_sessions(void **state) {
  (void)state;
  pthread_t threads[3];
  static talker talkers[3];
  ww_lm *m = open_model(0, &(ww_lm_options){.weights = WW_DTYPE_Q8_0, .threads = 2});
  for (int i = 0; i < 3; i++) {
    talkers[i].m = m;
    assert_int_equal(pthread_create(&threads[i], NULL, talk, &talkers[i]), 0);
  }
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  for (int i = 1; i < 3; i++)
    assert_memory_equal(talkers[i].got, talkers[0].got, sizeof talkers[0].got);
  assert_true(talkers[0].got[0] != 0);
  ww_lm_close(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),  cmocka_unit_test(test_products),
      cmocka_unit_test(test_fast),   cmocka_unit_test(test_cache),
      cmocka_unit_test(test_batch),  cmocka_unit_test(test_cut_and_continue),
      cmocka_unit_test(test_errors), cmocka_unit_test(test_cut_short),
      cmocka_unit_test(test_fork),   cmocka_unit_test(test_sessions),
  };
  return cmocka_run_group_tests(tests, make_models, remove_models);
}
