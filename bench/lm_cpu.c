/* lm_cpu.c - inference against libllama on one model: decoding, a prompt, 64 prompts at once; same file, same threads, turn by turn.
 *
 * lm_cpu MODEL.bin LIBDIR WORKDIR [ROUNDS]: MODEL.bin of llama2.c becomes F16 and Q8_0 GGUFs in WORKDIR, read by both. Rounds alternate between the
 * two, so that a busy machine is busy for both; the best round of each counts. Parameters of libllama are its own defaults, fetched from it into
 * more room than they take, with the first four members set (they have stood there for years) and asked back afterwards. Then a random Llama of 10 million
 * parameters, of the kind that answers questions about kernels: milliseconds of 500 tokens by the numbers head, and of 150 tokens decoded. */
#include "../src/lm/infer_int.h"
#include "../tests/lm/libllama.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static const double LONG = 10; /* seconds of one comparison */
enum { PROMPT = 240, DECODE = 128, SCORED = 64, SCORED_TOKENS = 64, VOCAB = 32000 };

/* ---- the two as one ---- */

typedef struct {
  void *model, *context, *many; /* theirs: one sequence, and room for all 64 */
  ww_lm *m;                     /* ours */
  ww_lm_session *s;
} engine;

static float *logits; /* [SCORED][VOCAB] */
static int32_t text[256], tokens[SCORED * SCORED_TOKENS];

static void clear(engine *x) {
  if (x->context) llama_memory_clear(llama_get_memory(x->context), false);
  if (x->many) llama_memory_clear(llama_get_memory(x->many), false);
  for (uint32_t i = 0; x->s && i < SCORED; i++) ww_lm_session_clear(x->s, i);
}

/* n tokens; sequence i / each at position from + i % each; the last of each is asked. Leaves logits where the library has them. */
static const float *run(engine *x, int32_t *token, uint32_t n, uint32_t each, uint32_t from) {
  static int32_t pos[4096], one[4096], id[4096], *ids[4096];
  static int8_t asked[4096];
  static uint32_t sequence[4096];
  static bool wanted[4096];
  ww_err e = {0};
  for (uint32_t i = 0; i < n; i++) {
    pos[i] = (int32_t)(from + i % each), one[i] = 1, id[i] = (int32_t)(i / each), ids[i] = &id[i];
    sequence[i] = i / each;
    asked[i] = wanted[i] = i % each == each - 1;
  }
  if (x->context) {
    llama_batch b = {(int32_t)n, token, NULL, pos, one, ids, asked};
    void *context = n > each ? x->many : x->context;
    if (llama_decode(context, b)) fprintf(stderr, "lm_cpu: llama_decode failed\n"), exit(1);
    return llama_get_logits_ith(context, (int32_t)n - 1);
  }
  ww_lm_pass p = {.n = n, .token = token, .sequence = sequence, .wanted = wanted};
  if (ww_lm_run(x->s, &p, logits, NULL, &e)) fprintf(stderr, "lm_cpu: %s\n", e.msg), exit(1);
  return logits + (size_t)((n - 1) / each) * VOCAB;
}

static int32_t best_of(const float *l) {
  int32_t best = 0;
  for (int32_t k = 1; k < VOCAB; k++) best = l[k] > l[best] ? k : best;
  return best;
}

typedef enum { DECODING, PROMPTING, SCORING, NTASKS } task;
static const char *TASKS[] = {"decode, batch 1", "prompt of 240", "64 prompts of 64, last logits"};
static const double TOKENS[] = {DECODE, PROMPT, SCORED *SCORED_TOKENS};

/* 64 prompts as one batch; for libllama also one prompt after the other, and what was faster counts. */
static double score(engine *x) {
  double start = ww_now();
  run(x, tokens, SCORED * SCORED_TOKENS, SCORED_TOKENS, 0);
  double batch = ww_now() - start;
  if (!x->context) return batch;
  start = ww_now();
  for (uint32_t i = 0; i < SCORED; i++) {
    llama_memory_clear(llama_get_memory(x->context), false);
    run(x, tokens + i * SCORED_TOKENS, SCORED_TOKENS, SCORED_TOKENS, 0);
  }
  return fmin(batch, ww_now() - start);
}

static double seconds_here(engine *x, task t) {
  clear(x);
  double start = ww_now();
  if (t == SCORING) return score(x);
  if (t == PROMPTING)
    run(x, text, PROMPT, PROMPT, 0);
  else
    for (uint32_t i = 0; i < DECODE; i++) run(x, text + i, 1, 1, i);
  return ww_now() - start;
}

/* Ours runs on a thread of its own: libllama configures AMX once a thread and takes it for granted from then on. */
typedef struct {
  engine *x;
  task t;
  double s;
} errand;

static void *run_errand(void *arg) {
  errand *r = arg;
  r->s = seconds_here(r->x, r->t);
  return NULL;
}

static double seconds(engine *x, task t) {
  errand r = {x, t, 0};
  pthread_t thread;
  if (x->context || pthread_create(&thread, NULL, run_errand, &r)) return seconds_here(x, t);
  pthread_join(thread, NULL);
  return r.s;
}

/* ---- opening ---- */

static void *new_context(void *model, uint32_t tokens, uint32_t sequences, int threads) {
  any_params cp = llama_context_default_params();
  uint32_t first[4] = {tokens * sequences, SCORED * SCORED_TOKENS, 512,
                       sequences}; /* n_ctx, n_batch, n_ubatch, n_seq_max */
  if (sequences == 1) first[1] = tokens;
  memcpy(cp.bytes, first, sizeof first);
  void *x = llama_init_from_model(model, cp);
  if (!x || llama_n_ctx(x) != first[0] || llama_n_batch(x) != first[1] || llama_n_seq_max(x) != first[3]) return NULL;
  llama_set_n_threads(x, threads, threads);
  return x;
}

static bool open_theirs(engine *x, const char *path, int threads) {
  *x = (engine){.model = llama_model_load_from_file(path, llama_model_default_params())};
  if (x->model) x->context = new_context(x->model, 256, 1, threads);
  if (x->model) x->many = new_context(x->model, 256, SCORED, threads);
  if (!x->context || !x->many) return fprintf(stderr, "lm_cpu: libllama does not open %s as asked\n", path), false;
  return true;
}

static bool open_ours(engine *x, const char *path, int threads) {
  ww_err e = {0};
  ww_lm_options o = {.weights = WW_NDTYPE, .threads = (uint32_t)threads};
  *x = (engine){0};
  if (!ww_lm_open(path, &o, &x->m, &e) && !ww_lm_session_new(x->m, SCORED, 256, &x->s, &e)) return true;
  return fprintf(stderr, "lm_cpu: %s\n", e.msg), false;
}

static void close_engine(engine *x) {
  if (x->context) llama_free(x->context);
  if (x->many) llama_free(x->many);
  if (x->model) llama_model_free(x->model);
  ww_lm_session_free(x->s);
  ww_lm_close(x->m);
}

/* A GGUF of `type`; libllama wants to be told that there is no vocabulary in it. */
static bool convert(const char *bin, ww_dtype type, const char *path, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_lm_config c;
  ww_lm_layout l;
  float *flat = NULL;
  ww_weights *w = NULL;
  ww_status st = ww_llama2c_read(bin, &c, a, &l, &flat, e);
  if (!st) st = ww_lm_write_gguf(path, &c, flat, type, NULL, e);
  if (!st) st = ww_weights_open(path, &w, e);
  if (!st) {
    uint32_t n = ww_weights_count(w), k = ww_weights_nmeta(w);
    ww_tensor *t = WW_NEWN(a, ww_tensor, n);
    ww_meta *m = WW_NEWN(a, ww_meta, k + 2);
    for (uint32_t i = 0; i < n; i++) t[i] = *ww_weights_at(w, i);
    for (uint32_t i = 0; i < k; i++) m[i] = *ww_weights_meta_at(w, i);
    if (!ww_weights_meta(w, "tokenizer.ggml.model"))
      m[k++] = (ww_meta){.key = "tokenizer.ggml.model", .kind = WW_META_TEXT, .text = "no_vocab", .text_n = 8};
    if (!ww_weights_meta(w, "llama.vocab_size"))
      m[k++] = (ww_meta){.key = "llama.vocab_size", .kind = WW_META_UINT, .u = c.vocab};
    st = ww_gguf_write(path, t, n, m, k, e);
  }
  ww_weights_close(w);
  free(flat);
  ww_arena_free(a);
  return !st;
}

/* ---- one table ---- */

static bool compare(const char *name, const char *path, int threads, int rounds) {
  engine x[2];
  double best[2][NTASKS];
  if (!open_theirs(&x[0], path, threads) || !open_ours(&x[1], path, threads)) return false;
  for (int t = 0; t < NTASKS; t++) {
    best[0][t] = best[1][t] = DBL_MAX;
    double start = ww_now();
    for (int r = 0; r < rounds && (r < 3 || ww_now() - start < LONG); r++)
      for (int k = 0; k < 2; k++) {
        double s = seconds(&x[k], (task)t);
        best[k][t] = s < best[k][t] ? s : best[k][t];
      }
    printf("| %s | %d | %s | %.0f | %.0f | %.2fx |\n", name, threads, TASKS[t], TOKENS[t] / best[0][t],
           TOKENS[t] / best[1][t], best[0][t] / best[1][t]);
    fflush(stdout);
  }
  double most = 0;
  seconds(&x[1], PROMPTING);
  clear(&x[0]);
  const float *theirs = run(&x[0], text, PROMPT, PROMPT, 0), *mine = logits;
  for (int k = 0; k < VOCAB; k++) most = fmax(most, fabs((double)theirs[k] - mine[k]));
  fprintf(stderr, "%s, %d threads, %s: logits differ by %.3g at most\n", name, threads, x[1].m->k->name, most);
  close_engine(&x[0]);
  close_engine(&x[1]);
  return true;
}

/* The model's own greedy story, so that both work on text that it knows. */
static bool make_text(const char *path) {
  engine x;
  if (!open_ours(&x, path, 1)) return false;
  text[0] = 1;
  for (uint32_t i = 0; i < PROMPT; i++) text[i + 1] = best_of(run(&x, text + i, 1, 1, i));
  for (uint32_t i = 0; i < SCORED * SCORED_TOKENS; i++) tokens[i] = text[i % SCORED_TOKENS + i / SCORED_TOKENS];
  close_engine(&x);
  return true;
}

/* ---- our own kind of model ---- */

static bool small_model(const char *dir, ww_err *e) {
  ww_lm_config c = {.arch = WW_LM_LLAMA,
                    .vocab = 4096,
                    .width = 384,
                    .layers = 6,
                    .heads = 6,
                    .kv_heads = 6,
                    .head_size = 64,
                    .hidden = 832,
                    .context = 1024,
                    .norm_eps = 1e-5f,
                    .tied = true,
                    .rope_theta = 1e4f,
                    .bos = -1,
                    .numbers = 25};
  ww_arena *a = ww_arena_new();
  ww_lm_layout l;
  ww_lm_layout_make(&c, a, &l);
  float *flat = ww_xcalloc(l.total, sizeof *flat);
  uint32_t seed = 1;
  for (uint32_t i = 0; i < l.n; i++)
    for (uint64_t j = 0; j < l.v[i].rows * l.v[i].cols; j++) {
      seed = seed * 1664525 + 1013904223;
      float u = (float)(seed >> 8) * 0x1p-23f - 1;
      flat[l.v[i].at + j] = l.v[i].cols > 1 ? u * sqrtf(3.0f / (float)l.v[i].cols) : 1;
    }
  ww_status st = ww_lm_write_folder(dir, &c, flat, WW_DTYPE_F16, NULL, e);
  free(flat);
  ww_arena_free(a);
  return !st;
}

static bool time_small(const char *dir, ww_dtype type, const char *name, int threads, int rounds, ww_err *e) {
  ww_lm *m = NULL;
  ww_lm_session *s = NULL;
  double opened = ww_now(), best[2] = {DBL_MAX, DBL_MAX};
  float numbers[50];
  if (ww_lm_open(dir, &(ww_lm_options){.weights = type, .threads = (uint32_t)threads}, &m, e) ||
      ww_lm_session_new(m, 1, 650, &s, e))
    return false;
  opened = ww_now() - opened;
  for (int r = 0; r < rounds; r++) {
    double start = ww_now();
    ww_lm_session_clear(s, 0);
    if (ww_lm_run(s, &(ww_lm_pass){.n = 500, .token = tokens}, NULL, numbers, e)) return false;
    double middle = ww_now();
    for (int i = 0; i < 150; i++)
      if (ww_lm_run(s, &(ww_lm_pass){.n = 1, .token = tokens + 500 + i}, logits, NULL, e)) return false;
    best[0] = fmin(best[0], middle - start);
    best[1] = fmin(best[1], ww_now() - middle);
  }
  printf("| %s | %d | %.0f | %.1f | %.1f |\n", name, threads, opened * 1e3, best[0] * 1e3, best[1] * 1e3);
  ww_lm_session_free(s);
  ww_lm_close(m);
  return true;
}

int main(int argc, char **argv) {
  ww_err e = {0};
  char f16[4096], q8[4096];
  if (argc < 4) return fprintf(stderr, "usage: lm_cpu MODEL.bin LIBDIR WORKDIR [ROUNDS]\n"), 2;
  int rounds = argc > 4 ? atoi(argv[4]) : 10;
  snprintf(f16, sizeof f16, "%s/f16.gguf", argv[3]);
  snprintf(q8, sizeof q8, "%s/q8_0.gguf", argv[3]);
  logits = ww_xmalloc((size_t)SCORED * VOCAB * sizeof *logits);
  if (!convert(argv[1], WW_DTYPE_F16, f16, &e) || !convert(argv[1], WW_DTYPE_Q8_0, q8, &e))
    return fprintf(stderr, "lm_cpu: %s\n", e.msg), 1;
  ww_arena *a = ww_arena_new();
  bool opened = open_llama(a, argv[2]);
  ww_arena_free(a);
  if (!opened || !make_text(f16)) return 1;
  puts("| weights | threads | task | libllama, tokens/s | warpwise, tokens/s | ratio |\n|---|---|---|---|---|---|");
  for (int threads = 1; threads <= 2; threads++)
    if (!compare("F16", f16, threads, rounds) || !compare("Q8_0", q8, threads, rounds)) return 1;
  snprintf(f16, sizeof f16, "%s/small", argv[3]);
  for (int i = 0; i < 650; i++) tokens[i] = i * 31 % 4096;
  puts(
      "\n| 10 million parameters as | threads | open, ms | 500 tokens by the numbers head, ms | 150 tokens decoded, ms |\n|---|---|---|---|---|");
  bool ok = small_model(f16, &e);
  for (int threads = 1; threads <= 2 && ok; threads++)
    ok = time_small(f16, WW_DTYPE_Q8_0, "Q8_0", threads, rounds, &e) &&
         time_small(f16, WW_DTYPE_F16, "F16", threads, rounds, &e);
  if (!ok) fprintf(stderr, "lm_cpu: %s\n", e.msg);
  free(logits);
  return !ok;
}
