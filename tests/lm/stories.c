/* stories.c - stories15M: the story it tells greedily, its logits against double
 * precision, the fast paths against the exact one. Prints TAP.
 *
 * stories MODEL.bin TOKENIZER.bin STORY : both files of llama2.c, and the known text.
 */
#include "../../src/lm/infer_int.h"
#include "reference.h"

enum { VOCAB = 32000, STORY = 200, CHECKED = 48 };

static const char *path;
static char *piece[VOCAB];
static int32_t tokens[STORY + 1]; /* of the story, from its beginning token on */
static int n, bad;

static void report(bool ok, const char *what, double off) {
  printf("%s %d - %s (%.3g)\n", ok ? "ok" : "not ok", ++n, what, off);
  bad |= !ok;
}

static bool read_pieces(const char *file) {
  FILE *f = fopen(file, "rb");
  int32_t head;
  bool ok = f && fread(&head, 4, 1, f) == 1;
  for (int i = 0; ok && i < VOCAB; i++) {
    struct {
      float score;
      int32_t bytes;
    } p;
    ok = fread(&p, sizeof p, 1, f) == 1 && p.bytes >= 0 && p.bytes < 1000;
    piece[i] = ok ? calloc(1, (size_t)p.bytes + 1) : NULL;
    ok = ok && fread(piece[i], 1, (size_t)p.bytes, f) == (size_t)p.bytes;
  }
  if (f)
    fclose(f);
  return ok;
}

static ww_lm *open_model(const ww_lm_options *o, ww_lm_session **s) {
  ww_err e = {0};
  ww_lm *m = NULL;
  if (ww_lm_open(path, o, &m, &e) || ww_lm_session_new(m, 1, 256, s, &e)) {
    fprintf(stderr, "stories: %s\n", e.msg);
    exit(1);
  }
  return m;
}

static void run(ww_lm_session *s, const ww_lm_pass *p, float *logits) {
  ww_err e = {0};
  if (ww_lm_run(s, p, logits, NULL, &e)) {
    fprintf(stderr, "stories: %s\n", e.msg);
    exit(1);
  }
}

/* STORY tokens, the likeliest each time; their text into b. */
static void tell(const ww_lm_options *o, int32_t to[STORY + 1], ww_buf *b) {
  ww_lm_session *s;
  ww_lm *m = open_model(o, &s);
  float *logits = ww_xmalloc(VOCAB * sizeof *logits);
  to[0] = 1;
  for (int i = 0; i < STORY; i++) {
    run(s, &(ww_lm_pass){.n = 1, .token = to + i}, logits);
    int32_t best = 0;
    for (int32_t k = 1; k < VOCAB; k++)
      best = logits[k] > logits[best] ? k : best;
    to[i + 1] = best;
    if (b)
      ww_buf_puts(b, piece[best] + (!i && piece[best][0] ==
                                              ' ')); /* no space behind the beginning */
  }
  free(logits);
  ww_lm_session_free(s);
  ww_lm_close(m);
}

/* Logits of the story's first CHECKED tokens in one pass. */
static float *logits_of(const ww_lm_options *o) {
  ww_lm_session *s;
  ww_lm *m = open_model(o, &s);
  float *logits = ww_xmalloc((size_t)CHECKED * VOCAB * sizeof *logits);
  bool all[CHECKED];
  memset(all, 1, sizeof all);
  run(s, &(ww_lm_pass){.n = CHECKED, .token = tokens, .wanted = all}, logits);
  ww_lm_session_free(s);
  ww_lm_close(m);
  return logits;
}

static void check_reference(const float *got) {
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  ww_lm_config c;
  ww_lm_layout l;
  float *flat;
  double *want = ww_xmalloc((size_t)CHECKED * VOCAB * sizeof *want), most = 0;
  if (ww_llama2c_read(path, &c, a, &l, &flat, &e)) {
    fprintf(stderr, "stories: %s\n", e.msg);
    exit(1);
  }
  reference(&(reference_model){&c, &l, flat}, tokens, CHECKED, NULL, want, NULL);
  for (size_t i = 0; i < (size_t)CHECKED * VOCAB; i++)
    if (!(fabs(got[i] - want[i]) <= most))
      most = fabs(got[i] - want[i]);
  report(most <= 1e-4, "exact logits within 1e-4 of double precision", most);
  free(want);
  free(flat);
  ww_arena_free(a);
}

static void
check_fast(const float *want, ww_dtype type, const char *what, double allowed) {
  float *got = logits_of(&(ww_lm_options){.weights = type});
  double squares = 0, all = 0;
  for (size_t i = 0; i < (size_t)CHECKED * VOCAB; i++) {
    squares += ((double)got[i] - want[i]) * ((double)got[i] - want[i]);
    all += (double)want[i] * want[i];
  }
  report(sqrt(squares / all) <= allowed, what, sqrt(squares / all));
  free(got);
}

int main(int argc, char **argv) {
  ww_buf story = {0};
  ww_arena *a = ww_arena_new();
  char *want;
  size_t bytes;
  ww_err e = {0};
  if (argc != 4)
    return fprintf(stderr, "usage: stories MODEL.bin TOKENIZER.bin STORY\n"), 2;
  path = argv[1];
  if (!read_pieces(argv[2]) || ww_read_file(a, argv[3], 1 << 16, &want, &bytes, &e))
    return fprintf(stderr, "stories: no tokenizer or story\n"), 1;
  tell(&(ww_lm_options){.exact = true}, tokens, &story);
  while (bytes && want[bytes - 1] == '\n')
    want[--bytes] = 0;
  report(!strncmp(story.s, want, bytes), "the known story, greedily", (double)story.n);
  if (strncmp(story.s, want, bytes))
    printf("# %s\n", story.s);
  int32_t again[STORY + 1], same = 0;
  tell(&(ww_lm_options){.weights = WW_DTYPE_F16}, again, NULL);
  while (same < STORY && again[same] == tokens[same])
    same++;
  report(same == STORY, "the same story from 16 bit weights and fast kernels", same);
  float *exact = logits_of(&(ww_lm_options){.exact = true});
  check_reference(exact);
  check_fast(exact, WW_DTYPE_F16,
             "F16 kernels: root mean square of the difference 1e-3 at most", 1e-3);
  check_fast(exact, WW_DTYPE_Q8_0, "Q8_0 kernels: 2e-2 at most", 2e-2);
  printf("1..%d\n", n);
  free(exact);
  for (int i = 0; i < VOCAB; i++)
    free(piece[i]);
  ww_buf_free(&story);
  ww_arena_free(a);
  return bad;
}
