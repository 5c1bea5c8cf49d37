/* split_utf8.c - UTF-8 checked, and Unicode's normal forms by utf8proc.
 *
 * Invariant: bytes that are no UTF-8 pass through unchanged, so byte-level tokenizers
 * lose nothing.
 */
#include <ctype.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "split.h"

uint32_t ww_utf8_length(uint8_t lead) {
  return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

uint32_t ww_utf8_put(char out[4], uint32_t code) {
  static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  uint32_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (uint32_t k = n; k-- > 1; code >>= 6)
    out[k] = 0x80 | (code & 63);
  out[0] = lead[n] | code;
  return n;
}

static bool hex4(const char **p, const char *end, uint32_t *out, const char **what) {
  *out = 0;
  if (end - *p < 4)
    return *what = "a \\u needs four digits", false;
  for (int k = 0; k < 4; k++, ++*p) {
    int c = tolower((uint8_t) * *p);
    if (!isxdigit(c))
      return *what = "a \\u needs four hexadecimal digits", false;
    *out = *out << 4 | (c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return true;
}

uint32_t
ww_utf8_unescape(const char **p, const char *end, char out[4], const char **what) {
  static const char from[] = "\"\\/bfnrt";
  static const char to[] = "\"\\/\b\f\n\r\t";
  char c = *p < end ? *(*p)++ : 0;
  const char *at = c ? strchr(from, c) : NULL;
  uint32_t code;
  uint32_t low;
  if (at) {
    *out = to[at - from];
    return 1;
  }
  *what = "no such escape";
  if (c != 'u' || !hex4(p, end, &code, what))
    return 0;
  if (code >= 0xd800 && code < 0xdc00 && end - *p > 6 && ww_starts(*p, "\\u")) {
    *p += 2;
    if (!hex4(p, end, &low, what))
      return 0;
    if (low >= 0xdc00 && low < 0xe000)
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  *what = "half a surrogate pair";
  return code >= 0xd800 && code < 0xe000 ? 0 : ww_utf8_put(out, code);
}

/* Bytes of the character at p, 0 where it is none: too long a form, a surrogate, beyond
 * U+10FFFF, cut off. */
static size_t character(const uint8_t *p, size_t n) {
  uint32_t c = p[0];
  if (c < 0x80)
    return 1;
  if (c < 0xc2 || c > 0xf4)
    return 0;
  size_t len = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
  if (n < len)
    return 0;
  for (size_t k = 1; k < len; k++)
    if ((p[k] & 0xc0) != 0x80)
      return 0;
  bool bad = (c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) ||
             (c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] > 0x8f);
  return bad ? 0 : len;
}

size_t ww_utf8_valid(const char *s, size_t n, bool *ascii) {
  const uint8_t *p = (const uint8_t *)s;
  size_t k = 0;
  *ascii = true;
  while (k < n) {
    uint64_t eight;
    if (n - k >= 8 && (memcpy(&eight, p + k, 8), !(eight & 0x8080808080808080u))) {
      k += 8;
      continue;
    }
    size_t len = character(p + k, n - k);
    if (!len)
      return k;
    if (len > 1)
      *ascii = false;
    k += len;
  }
  return k;
}

/* Whether the text is surely in that form: NFC where nothing is from U+0300 on, at
 * which combining marks begin; the others where all is ASCII. */
static bool is_normal(ww_normal_form form, const char *s, size_t n) {
  uint8_t from = form == WW_NFC ? 0xcc : 0x80; /* 0xcc 0x80 is U+0300 */
  for (size_t k = 0; k < n; k++)
    if ((uint8_t)s[k] >= from)
      return false;
  return true;
}

static void normalize_valid(ww_normal_form form, const char *s, size_t n, ww_buf *out) {
  static const int how[] = {[WW_NFC] = UTF8PROC_COMPOSE,
                            [WW_NFD] = UTF8PROC_DECOMPOSE,
                            [WW_NFKC] = UTF8PROC_COMPOSE | UTF8PROC_COMPAT,
                            [WW_NFKD] = UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT};
  utf8proc_uint8_t *to = NULL;
  utf8proc_ssize_t got = -1;
  if (n && !is_normal(form, s, n))
    got =
        utf8proc_map((const utf8proc_uint8_t *)s, n, &to, UTF8PROC_STABLE | how[form]);
  if (got >= 0)
    ww_buf_add(out, to, got);
  else
    ww_buf_add(out, s, n);
  free(to);
}

void ww_utf8_normalize(ww_normal_form form, const char *s, size_t n, ww_buf *out) {
  while (n) {
    bool ascii;
    size_t good = ww_utf8_valid(s, n, &ascii);
    normalize_valid(form, s, good, out);
    s += good;
    n -= good;
    if (n) {
      ww_buf_add(out, s, 1);
      s++;
      n--;
    }
  }
}
