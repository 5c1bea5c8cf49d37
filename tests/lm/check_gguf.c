/* check_gguf.c - check_gguf LIBDIR FIXTURES: the GGUFs that we write, run by libllama,
 * give the logits that transformers gave. Prints TAP.
 *
 * Each model of FIXTURES becomes a GGUF with a made-up tokenizer. libllama keeps keys
 * and values as halves, hence the tolerance: 1 % of the largest logit; rows of Q in the
 * wrong order, or a rope without its scaling, are off by as much as the logits are
 * large. Parameters of libllama are its own defaults, fetched into more room than they
 * take, with the first four members set. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../src/lm/model.h"
#include "libllama.h"

enum { TOKENS = 48 };

/* As many tokens as the model has; one of them is the end of a line, which libllama
 * looks for. */
static ww_status write_tokenizer(const char *path, uint32_t vocab, ww_err *e) {
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_json_obj(&j);
  ww_json_key(&j, "model");
  ww_json_obj(&j);
  ww_json_key(&j, "vocab");
  ww_json_obj(&j);
  for (uint32_t i = 0; i < vocab; i++) {
    char name[16];
    snprintf(name, sizeof name, "t%u", i);
    ww_json_kuint(&j, i == 5 ? "\xc4\x8a" : name, i);
  }
  ww_json_end_obj(&j);
  ww_json_key(&j, "merges");
  ww_json_arr(&j);
  ww_json_end_arr(&j);
  ww_json_end_obj(&j);
  ww_json_end_obj(&j);
  ww_status rc = ww_write_file_atomic(path, b.s, b.n, e);
  ww_buf_free(&b);
  return rc;
}

static ww_status write_gguf(
    ww_arena *a, const char *folder, ww_dtype type, const char *path, ww_err *e) {
  ww_weights *w;
  ww_lm_config c;
  ww_lm_layout l;
  ww_status rc = ww_lm_open_files(folder, a, &w, &c, NULL, e);
  if (rc)
    return rc;
  ww_lm_layout_make(&c, a, &l);
  float *flat = WW_NEWN(a, float, l.total);
  const char *tokenizer = ww_fmt(a, "%s.tokenizer", path);
  rc = ww_lm_read_params(w, &c, &l, flat, e);
  if (!rc)
    rc = write_tokenizer(tokenizer, c.vocab, e);
  if (!rc)
    rc = ww_lm_write_gguf(path, &c, flat, type, tokenizer, e);
  unlink(tokenizer);
  ww_weights_close(w);
  return rc;
}

/* The largest difference of any logit, over the largest logit; infinite where libllama
 * does not take the file. */
static double
difference(const char *path, const int32_t *ids, const float *want, uint32_t vocab) {
  any_params mp = llama_model_default_params(), cp = llama_context_default_params();
  const uint32_t first[4] = {256, 64, 64, 1}; /* n_ctx, n_batch, n_ubatch, n_seq_max */
  memcpy(cp.bytes, first, sizeof first);
  void *model = llama_model_load_from_file(path, mp),
       *context = model ? llama_init_from_model(model, cp) : NULL;
  int32_t token[TOKENS], position[TOKENS], one[TOKENS], zero[TOKENS] = {0},
                                                        *sequence[TOKENS];
  int8_t wanted[TOKENS];
  for (int i = 0; i < TOKENS; i++) {
    token[i] = ids[i];
    position[i] = i;
    one[i] = 1;
    sequence[i] = &zero[i];
    wanted[i] = 1;
  }
  llama_batch batch = {TOKENS, token, NULL, position, one, sequence, wanted};
  bool ran = context && llama_decode(context, batch) == 0;
  double worst = 0, largest = 0;
  for (int i = 0; ran && i < TOKENS; i++) {
    const float *got = llama_get_logits_ith(context, i);
    for (uint32_t t = 0; t < vocab; t++) {
      double w = (double)want[(uint32_t)i * vocab + t], off = fabs((double)got[t] - w);
      worst = isnan(off) || off > worst ? off : worst;
      largest = fmax(largest, fabs(w));
    }
  }
  if (context)
    llama_free(context);
  if (model)
    llama_model_free(model);
  return ran ? worst / largest : INFINITY;
}

static bool check(ww_arena *a,
                  const char *fixtures,
                  const char *name,
                  ww_dtype type,
                  double most,
                  int number) {
  char path[] = "/tmp/ww_gguf_XXXXXX";
  const char *folder = ww_path_join(a, fixtures, name);
  double off = INFINITY;
  ww_weights *expect = NULL;
  ww_err e = {0};
  int fd = mkstemp(path);
  if (fd >= 0)
    close(fd);
  if (!write_gguf(a, folder, type, path, &e) &&
      !ww_weights_open(ww_path_join(a, folder, "expect.safetensors"), &expect, &e)) {
    const ww_tensor *ids = ww_weights_find(expect, "ids"),
                    *logits = ww_weights_find(expect, "logits");
    if (ids && logits && logits->ndim == 3 && logits->dim[1] == TOKENS)
      off = difference(path, ids->data, logits->data, (uint32_t)logits->dim[2]);
  }
  bool good = off <= most;
  if (e.msg[0])
    printf("# %s\n", e.msg);
  printf("%s %d - %s as %s in libllama: logits off by %.2g %% of the largest\n",
         good ? "ok" : "not ok", number, name, ww_dtype_name(type), 100 * off);
  ww_weights_close(expect);
  unlink(path);
  return good;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    ww_dtype type;
    double most;
  } rows[] = {{"llama3", WW_DTYPE_F32, 0.01},  {"linear", WW_DTYPE_F32, 0.01},
              {"qwen2", WW_DTYPE_F32, 0.01},   {"tied", WW_DTYPE_F16, 0.01},
              {"llama3", WW_DTYPE_BF16, 0.03}, {"llama3", WW_DTYPE_Q8_0, 0.12}};
  ww_arena *a = ww_arena_new();
  int n = sizeof rows / sizeof *rows, bad = 0;
  if (argc != 3)
    return fprintf(stderr, "usage: check_gguf LIBDIR FIXTURES\n"), 2;
  if (!open_llama(a, argv[1]))
    return 1;
  printf("1..%d\n", n);
  for (int i = 0; i < n; i++)
    bad += !check(a, argv[2], rows[i].name, rows[i].type, rows[i].most, i + 1);
  ww_arena_free(a);
  return bad > 0;
}
