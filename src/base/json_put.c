/* json_put.c - patterns of JSON: one pass over the pattern, a call of the writer for
 * each part. */
#include "json_put.h"

#include <assert.h>
#include <math.h>

typedef struct {
  ww_json *j;
  const char *p; /* what is left of the pattern */
  va_list args;
  char name[64];
  char optional; /* ? or !: `name` is written with its value, if at all */
} writer;

static void punctuation(writer *w) {
  switch (*w->p++) {
  case '{':
    ww_json_obj(w->j);
    break;
  case '}':
    ww_json_end_obj(w->j);
    break;
  case '[':
    ww_json_arr(w->j);
    break;
  case ']':
    ww_json_end_arr(w->j);
    break;
  }
}

/* Whether a value is written, its name before it. */
static bool is_written(writer *w, bool given) {
  bool named = w->optional;
  w->optional = 0;
  if (named && given)
    ww_json_key(w->j, w->name);
  return !named || given;
}

static void put_string(writer *w) {
  const char *s = va_arg(w->args, const char *);
  if (*w->p == ':') {
    w->p++;
    ww_json_key(w->j, s);
  } else if (is_written(w, s))
    ww_json_str(w->j, s);
}

static void convert(writer *w) {
  bool wide = *++w->p == 'l';
  w->p += wide;
  switch (*w->p++) {
  case 's':
    put_string(w);
    break;
  case 'd': {
    int64_t v = wide ? va_arg(w->args, long) : va_arg(w->args, int);
    if (is_written(w, v > 0))
      ww_json_int(w->j, v);
    break;
  }
  case 'u': {
    uint64_t v = wide ? va_arg(w->args, unsigned long) : va_arg(w->args, unsigned);
    if (is_written(w, v))
      ww_json_uint(w->j, v);
    break;
  }
  case 'g': {
    double v = va_arg(w->args, double);
    if (is_written(w, w->optional == '!' ? isfinite(v) : v > 0))
      ww_json_num(w->j, v);
    break;
  }
  case 'i': {
    bool v = va_arg(w->args, int);
    if (is_written(w, v))
      ww_json_bool(w->j, v);
    break;
  }
  default:
    assert(!"a conversion that patterns have");
  }
}

static void word(writer *w) {
  bool quoted = *w->p == '\'';
  size_t n = quoted ? strcspn(++w->p, "'") : strcspn(w->p, ":?!,}] ");
  assert(n < sizeof w->name);
  memcpy(w->name, w->p, n);
  w->name[n] = 0;
  w->p += n + quoted;
  w->optional = *w->p == '?' || *w->p == '!' ? *w->p++ : 0;
  bool named = *w->p == ':';
  w->p += named;
  if (named && !w->optional)
    ww_json_key(w->j, w->name);
  else if (quoted)
    ww_json_str(w->j, w->name);
  else if (!named)
    ww_json_raw(w->j, w->name);
}

void ww_json_vput(ww_json *j, const char *pattern, va_list args) {
  writer w = {.j = j, .p = pattern};
  va_copy(w.args, args);
  while (*w.p)
    if (*w.p == '%')
      convert(&w);
    else if (strchr("{}[], ", *w.p))
      punctuation(&w);
    else
      word(&w);
  va_end(w.args);
}

void ww_json_put(ww_json *j, const char *pattern, ...) {
  va_list args;
  va_start(args, pattern);
  ww_json_vput(j, pattern, args);
  va_end(args);
}

void ww_json_strings(ww_json *j, const char *key, const char *const *v, uint32_t n) {
  ww_json_put(j, "%s:[", key);
  for (uint32_t i = 0; i < n; i++)
    ww_json_str(j, v[i]);
  ww_json_end_arr(j);
}
