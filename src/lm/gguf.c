/* gguf.c - reads GGUF: magic, version, counts; key/value pairs; one record per tensor;
 * then the data, aligned.
 *
 * Every count is checked against the bytes that are left before anything is taken for
 * it, and all arrays together have at most 2^22 items, so a lying header costs no
 * memory. Texts are copied, with a NUL behind them; tensors stay where they are. */
#include <inttypes.h>

#include "../base/half.h"
#include "weights_int.h"

enum { MAX_ITEMS = 1 << 22, MAX_DEPTH = 3, MAX_KEY = 65535 };

typedef struct {
  const uint8_t *start, *p, *end;
  ww_arena *a;
  uint64_t items; /* of arrays, so far */
  ww_err *e;
} reader;

/* GGUF's kinds of values, in its numbering. */
enum { U8, I8, U16, I16, U32, I32, F32, BOOL, TEXT, ARRAY, U64, I64, F64, NKINDS };
static const uint8_t kind_bytes[NKINDS] = {1, 1, 2, 2, 4, 4, 4,
                                           /* the least that one takes */
                                           1, 8, 12, 8, 8, 8};
static const ww_meta_kind kind_of[NKINDS] = {
    WW_META_UINT, WW_META_INT,  WW_META_UINT, WW_META_INT,  WW_META_UINT,
    WW_META_INT,  WW_META_REAL, WW_META_BOOL, WW_META_TEXT, WW_META_ARRAY,
    WW_META_UINT, WW_META_INT,  WW_META_REAL};

/* Types of tensors, in ggml's numbering; bytes 0: no such type. */
static const struct {
  const char *name;
  uint16_t values, bytes; /* of one block */
} tensor_types[] = {
    [0] = {"F32", 1, 4},         [1] = {"F16", 1, 2},
    [2] = {"Q4_0", 32, 18},      [3] = {"Q4_1", 32, 20},
    [6] = {"Q5_0", 32, 22},      [7] = {"Q5_1", 32, 24},
    [8] = {"Q8_0", 32, 34},      [9] = {"Q8_1", 32, 36},
    [10] = {"Q2_K", 256, 84},    [11] = {"Q3_K", 256, 110},
    [12] = {"Q4_K", 256, 144},   [13] = {"Q5_K", 256, 176},
    [14] = {"Q6_K", 256, 210},   [15] = {"Q8_K", 256, 292},
    [16] = {"IQ2_XXS", 256, 66}, [17] = {"IQ2_XS", 256, 74},
    [18] = {"IQ3_XXS", 256, 98}, [19] = {"IQ1_S", 256, 50},
    [20] = {"IQ4_NL", 32, 18},   [21] = {"IQ3_S", 256, 110},
    [22] = {"IQ2_S", 256, 82},   [23] = {"IQ4_XS", 256, 136},
    [24] = {"I8", 1, 1},         [25] = {"I16", 1, 2},
    [26] = {"I32", 1, 4},        [27] = {"I64", 1, 8},
    [28] = {"F64", 1, 8},        [29] = {"IQ1_M", 256, 56},
    [30] = {"BF16", 1, 2},       [34] = {"TQ1_0", 256, 54},
    [35] = {"TQ2_0", 256, 66},   [39] = {"MXFP4", 32, 17},
};

static ww_status cut(reader *r, const char *what) {
  return ww_fail(r->e, WW_EPARSE,
                 "the file is cut short, or its header lies: it ends within %s", what);
}

static uint64_t left(const reader *r) {
  return r->end - r->p;
}

/* A whole number of n bytes, little end first; the caller knows that they are there. */
static uint64_t whole(reader *r, int n) {
  uint64_t v = 0;
  for (int i = 0; i < n; i++)
    v |= (uint64_t)r->p[i] << 8 * i;
  r->p += n;
  return v;
}

static ww_status
text(reader *r, const char *what, uint64_t most, const char **out, uint32_t *n) {
  if (left(r) < 8)
    return cut(r, what);
  uint64_t length = whole(r, 8);
  if (length > left(r))
    return cut(r, what);
  if (length > most)
    return ww_fail(r->e, WW_ELIMIT,
                   "%s has %" PRIu64 " bytes; at most %" PRIu64 " are read", what,
                   length, most);
  *out = ww_strndup(r->a, (const char *)r->p, length);
  if (n)
    *n = length;
  r->p += length;
  return WW_OK;
}

/* A key or a tensor's name: at least one byte, none of them NUL. */
static ww_status name_of(reader *r, const char *what, const char **out) {
  uint32_t n = 0;
  ww_status rc = text(r, what, MAX_KEY, out, &n);
  if (rc)
    return rc;
  return n && strlen(*out) == n
             ? WW_OK
             : ww_fail(r->e, WW_EPARSE, "%s is empty or has a NUL in it", what);
}

/* ---- key/value pairs ---- */

static ww_status value(reader *r, uint32_t kind, int depth, ww_meta *m);

static ww_status array(reader *r, int depth, ww_meta *m) {
  if (left(r) < 12)
    return cut(r, m->key);
  uint32_t of = whole(r, 4);
  m->n = whole(r, 8);
  if (of >= NKINDS)
    return ww_fail(r->e, WW_EPARSE, "\"%.100s\" is an array of the unknown kind %u",
                   m->key, of);
  m->of = kind_of[of];
  if (m->n > left(r) / kind_bytes[of])
    return cut(r, m->key);
  if (depth == MAX_DEPTH)
    return ww_fail(r->e, WW_ELIMIT,
                   "\"%.100s\": arrays of arrays of arrays of arrays are not read",
                   m->key);
  r->items += m->n;
  if (m->n > MAX_ITEMS || r->items > MAX_ITEMS)
    return ww_fail(r->e, WW_ELIMIT,
                   "\"%.100s\": the metadata's arrays have more than %d items", m->key,
                   MAX_ITEMS);
  m->items = WW_NEWN(r->a, ww_meta, m->n);
  for (uint64_t i = 0; i < m->n; i++) {
    m->items[i].key = m->key; /* for messages, while it is read */
    ww_status rc = value(r, of, depth + 1, m->items + i);
    m->items[i].key = NULL;
    if (rc)
      return rc;
  }
  return WW_OK;
}

static void number(reader *r, uint32_t kind, ww_meta *m) {
  int n = kind_bytes[kind];
  m->u = whole(r, n);
  if (kind == F32) {
    m->real = ww_bits_float(m->u);
  } else if (kind == F64) {
    memcpy(&m->real, &m->u, 8);
  } else if (kind == I8 || kind == I16 || kind == I32) {
    uint64_t sign = (uint64_t)1 << (8 * n - 1);
    m->u = (m->u ^ sign) - sign;
  } else if (kind == BOOL) {
    m->u = m->u != 0;
  }
  if (m->kind == WW_META_REAL)
    m->u = 0;
  if (m->kind == WW_META_UINT)
    m->real = m->u;
  if (m->kind == WW_META_INT)
    m->real = (int64_t)m->u;
}

static ww_status value(reader *r, uint32_t kind, int depth, ww_meta *m) {
  m->kind = kind_of[kind];
  if (left(r) < kind_bytes[kind])
    return cut(r, m->key);
  if (kind == ARRAY)
    return array(r, depth, m);
  if (kind == TEXT)
    return text(r, m->key, UINT32_MAX, &m->text, &m->text_n);
  number(r, kind, m);
  return WW_OK;
}

static ww_status pairs(reader *r, ww_weights *w, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    ww_meta m = {0};
    ww_status rc = name_of(r, "a key", &m.key);
    if (rc)
      return rc;
    if (left(r) < 4)
      return cut(r, m.key);
    uint32_t kind = whole(r, 4);
    if (kind >= NKINDS)
      return ww_fail(r->e, WW_EPARSE, "\"%.100s\" has the unknown kind %u", m.key,
                     kind);
    rc = value(r, kind, 0, &m);
    if (!rc)
      rc = ww_weights_add_meta(w, &m, r->e);
    if (rc)
      return rc;
  }
  return WW_OK;
}

/* ---- tensors ---- */

/* Its size from its shape. A type that is not known has no size: it is listed, without
 * data. */
static ww_status size_tensor(reader *r, uint32_t type, ww_tensor *t) {
  uint64_t values = 0;
  if (!ww_product(t->dim, t->ndim, &values))
    return ww_fail(r->e, WW_EPARSE,
                   "tensor \"%.150s\": its dimensions are absurd: their product does "
                   "not fit 64 bits",
                   t->name);
  t->type = WW_NDTYPE;
  if (type >= sizeof tensor_types / sizeof *tensor_types || !tensor_types[type].bytes) {
    t->type_name = ww_fmt(r->a, "type %u", type);
    return WW_OK;
  }
  uint64_t row = t->ndim ? t->dim[t->ndim - 1] : 1;
  t->type_name = tensor_types[type].name;
  t->type = ww_dtype_named(t->type_name);
  if (row % tensor_types[type].values)
    return ww_fail(r->e, WW_EPARSE,
                   "tensor \"%.150s\": rows of %" PRIu64
                   " values are no whole blocks of %s",
                   t->name, row, t->type_name);
  if (__builtin_mul_overflow(values / tensor_types[type].values,
                             tensor_types[type].bytes, &t->bytes))
    return ww_fail(r->e, WW_EPARSE, "tensor \"%.150s\": its size does not fit 64 bits",
                   t->name);
  return WW_OK;
}

/* Its record: name, dimensions (innermost first), type, offset; t->data NULL where the
 * type is not known. */
static ww_status record(reader *r, ww_tensor *t, uint64_t *offset) {
  ww_status rc = name_of(r, "a tensor's name", &t->name);
  if (rc)
    return rc;
  if (left(r) < 4)
    return cut(r, t->name);
  t->ndim = whole(r, 4);
  if (t->ndim > 4)
    return ww_fail(r->e, WW_EPARSE,
                   "tensor \"%.150s\" has %u dimensions; at most 4 can be", t->name,
                   t->ndim);
  if (left(r) < t->ndim * 8u + 12)
    return cut(r, t->name);
  for (uint32_t i = t->ndim; i-- > 0;)
    t->dim[i] = whole(r, 8);
  uint32_t type = whole(r, 4);
  *offset = whole(r, 8);
  return size_tensor(r, type, t);
}

static ww_status alignment(const ww_weights *w, uint64_t *out, ww_err *e) {
  const ww_meta *m = ww_weights_meta(w, "general.alignment");
  *out = m ? m->u : 32;
  if (m && (m->kind != WW_META_UINT || m->u < 8 || m->u > 65536 || m->u & (m->u - 1)))
    return ww_fail(e, WW_EPARSE, "general.alignment is no power of 2 from 8 to 65536");
  return WW_OK;
}

/* Where the records said it lies: [0, n) behind `data`. */
static ww_status settle(ww_tensor *t,
                        uint64_t offset,
                        uint64_t align,
                        const uint8_t *data,
                        uint64_t n,
                        ww_err *e) {
  if (offset % align)
    return ww_fail(e, WW_EPARSE,
                   "tensor \"%.150s\" lies at %" PRIu64
                   ", which is no multiple of %" PRIu64,
                   t->name, offset, align);
  if (offset > n || t->bytes > n - offset)
    return ww_fail(e, WW_EPARSE,
                   "tensor \"%.150s\": %" PRIu64 " bytes at %" PRIu64
                   ", but there are %" PRIu64 " bytes of data: is "
                   "the file cut short?",
                   t->name, t->bytes, offset, n);
  t->data = ww_starts(t->type_name, "type ") ? NULL : data + offset;
  return WW_OK;
}

static ww_status tensors(reader *r, ww_weights *w, uint64_t count) {
  if (count > MAX_ITEMS)
    return ww_fail(r->e, WW_ELIMIT, "%" PRIu64 " tensors; at most %d are read", count,
                   MAX_ITEMS);
  uint64_t align = 0;
  uint64_t *offsets = WW_NEWN(r->a, uint64_t, count);
  uint32_t first = w->tensors.n;
  ww_status rc = alignment(w, &align, r->e);
  for (uint64_t i = 0; !rc && i < count; i++) {
    ww_tensor t = {0};
    rc = record(r, &t, offsets + i);
    if (!rc)
      rc = ww_weights_add_tensor(w, &t, r->e);
  }
  if (rc)
    return rc;
  uint64_t used = r->p - r->start;
  uint64_t at = ww_round_up(used, align);
  uint64_t all = r->end - r->start;
  uint64_t n = at < all ? all - at : 0;
  const uint8_t *data = n ? r->start + at : r->end;
  for (uint64_t i = 0; !rc && i < count; i++)
    rc = settle(w->tensors.v + first + i, offsets[i], align, data, n, r->e);
  return rc ? rc : ww_weights_check_ranges(w, first, data, n, false, r->e);
}

ww_status
ww_weights_add_gguf(ww_weights *w, const uint8_t *bytes, size_t n, ww_err *e) {
  reader r = {.start = bytes, .p = bytes, .end = bytes + n, .a = w->a, .e = e};
  w->gguf = true;
  if (n < 4 || memcmp(bytes, "GGUF", 4))
    return ww_fail(e, WW_EPARSE, "no GGUF file");
  if (n < 24)
    return cut(&r, "the first 24 bytes");
  r.p += 4;
  uint32_t version = whole(&r, 4);
  if (version != 2 && version != 3)
    return ww_fail(e, WW_EUNSUPPORTED,
                   version & 0xffff ? "GGUF of version %u; 2 and 3 are read"
                                    : "GGUF with big ends first (%x); convert it",
                   version);
  uint64_t count = whole(&r, 8);
  uint64_t npairs = whole(&r, 8);
  if (npairs > left(&r) / 13)
    return cut(&r, "the metadata");
  ww_status rc = pairs(&r, w, npairs);
  if (!rc && count > left(&r) / 25)
    rc = cut(&r, "the tensors' records");
  return rc ? rc : tensors(&r, w, count);
}
