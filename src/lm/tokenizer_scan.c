/* tokenizer_scan.c - JSON read as it comes, for files of a million strings of which no
 * tree need be kept.
 *
 * Invariant: the cursor never passes the end, and strings handed out are valid UTF-8.
 * The first error is the one that is reported. */

#include "tokenizer_int.h"

#define DEPTH 64

bool ww_scan_fail(ww_text_scan *s, const char *what) {
  uint32_t line = 1;
  const char *from = s->start;
  for (const char *p = s->start; p < s->p; p++)
    if (*p == '\n') {
      line++;
      from = p + 1;
    }
  ww_fail(s->e, WW_EPARSE, "tokenizer.json, line %u, column %u: %s%s", line,
          (uint32_t)(s->p - from) + 1, what,
          s->p >= s->end ? "; the file ends here" : "");
  return false;
}

char ww_scan_peek(ww_text_scan *s) {
  while (s->p < s->end &&
         (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r'))
    s->p++;
  return s->p < s->end ? *s->p : 0;
}

bool ww_scan_open(ww_text_scan *s, char bracket) {
  if (ww_scan_peek(s) != bracket || s->p >= s->end)
    return ww_scan_fail(s, bracket == '[' ? "an array is expected"
                                          : "an object is expected");
  s->p++;
  return true;
}

bool ww_scan_more(ww_text_scan *s, char close, bool *first, bool *end) {
  char c = ww_scan_peek(s);
  *end = false;
  if (c == close) {
    s->p++;
    return *end = true;
  }
  if (!*first) {
    if (c != ',')
      return ww_scan_fail(s, "a comma or the closing bracket is expected");
    s->p++;
  }
  *first = false;
  return true;
}

/* What follows a backslash, appended to s->text. */
static bool escape(ww_text_scan *s) {
  const char *what;
  char utf8[4];
  uint32_t n = ww_utf8_unescape(&s->p, s->end, utf8, &what);
  ww_buf_add(&s->text, utf8, n);
  return n || ww_scan_fail(s, what);
}

bool ww_scan_string(ww_text_scan *s, ww_token_span *out) {
  if (ww_scan_peek(s) != '"' || s->p >= s->end)
    return ww_scan_fail(s, "a string is expected");
  const char *from = ++s->p;
  bool copied = false, ascii;
  s->text.n = 0;
  for (;;) {
    while (s->p < s->end && *s->p != '"' && *s->p != '\\' && (uint8_t)*s->p >= 0x20)
      s->p++;
    if (s->p >= s->end)
      return ww_scan_fail(s, "a string does not end");
    if ((uint8_t)*s->p < 0x20)
      return ww_scan_fail(s, "a control character in a string");
    if (*s->p == '"' && !copied)
      break;
    ww_buf_add(&s->text, from, s->p - from);
    copied = true;
    if (*s->p++ == '"')
      break;
    if (!escape(s))
      return false;
    from = s->p;
  }
  size_t n = copied ? s->text.n : (size_t)(s->p - from);
  if (!copied)
    s->p++;
  if (n > UINT32_MAX)
    return ww_scan_fail(s, "a string of more than 4 GB");
  *out = (ww_token_span){copied ? s->text.s : from, n};
  if (ww_utf8_valid(out->s, n, &ascii) != n)
    return ww_scan_fail(s, "a string is not UTF-8");
  return true;
}

bool ww_scan_key(ww_text_scan *s, ww_token_span *out) {
  if (!ww_scan_string(s, out))
    return false;
  if (ww_scan_peek(s) != ':')
    return ww_scan_fail(s, "a colon is expected");
  s->p++;
  return true;
}

bool ww_scan_uint(ww_text_scan *s, uint32_t *out) {
  char c = ww_scan_peek(s);
  uint64_t v = 0;
  if (c < '0' || c > '9')
    return ww_scan_fail(s, "a whole number from 0 on is expected");
  for (; s->p < s->end && *s->p >= '0' && *s->p <= '9' && v <= UINT32_MAX; s->p++)
    v = v * 10 + (*s->p - '0');
  if (v > INT32_MAX)
    return ww_scan_fail(s, "an id beyond 2147483647");
  *out = v;
  return true;
}

/* The end of a string whose opening quote was eaten; escapes are only stepped over. */
static bool skip_string(ww_text_scan *s) {
  while (s->p < s->end && *s->p != '"')
    s->p += *s->p == '\\' && s->end - s->p > 1 ? 2 : 1;
  if (s->p >= s->end)
    return ww_scan_fail(s, "a string does not end");
  s->p++;
  return true;
}

bool ww_scan_skip(ww_text_scan *s, ww_token_span *out) {
  char open[DEPTH];
  uint32_t depth = 0;
  ww_scan_peek(s);
  const char *from = s->p;
  if (s->p >= s->end)
    return ww_scan_fail(s, "a value is expected");
  do {
    char c = ww_scan_peek(s);
    if (s->p >= s->end)
      return ww_scan_fail(s, "a bracket is not closed");
    s->p++;
    if (c == '"') {
      if (!skip_string(s))
        return false;
    } else if (c == '{' || c == '[') {
      if (depth == DEPTH)
        return ww_scan_fail(s, "too many brackets within each other");
      open[depth++] = c;
    } else if (c == '}' || c == ']') {
      if (!depth || open[--depth] != (c == '}' ? '{' : '['))
        return ww_scan_fail(s, "a bracket too many");
    } else if (!depth) { /* a number or a word */
      while (s->p < s->end && !strchr(",]} \n\t\r", *s->p))
        s->p++;
    }
  } while (depth);
  if ((size_t)(s->p - from) > UINT32_MAX)
    return ww_scan_fail(s, "a value of more than 4 GB");
  *out = (ww_token_span){from, (s->p - from)};
  return true;
}
