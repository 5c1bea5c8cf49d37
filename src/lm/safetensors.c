/* safetensors.c - reads the header of a safetensors file: 8 bytes of length, JSON, then
 * the data.
 *
 * The JSON is read in one pass without a tree: headers may have a hundred megabytes,
 * and what is kept is one ww_tensor and a name each. As the format's own reader does,
 * every byte of the data must belong to exactly one tensor. */
#include <inttypes.h>

#include "split.h"
#include "weights_int.h"

#define MAX_HEADER (100 << 20) /* the format's own limit */

typedef struct {
  const char *p, *end;
  ww_arena *a;
  const char *about; /* the tensor that is being read, for messages */
  ww_err *e;
} reader;

/* ---- a little JSON ---- */

static ww_status bad(const reader *r, const char *what) {
  return ww_fail(r->e, WW_EPARSE, "the header%s%.150s%s: %s",
                 r->about ? ", tensor \"" : "", r->about ? r->about : "",
                 r->about ? "\"" : "", what);
}

static int peek(reader *r) {
  while (r->p < r->end &&
         (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r'))
    r->p++;
  return r->p < r->end ? (uint8_t)*r->p : -1;
}

static bool take(reader *r, char c) {
  if (peek(r) != c)
    return false;
  r->p++;
  return true;
}

static ww_status read_text(reader *r, const char **out, size_t *length) {
  if (!take(r, '"'))
    return bad(r, "expected a string");
  const char *close = r->p;
  const char *wrong;
  while (close < r->end && *close != '"')
    close += *close == '\\' ? 2 : 1;
  if (close >= r->end)
    return bad(r, "a string does not end");
  char *text = ww_alloc(r->a, (close - r->p) + 1); /* never longer than as written */
  size_t n = 0;
  while (r->p < close) {
    char c = *r->p++;
    if ((unsigned char)c < 0x20)
      return bad(r, "a control character in a string");
    if (c != '\\') {
      text[n++] = c;
      continue;
    }
    uint32_t bytes = ww_utf8_unescape(&r->p, r->end, text + n, &wrong);
    if (!bytes || !text[n])
      return bad(r, "a string with a wrong escape");
    n += bytes;
  }
  r->p = close + 1;
  text[n] = 0;
  *out = text;
  if (length)
    *length = n;
  return WW_OK;
}

static ww_status read_key(reader *r, const char **out) {
  ww_status rc = read_text(r, out, NULL);
  return rc || take(r, ':') ? rc : bad(r, "expected ':'");
}

static ww_status read_whole(reader *r, uint64_t *out) {
  int c = peek(r);
  if (c < '0' || c > '9')
    return bad(r, "expected a whole number of at least 0");
  *out = 0;
  const char *start = r->p;
  while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
    if (__builtin_mul_overflow(*out, 10, out) ||
        __builtin_add_overflow(*out, (uint64_t)(*r->p++ - '0'), out))
      return bad(r, "a number beyond 64 bits");
  if (r->p - start > 1 && *start == '0')
    return bad(r, "a number that begins with 0");
  if (r->p < r->end && (*r->p == '.' || *r->p == 'e' || *r->p == 'E'))
    return bad(r, "expected a whole number");
  return WW_OK;
}

static ww_status read_wholes(reader *r, uint64_t *out, uint32_t most, uint32_t *n) {
  *n = 0;
  if (!take(r, '['))
    return bad(r, "expected an array");
  if (take(r, ']'))
    return WW_OK;
  do {
    if (*n == most)
      return bad(
          r,
          "an array of more numbers than a tensor has here (4 dimensions, 2 offsets)");
    ww_status rc = read_whole(r, &out[(*n)++]);
    if (rc)
      return rc;
  } while (take(r, ','));
  return take(r, ']') ? WW_OK : bad(r, "an array does not end");
}

/* ---- a tensor ---- */

static const struct {
  const char *name;
  uint32_t bytes;
} kinds[] = {
    {"F32", 4}, {"F16", 2},     {"BF16", 2},    {"I8", 1},      {"I32", 4}, {"I64", 8},
    {"U8", 1},  {"F64", 8},     {"BOOL", 1},    {"I16", 2},     {"U16", 2}, {"U32", 4},
    {"U64", 8}, {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"F8_E8M0", 1}, {"C64", 8},
};

typedef struct {
  const char *dtype;
  uint64_t offset[2];
  bool shape_given, offsets_given;
} entry;

static ww_status read_member(reader *r, ww_tensor *t, entry *en) {
  const char *key;
  uint32_t n = 0;
  ww_status rc = read_key(r, &key);
  if (rc)
    return rc;
  if (!strcmp(key, "dtype") && !en->dtype)
    return read_text(r, &en->dtype, NULL);
  if (!strcmp(key, "shape") && !en->shape_given) {
    en->shape_given = true;
    return read_wholes(r, t->dim, 4, &t->ndim);
  }
  if (!strcmp(key, "data_offsets") && !en->offsets_given) {
    en->offsets_given = true;
    rc = read_wholes(r, en->offset, 2, &n);
    return rc || n == 2 ? rc : bad(r, "data_offsets are two numbers");
  }
  return bad(r,
             "a member that is not dtype, shape or data_offsets, or one of them twice");
}

/* Against what the file has: data [n bytes]. */
static ww_status
settle(reader *r, ww_tensor *t, const entry *en, const uint8_t *data, uint64_t n) {
  if (!en->dtype || !en->shape_given || !en->offsets_given)
    return bad(r, "dtype, shape or data_offsets is missing");
  size_t k = 0;
  size_t nkinds = sizeof kinds / sizeof *kinds;
  while (k < nkinds && strcmp(kinds[k].name, en->dtype))
    k++;
  if (k == nkinds)
    return ww_fail(r->e, WW_EUNSUPPORTED,
                   "tensor \"%.150s\" has the unknown type \"%.40s\"", t->name,
                   en->dtype);
  uint64_t values;
  uint64_t from = en->offset[0];
  uint64_t to = en->offset[1];
  if (!ww_product(t->dim, t->ndim, &values) ||
      __builtin_mul_overflow(values, kinds[k].bytes, &t->bytes))
    return bad(r, "its dimensions are absurd: their product does not fit 64 bits");
  if (from > to || to > n)
    return ww_fail(r->e, WW_EPARSE,
                   "tensor \"%.150s\" lies at %" PRIu64 " to %" PRIu64
                   ", but there are %" PRIu64 " bytes of data: is "
                   "the file cut short?",
                   t->name, from, to, n);
  if (to - from != t->bytes)
    return ww_fail(r->e, WW_EPARSE,
                   "tensor \"%.150s\" has %" PRIu64
                   " bytes where its shape takes %" PRIu64,
                   t->name, to - from, t->bytes);
  t->type = ww_dtype_named(en->dtype);
  t->type_name = kinds[k].name;
  t->data = data + from;
  return WW_OK;
}

static ww_status read_tensor(
    reader *r, ww_weights *w, const char *name, const uint8_t *data, uint64_t n) {
  ww_tensor t = {.name = name};
  entry en = {0};
  r->about = name;
  if (!take(r, '{'))
    return bad(r, "expected an object");
  do {
    ww_status rc = read_member(r, &t, &en);
    if (rc)
      return rc;
  } while (take(r, ','));
  if (!take(r, '}'))
    return bad(r, "expected ',' or '}'");
  ww_status rc = settle(r, &t, &en, data, n);
  r->about = NULL;
  return rc ? rc : ww_weights_add_tensor(w, &t, r->e);
}

/* ---- the header ---- */

/* Of shards, the first one's counts. */
static ww_status read_metadata(reader *r, ww_weights *w) {
  bool first = w->metas.n == 0;
  if (!take(r, '{'))
    return bad(r, "__metadata__ is no object");
  if (take(r, '}'))
    return WW_OK;
  do {
    ww_meta m = {.kind = WW_META_TEXT};
    size_t n = 0;
    ww_status rc = read_key(r, &m.key);
    if (!rc)
      rc = read_text(r, &m.text, &n);
    m.text_n = n;
    if (!rc && first)
      rc = ww_weights_add_meta(w, &m, r->e);
    if (rc)
      return rc;
  } while (take(r, ','));
  return take(r, '}') ? WW_OK : bad(r, "__metadata__ does not end");
}

static ww_status
read_header(reader *r, ww_weights *w, const uint8_t *data, uint64_t n) {
  if (!take(r, '{'))
    return bad(r, "expected an object: is it a safetensors file?");
  bool metadata = false;
  if (!take(r, '}')) {
    do {
      const char *name;
      ww_status rc = read_key(r, &name);
      if (rc)
        return rc;
      if (strcmp(name, "__metadata__"))
        rc = read_tensor(r, w, name, data, n);
      else if (metadata)
        rc = bad(r, "__metadata__ twice");
      else {
        metadata = true;
        rc = read_metadata(r, w);
      }
      if (rc)
        return rc;
    } while (take(r, ','));
    if (!take(r, '}'))
      return bad(r, "expected ',' or '}'");
  }
  return peek(r) == -1 ? WW_OK : bad(r, "something behind its end");
}

ww_status
ww_weights_add_safetensors(ww_weights *w, const uint8_t *bytes, size_t n, ww_err *e) {
  uint64_t length = 0;
  if (n < 8)
    return ww_fail(e, WW_EPARSE, "no safetensors file: only %zu bytes", n);
  for (int i = 7; i >= 0; i--)
    length = length << 8 | bytes[i]; /* little end first */
  if (length > MAX_HEADER || length > n - 8)
    return ww_fail(e, WW_EPARSE,
                   "no safetensors file, or cut short: a header of %" PRIu64
                   " bytes in %zu bytes",
                   length, n);
  const uint8_t *data = bytes + 8 + length;
  reader r = {
      .p = (const char *)bytes + 8, .end = (const char *)data, .a = w->a, .e = e};
  uint32_t first = w->tensors.n;
  ww_status rc = read_header(&r, w, data, n - 8 - length);
  return rc ? rc : ww_weights_check_ranges(w, first, data, n - 8 - length, true, e);
}
