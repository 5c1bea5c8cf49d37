/* parquet.c - cells into column chunks, column chunks into pages of a Parquet file.
 *
 * A chunk is one data page (version 1), behind a dictionary page where a column's texts
 * repeat. Numbers lie in `plain` as PLAIN writes them, so that a page is a copy of it;
 * of texts each different one is kept once. Bytes are little-endian on every machine.
 */
#include "parquet.h"

#include <math.h>
#include <zstd.h>

#include "../base/map.h"
#include "parquet_int.h"

enum { GROUP_ROWS = 65536, LEVEL = 9, BOUND_BYTES = 64 };

typedef struct {
  const char *s;
  uint32_t n;
} stored_text;

typedef struct {
  ww_dict numbers; /* text -> its place in v */
  WW_VEC(stored_text) v;
} column_texts;

typedef union {
  int64_t i;
  uint64_t u; /* a text: its number */
  double d;
} number_or_text;

typedef struct {
  ww_buf plain;    /* what is no text, as PLAIN writes it */
  uint32_t *there; /* one a row: 1 a value, 0 null */
  uint32_t *index; /* texts: their number, one a value */
  uint32_t nvalues;
  column_texts words;
  number_or_text least, most;
} column;

struct ww_parquet {
  FILE *out;
  ww_arena *a, *group; /* of the file; of the open group's texts */
  pq_file f;
  column *columns;
  uint32_t group_rows, row;  /* row: of the open group */
  uint64_t at;               /* bytes written */
  ww_buf page, packed, head; /* scratch */
};

ww_parquet *ww_parquet_new(FILE *out,
                           const ww_parquet_column *columns,
                           uint32_t n,
                           uint32_t group_rows) {
  ww_arena *a = ww_arena_new();
  ww_parquet *p = WW_NEW(a, ww_parquet);
  *p = (ww_parquet){.out = out,
                    .a = a,
                    .group = ww_arena_new(),
                    .f = {.columns = columns, .ncolumns = n},
                    .columns = WW_NEWN(a, column, n),
                    .group_rows = group_rows ? group_rows : GROUP_ROWS};
  for (uint32_t k = 0; k < n; k++) {
    p->columns[k].there = WW_NEWN(a, uint32_t, p->group_rows);
    if (columns[k].type == WW_PARQUET_TEXT)
      p->columns[k].index = WW_NEWN(a, uint32_t, p->group_rows);
  }
  return p;
}

void ww_parquet_drop(ww_parquet *p) {
  if (!p)
    return;
  for (uint32_t k = 0; k < p->f.ncolumns; k++)
    ww_buf_free(&p->columns[k].plain);
  ww_buf_free(&p->page);
  ww_buf_free(&p->packed);
  ww_buf_free(&p->head);
  ww_arena_free(p->group);
  ww_arena_free(p->a);
}

void ww_parquet_note(ww_parquet *p, const char *key, const char *value) {
  ww_push(p->a, &p->f.notes, (pq_note){ww_strdup(p->a, key), ww_strdup(p->a, value)});
}

/* ---- cells ---- */

static void put_le(ww_buf *b, uint64_t v, uint32_t bytes) {
  uint8_t le[8];
  for (uint32_t k = 0; k < bytes; k++)
    le[k] = v >> 8 * k;
  ww_buf_add(b, le, bytes);
}

static uint32_t number_of(column_texts *t, const char *s, ww_arena *a) {
  uint32_t n = strlen(s);
  const uint32_t *held = ww_dict_find(&t->numbers, s, n);
  if (held)
    return *held;
  bool fresh;
  const char *copy = ww_strndup(a, s, n);
  *ww_dict_at(&t->numbers, a, copy, n, &fresh) = t->v.n;
  ww_push(a, &t->v, (stored_text){copy, n});
  return t->v.n - 1;
}

/* Texts are ordered by their bytes. */
static bool text_less(const stored_text *a, const stored_text *b) {
  int r = memcmp(a->s, b->s, a->n < b->n ? a->n : b->n);
  return r ? r < 0 : a->n < b->n;
}

static bool less(const column *c, uint8_t type, number_or_text a, number_or_text b) {
  switch (type) {
  case WW_PARQUET_TEXT:
    return text_less(&c->words.v.v[a.u], &c->words.v.v[b.u]);
  case WW_PARQUET_DOUBLE:
    return a.d < b.d;
  case WW_PARQUET_INT:
    return a.i < b.i;
  default:
    return a.u < b.u;
  }
}

static void put_cell(ww_parquet *p, uint32_t at, const ww_parquet_cell *cell) {
  column *c = &p->columns[at];
  uint8_t type = p->f.columns[at].type;
  bool there = !cell->null || !p->f.columns[at].optional;
  c->there[p->row] = there;
  if (!there)
    return;
  number_or_text v = {.i = cell->integer};
  if (type == WW_PARQUET_DOUBLE)
    v.d = cell->number;
  if (type == WW_PARQUET_TEXT) {
    v.u = number_of(&c->words, cell->text ? cell->text : "", p->group);
    c->index[c->nvalues] = v.u;
  } else /* a bool is packed to a bit when the page is made */
    put_le(&c->plain, v.u, type == WW_PARQUET_BOOL ? 1 : 8);
  bool first = !c->nvalues++;
  if (first || less(c, type, v, c->least))
    c->least = v;
  if (first || less(c, type, c->most, v))
    c->most = v;
}

/* ---- runs and packed bits, for definition levels and numbers of texts ---- */

static void pack(ww_buf *b,
                 const uint32_t *v,
                 uint32_t n,
                 uint32_t width) { /* n values, filled up to eights with zeros */
  uint64_t held = 0;
  uint32_t bits = 0;
  pq_varint(b, (uint64_t)((n + 7) / 8) << 1 | 1);
  for (uint32_t k = 0; k < (n + 7) / 8 * 8; k++) {
    held |= (uint64_t)(k < n ? v[k] : 0) << bits;
    for (bits += width; bits >= 8; bits -= 8, held >>= 8)
      put_le(b, held & 255, 1);
  }
}

static uint32_t run_at(const uint32_t *v, uint32_t n) {
  uint32_t k = 1;
  while (k < n && v[k] == v[0])
    k++;
  return k;
}

/* Eight equal values or more are a run, what lies between runs is packed, in whole
 * eights except at the end. */
static void hybrid(ww_buf *b, const uint32_t *v, uint32_t n, uint32_t width) {
  uint32_t at = 0;
  while (at < n) {
    uint32_t run = run_at(v + at, n - at);
    uint32_t from = at;
    if (run >= 8) {
      pq_varint(b, (uint64_t)run << 1);
      put_le(b, v[at], (width + 7) / 8);
      at += run;
      continue;
    }
    do
      at += 8;
    while (at < n && run_at(v + at, n - at) < 8);
    if (at > n)
      at = n;
    pack(b, v + from, at - from, width);
  }
}

/* ---- pages ---- */

static ww_status emit(ww_parquet *p, const void *bytes, size_t n, ww_err *e) {
  if (n && fwrite(bytes, 1, n, p->out) != n)
    return ww_fail(e, WW_EIO, "cannot write the Parquet file: is the disk full?");
  p->at += n;
  return WW_OK;
}

/* p->page, packed, with its header. */
static ww_status emit_page(ww_parquet *p,
                           bool dictionary,
                           uint64_t values,
                           int encoding,
                           pq_chunk *k,
                           ww_err *e) {
  const ww_buf *page = &p->page;
  ww_buf *packed = &p->packed;
  ww_buf *head = &p->head;
  size_t cap = ZSTD_compressBound(page->n);
  packed->n = head->n = 0;
  if (packed->cap < cap) {
    packed->s = ww_xrealloc(packed->s, cap);
    packed->cap = cap;
  }
  ZSTD_CCtx *z = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
  ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
  size_t n = ZSTD_compress2(z, packed->s, cap, page->n ? page->s : "", page->n);
  ZSTD_freeCCtx(z);
  if (ZSTD_isError(n))
    return ww_fail(e, WW_EIO, "cannot pack a page: %s", ZSTD_getErrorName(n));
  pq_page_header(head, dictionary, page->n, n, values, encoding);
  *(dictionary ? &k->dictionary_at : &k->data_at) = p->at;
  k->plain_bytes += head->n + page->n;
  k->packed_bytes += head->n + n;
  ww_status st = emit(p, head->s, head->n, e);
  return st ? st : emit(p, packed->s, n, e);
}

/* Length, then runs of ones (a value) and zeros (null). */
static void levels(ww_parquet *p, const column *c) {
  p->packed.n = 0;
  hybrid(&p->packed, c->there, p->row, 1);
  put_le(&p->page, p->packed.n, 4);
  ww_buf_add(&p->page, p->packed.s, p->packed.n);
}

static void plain_bools(ww_buf *out, const column *c) {
  for (uint32_t k = 0; k < c->nvalues; k += 8) {
    uint8_t eight = 0;
    for (uint32_t i = 0; i < 8 && k + i < c->nvalues; i++)
      eight |= (uint8_t)(c->plain.s[k + i] << i);
    ww_buf_add(out, &eight, 1);
  }
}

/* The texts of these numbers; index NULL: the first n. */
static void
plain_texts(ww_buf *out, const column_texts *t, const uint32_t *index, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    const stored_text *text = &t->v.v[index ? index[k] : k];
    put_le(out, text->n, 4);
    ww_buf_add(out, text->s, text->n);
  }
}

static void dictionary_texts(ww_buf *out, const column *c) {
  uint32_t width = 1;
  while ((c->words.v.n - 1) >> width)
    width++;
  put_le(out, width, 1);
  hybrid(out, c->index, c->nvalues, width);
}

/* ---- least and most ---- */

static bool bound(const column *c, uint8_t type, bool most, uint8_t *out, uint32_t *n) {
  number_or_text v = most ? c->most : c->least;
  if (type == WW_PARQUET_TEXT) {
    const stored_text *t = &c->words.v.v[v.u];
    *n = t->n;
    if (t->n <= BOUND_BYTES)
      memcpy(out, t->s, t->n);
    return t->n <= BOUND_BYTES;
  }
  if (type == WW_PARQUET_DOUBLE && isnan(v.d))
    return false;
  if (type == WW_PARQUET_DOUBLE && v.d == 0)
    v.d = most ? 0.0 : -0.0; /* readers may not tell the zeros apart */
  *n = type == WW_PARQUET_BOOL ? 1 : 8;
  for (uint32_t k = 0; k < *n; k++)
    out[k] = v.u >> 8 * k;
  return true;
}

/* ---- groups ---- */

static ww_status emit_chunk(ww_parquet *p, uint32_t at, pq_chunk *k, ww_err *e) {
  column *c = &p->columns[at];
  const ww_parquet_column *is = &p->f.columns[at];
  uint32_t words = c->words.v.n;
  bool text = is->type == WW_PARQUET_TEXT,
       dictionary = text && words && words <= c->nvalues / 2;
  ww_status st = WW_OK;
  k->nulls = p->row - c->nvalues;
  k->bounded = c->nvalues && bound(c, is->type, false, k->least, &k->least_n) &&
               bound(c, is->type, true, k->most, &k->most_n);
  p->page.n = 0;
  if (dictionary) {
    plain_texts(&p->page, &c->words, NULL, words);
    st = emit_page(p, true, words, PQ_PLAIN, k, e);
    p->page.n = 0;
  }
  if (is->optional)
    levels(p, c);
  if (dictionary)
    dictionary_texts(&p->page, c);
  else if (text)
    plain_texts(&p->page, &c->words, c->index, c->nvalues);
  else if (is->type == WW_PARQUET_BOOL)
    plain_bools(&p->page, c);
  else if (c->plain.n)
    ww_buf_add(&p->page, c->plain.s, c->plain.n);
  if (!st)
    st = emit_page(p, false, p->row, dictionary ? PQ_DICTIONARY : PQ_PLAIN, k, e);
  c->plain.n = c->nvalues = 0;
  c->words = (column_texts){0};
  return st;
}

static ww_status emit_group(ww_parquet *p, ww_err *e) {
  pq_group g = {
      .rows = p->row,
      .chunks = WW_NEWN(p->a, pq_chunk, p->f.ncolumns),
  };
  ww_status st = p->at ? WW_OK : emit(p, "PAR1", 4, e);
  for (uint32_t k = 0; !st && k < p->f.ncolumns; k++)
    st = emit_chunk(p, k, &g.chunks[k], e);
  ww_push(p->a, &p->f.groups, g);
  p->f.rows += p->row;
  p->row = 0;
  ww_arena_free(p->group);
  p->group = ww_arena_new();
  return st;
}

ww_status ww_parquet_row(ww_parquet *p, const ww_parquet_cell *cells, ww_err *e) {
  for (uint32_t k = 0; k < p->f.ncolumns; k++)
    put_cell(p, k, &cells[k]);
  return ++p->row == p->group_rows ? emit_group(p, e) : WW_OK;
}

ww_status ww_parquet_close(ww_parquet *p, ww_err *e) {
  ww_status st = p->row ? emit_group(p, e) : p->at ? WW_OK : emit(p, "PAR1", 4, e);
  if (!st) {
    ww_buf *page = &p->page;
    page->n = 0;
    pq_footer(page, &p->f);
    put_le(page, page->n, 4);
    ww_buf_puts(page, "PAR1");
    st = emit(p, page->s, page->n, e);
  }
  if (!st && fflush(p->out))
    st = ww_fail(e, WW_EIO, "cannot write the Parquet file: is the disk full?");
  ww_parquet_drop(p);
  return st;
}
