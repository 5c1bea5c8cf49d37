/* test_lm_train.c - what surrounds learning: reading examples, packing, schedule,
 * checkpoints that survive, exact resume. */
#include "folder.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "../../src/lm/chat.h"
#include "../../src/lm/checkpoint.h"
#include "../../src/lm/train.h"

/* A text as a file of the folder. */
static char *put(ww_arena *a, const char *dir, const char *name, const char *text) {
  char *path = ww_fmt(a, "%s/%s", dir, name);
  assert_int_equal(ww_write_file_atomic(path, text, strlen(text), NULL), WW_OK);
  return path;
}

/* ---- examples that are made here ---- */

static uint64_t next(uint64_t *seed) {
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return *seed >> 33;
}

/* Lengths of 8 to `most`, each token says whose it is; numbers and features hold the
 * example's index. */
static ww_examples made(ww_arena *a,
                        uint32_t n,
                        uint32_t most,
                        uint32_t numbers,
                        uint32_t features,
                        uint64_t seed) {
  ww_examples x = {.n = n, .numbers = numbers, .features = features};
  x.v = WW_NEWN(a, ww_example, n);
  x.number = WW_NEWN(a, float, (size_t)n *numbers + 1);
  x.feature = WW_NEWN(a, float, (size_t)n *features + 1);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t len = 8 + (uint32_t)next(&seed) % (most - 7);
    x.v[i] =
        (ww_example){.at = x.tokens,
                     .n = len,
                     .prompt = i % 3 == 0 ? 0 : 1 + (uint32_t)next(&seed) % (len - 1)};
    x.tokens += len;
    for (uint32_t k = 0; k < numbers; k++)
      x.number[i * numbers + k] = i % 5 == 4 ? NAN : (float)i + 0.5f * (float)k;
    for (uint32_t k = 0; k < features; k++)
      x.feature[i * features + k] = i % 7 == 6 ? NAN : (float)i;
  }
  x.token = WW_NEWN(a, int32_t, x.tokens);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < x.v[i].n; k++)
      x.token[x.v[i].at + k] = (int32_t)(i * 1000 + k);
  return x;
}

/* ---- order ---- */

static void test_shuffle(void **state) {
  static const uint64_t sizes[] = {1, 2, 3, 5, 16, 17, 1000, 4097};
  ww_arena *a = *state;
  for (size_t s = 0; s < 8; s++) {
    uint64_t n = sizes[s], moved = 0;
    uint8_t *seen = ww_alloc(a, n);
    for (uint64_t k = 0; k < n; k++) {
      uint64_t to = ww_shuffled(k, n, 7);
      assert_true(to < n && !seen[to]);
      seen[to] = 1;
      moved += to != ww_shuffled(k, n, 8);
    }
    if (n > 100)
      assert_true(moved > n * 9 / 10); /* another seed, another order */
  }
}

/* ---- packing ---- */

/* Checks a row token by token against the examples and counts the documents it holds.
 */
static void
check_row(const ww_lm_batch *b, uint32_t row, const ww_examples *x, uint32_t *times) {
  const uint32_t base = row * b->T;
  for (uint32_t t = 0; t < b->T;) {
    const int32_t token = b->token[base + t];
    if (b->first[base + t] == (int32_t)t && b->target[base + t] == -1 && token == 0 &&
        (t + 1 == b->T || b->first[base + t + 1] == (int32_t)t + 1)) {
      t++; /* padding */
      continue;
    }
    const uint32_t i = (uint32_t)token / 1000;
    assert_true(i < x->n && token % 1000 == 0); /* a document begins, whole */
    const ww_example *d = &x->v[i];
    assert_true(t + d->n <= b->T);
    for (uint32_t k = 0; k < d->n; k++) {
      int32_t want =
          k + 1 < d->n && k + 1 >= d->prompt ? (int32_t)(i * 1000 + k + 1) : -1;
      assert_int_equal(b->token[base + t + k], (int32_t)(i * 1000 + k));
      assert_int_equal(b->first[base + t + k], (int32_t)t);
      assert_int_equal(b->target[base + t + k], want);
    }
    times[i]++;
    t += d->n;
  }
}

static void check_asked(const ww_lm_batch *b, const ww_examples *x, uint32_t G) {
  for (uint32_t k = 0; k < b->asked; k++) {
    const int32_t token = b->token[b->ask_at[k]];
    const ww_example *d = &x->v[token / 1000];
    assert_int_equal(token % 1000, (int32_t)(d->prompt ? d->prompt : d->n) - 1);
    assert_true(b->numbers[k * x->numbers] == (float)(token / 1000));
    assert_true(!k || b->ask_at[k] > b->ask_at[k - 1]);
  }
  for (uint32_t k = 0; k < b->described; k++) {
    assert_int_equal(b->token[b->describe_at[k]] % 1000, 0);
    assert_true(b->features[k * x->features] ==
                (float)(b->token[b->describe_at[k]] / 1000));
    assert_true((uint32_t)b->describe_at[k] + G <= b->B * b->T);
  }
}

static void test_packing(void **state) {
  ww_arena *a = *state;
  enum { N = 900, T = 256, B = 4, G = 4 };
  ww_lm_config c = {.numbers = 3, .features = 2, .feature_tokens = G};
  ww_examples x = made(a, N, 200, 3, 2, 1);
  uint32_t *times = WW_NEWN(a, uint32_t, N), known = 0, asked = 0, described = 0;
  for (uint32_t i = 0; i < N; i++)
    known += i % 5 != 4;
  x.v[0].prompt =
      3; /* token 0 is padding's too: not in front of one asked for nothing */
  ww_packer *p = ww_packer_new(&x, &c, B, T, 42);
  const ww_lm_batch *b;
  assert_true(ww_packer_filled(p) > 0.97);
  while ((b = ww_packer_next_once(p))) {
    for (uint32_t r = 0; r < B; r++)
      check_row(b, r, &x, times);
    check_asked(b, &x, G);
    asked += b->asked;
    described += b->described;
  }
  for (uint32_t i = 0; i < N; i++)
    assert_int_equal(times[i], 1);
  assert_int_equal(asked, known);
  assert_int_equal(described, N - N / 7);
  /* the endless stream: three epochs, each example three times */
  uint64_t rows = ww_packer_rows(p), epoch = 0, row = 0, total = 0;
  ww_packer_seek(p, 0, 0);
  memset(times, 0, N * sizeof *times);
  while (epoch < 3 || row == 0) {
    b = ww_packer_next(p);
    ww_packer_tell(p, &epoch, &row);
    if (epoch >= 3 && row)
      break;
    for (uint32_t r = 0; r < B; r++)
      check_row(b, r, &x, times);
    total += B;
  }
  assert_true(total >= 3 * rows - 3 * rows / 20 && total <= 3 * rows + 3 * rows / 20);
  for (uint32_t i = 0; i < N; i++)
    assert_true(times[i] == 2 || times[i] == 3);
  ww_packer_free(p);
}

static uint64_t row_hash(const ww_lm_batch *b, uint32_t r) {
  uint64_t h = ww_hash(b->token + r * b->T, b->T * sizeof(int32_t), 0);
  return ww_hash(b->target + r * b->T, b->T * sizeof(int32_t), h);
}

static void test_seek(void **state) {
  ww_arena *a = *state;
  enum { T = 128, ROWS = 600 };
  ww_lm_config c = {0};
  ww_examples x = made(a, 500, 100, 0, 0, 2);
  uint64_t *row = WW_NEWN(a, uint64_t, ROWS), epoch, at;
  ww_packer *one = ww_packer_new(&x, &c, 1, T, 9),
            *six = ww_packer_new(&x, &c, 6, T, 9),
            *other = ww_packer_new(&x, &c, 1, T, 10);
  uint32_t same = 0;
  for (uint32_t k = 0; k < ROWS; k++) {
    row[k] = row_hash(ww_packer_next(one), 0);
    same += row[k] == row_hash(ww_packer_next(other), 0);
  }
  assert_true(same < ROWS / 20);
  for (uint32_t k = 0; k < ROWS; k += 6) { /* another batch size, the same rows */
    const ww_lm_batch *b = ww_packer_next(six);
    for (uint32_t r = 0; r < 6; r++)
      assert_true(row_hash(b, r) == row[k + r]);
    if (k != 120 && k != 480)
      continue; /* in the first epoch, in a later one: leave, begin anew from its place
                 */
    ww_packer_tell(six, &epoch, &at);
    assert_true(epoch == 0 || k == 480);
    ww_packer_free(six);
    six = ww_packer_new(&x, &c, 6, T, 9);
    ww_packer_seek(six, epoch, at);
  }
  ww_packer_free(one);
  ww_packer_free(six);
  ww_packer_free(other);
}

/* A share of the prompts' tokens is put over by others of the same prompt, some
 * features are 0; answers and places stay. */
static void test_noise(void **state) {
  ww_arena *a = *state;
  enum { T = 256, B = 64, G = 2 };
  ww_lm_config c = {.numbers = 1, .features = 8, .feature_tokens = G};
  ww_examples x = made(a, 300, 100, 1, 8, 3);
  ww_packer *plain = ww_packer_new(&x, &c, B, T, 5),
            *noisy = ww_packer_new(&x, &c, B, T, 5),
            *again = ww_packer_new(&x, &c, B, T, 5);
  ww_packer_noise(noisy, 0.2f);
  ww_packer_noise(again, 0.2f);
  const ww_lm_batch *p = ww_packer_next(plain), *n = ww_packer_next(noisy),
                    *m = ww_packer_next(again);
  assert_memory_equal(p->target, n->target, B * T * sizeof(int32_t));
  assert_memory_equal(n->token, m->token, B * T * sizeof(int32_t));
  double prompt = 0, moved = 0, zeros = 0;
  for (uint32_t i = 0; i < B * T; i++) {
    if (p->token[i] != n->token[i])
      assert_int_equal(p->token[i] / 1000, n->token[i] / 1000);
    bool may = p->target[i] < 0 && i + 1 < B * T && p->first[i + 1] == p->first[i] &&
               p->target[i + 1] < 0;
    prompt += may;
    moved += p->token[i] != n->token[i];
    if (p->target[i] >= 0)
      assert_int_equal(p->token[i], n->token[i]); /* the answer and the prompt's last */
  }
  for (uint32_t i = 0; i < p->asked; i++)
    assert_int_equal(p->token[p->ask_at[i]], n->token[n->ask_at[i]]);
  for (uint32_t i = 0; i < p->described * 8; i++)
    zeros += n->features[i] == 0 && p->features[i] != 0;
  for (uint32_t i = 0; i < p->described; i++)
    for (uint32_t g = 0; g < G; g++)
      assert_int_equal(p->token[p->describe_at[i] + g],
                       n->token[n->describe_at[i] + g]);
  assert_true(moved > 0.1 * prompt && moved < 0.25 * prompt);
  assert_true(zeros > 0.12 * 8 * p->described && zeros < 0.28 * 8 * p->described);
  ww_packer_free(plain);
  ww_packer_free(noisy);
  ww_packer_free(again);
}

/* ---- schedule and first values ---- */

static void test_schedule(void **state) {
  (void)state;
  ww_lm_plan p = {.lr = 1e-3f, .lr_least = 0.1f, .warmup = 10};
  assert_true(fabsf(ww_lm_rate(&p, 110, 1) - 1e-4f) < 1e-9f);
  assert_true(ww_lm_rate(&p, 110, 10) == 1e-3f);
  assert_true(fabsf(ww_lm_rate(&p, 110, 60) - 5.5e-4f) <
              1e-8f); /* half way: the middle of 1e-3 and 1e-4 */
  assert_true(fabsf(ww_lm_rate(&p, 110, 110) - 1e-4f) < 1e-9f);
  p.warmup = 0;
  assert_true(ww_lm_rate(&p, 100, 1) < 1e-3f && ww_lm_rate(&p, 100, 1) > 9.9e-4f);
}

static void test_number_start(void **state) {
  (void)state;
  float v[] = {1, NAN, 3, 5, NAN, NAN, 8, NAN}, bias[4];
  ww_examples x = {.n = 4, .numbers = 2, .number = v};
  ww_lm_number_start(&x, bias);
  assert_true(bias[0] == 4 && bias[1] == 5);
  assert_true(fabsf(bias[2] - logf(8.0f / 3)) <
              0.2f);         /* deviations 3, 1, 4 of 1, 3, 8 */
  assert_true(bias[3] == 0); /* one value has no spread */
}

/* ---- checkpoints ---- */

enum { FLOATS = 100 * 1000, SHARD = 256 << 10 }; /* two shards */

static void fill(void *ctx, uint32_t i, float *to) {
  uint32_t salt = *(uint32_t *)ctx;
  for (uint32_t k = 0; k < (i ? 10u : FLOATS); k++)
    to[k] = (float)(k % 1000) + (float)salt;
  if (salt == 99)
    to[3] = NAN;
}

static ww_status save(const char *dir, uint32_t step, ww_err *e) {
  static const ww_checkpoint_array arrays[] = {{"values", FLOATS}, {"small", 10}};
  ww_checkpoint_plan p = {.step = step,
                          .state = "{\"hello\":1}",
                          .arrays = arrays,
                          .n = 2,
                          .get = fill,
                          .ctx = &step,
                          .shard_bytes = SHARD};
  return ww_checkpoint_save(dir, &p, e);
}

static void is_good(const char *dir, uint32_t step, ww_arena *a) {
  ww_checkpoint c;
  ww_err e = {0};
  float *v = WW_NEWN(a, float, FLOATS), *want = WW_NEWN(a, float, FLOATS);
  if (ww_checkpoint_open(dir, &c, &e))
    fail_msg("%s", e.msg);
  assert_int_equal(c.step, step);
  assert_int_equal(ww_json_whole(c.state, "hello"), 1);
  assert_int_equal(ww_checkpoint_read(&c, "values", FLOATS, v, &e), WW_OK);
  fill(&step, 0, want);
  assert_memory_equal(v, want, FLOATS * sizeof *v);
  assert_int_equal(ww_checkpoint_read(&c, "values", FLOATS - 1, v, &e), WW_EDATA);
  ww_checkpoint_close(&c);
}

static uint64_t bytes_of(const char *path) {
  struct stat st;
  return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

static void test_checkpoint(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a), *under = ww_fmt(a, "%s/deep/er", dir);
  ww_checkpoint c;
  ww_err e = {0};
  assert_int_equal(ww_checkpoint_open(under, &c, &e), WW_EIO);
  for (uint32_t step = 10; step <= 40; step += 10)
    assert_int_equal(save(under, step, &e), WW_OK);
  is_good(under, 40, a);
  assert_true(ww_file_exists(ww_fmt(a, "%s/00000030/manifest.json", under)));
  assert_false(ww_file_exists(ww_fmt(a, "%s/00000020", under))); /* two are kept */
  assert_int_equal(bytes_of(ww_fmt(a, "%s/00000040/values-0000.f32", under)), SHARD);
  assert_int_equal(bytes_of(ww_fmt(a, "%s/00000040/values-0001.f32", under)),
                   FLOATS * 4 - SHARD);
  assert_int_equal(save(under, 40, &e), WW_OK); /* again, in its own place */
  is_good(under, 40, a);
  assert_int_equal(save(under, 99, &e), WW_EDATA); /* has a NaN */
  assert_non_null(strstr(e.msg, "values[3] is nan"));
  is_good(under, 40, a);
  folder_drop(dir);
}

static void damage(const char *path) {
  FILE *f = fopen(path, "r+b");
  assert_non_null(f);
  fseek(f, 100, SEEK_SET);
  int was = fgetc(f);
  fseek(f, 100, SEEK_SET);
  fputc(was ^ 4, f);
  fclose(f);
}

static void test_damage(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a), *shard = ww_fmt(a, "%s/00000020/values-0001.f32", dir),
       *manifest = ww_fmt(a, "%s/00000020/manifest.json", dir);
  ww_checkpoint c;
  ww_err e = {0};
  for (int how = 0; how < 4; how++) {
    assert_int_equal(save(dir, 10, &e), WW_OK);
    assert_int_equal(save(dir, 20, &e), WW_OK);
    if (how == 0)
      damage(shard);
    if (how == 1)
      assert_int_equal(unlink(shard), 0);
    if (how == 2)
      assert_int_equal(truncate(shard, 4096), 0);
    if (how == 3)
      assert_int_equal(truncate(manifest, (off_t)bytes_of(manifest) / 2), 0);
    is_good(dir, 10, a); /* the one before it */
    assert_int_equal(ww_checkpoint_open(dir, &c, &e), WW_OK);
    assert_non_null(strstr(c.note, how == 3 ? "manifest.json" : "values-0001.f32"));
    ww_checkpoint_close(&c);
  }
  damage(ww_fmt(a, "%s/00000010/small-0000.f32",
                dir)); /* beyond its end: it is longer now */
  assert_int_equal(ww_checkpoint_open(dir, &c, &e), WW_EDATA);
  folder_drop(dir);
}

/* A disk that is full: a shard does not fit. */
static void test_full_disk(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a);
  struct rlimit was, small;
  ww_err e = {0};
  assert_int_equal(save(dir, 10, &e), WW_OK);
  getrlimit(RLIMIT_FSIZE, &was);
  small = was;
  small.rlim_cur = 128 << 10;
  void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  ww_status st = save(dir, 20, &e);
  setrlimit(RLIMIT_FSIZE, &was);
  signal(SIGXFSZ, old);
  assert_int_equal(st, WW_EIO);
  assert_non_null(strstr(e.msg, "kept"));
  assert_false(ww_file_exists(ww_fmt(a, "%s/writing", dir))); /* gives the room back */
  is_good(dir, 10, a);
  assert_int_equal(save(dir, 20, &e), WW_OK);
  is_good(dir, 20, a);
  folder_drop(dir);
}

/* Manifests that somebody wrote. */
static void test_lying_manifest(void **state) {
  ww_arena *a = *state;
  static const char *const lies[] = {
      "[]",
      "{\"format\":1,\"step\":7,\"state\":{},\"arrays\":[{\"name\":\"v\",\"floats\":4,"
      "\"shards\":[{"
      "\"file\":\"../../etc/passwd\",\"bytes\":16,\"hash\":\"0\"}]}]}",
      "{\"format\":1,\"step\":7,\"state\":{},\"arrays\":[{\"name\":\"v\",\"floats\":"
      "18446744073709551615,\"shards\":[]}]}",
      "{\"format\":1,\"step\":7,\"state\":{},\"arrays\":[{\"name\":\"v\",\"floats\":"
      "4611686018427387904,\"shards\":[{\"file\":\"x\",\"bytes\":999999999999,\"hash\":"
      "\"0\"}]}]}",
      "{\"format\":2,\"step\":7,\"state\":{},\"arrays\":[]}",
      "{\"format\":1,\"step\":8,\"state\":{},\"arrays\":[]}",
      "{\"format\":1,\"step\":7,\"arrays\":[]}",
  };
  char *dir = folder_new(a), *one = ww_fmt(a, "%s/00000007", dir);
  ww_checkpoint c;
  mkdir(one, 0777);
  for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
    put(a, one, "manifest.json", lies[k]);
    if (ww_checkpoint_open(dir, &c, NULL) != WW_EDATA)
      fail_msg("lie %zu", k);
  }
  folder_drop(dir);
}

/* ---- reading ---- */

static ww_tokenizer *tokenizer(ww_arena *a, const char *dir) {
  static const char *const special[] = {"<|end|>",      "<|answer|>", "<|number|>",
                                        "<|im_start|>", "<|im_end|>", NULL};
  char *data = put(
      a, dir, "texts.jsonl",
      "{\"text\":\"for (int i = 0; i < n; i++) x[i] = 2 * x[i];\"}\n{\"prompt\":\"a b "
      "c\",\"completion\":\"d e f\"}\n");
  char *path = ww_fmt(a, "%s/tokenizer.json", dir);
  ww_texts *texts;
  ww_tokenizer *t;
  ww_err e = {0};
  assert_int_equal(ww_texts_open((const char *[]){data, NULL}, &texts, &e), WW_OK);
  ww_bpe_plan plan = {
      .vocab = 280, .special = special, .next = ww_texts_next, .ctx = texts};
  if (ww_bpe_train(&plan, path, &e))
    fail_msg("%s", e.msg);
  assert_int_equal(ww_texts_close(texts, &e), WW_OK);
  if (ww_tokenizer_open(path, &t, &e))
    fail_msg("%s", e.msg);
  return t;
}

static const char *decoded(
    const ww_tokenizer *t, const ww_examples *x, uint32_t i, bool answer, ww_arena *a) {
  ww_buf b = {0};
  const ww_example *d = &x->v[i];
  ww_tokenizer_decode(t, x->token + d->at + (answer ? d->prompt : 0),
                      answer ? d->n - d->prompt : d->prompt, true, &b);
  char *s = ww_strdup(a, b.s ? b.s : "");
  ww_buf_free(&b);
  return s;
}

static void test_reading(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a);
  ww_tokenizer *t = tokenizer(a, dir);
  ww_lm_config c = {.vocab = 320,
                    .numbers = 2,
                    .features = 3,
                    .feature_tokens = 2,
                    .eos = {ww_tokenizer_id(t, "<|end|>"), -1, -1, -1},
                    .neos = 1};
  ww_err e = {0};
  ww_examples x;
  char *path = put(a, dir, "some.jsonl",
                   "{\"prompt\":\"<|number|><|number|>x = "
                   "1<|answer|>\",\"completion\":\"y<|end|>\",\"numbers\":[1.5,null],"
                   "\"features\":[1,2,3]}\n"
                   "\r\n"
                   "{\"prompt\":\"q\",\"completion\":\"no mark\"}\r\n"
                   "{\"messages\":[{\"role\":\"user\",\"content\":\"hi<|im_end|>\"},{"
                   "\"role\":\"assistant\","
                   "\"content\":\"one\"},"
                   "{\"role\":\"user\",\"content\":\"more\"},{\"role\":\"assistant\","
                   "\"content\":\"two\"}],"
                   "\"numbers\":[7,8]}\n"
                   "{\"text\":\"all of it\"}");
  if (ww_examples_read((const char *[]){path, NULL}, t, &c, 64, 3, &x, &e))
    fail_msg("%u: %s", e.line, e.msg);
  assert_int_equal(x.n, 5);
  assert_string_equal(decoded(t, &x, 0, false, a),
                      "<|number|><|number|>x = 1<|answer|>");
  assert_string_equal(decoded(t, &x, 0, true, a), "y<|end|>");
  assert_string_equal(decoded(t, &x, 1, true, a),
                      "no mark<|end|>"); /* it gets its end */
  assert_string_equal(decoded(t, &x, 2, true, a), "one<|im_end|>");
  assert_string_equal(
      decoded(t, &x, 3, false, a),
      "<|im_start|>user\nhi<|im_end|><|im_end|>\n<|im_start|>assistant\none<|im_"
      "end|>\n<|im_start|>user\nmore<|im_end|>\n<|im_start|>assistant\n");
  assert_string_equal(decoded(t, &x, 3, true, a), "two<|im_end|>");
  uint32_t marks = 0; /* the text of a mark inside a message is no mark */
  for (uint32_t k = 0; k < x.v[2].prompt; k++)
    marks += x.token[x.v[2].at + k] == ww_tokenizer_id(t, "<|im_end|>");
  assert_int_equal(marks, 1);
  assert_int_equal(x.v[4].prompt, 0);
  assert_true(x.number[0] == 1.5f && isnan(x.number[1]) && x.number[4] == 7 &&
              isnan(x.number[6]));
  assert_true(x.feature[2] == 3 && isnan(x.feature[3]));
  ww_examples_free(&x);
  ww_examples_shape shape;
  assert_int_equal(ww_examples_peek((const char *[]){path, NULL}, t, &shape, &e),
                   WW_OK);
  assert_true(shape.numbers == 2 && shape.features == 3 && shape.feature_tokens == 2);
  ww_tokenizer_free(t);
  folder_drop(dir);
}

static void test_bad_lines(void **state) {
  static const struct {
    const char *line, *says;
  } bad[] = {
      {"{\"prompt\":\"a\",", "ends too early"},
      {"[1]", "object"},
      {"{\"question\":\"a\"}", "nothing to learn"},
      {"{\"prompt\":\"a\"}", "nothing to learn"},
      {"{\"prompt\":3,\"completion\":\"b\"}", "\"prompt\""},
      {"{\"prompt\":\"a\",\"completion\":\"b\",\"numbers\":[1]}", "of 2"},
      {"{\"prompt\":\"a\",\"completion\":\"b\",\"numbers\":[1,\"x\"]}", "finite"},
      {"{\"prompt\":\"a\",\"completion\":\"b\",\"numbers\":[1,1e99]}", "finite"},
      {"{\"prompt\":\"a\",\"completion\":\"b\",\"weight\":\"x\"}", "weight"},
      {"{\"messages\":{}}", "array"},
      {"{\"messages\":[{\"role\":\"user\"}]}", "content"},
      {"{\"messages\":7}", "array"},
      {"{\"text\":\"\"}", "nothing to learn"},
  };
  ww_arena *a = *state;
  char *dir = folder_new(a);
  ww_tokenizer *t = tokenizer(a, dir);
  ww_lm_config c = {.vocab = 320, .numbers = 2};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    ww_err e = {0};
    ww_examples x;
    ww_buf b = {0};
    for (int i = 0; i < 4; i++)
      ww_buf_puts(&b, "{\"prompt\":\"a\",\"completion\":\"b\"}\n");
    ww_buf_fmt(&b, "%s\n{\"bad too\":1}\n", bad[k].line);
    char *path = put(a, dir, "bad.jsonl", b.s);
    ww_buf_free(&b);
    ww_status st = ww_examples_read((const char *[]){path, NULL}, t, &c, 64, 2, &x, &e);
    if (!st || e.line != 5 || !strstr(e.msg, bad[k].says) || !e.file)
      fail_msg("line %zu: %d, %u: %s", k, st, e.line, e.msg);
    ww_examples_free(&x);
  }
  c.vocab = 200;
  ww_err e = {0};
  ww_examples x;
  char *path = put(a, dir, "bad.jsonl", "{\"text\":\"for (int i = 0; i < n; i++)\"}\n");
  assert_int_equal(ww_examples_read((const char *[]){path, NULL}, t, &c, 64, 2, &x, &e),
                   WW_EDATA);
  assert_non_null(strstr(e.msg, "vocabulary"));
  ww_examples_free(&x);
  ww_tokenizer_free(t);
  folder_drop(dir);
}

/* Long ones lose the middle of the prompt, texts become several; threads and packing of
 * the file make no difference. */
static void test_long(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a);
  ww_tokenizer *t = tokenizer(a, dir);
  ww_lm_config c = {.vocab = 320, .neos = 1, .eos = {ww_tokenizer_id(t, "<|end|>")}};
  ww_err e = {0};
  ww_examples x, y;
  ww_buf b = {0};
  uint64_t seed = 5;
  for (int i = 0; i < 60000; i++) { /* 9 MB: several chunks */
    ww_buf_fmt(&b, i % 10 ? "{\"prompt\":\"begin %d" : "{\"text\":\"begin %d", i);
    for (int k = 0, n = (int)(next(&seed) % 60); k < n; k++)
      ww_buf_fmt(&b, " %" PRIu64, next(&seed) % 1000);
    ww_buf_puts(&b, i % 10 ? " stop\",\"completion\":\"yes\"}\n" : " stop\"}\n");
  }
  char *path = put(a, dir, "long.jsonl", b.s),
       *packed = ww_fmt(a, "%s/long.jsonl.zst", dir);
  assert_int_equal(ww_write_packed(packed, b.s, b.n, 1, &e), WW_OK);
  ww_buf_free(&b);
  if (ww_examples_read((const char *[]){path, NULL}, t, &c, 40, 1, &x, &e))
    fail_msg("%u: %s", e.line, e.msg);
  if (ww_examples_read((const char *[]){packed, NULL}, t, &c, 40, 4, &y, &e))
    fail_msg("%u: %s", e.line, e.msg);
  assert_true(x.n == y.n && ww_examples_hash(&x) == ww_examples_hash(&y));
  assert_true(x.n > 60000 && x.cut > 10000);
  for (uint32_t i = 0; i < x.n; i++)
    assert_true(x.v[i].n <= 40);
  for (uint32_t i = 1; i < 200; i++) {
    if (!x.v[i].prompt)
      continue;
    const char *p = decoded(t, &x, i, false, a);
    assert_true(ww_starts(p, "begin ") && !strcmp(p + strlen(p) - 5, " stop"));
    assert_string_equal(decoded(t, &x, i, true, a), "yes<|end|>");
  }
  ww_examples_free(&y);
  /* several files are read one behind the other, and an error names its own */
  char *bad = put(a, dir, "bad.jsonl", "{\"text\":\"good\"}\n{\"bad\":1}\n");
  const char *three[] = {packed, path, path, NULL};
  assert_int_equal(ww_examples_read(three, t, &c, 40, 3, &y, &e), WW_OK);
  assert_int_equal(y.n, 3 * x.n);
  assert_memory_equal(y.token + 2 * x.tokens, x.token, x.tokens * sizeof *x.token);
  ww_examples_free(&y);
  three[1] = bad;
  assert_int_equal(ww_examples_read(three, t, &c, 40, 3, &y, &e), WW_EDATA);
  assert_string_equal(e.file, bad);
  assert_int_equal(e.line, 2);
  ww_examples_free(&x);
  three[2] = "none.jsonl"; /* told before anything is read */
  assert_int_equal(ww_examples_read(three, t, &c, 40, 3, &y, &e), WW_EIO);
  assert_int_equal(truncate(packed, (off_t)bytes_of(packed) - 100), 0);
  assert_int_equal(
      ww_examples_read((const char *[]){packed, NULL}, t, &c, 40, 2, &y, &e), WW_EDATA);
  ww_examples_free(&y);
  ww_tokenizer_free(t);
  folder_drop(dir);
}

/* ---- learning ---- */

static const ww_lm_config tiny = {.arch = WW_LM_LLAMA,
                                  .vocab = 64,
                                  .width = 32,
                                  .layers = 2,
                                  .heads = 2,
                                  .kv_heads = 1,
                                  .head_size = 16,
                                  .hidden = 64,
                                  .context = 64,
                                  .norm_eps = 1e-5f,
                                  .tied = true,
                                  .rope_theta = 10000,
                                  .bos = -1,
                                  .eos = {-1, -1, -1, -1},
                                  .numbers = 2};

/* Copy what stood before; the numbers are in the first token. */
static ww_examples task(ww_arena *a, uint32_t n) {
  ww_examples x = {.n = n, .numbers = 2, .tokens = (uint64_t)n * 12};
  uint64_t seed = 3;
  x.v = WW_NEWN(a, ww_example, n);
  x.number = WW_NEWN(a, float, n * 2);
  x.token = WW_NEWN(a, int32_t, x.tokens);
  for (uint32_t i = 0; i < n; i++) {
    x.v[i] = (ww_example){.at = (uint64_t)i * 12, .n = 12, .prompt = 6};
    for (uint32_t k = 0; k < 12; k++)
      x.token[i * 12 + k] =
          k < 6 ? (int32_t)(next(&seed) % 64) : x.token[i * 12 + k - 6];
    x.number[i * 2] = (float)x.token[i * 12] / 64;
    x.number[i * 2 + 1] = NAN;
  }
  return x;
}

typedef struct {
  ww_ops *o;
  ww_net *n;
  uint64_t values;
  float *v; /* after training */
  ww_lm_trained out;
  ww_status st;
  ww_err e;
} learned;

static learned
learn(ww_arena *a, const ww_examples *x, const ww_lm_plan *p, uint32_t lora) {
  learned l = {0};
  ww_net_options opt = {
      .lora_rank = lora, .lora_alpha = 8, .number_weight = p->number_weight};
  assert_int_equal(ww_ops_cpu(&l.o, &l.e), WW_OK);
  if (ww_net_new(l.o, &tiny, &opt, p->rows, p->tokens, &l.n, &l.e))
    fail_msg("%s", l.e.msg);
  ww_net_init(l.n, 1);
  l.st = ww_lm_train(l.n, &tiny, x, x, p, a, &l.out, &l.e);
  l.values = ww_net_learned(l.n);
  l.v = WW_NEWN(a, float, l.values);
  ww_net_get(l.n, 0, l.v);
  ww_net_free(l.n);
  l.o->close(l.o);
  return l;
}

static ww_lm_plan plan_of(const char *dir) {
  return (ww_lm_plan){.steps = 20,
                      .rows = 2,
                      .tokens = 48,
                      .accumulate = 2,
                      .lr = 3e-3f,
                      .lr_least = 0.1f,
                      .warmup = 3,
                      .decay = 0.1f,
                      .clip = 1,
                      .beta1 = 0.9f,
                      .beta2 = 0.95f,
                      .eps = 1e-8f,
                      .number_weight = 0.5f,
                      .seed = 4,
                      .checkpoint = dir,
                      .check_every = 5};
}

/* 20 steps at once, and 10, a new process's worth of state, 10 more: the same bits. */
static void test_resume(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a);
  ww_examples x = task(a, 40); /* four epochs in 20 steps */
  for (uint32_t lora = 0; lora <= 4; lora += 4) {
    ww_lm_plan p = plan_of(NULL);
    learned whole = learn(a, &x, &p, lora);
    assert_int_equal(whole.st, WW_OK);
    p.log_every = 7;
    learned seldom =
        learn(a, &x, &p, lora); /* read after steps 1, 5, 7, 10, 14, 15 and 20 */
    assert_int_equal(seldom.out.train.n, 7);
    assert_memory_equal(seldom.v, whole.v, whole.values * sizeof(float));
    p = plan_of(ww_fmt(a, "%s/%u", dir, lora));
    p.every = 10;
    p.log = ww_fmt(a, "%s/log%u.jsonl", dir, lora);
    learned again = learn(a, &x, &p, lora);
    assert_int_equal(again.st, WW_OK);
    folder_drop(ww_fmt(a, "%s/%u/00000020", dir,
                       lora)); /* only step 10 is left; the log has 20 */
    p.resume = true;
    learned half = learn(a, &x, &p, lora);
    if (half.st)
      fail_msg("%s", half.e.msg);
    assert_int_equal(half.out.tokens, 10 * 4 * 48);
    assert_memory_equal(half.v, whole.v, whole.values * sizeof(float));
    assert_int_equal(half.out.train.n, 20);
    assert_memory_equal(half.out.train.v, whole.out.train.v, 20 * sizeof(ww_lm_point));
    assert_int_equal(half.out.check.n, whole.out.check.n);
    char *log;
    uint32_t lines = 0;
    assert_int_equal(ww_read_file(a, p.log, 1 << 20, &log, NULL, NULL), WW_OK);
    for (; *log; log++)
      lines += *log == '\n';
    assert_int_equal(lines, 24); /* 20 steps and 4 evaluations, each once */
    p.seed = 5;
    learned other = learn(a, &x, &p, lora);
    assert_int_equal(other.st, WW_EDATA);
    p = plan_of(p.checkpoint);
    other = learn(a, &x, &p, lora); /* without --resume it does not write over them */
    assert_int_equal(other.st, WW_EUSAGE);
  }
  folder_drop(dir);
}

static void test_learns(void **state) {
  ww_arena *a = *state;
  ww_examples x = task(a, 64);
  ww_lm_plan p = plan_of(NULL);
  p.steps = 150;
  p.lr = 1e-2f;
  p.number_weight = 0.02f;
  learned l = learn(a, &x, &p, 0);
  assert_int_equal(l.st, WW_OK);
  assert_true(l.out.train.v[0].token_loss > 3.8f &&
              l.out.train.v[0].token_loss < 4.6f); /* ln 64 = 4.16 */
  if (!(l.out.check.v[l.out.check.n - 1].token_loss < 2))
    fail_msg("%f", (double)l.out.check.v[l.out.check.n - 1].token_loss);
  ww_buf b = {0};
  ww_lm_curve("a < b", &l.out.train, &l.out.check, &b);
  assert_non_null(strstr(b.s, "a &lt; b"));
  assert_null(strstr(b.s, "nan"));
  assert_null(strstr(b.s, "inf"));
  assert_true(strstr(b.s, "<circle") && !strcmp(b.s + b.n - 7, "</svg>\n"));
  ww_buf_free(&b);
  /* how a step is cut makes no difference but for rounding */
  p.steps = 3;
  p.rows = 4;
  p.accumulate = 1;
  learned one = learn(a, &x, &p, 0);
  p.rows = 1;
  p.accumulate = 4;
  learned four = learn(a, &x, &p, 0);
  for (uint64_t k = 0; k < one.values; k++)
    assert_true(fabsf(one.v[k] - four.v[k]) < 2e-4f);
}

static void test_not_finite(void **state) {
  ww_arena *a = *state;
  char *dir = folder_new(a);
  ww_examples x = task(a, 40);
  ww_lm_plan p = plan_of(dir);
  p.every = 2;
  p.steps = 4;
  assert_int_equal(learn(a, &x, &p, 0).st, WW_OK);
  p.resume = true;
  p.steps = 40;
  p.lr = 1e30f;
  p.clip = 0;
  learned l = learn(a, &x, &p, 0);
  assert_int_equal(l.st, WW_EDATA);
  assert_non_null(strstr(l.e.msg, "not finite"));
  assert_non_null(strstr(l.e.msg, dir));
  p = plan_of(dir); /* and it can be gone on from */
  p.resume = true;
  p.steps = 8;
  l = learn(a, &x, &p, 0);
  if (l.st)
    fail_msg("%s", l.e.msg);
  assert_true(isfinite(l.out.train.v[7].loss) && l.out.train.n == 8);
  folder_drop(dir);
}

/* Nothing to be had from more steps: the best values are what comes out. */
static void test_patience(void **state) {
  ww_arena *a = *state;
  ww_examples x = task(a, 40);
  ww_lm_plan p = plan_of(NULL);
  p.steps = 400;
  p.lr = 0.5f; /* too high to go anywhere for long */
  p.check_every = 2;
  p.patience = 3;
  learned l = learn(a, &x, &p, 0);
  assert_int_equal(l.st, WW_OK);
  assert_int_equal(l.out.ended, WW_TRAINED_EARLY);
  assert_true(l.out.step < 400 && l.out.best_step == l.out.step - 6);
}

/* Answers of weight 0 teach nothing, those below 0 become less likely. */
static void test_weights(void **state) {
  ww_arena *a = *state;
  ww_examples x = task(a, 40);
  ww_lm_plan p = plan_of(NULL);
  p.decay = p.number_weight = 0;
  x.weight = WW_NEWN(a, float, x.n);
  learned none = learn(a, &x, &p, 0);
  p.steps = 1;
  learned one = learn(a, &x, &p, 0);
  assert_int_equal(none.st, WW_OK);
  assert_memory_equal(none.v, one.v, one.values * sizeof(float));
  p.steps = 20;
  for (uint32_t i = 0; i < x.n; i++)
    x.weight[i] = -1;
  learned less = learn(a, &x, &p, 0);
  const ww_lm_point *last = less.out.check.v + less.out.check.n - 1;
  /* the loss is of weighted tokens too: as far below 0 as they are unlikely */
  if (!(last->token_loss < -1.05f * 4.16f))
    fail_msg("%f", (double)last->token_loss);
}

int main(void) {
  ww_set_quiet(true);
  const struct CMUnitTest tests[] = {
      TEST(test_shuffle),        TEST(test_packing),  TEST(test_seek),
      TEST(test_noise),          TEST(test_schedule), TEST(test_number_start),
      TEST(test_checkpoint),     TEST(test_damage),   TEST(test_full_disk),
      TEST(test_lying_manifest), TEST(test_reading),  TEST(test_bad_lines),
      TEST(test_long),           TEST(test_resume),   TEST(test_learns),
      TEST(test_not_finite),     TEST(test_patience), TEST(test_weights),
  };
  return RUN(tests);
}
