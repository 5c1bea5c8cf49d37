/* fuzz_config.c - any text as config.json: a clear error, or a configuration that fits
 * together and comes back from what is printed of it. */
#include "fuzz.h"

#include "../../src/lm/model.h"

int fuzz_config(const uint8_t *data, size_t n) {
  ww_lm_config c, back;
  ww_err e = {0};
  if (n > 1 << 16)
    return -1;
  if (ww_lm_config_parse((const char *)data, n, &c, &e)) {
    if (!e.msg[0])
      abort();
    return 0;
  }
  if (ww_lm_config_check(&c, &e))
    abort();
  ww_buf b = {0};
  ww_lm_config_print(&c, &b);
  if (ww_lm_config_parse(b.s, b.n, &back, &e) || memcmp(&c, &back, sizeof c)) {
    fprintf(stderr, "%s%s\n", b.s, e.msg);
    abort();
  }
  ww_buf_free(&b);
  if (ww_lm_config_params(&c) <
      1 << 22) { /* its layout and its angles are what check promises */
    ww_arena *a = ww_arena_new();
    ww_lm_layout l;
    ww_lm_layout_make(&c, a, &l);
    ww_lm_rope_table(&c, 4, WW_NEWN(a, float, 4 * c.head_size));
    if (l.total < ww_lm_config_params(&c))
      abort();
    ww_arena_free(a);
  }
  return 0;
}

size_t fuzz_config_mutate(uint8_t *data, size_t n, size_t max, unsigned seed) {
  static const char *const words[] = {
      "llama", "qwen2", "default", "linear", "llama3", NULL,    "0",
      "1",     "-1",    "2",       "64",     "1e-5",   "1e300", "1e999",
      "4096",  "0.125", "3",       NULL,     "true",   "false", "null"};
  return fuzz_swap(data, n, max, seed, words, sizeof words / sizeof *words);
}
