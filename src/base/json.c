/* json.c - the streaming JSON writer, the only place that prints JSON.
 *
 * comma[d] says whether the container at depth d already has a member; a key clears it
 * for its value, so that the same two lines serve arrays and objects. */
#include "base.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

void ww_json_begin(ww_json *j, ww_buf *out) {
  bool pretty = j->pretty;
  *j = (ww_json){.out = out, .pretty = pretty};
}

static ww_buf *out_of(ww_json *j) {
  return j->out ? j->out : &j->own;
}

static void newline(ww_json *j) {
  ww_buf_puts(out_of(j), "\n");
  for (int i = 0; i < j->depth; i++)
    ww_buf_puts(out_of(j), "  ");
}

static void before(ww_json *j) {
  if (j->after_key) {
    j->after_key = false;
    return;
  }
  if (j->comma[j->depth])
    ww_buf_puts(out_of(j), ",");
  if (j->pretty && j->depth)
    newline(j);
  j->comma[j->depth] = true;
}

static void open_container(ww_json *j, const char *bracket) {
  before(j);
  ww_buf_puts(out_of(j), bracket);
  j->depth++;
  assert(j->depth < (int)(sizeof j->comma / sizeof *j->comma));
  j->comma[j->depth] = false;
}

static void close_container(ww_json *j, const char *bracket) {
  assert(j->depth > 0 && !j->after_key);
  bool members = j->comma[j->depth--];
  if (j->pretty && members)
    newline(j);
  ww_buf_puts(out_of(j), bracket);
}

void ww_json_obj(ww_json *j) {
  open_container(j, "{");
}
void ww_json_end_obj(ww_json *j) {
  close_container(j, "}");
}
void ww_json_arr(ww_json *j) {
  open_container(j, "[");
}
void ww_json_end_arr(ww_json *j) {
  close_container(j, "]");
}

/* Bytes of the UTF-8 sequence at s, 0 when it is not one (overlong, surrogate, beyond
 * U+10FFFF, cut short). */
static int utf8_length(const unsigned char *s) {
  if (s[0] < 0x80)
    return 1;
  int n = s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
  if (s[0] > 0xf4)
    return 0;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)))
    return 0;
  if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)))
    return 0;
  return n;
}

static void quoted(ww_buf *b, const char *text) {
  static const char plain[] = "\"\\\n\t\r";
  static const char escaped[] = "\"\\ntr";
  const unsigned char *s = (const unsigned char *)text;
  const char *at;
  ww_buf_puts(b, "\"");
  while (*s) {
    int n = utf8_length(s);
    if (n == 0) {
      ww_buf_puts(b, "\\ufffd");
      n = 1;
    } else if ((at = strchr(plain, *s))) {
      ww_buf_fmt(b, "\\%c", escaped[at - plain]);
    } else if (*s < 0x20 || *s == 0x7f) {
      ww_buf_fmt(b, "\\u%04x", *s);
    } else {
      ww_buf_add(b, s, n);
    }
    s += n;
  }
  ww_buf_puts(b, "\"");
}

void ww_json_key(ww_json *j, const char *key) {
  before(j);
  quoted(out_of(j), key);
  ww_buf_puts(out_of(j), j->pretty ? ": " : ":");
  j->after_key = true;
}

void ww_json_str(ww_json *j, const char *s) {
  before(j);
  if (s)
    quoted(out_of(j), s);
  else
    ww_buf_puts(out_of(j), "null");
}

void ww_json_num(ww_json *j, double v) {
  before(j);
  if (!isfinite(v)) {
    ww_buf_puts(out_of(j), "null");
    return;
  }
  char text[32];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (strtod(text, NULL) == v)
      break;
  }
  ww_buf_puts(out_of(j), text);
}

void ww_json_int(ww_json *j, int64_t v) {
  before(j);
  ww_buf_fmt(out_of(j), "%" PRId64, v);
}

void ww_json_uint(ww_json *j, uint64_t v) {
  before(j);
  ww_buf_fmt(out_of(j), "%" PRIu64, v);
}

void ww_json_bool(ww_json *j, bool v) {
  before(j);
  ww_buf_puts(out_of(j), v ? "true" : "false");
}

void ww_json_raw(ww_json *j, const char *json) {
  before(j);
  ww_buf_puts(out_of(j), json);
}

void ww_json_kstr(ww_json *j, const char *key, const char *s) {
  ww_json_key(j, key);
  ww_json_str(j, s);
}

void ww_json_knum(ww_json *j, const char *key, double v) {
  ww_json_key(j, key);
  ww_json_num(j, v);
}

void ww_json_kint(ww_json *j, const char *key, int64_t v) {
  ww_json_key(j, key);
  ww_json_int(j, v);
}

void ww_json_kuint(ww_json *j, const char *key, uint64_t v) {
  ww_json_key(j, key);
  ww_json_uint(j, v);
}

void ww_json_kbool(ww_json *j, const char *key, bool v) {
  ww_json_key(j, key);
  ww_json_bool(j, v);
}
