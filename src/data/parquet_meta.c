/* parquet_meta.c - the Thrift parts of a Parquet file: page headers and the footer, in
 * Thrift's compact protocol.
 *
 * Field numbers are those of parquet-format's parquet.thrift. A field is written as the
 * distance to the one before it, which is why members of a struct go out in ascending
 * order. */
#include "parquet_int.h"

enum {
  T_FALSE = 2,
  T_I8 = 3,
  T_I16 = 4,
  T_I32 = 5,
  T_I64 = 6,
  T_BINARY = 8,
  T_LIST = 9,
  T_STRUCT = 12
};
enum { ZSTD = 6, NESTING = 8 };

typedef struct {
  ww_buf *out;
  int last[NESTING]; /* the last field's number, per open struct */
  int depth;
} thrift;

/* ---- the compact protocol ---- */

void pq_varint(ww_buf *b, uint64_t v) {
  for (; v > 127; v >>= 7)
    ww_buf_add(b, &(uint8_t){v | 128}, 1);
  ww_buf_add(b, &(uint8_t){v}, 1);
}

static void byte(thrift *t, uint8_t v) {
  ww_buf_add(t->out, &v, 1);
}

static void zigzag(thrift *t, int64_t v) {
  pq_varint(t->out, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

static void field(thrift *t, int id, int type) {
  int step = id - t->last[t->depth];
  byte(t, step << 4 | type); /* steps of more than 15 do not occur */
  t->last[t->depth] = id;
}

static void inner(thrift *t) {
  t->last[++t->depth] = 0;
} /* a struct inside a list */
static void open_struct(thrift *t, int id) {
  field(t, id, T_STRUCT);
  inner(t);
}
static void close_struct(thrift *t) {
  byte(t, 0);
  t->depth--;
}

static void list(thrift *t, int id, int type, uint64_t n) {
  field(t, id, T_LIST);
  byte(t, (n < 15 ? n : 15) << 4 | (uint64_t)type);
  if (n >= 15)
    pq_varint(t->out, n);
}

static void i32(thrift *t, int id, int64_t v) {
  field(t, id, T_I32);
  zigzag(t, v);
}
static void i64(thrift *t, int id, uint64_t v) {
  field(t, id, T_I64);
  zigzag(t, v);
}
static void bytes(thrift *t, const void *v, uint64_t n) {
  pq_varint(t->out, n);
  ww_buf_add(t->out, v, n);
}
static void binary(thrift *t, int id, const void *v, uint64_t n) {
  field(t, id, T_BINARY);
  bytes(t, v, n);
}

/* ---- page headers ---- */

void pq_page_header(ww_buf *out,
                    bool dictionary,
                    uint64_t plain,
                    uint64_t packed,
                    uint64_t values,
                    int encoding) {
  thrift t = {.out = out};
  i32(&t, 1, dictionary ? 2 : 0);
  i32(&t, 2, plain);
  i32(&t, 3, packed);
  open_struct(&t, dictionary ? 7 : 5);
  i32(&t, 1, values);
  i32(&t, 2, encoding);
  if (!dictionary) {
    i32(&t, 3, PQ_RLE); /* definition levels */
    i32(&t, 4, PQ_RLE); /* repetition levels: there are none */
  }
  close_struct(&t);
  byte(&t, 0);
}

/* ---- the footer ---- */

static int physical(const ww_parquet_column *c) {
  static const int types[] = {[WW_PARQUET_BOOL] = 0,
                              [WW_PARQUET_INT] = 2,
                              [WW_PARQUET_UINT] = 2,
                              [WW_PARQUET_DOUBLE] = 5,
                              [WW_PARQUET_TEXT] = 6};
  return types[c->type];
}

static void schema_column(thrift *t, const ww_parquet_column *c) {
  inner(t);
  i32(t, 1, physical(c));
  i32(t, 3, c->optional);
  binary(t, 4, c->name, strlen(c->name));
  if (c->type == WW_PARQUET_TEXT) {
    i32(t, 6, 0); /* UTF8, for readers from before logical types */
    open_struct(t, 10);
    open_struct(t, 1);
    close_struct(t);
    close_struct(t);
  } else if (c->type == WW_PARQUET_UINT) {
    i32(t, 6, 14); /* UINT_64 */
    open_struct(t, 10);
    open_struct(t, 10);
    field(t, 1, T_I8);
    byte(t, 64);
    field(t, 2, T_FALSE);
    close_struct(t);
    close_struct(t);
  }
  close_struct(t);
}

static void schema(thrift *t, const pq_file *f) {
  list(t, 2, T_STRUCT, f->ncolumns + 1);
  inner(t);
  binary(t, 4, "warpwise", 8);
  i32(t, 5, f->ncolumns);
  close_struct(t);
  for (uint32_t k = 0; k < f->ncolumns; k++)
    schema_column(t, &f->columns[k]);
}

static void statistics(thrift *t, const pq_chunk *k) {
  open_struct(t, 12);
  i64(t, 3, k->nulls);
  if (k->bounded) {
    binary(t, 5, k->most, k->most_n);
    binary(t, 6, k->least, k->least_n);
  }
  close_struct(t);
}

static void
chunk(thrift *t, const ww_parquet_column *c, const pq_chunk *k, uint64_t rows) {
  inner(t);
  i64(t, 2, 0); /* file_offset: deprecated, readers use those of the pages */
  open_struct(t, 3);
  i32(t, 1, physical(c));
  list(t, 2, T_I32, k->dictionary_at ? 3 : 2);
  zigzag(t, PQ_PLAIN);
  zigzag(t, PQ_RLE);
  if (k->dictionary_at)
    zigzag(t, PQ_DICTIONARY);
  list(t, 3, T_BINARY, 1);
  bytes(t, c->name, strlen(c->name));
  i32(t, 4, ZSTD);
  i64(t, 5, rows);
  i64(t, 6, k->plain_bytes);
  i64(t, 7, k->packed_bytes);
  i64(t, 9, k->data_at);
  if (k->dictionary_at)
    i64(t, 11, k->dictionary_at);
  statistics(t, k);
  close_struct(t);
  close_struct(t);
}

static void group(thrift *t, const pq_file *f, const pq_group *g, uint32_t number) {
  uint64_t plain = 0;
  uint64_t packed = 0;
  inner(t);
  list(t, 1, T_STRUCT, f->ncolumns);
  for (uint32_t k = 0; k < f->ncolumns; k++) {
    chunk(t, &f->columns[k], &g->chunks[k], g->rows);
    plain += g->chunks[k].plain_bytes;
    packed += g->chunks[k].packed_bytes;
  }
  i64(t, 2, plain);
  i64(t, 3, g->rows);
  i64(t, 5,
      g->chunks[0].dictionary_at ? g->chunks[0].dictionary_at : g->chunks[0].data_at);
  i64(t, 6, packed);
  field(t, 7, T_I16);
  zigzag(t, number);
  close_struct(t);
}

static void notes(thrift *t, const pq_file *f) {
  if (!f->notes.n)
    return;
  list(t, 5, T_STRUCT, f->notes.n);
  for (uint32_t k = 0; k < f->notes.n; k++) {
    const pq_note *note = &f->notes.v[k];
    inner(t);
    binary(t, 1, note->key, strlen(note->key));
    binary(t, 2, note->value, strlen(note->value));
    close_struct(t);
  }
}

void pq_footer(ww_buf *out, const pq_file *f) {
  static const char by[] = "warpwise version " WW_VERSION;
  thrift t = {.out = out};
  i32(&t, 1, 2);
  schema(&t, f);
  i64(&t, 3, f->rows);
  list(&t, 4, T_STRUCT, f->groups.n);
  for (uint32_t k = 0; k < f->groups.n; k++)
    group(&t, f, &f->groups.v[k], k);
  notes(&t, f);
  binary(&t, 6, by, sizeof by - 1);
  list(&t, 7, T_STRUCT, f->ncolumns); /* least and most go by the type's own order */
  for (uint32_t k = 0; k < f->ncolumns; k++) {
    inner(&t);
    open_struct(&t, 1);
    close_struct(&t);
    close_struct(&t);
  }
  byte(&t, 0);
}
