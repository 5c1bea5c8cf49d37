/* gguf_write.c - writes GGUF v3: metadata, one record per tensor, data at multiples
 * of 32.
 *
 * Numbers take the kinds that llama.cpp asks for: whole ones 32 bits where they fit,
 * real ones single precision. */
#include "../base/half.h"
#include "weights_int.h"

enum { ALIGN = 32 };
enum {
  U32 = 4,
  I32 = 5,
  F32 = 6,
  BOOL = 7,
  TEXT = 8,
  ARRAY = 9,
  U64 = 10,
  I64 = 11
}; /* GGUF's kinds of values */

static void put(ww_buf *b, uint64_t v, int bytes) {
  char le[8];
  for (int i = 0; i < bytes; i++)
    le[i] = v >> 8 * i;
  ww_buf_add(b, le, bytes);
}

static void put_text(ww_buf *b, const char *s, uint64_t n) {
  put(b, n, 8);
  ww_buf_add(b, s, n);
}

static bool wide(const ww_meta *m) {
  int64_t v = m->u;
  return m->kind == WW_META_UINT
             ? m->u > UINT32_MAX
             : m->kind == WW_META_INT && (v > INT32_MAX || v < INT32_MIN);
}

/* Of one value, or of all items of an array: wide if one of them is. */
static uint32_t kind_for(ww_meta_kind kind, const ww_meta *v, uint64_t n) {
  static const uint8_t kinds[][2] = {
      [WW_META_UINT] = {U32, U64}, [WW_META_INT] = {I32, I64},
      [WW_META_REAL] = {F32},      [WW_META_BOOL] = {BOOL},
      [WW_META_TEXT] = {TEXT},     [WW_META_ARRAY] = {ARRAY}};
  bool w = false;
  for (uint64_t i = 0; i < n && !w; i++)
    w = kinds[kind][1] && wide(v + i);
  return kinds[kind][w];
}

static void put_value(ww_buf *b, const ww_meta *m, uint32_t kind) {
  switch (kind) {
  case U32:
  case I32:
    put(b, m->u, 4);
    break;
  case U64:
  case I64:
    put(b, m->u, 8);
    break;
  case F32:
    put(b, ww_float_bits(m->real), 4);
    break;
  case BOOL:
    put(b, m->u != 0, 1);
    break;
  case TEXT:
    put_text(b, m->text ? m->text : "",
             m->text_n ? m->text_n
             : m->text ? strlen(m->text)
                       : 0);
    break;
  default: {
    uint32_t of = kind_for(m->of, m->items, m->n);
    put(b, of, 4);
    put(b, m->n, 8);
    for (uint64_t i = 0; i < m->n; i++)
      put_value(b, m->items + i, of);
  }
  }
}

static ww_status ggml_type(const ww_tensor *t, uint32_t *out, ww_err *e) {
  static const uint8_t types[WW_NDTYPE] = {
      [WW_DTYPE_F32] = 0,  [WW_DTYPE_F16] = 1, [WW_DTYPE_BF16] = 30,
      [WW_DTYPE_Q8_0] = 8, [WW_DTYPE_I8] = 24, [WW_DTYPE_I32] = 26,
      [WW_DTYPE_I64] = 27, [WW_DTYPE_U8] = 255};
  if (t->type >= WW_NDTYPE || types[t->type] == 255)
    return ww_fail(e, WW_EUNSUPPORTED,
                   "tensor \"%s\" of type %s cannot be written as GGUF", t->name,
                   ww_dtype_name(t->type));
  *out = types[t->type];
  return WW_OK;
}

static ww_status put_record(ww_buf *b, const ww_tensor *t, uint64_t at, ww_err *e) {
  uint32_t type = 0;
  uint64_t values = 0;
  ww_status rc = ggml_type(t, &type, e);
  if (rc)
    return rc;
  bool whole_rows =
      t->type != WW_DTYPE_Q8_0 || (t->ndim && t->dim[t->ndim - 1] % 32 == 0);
  if (t->ndim > 4 || !whole_rows || !ww_product(t->dim, t->ndim, &values) ||
      ww_dtype_bytes(t->type, values) != ww_tensor_bytes(t))
    return ww_fail(e, WW_EUSAGE, "tensor \"%s\": its bytes do not fit its shape",
                   t->name);
  put_text(b, t->name, strlen(t->name));
  put(b, t->ndim, 4);
  for (uint32_t i = t->ndim; i-- > 0;)
    put(b, t->dim[i], 8); /* innermost first */
  put(b, type, 4);
  put(b, at, 8);
  return WW_OK;
}

static ww_status print_header(ww_buf *b,
                              const ww_tensor *t,
                              uint32_t n,
                              const ww_meta *meta,
                              uint32_t nmeta,
                              ww_err *e) {
  uint64_t at = 0;
  ww_dict seen = {0};
  ww_arena *a = ww_arena_new();
  ww_status rc = WW_OK;
  ww_buf_add(b, "GGUF", 4);
  put(b, 3, 4);
  put(b, n, 8);
  put(b, nmeta, 8);
  for (uint32_t i = 0; i < nmeta; i++) {
    uint32_t kind = kind_for(meta[i].kind, meta + i, 1);
    put_text(b, meta[i].key, strlen(meta[i].key));
    put(b, kind, 4);
    put_value(b, meta + i, kind);
  }
  for (uint32_t i = 0; i < n && !rc; i++) {
    if (!ww_names_add(&seen, a, t[i].name, i))
      rc = ww_fail(e, WW_EUSAGE, "two tensors have the name \"%s\"", t[i].name);
    if (!rc)
      rc = put_record(b, t + i, at, e);
    at = ww_round_up(at + ww_tensor_bytes(t + i), ALIGN);
  }
  ww_arena_free(a);
  return rc;
}

ww_status ww_gguf_write(const char *path,
                        const ww_tensor *t,
                        uint32_t n,
                        const ww_meta *meta,
                        uint32_t nmeta,
                        ww_err *e) {
  static const char zeros[ALIGN];
  ww_out o;
  ww_buf head = {0};
  ww_status rc = print_header(&head, t, n, meta, nmeta, e);
  if (!rc)
    rc = ww_out_open(&o, path, e);
  if (!rc) {
    ww_out_write(&o, head.s, head.n);
    for (uint32_t i = 0; i <= n; i++) {
      ww_out_write(&o, zeros, ww_round_up(o.at, ALIGN) - o.at);
      if (i < n)
        ww_out_tensor(&o, t + i);
    }
    rc = ww_out_close(&o);
  }
  ww_buf_free(&head);
  return rc;
}
