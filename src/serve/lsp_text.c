/* lsp_text.c - positions as editors count them (lines, UTF-16 units) and as we do
 * (bytes); URIs and paths.
 *
 * Lines end at \n, \r\n or \r. Bytes that are no UTF-8 count as one unit each: any text
 * has positions. */
#include "lsp_int.h"

#include <ctype.h>

/* Bytes of the character at p, of which there are `left`; its UTF-16 units in *units.
 */
static size_t step(const char *p, size_t left, uint32_t *units) {
  unsigned char c = (unsigned char)*p;
  size_t n = c < 0x80             ? 1
             : (c & 0xe0) == 0xc0 ? 2
             : (c & 0xf0) == 0xe0 ? 3
             : (c & 0xf8) == 0xf0 ? 4
                                  : 1;
  *units = n == 4 ? 2 : 1;
  for (size_t k = 1; k < n; k++)
    if (k >= left || ((unsigned char)p[k] & 0xc0) != 0x80) {
      *units = 1;
      return 1;
    }
  return n;
}

static size_t line_end(const char *text, size_t n, size_t at) {
  while (at < n && text[at] != '\n' && text[at] != '\r')
    at++;
  return at;
}

static size_t next_line(const char *text, size_t n, size_t end) {
  if (end < n && text[end] == '\r' && end + 1 < n && text[end + 1] == '\n')
    return end + 2;
  return end < n ? end + 1 : n;
}

bool ww_text_line(
    const char *text, size_t n, uint32_t line, size_t *begin, size_t *end) {
  size_t at = 0;
  for (;; line--) {
    *begin = at;
    *end = line_end(text, n, at);
    if (!line)
      return true;
    if (*end == n)
      return false;
    at = next_line(text, n, *end);
  }
}

size_t ww_text_offset(const char *text, size_t n, ww_position at) {
  size_t begin;
  size_t end;
  if (!ww_text_line(text, n, at.line, &begin, &end))
    return n;
  for (uint32_t col = 0, units; begin < end && col < at.col; col += units)
    begin += step(text + begin, end - begin, &units);
  return begin;
}

ww_position ww_text_position(const char *text, size_t n, size_t offset) {
  ww_position p = {0};
  size_t at = 0;
  if (offset > n)
    offset = n;
  for (;; p.line++) {
    size_t end = line_end(text, n, at);
    if (offset <= end || end == n)
      break;
    size_t next = next_line(text, n, end);
    if (offset < next)
      offset = end; /* inside \r\n */
    if (offset == end)
      break;
    at = next;
  }
  for (uint32_t units; at < offset; p.col += units)
    at += step(text + at, offset - at, &units);
  return p;
}

/* A client's numbers may be anything. */
static bool count(const cJSON *v, uint32_t *out) {
  if (!cJSON_IsNumber(v) || !(v->valuedouble >= 0))
    return false;
  *out = v->valuedouble > 0x7fffffff ? 0x7fffffff : v->valuedouble;
  return true;
}

bool ww_position_read(const cJSON *v, ww_position *out) {
  return count(cJSON_GetObjectItemCaseSensitive(v, "line"), &out->line) &&
         count(cJSON_GetObjectItemCaseSensitive(v, "character"), &out->col);
}

bool ww_range_read(const cJSON *of, ww_position *from, ww_position *to) {
  const cJSON *range = cJSON_GetObjectItemCaseSensitive(of, "range");
  bool begins =
      ww_position_read(cJSON_GetObjectItemCaseSensitive(range, "start"), from);
  return ww_position_read(cJSON_GetObjectItemCaseSensitive(range, "end"), to) && begins;
}

void ww_range_write(ww_json *j, ww_position from, ww_position to) {
  ww_json_put(j, "range:{start:{line:%u,character:%u},end:{line:%u,character:%u}}",
              from.line, from.col, to.line, to.col);
}

/* ---- URIs ---- */

static int hex(char c) {
  return isdigit((unsigned char)c)    ? c - '0'
         : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
                                      : -1;
}

/* Percent signs undone; NULL: a NUL byte would be in it. */
static char *decode(const char *s, ww_arena *a) {
  char *out = ww_alloc(a, strlen(s) + 1);
  char *o = out;
  for (; *s; s++) {
    int v = *s == '%' && s[1] && hex(s[1]) >= 0 && hex(s[2]) >= 0
                ? hex(s[1]) * 16 + hex(s[2])
                : -1;
    if (!v)
      return NULL;
    *o++ = v < 0 ? *s : (char)v;
    if (v > 0)
      s += 2;
  }
  return out;
}

/* A text that was never saved has a name that says which language it is, in a folder
 * that cannot be. */
static const char *untitled(const char *name, const char *lang, ww_arena *a) {
  char *flat = ww_strdup(a, name);
  const char *ext = lang && strstr(lang, "opencl") ? ".cl"
                    : lang && !strcmp(lang, "hip") ? ".hip"
                    : lang && !strcmp(lang, "c")   ? ".c"
                    : lang && !strcmp(lang, "cpp") ? ".cpp"
                                                   : ".cu";
  for (char *p = flat; *p; p++)
    if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_')
      *p = '_';
  return ww_fmt(a, "/untitled/%s%s", flat, ext);
}

const char *ww_uri_path(const char *uri, const char *lang, ww_arena *a) {
  if (ww_starts(uri, "untitled:"))
    return untitled(uri + 9, lang, a);
  if (!ww_starts(uri, "file://"))
    return NULL;
  const char *rest = uri + 7;
  if (ww_starts(rest, "localhost/"))
    rest += 9;
  char *path = *rest == '/' ? decode(rest, a) : NULL;
  return path && strlen(path) < 4096 ? path : NULL;
}

const char *ww_path_uri(const char *path, ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(&b, "file://");
  for (const char *p = path; *p; p++)
    if (isalnum((unsigned char)*p) || strchr("/-._~", *p))
      ww_buf_add(&b, p, 1);
    else
      ww_buf_fmt(&b, "%%%02X", (unsigned char)*p);
  char *out = ww_strdup(a, b.s);
  ww_buf_free(&b);
  return out;
}
