/* buf.c - a growing string, always NUL-terminated. */
#include "base.h"

static void reserve(ww_buf *b, size_t more) {
  if (b->s && b->n + more + 1 <= b->cap)
    return;
  size_t cap = b->cap ? b->cap : 128;
  while (cap < b->n + more + 1)
    cap *= 2;
  b->s = ww_xrealloc(b->s, cap);
  b->cap = cap;
  b->s[b->n] = 0;
}

void ww_buf_add(ww_buf *b, const void *bytes, size_t n) {
  reserve(b, n);
  if (n)
    memcpy(b->s + b->n, bytes, n);
  b->n += n;
  b->s[b->n] = 0;
}

void ww_buf_puts(ww_buf *b, const char *s) {
  ww_buf_add(b, s, strlen(s));
}

void ww_buf_printable(ww_buf *b, const char *s, size_t n) {
  unsigned char before = 0;
  ww_buf_puts(b, "");
  for (; n && s && *s; s++, n--) {
    unsigned char c = *s;
    /* U+0080 to U+009F are control characters too, as two bytes or as one */
    bool high = c >= 0x80 && c < 0xA0 && (before < 0x80 || before == 0xC2);
    b->n -= high && before == 0xC2;
    bool control = c < ' ' || c == 127 || high;
    ww_buf_add(b, control ? (strchr("\n\r\t", c) ? " " : "?") : s, 1);
    before = c;
  }
}

void ww_buf_fmt(ww_buf *b, const char *fmt, ...) {
  va_list ap;
  va_list again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  reserve(b, n < 0 ? 0 : n);
  if (n > 0) {
    vsnprintf(b->s + b->n, (size_t)n + 1, fmt, again);
    b->n += n;
  }
  va_end(again);
}

void ww_buf_free(ww_buf *b) {
  free(b->s);
  *b = (ww_buf){0};
}

char *ww_buf_text(ww_buf *b, ww_arena *a) {
  char *text = ww_strndup(a, b->s ? b->s : "", b->n);
  ww_buf_free(b);
  return text;
}
