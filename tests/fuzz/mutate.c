/* mutate.c - mutators that know a syntax: tokens of the IR and of launches, values of
 * JSON, tokens and lines of C.
 *
 * Most changes of single bytes do not parse and never come past the lexer. */
#include "fuzz.h"

#include <ctype.h>

size_t fuzz_bytes_mutate(uint8_t *data, size_t n, size_t max, unsigned seed) {
  (void)seed;
  return LLVMFuzzerMutate(data, n, max);
}

/* ---- tokens of the IR: one stands where another of its kind stood ---- */

typedef struct {
  size_t at, n;
} token;

uint32_t fuzz_random(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return below ? (*seed >> 8) % below : 0;
}

static int kind_of(char c) {
  if (c == '%' || c == '@' || c == '$')
    return c;
  if ((c >= '0' && c <= '9') || c == '-')
    return '0';
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ? 'a' : ' ';
}

/* Lines of the IR that say little about how it runs. */
static bool is_dull(const uint8_t *s, size_t n) {
  static const char *const dull[] = {"module", "file", "fn ", "symbol", "  param"};
  for (size_t k = 0; k < sizeof dull / sizeof *dull; k++)
    if (n >= strlen(dull[k]) && !memcmp(s, dull[k], strlen(dull[k])))
      return true;
  return false;
}

/* Tokens but for locations (!12), what an instruction defines, and, without `all`, dull
 * lines. */
static uint32_t
tokens_of(const uint8_t *s, size_t n, bool all, token *out, uint32_t max) {
  uint32_t found = 0;
  bool start = true, dull = false;
  for (size_t k = 0; k < n && found < max;) {
    int kind = kind_of((char)s[k]);
    size_t from = k++;
    if (from == 0 || s[from - 1] == '\n') {
      start = true;
      dull = !all && is_dull(s + from, n - from);
    }
    if (s[from] == '!')
      while (k < n && s[k] != '\n')
        k++;
    if (kind == ' ')
      continue;
    /* a word ends at a dot, so that suffixes can change; a name keeps its index */
    while (k < n &&
           (kind_of((char)s[k]) == 'a' || (kind_of((char)s[k]) == '0' && s[k] != '-') ||
            (s[k] == '.' && kind != 'a')))
      k++;
    if (!dull && !(start && (kind == '%' || kind == '@')))
      out[found++] = (token){from, k - from};
    start = false;
  }
  return found;
}

static size_t
put(uint8_t *data, size_t n, size_t max, token at, const void *text, size_t len) {
  if (n - at.n + len > max)
    return n;
  memmove(data + at.at + len, data + at.at + at.n, n - at.at - at.n);
  memcpy(data + at.at, text, len);
  return n - at.n + len;
}

static bool is_word(const uint8_t *s, token t, const char *word) {
  return strlen(word) == t.n && !memcmp(s + t.at, word, t.n);
}

/* Another word of the group that holds the token; NULL: none. Groups end with a NULL.
 */
static const char *sibling_of(
    const uint8_t *s, token t, const char *const *words, uint32_t n, uint32_t *seed) {
  for (uint32_t k = 0, first = 0; k < n; k++) {
    if (!words[k])
      first = k + 1;
    if (!words[k] || !is_word(s, t, words[k]))
      continue;
    uint32_t end = k;
    while (end < n && words[end])
      end++;
    return words[first + fuzz_random(seed, end - first)];
  }
  return NULL;
}

size_t fuzz_swap(uint8_t *data,
                 size_t n,
                 size_t max,
                 unsigned s,
                 const char *const *words,
                 uint32_t nwords) {
  enum { MAX = 1 << 14 };
  uint32_t seed = s;
  if (fuzz_random(&seed, 32) == 0)
    return LLVMFuzzerMutate(data, n, max);
  token *t = ww_xmalloc(MAX * sizeof *t);
  bool all = !fuzz_random(&seed, 8);
  uint32_t nt = tokens_of(data, n, all, t, MAX), more = 1 + fuzz_random(&seed, 3);
  for (uint32_t tries = 0; nt && more && tries < 64; tries++) {
    uint32_t at = fuzz_random(&seed, nt), from = at - 1 - fuzz_random(&seed, 24);
    int kind = kind_of((char)data[t[at].at]);
    const char *word = sibling_of(data, t[at], words, nwords, &seed);
    if (!word && kind == '0' && fuzz_random(&seed, 2))
      word = sibling_of((const uint8_t *)"0", (token){0, 1}, words, nwords, &seed);
    char text[256];
    size_t len = word ? strlen(word) : 0;
    if (word)
      memcpy(text, word, len);
    else if (from < at && t[from].n <= sizeof text &&
             kind_of((char)data[t[from].at]) == kind)
      memcpy(text, data + t[from].at, len = t[from].n);
    else
      continue;
    n = put(data, n, max, t[at], text, len);
    nt = tokens_of(data, n, all, t, MAX);
    more--;
  }
  free(t);
  return n;
}

/* ---- JSON: a value in the place of another ---- */

static bool is_scalar(uint8_t c) {
  return isalnum(c) || c == '-' || c == '+' || c == '.';
}

/* One past the value that begins at `at`, as far as brackets and quotes say. */
static size_t value_end(const uint8_t *s, size_t n, size_t at) {
  int depth = 0;
  size_t k = at;
  while (k < n && is_scalar(s[k]))
    k++;
  if (k > at)
    return k;
  for (; k < n; k++) {
    depth += s[k] == '{' || s[k] == '[';
    depth -= s[k] == '}' || s[k] == ']';
    if (s[k] == '"')
      for (k++; k < n && s[k] != '"'; k++)
        k += s[k] == '\\';
    if (depth <= 0)
      return k < n ? k + 1 : n;
  }
  return n;
}

static uint32_t values_of(const uint8_t *s, size_t n, token *out, uint32_t max) {
  uint32_t found = 0;
  for (size_t k = 0; k < n && found < max; k++) {
    bool opens = s[k] == '{' || s[k] == '[' || s[k] == '"', word = is_scalar(s[k]);
    if (!opens && !word)
      continue;
    size_t end = value_end(s, n, k);
    if (end <= k)
      continue;
    out[found++] = (token){k, end - k};
    if (!opens || s[k] == '"')
      k = end - 1;
  }
  return found;
}

/* With one comma beside it, so that a member or an element is gone. */
static token with_comma(const uint8_t *s, size_t n, token t) {
  size_t end = t.at + t.n;
  if (end < n && s[end] == ':')
    end = value_end(s, n, end + 1 + (end + 1 < n && s[end + 1] == ' '));
  if (end < n && s[end] == ',')
    end++;
  else if (t.at && s[t.at - 1] == ',')
    t.at--;
  return (token){t.at, end > t.at ? end - t.at : 0};
}

size_t fuzz_json_mutate(uint8_t *data, size_t n, size_t max, unsigned s) {
  static const char *const odd[] = {"null",
                                    "true",
                                    "false",
                                    "0",
                                    "-1",
                                    "1e999",
                                    "-1e999",
                                    "0.5",
                                    "1e-320",
                                    "[]",
                                    "{}",
                                    "\"\"",
                                    "[[]]",
                                    "65536",
                                    "2147483648",
                                    "4294967296",
                                    "18446744073709551615",
                                    "1e18",
                                    "\"\\u0000\"",
                                    "\"\\ud800\"",
                                    "[0,0]",
                                    "\"a\""};
  enum { MAX = 4096 };
  uint32_t seed = s;
  if (!fuzz_random(&seed, 3))
    return LLVMFuzzerMutate(data, n, max);
  token *t = ww_xmalloc(MAX * sizeof *t);
  for (uint32_t more = 1 + fuzz_random(&seed, 2); more; more--) {
    uint32_t nt = values_of(data, n, t, MAX);
    if (!nt)
      break;
    token at = t[fuzz_random(&seed, nt)], from = t[fuzz_random(&seed, nt)];
    char *text = ww_xmalloc(from.n + 2);
    memcpy(text, data + from.at, from.n);
    uint32_t what = fuzz_random(&seed, 8);
    if (what < 3)
      n = put(data, n, max, at, text, from.n);
    else if (what < 5) {
      const char *word = odd[fuzz_random(&seed, sizeof odd / sizeof *odd)];
      n = put(data, n, max, at, word, strlen(word));
    } else if (what < 6)
      n = put(data, n, max, with_comma(data, n, at), "", 0);
    else { /* once more, in front */
      text[from.n] = ',';
      n = put(data, n, max, (token){at.at, 0}, text, from.n + 1);
    }
    free(text);
  }
  free(t);
  return n;
}

/* ---- C: tokens and lines ---- */

static uint32_t words_of(const uint8_t *s, size_t n, token *out, uint32_t max) {
  uint32_t found = 0;
  for (size_t k = 0; k < n && found < max;) {
    size_t from = k++;
    if (isspace(s[from]))
      continue;
    bool word = isalnum(s[from]) || s[from] == '_';
    while (word && k < n && (isalnum(s[k]) || s[k] == '_' || s[k] == '.'))
      k++;
    out[found++] = (token){from, k - from};
  }
  return found;
}

static token line_at(const uint8_t *s, size_t n, size_t at) {
  size_t from = at, end = at;
  while (from && s[from - 1] != '\n')
    from--;
  while (end < n && s[end] != '\n')
    end++;
  return (token){from, end + (end < n) - from};
}

/* A number where a number was, a sign where a sign was. */
static const char *odd_word(uint8_t old, uint32_t *seed) {
  static const char *const numbers[] = {
      "0",  "1",   "-1",    "2147483647", "0x80000000u", "4294967295u", "1ull << 60",
      "33", "1.5", "1e30f", "0.0f",       "1024",        "65536",       "-2147483648"};
  static const char *const signs[] = {
      "+", "-",  "*",  "/", "%", "<<", ">>", "&", "|", "^", "<", ">=", "==", "!=", "&&",
      "=", "+=", "++", ";", ",", "?",  ":",  "(", ")", "[", "]", "{",  "}",  "."};
  static const char *const words[] = {
      "int",       "float",       "double",     "char",       "unsigned",
      "long long", "if",          "for",        "while",      "return",
      "break",     "threadIdx.x", "blockIdx.y", "__shared__", "__syncthreads()",
      "struct",    "template",    "volatile",   "const",      "goto",
      "sizeof"};
  if (isdigit(old))
    return numbers[fuzz_random(seed, sizeof numbers / sizeof *numbers)];
  if (isalpha(old) || old == '_')
    return words[fuzz_random(seed, sizeof words / sizeof *words)];
  return signs[fuzz_random(seed, sizeof signs / sizeof *signs)];
}

size_t fuzz_source_change(uint8_t *data, size_t n, size_t max, uint32_t *seed) {
  enum { MAX = 1 << 14 };
  token *t = ww_xmalloc(MAX * sizeof *t);
  uint32_t nt = words_of(data, n, t, MAX), what = fuzz_random(seed, 10);
  if (nt) {
    token at = t[fuzz_random(seed, nt)], from = t[fuzz_random(seed, nt)];
    if (what >= 8) {
      at = line_at(data, n, at.at);
      from = line_at(data, n, from.at);
    }
    uint8_t *text = ww_xmalloc(from.n + 2);
    const char *word = odd_word(data[at.at], seed);
    memcpy(text, data + from.at, from.n);
    text[from.n] = ' ';
    if (what < 2 || what == 8)
      n = put(data, n, max, at, "", 0);
    else if (what < 4)
      n = put(data, n, max, at, text, from.n);
    else if (what < 7)
      n = put(data, n, max, at, word, strlen(word));
    else
      n = put(data, n, max, (token){at.at, 0}, text, from.n + (what < 8));
    free(text);
  }
  free(t);
  return n;
}

size_t fuzz_source_mutate(uint8_t *data, size_t n, size_t max, unsigned s) {
  uint32_t seed = s;
  if (!fuzz_random(&seed, 4))
    return LLVMFuzzerMutate(data, n, max);
  for (uint32_t more = 1 + fuzz_random(&seed, 3); more; more--)
    n = fuzz_source_change(data, n, max, &seed);
  return n;
}
