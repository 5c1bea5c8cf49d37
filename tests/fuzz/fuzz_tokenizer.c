/* fuzz_tokenizer.c - any bytes as a tokenizer (tokenizer.json, GGUF, tokenizer.bin):
 * refused with a message, or it encodes anything, to ids below its vocabulary, and a
 * byte-level one gives the bytes back. */
#include "fuzz.h"

#include "../../src/lm/tokenizer_int.h"
#include "../../src/lm/weights.h"

static ww_status read_any(const uint8_t *data, size_t n, ww_tokenizer *t, ww_err *e) {
  if (n >= 4 && !memcmp(data, "GGUF", 4)) {
    ww_weights *w;
    ww_status st = ww_weights_parse(data, n, &w, e);
    if (!st)
      st = ww_tokenizer_read_weights(w, t, e);
    ww_weights_close(w);
    return st;
  }
  const char *text = (const char *)data;
  return n && (data[0] == '{' || data[0] > 0x1f) ? ww_tokenizer_read_json(text, n, t, e)
                                                 : ww_tokenizer_read_bin(text, n, t, e);
}

static void use(const ww_tokenizer *t, const char *text, size_t n, bool special) {
  ww_arena *a = ww_arena_new();
  ww_tokens ids = {0};
  ww_buf b = {0};
  ww_tokenizer_encode(t, text, n, special, a, &ids);
  for (uint32_t k = 0; k < ids.n; k++)
    if (ids.v[k] < 0 || (uint32_t)ids.v[k] >= t->vocab)
      abort();
  ww_tokenizer_decode(t, ids.v, ids.n, true, &b);
  bool exact = t->byte_level && !t->norms && !t->strip_space && !special;
  if (exact && (b.n != n || (n && memcmp(b.s, text, n))))
    abort();
  ww_buf_free(&b);
  ww_arena_free(a);
}

int fuzz_tokenizer(const uint8_t *data, size_t n) {
  static const char text[] =
      "ab <s>abc\xc3\xa9 e\xcc\x81<l> \xff\xf0\x9f\x98\x80 "
      "12345\n\n\tabababababababababababababababababababababab \xe2\x96\x81 a'LL</s>";
  ww_err e = {0};
  ww_tokenizer *t = ww_tokenizer_blank();
  char *own = ww_xmalloc(n); /* so that a read beyond it is seen */
  memcpy(own, data, n);
  ww_status st = read_any((const uint8_t *)own, n, t, &e);
  free(own);
  if (st && !e.msg[0])
    abort();
  for (uint32_t k = 0; !st && k < 2; k++) {
    use(t, text, sizeof text, k);
    use(t, (const char *)data + n / 2, n - n / 2 < 300 ? n - n / 2 : 300, k);
  }
  ww_tokenizer_free(t);
  return 0;
}

static const char *const words[] = {"Split",
                                    "ByteLevel",
                                    "Metaspace",
                                    "Digits",
                                    "Sequence",
                                    "NFC",
                                    "NFKD",
                                    "Prepend",
                                    "Replace",
                                    "Strip",
                                    "TemplateProcessing",
                                    NULL,
                                    "true",
                                    "false",
                                    "null",
                                    NULL,
                                    "lstrip",
                                    "rstrip",
                                    "normalized",
                                    "special",
                                    "ignore_merges",
                                    "byte_fallback",
                                    "fuse_unk",
                                    "split",
                                    "use_regex",
                                    "add_prefix_space",
                                    NULL,
                                    "vocab",
                                    "merges",
                                    "added_tokens",
                                    "model",
                                    "decoder",
                                    "normalizer",
                                    NULL,
                                    "a",
                                    "b",
                                    "ab",
                                    "abc",
                                    "bc",
                                    "unk",
                                    "s",
                                    "l",
                                    NULL,
                                    "0",
                                    "1",
                                    "-1",
                                    "97",
                                    "255",
                                    "256",
                                    "260",
                                    "300",
                                    "65536",
                                    "16777215",
                                    "16777216",
                                    "4294967295",
                                    "18446744073709551616",
                                    NULL};

size_t fuzz_tokenizer_mutate(uint8_t *data, size_t n, size_t max, unsigned seed) {
  return seed % 4 ? fuzz_swap(data, n, max, seed, words, sizeof words / sizeof *words)
                  : LLVMFuzzerMutate(data, n, max);
}
