/* fuzz.h - what the fuzz drivers share: the input as text, a main for compilers without libFuzzer, a token mutator. */
#ifndef WW_FUZZ_H
#define WW_FUZZ_H

#include <stdlib.h>

#include "../../src/base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);

/* A NUL-terminated copy: what the parsers take. */
static inline char *fuzz_text(const uint8_t *data, size_t n) {
  char *s = ww_xmalloc(n + 1);
  memcpy(s, data, n);
  s[n] = 0;
  return s;
}

#ifdef WW_FUZZ_MAIN
int main(int argc, char **argv) {
  for (int k = 1; k < argc; k++) {
    ww_arena *a = ww_arena_new();
    ww_err e = {0};
    char *text;
    size_t n;
    if (ww_read_file(a, argv[k], 1u << 24, &text, &n, &e)) {
      fprintf(stderr, "%s\n", e.msg);
      return 2;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)text, n);
    ww_arena_free(a);
  }
  printf("%d passed, 0 failed\n", argc - 1);
  return 0;
}
#else

/* ---- tokens: most changes of single bytes do not parse, so most changes here put one token where another of its kind stands ---- */

typedef struct {
  size_t at, n;
} fuzz_token;

static inline uint32_t fuzz_random(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return below ? (*seed >> 8) % below : 0;
}

static inline int fuzz_kind(char c) {
  if (c == '%' || c == '@' || c == '$') return c;
  if ((c >= '0' && c <= '9') || c == '-') return '0';
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ? 'a' : ' ';
}

/* Lines of the IR that say little about how it runs. */
static inline bool fuzz_dull(const uint8_t *s, size_t n) {
  static const char *const dull[] = {"module", "file", "fn ", "symbol", "  param"};
  for (size_t k = 0; k < sizeof dull / sizeof *dull; k++)
    if (n >= strlen(dull[k]) && !memcmp(s, dull[k], strlen(dull[k]))) return true;
  return false;
}

/* Tokens but for locations (!12), what an instruction defines, and, without `all`, dull lines. */
static inline uint32_t fuzz_tokens(const uint8_t *s, size_t n, bool all, fuzz_token *out, uint32_t max) {
  uint32_t found = 0;
  bool start = true, dull = false;
  for (size_t k = 0; k < n && found < max;) {
    int kind = fuzz_kind((char)s[k]);
    size_t from = k++;
    if (from == 0 || s[from - 1] == '\n') start = true, dull = !all && fuzz_dull(s + from, n - from);
    if (s[from] == '!')
      while (k < n && s[k] != '\n') k++;
    if (kind == ' ') continue;
    /* a word ends at a dot, so that suffixes can change; a name keeps its index */
    while (k < n && (fuzz_kind((char)s[k]) == 'a' || (fuzz_kind((char)s[k]) == '0' && s[k] != '-') ||
                     (s[k] == '.' && kind != 'a')))
      k++;
    if (!dull && !(start && (kind == '%' || kind == '@'))) out[found++] = (fuzz_token){from, k - from};
    start = false;
  }
  return found;
}

static inline size_t fuzz_put(uint8_t *data, size_t n, size_t max, fuzz_token at, const void *text, size_t len) {
  if (n - at.n + len > max) return n;
  memmove(data + at.at + len, data + at.at + at.n, n - at.at - at.n);
  memcpy(data + at.at, text, len);
  return n - at.n + len;
}

static inline bool fuzz_is(const uint8_t *s, fuzz_token t, const char *word) {
  return strlen(word) == t.n && !memcmp(s + t.at, word, t.n);
}

/* Another word of the group that holds the token; NULL: none. Groups end with a NULL. */
static inline const char *fuzz_sibling(const uint8_t *s, fuzz_token t, const char *const *words, uint32_t n,
                                       uint32_t *seed) {
  for (uint32_t k = 0, first = 0; k < n; k++) {
    if (!words[k]) first = k + 1;
    if (!words[k] || !fuzz_is(s, t, words[k])) continue;
    uint32_t end = k;
    while (end < n && words[end]) end++;
    return words[first + fuzz_random(seed, end - first)];
  }
  return NULL;
}

/* Changes some tokens: to another word of their group, for numbers to one of the group of "0", for others to one of their kind that stands a
 * little before (whose definition probably reaches here). */
static inline size_t fuzz_swap(uint8_t *data, size_t n, size_t max, unsigned s, const char *const *words,
                               uint32_t nwords) {
  enum { MAX = 1 << 14 };
  uint32_t seed = s;
  if (fuzz_random(&seed, 32) == 0) return LLVMFuzzerMutate(data, n, max);
  fuzz_token *t = ww_xmalloc(MAX * sizeof *t);
  bool all = !fuzz_random(&seed, 8);
  uint32_t nt = fuzz_tokens(data, n, all, t, MAX), more = 1 + fuzz_random(&seed, 3);
  for (uint32_t tries = 0; nt && more && tries < 64; tries++) {
    uint32_t at = fuzz_random(&seed, nt), from = at - 1 - fuzz_random(&seed, 24);
    int kind = fuzz_kind((char)data[t[at].at]);
    const char *word = fuzz_sibling(data, t[at], words, nwords, &seed);
    if (!word && kind == '0' && fuzz_random(&seed, 2))
      word = fuzz_sibling((const uint8_t *)"0", (fuzz_token){0, 1}, words, nwords, &seed);
    char text[256];
    size_t len = word ? strlen(word) : 0;
    if (word)
      memcpy(text, word, len);
    else if (from < at && t[from].n <= sizeof text && fuzz_kind((char)data[t[from].at]) == kind)
      memcpy(text, data + t[from].at, len = t[from].n);
    else
      continue;
    n = fuzz_put(data, n, max, t[at], text, len);
    nt = fuzz_tokens(data, n, all, t, MAX);
    more--;
  }
  free(t);
  return n;
}

#endif
#endif
