/* parquet.c - cells into column chunks, column chunks into pages of a Parquet file.
 *
 * A chunk is one data page (version 1), behind a dictionary page where a column's texts repeat.
 * Everything that is not null lies in `plain` as PLAIN writes it (texts: each different one once),
 * so that a page is a copy of it. Bytes are little-endian on every machine. */
#include "parquet.h"

#include <math.h>
#include <stdlib.h>
#include <zstd.h>

#include "parquet_int.h"

enum { GROUP_ROWS = 65536, LEVEL = 9, BOUND_BYTES = 64 };

typedef struct {
  uint32_t *slot;  /* hash table of texts: number + 1; 0 empty */
  uint32_t nslots; /* a power of two */
  uint64_t *at;    /* where text k begins in `plain`: its length, then itself */
  uint32_t n, cap;
} texts;

typedef struct {
  ww_buf plain;
  uint8_t *there;  /* one a row: 1 a value, 0 null */
  uint32_t *index; /* texts: their number, one a value */
  uint32_t nvalues;
  texts words;
  union {
    int64_t i;
    uint64_t u;
    double d;
    uint32_t text; /* number */
  } least, most;
} column;

struct ww_parquet {
  FILE *out;
  pq_file f;
  column *columns;
  uint32_t group_rows, row, cell; /* rows of the open group, cells of the open row */
  uint64_t at;                    /* bytes written */
  ww_buf page, packed, head;      /* scratch */
};

ww_parquet *ww_parquet_new(FILE *out, const ww_parquet_column *columns, uint32_t n,
                           uint32_t group_rows) {
  ww_parquet *p = ww_xcalloc(1, sizeof *p);
  p->out = out;
  p->f.columns = columns;
  p->f.ncolumns = n;
  p->group_rows = group_rows ? group_rows : GROUP_ROWS;
  p->columns = ww_xcalloc(n, sizeof *p->columns);
  for (uint32_t k = 0; k < n; k++) {
    p->columns[k].there = ww_xmalloc(p->group_rows);
    if (columns[k].type == WW_PARQUET_TEXT)
      p->columns[k].index = ww_xmalloc(p->group_rows * sizeof(uint32_t));
  }
  return p;
}

void ww_parquet_drop(ww_parquet *p) {
  if (!p)
    return;
  for (uint32_t k = 0; k < p->f.ncolumns; k++) {
    column *c = &p->columns[k];
    ww_buf_free(&c->plain);
    free(c->there);
    free(c->index);
    free(c->words.slot);
    free(c->words.at);
  }
  for (uint32_t k = 0; k < p->f.ngroups; k++)
    free(p->f.groups[k].chunks);
  for (uint32_t k = 0; k < p->f.nnotes; k++) {
    free(p->f.notes[k].key);
    free(p->f.notes[k].value);
  }
  free(p->f.groups);
  free(p->f.notes);
  free(p->columns);
  ww_buf_free(&p->page);
  ww_buf_free(&p->packed);
  ww_buf_free(&p->head);
  free(p);
}

static char *copy(const char *s) {
  size_t n = strlen(s) + 1;
  return memcpy(ww_xmalloc(n), s, n);
}

void ww_parquet_note(ww_parquet *p, const char *key, const char *value) {
  p->f.notes = ww_xrealloc(p->f.notes, (p->f.nnotes + 1) * sizeof *p->f.notes);
  p->f.notes[p->f.nnotes++] = (pq_note){copy(key), copy(value)};
}

/* ---- cells ---- */

static void put_le(ww_buf *b, uint64_t v, uint32_t bytes) {
  uint8_t le[8];
  for (uint32_t k = 0; k < bytes; k++)
    le[k] = v >> 8 * k;
  ww_buf_add(b, le, bytes);
}

static uint32_t get_le32(const char *s) {
  const uint8_t *b = (const uint8_t *)s;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint64_t bits_of(double v) {
  uint64_t u;
  memcpy(&u, &v, sizeof u);
  return u;
}

/* The column of the next cell, which holds a value. */
static column *next(ww_parquet *p) {
  column *c = &p->columns[p->cell++];
  c->there[p->row] = 1;
  c->nvalues++;
  return c;
}

void ww_parquet_null(ww_parquet *p) {
  p->columns[p->cell++].there[p->row] = 0;
}

static void put_uint(ww_parquet *p, uint64_t v, uint32_t bytes) {
  column *c = next(p);
  put_le(&c->plain, v, bytes);
  if (c->nvalues == 1 || v < c->least.u)
    c->least.u = v;
  if (c->nvalues == 1 || v > c->most.u)
    c->most.u = v;
}

void ww_parquet_bool(ww_parquet *p, bool v) {
  put_uint(p, v, 1); /* packed to bits when the page is made */
}

void ww_parquet_int(ww_parquet *p, int64_t v) {
  column *c = next(p);
  put_le(&c->plain, v, 8);
  if (c->nvalues == 1 || v < c->least.i)
    c->least.i = v;
  if (c->nvalues == 1 || v > c->most.i)
    c->most.i = v;
}

void ww_parquet_uint(ww_parquet *p, uint64_t v) {
  put_uint(p, v, 8);
}

void ww_parquet_double(ww_parquet *p, double v) {
  if (isnan(v) && p->f.columns[p->cell].optional) {
    ww_parquet_null(p);
    return;
  }
  column *c = next(p);
  put_le(&c->plain, bits_of(v), 8);
  if (c->nvalues == 1 || v < c->least.d)
    c->least.d = v;
  if (c->nvalues == 1 || v > c->most.d)
    c->most.d = v;
}

static void widen(texts *t, const char *plain) {
  t->nslots = t->nslots ? t->nslots * 2 : 64;
  free(t->slot);
  t->slot = ww_xcalloc(t->nslots, sizeof *t->slot);
  for (uint32_t k = 0; k < t->n; k++) {
    const char *s = plain + t->at[k];
    uint32_t h = (uint32_t)ww_hash(s + 4, get_le32(s), 0) & (t->nslots - 1);
    while (t->slot[h])
      h = (h + 1) & (t->nslots - 1);
    t->slot[h] = k + 1;
  }
}

/* The text's number in its column; a new one is added to `plain`. */
static uint32_t intern(column *c, const char *s, uint32_t n) {
  texts *t = &c->words;
  if (2 * t->n >= t->nslots)
    widen(t, c->plain.s);
  uint32_t h = (uint32_t)ww_hash(s, n, 0) & (t->nslots - 1);
  for (; t->slot[h]; h = (h + 1) & (t->nslots - 1)) {
    const char *held = c->plain.s + t->at[t->slot[h] - 1];
    if (get_le32(held) == n && !memcmp(held + 4, s, n))
      return t->slot[h] - 1;
  }
  if (t->n == t->cap) {
    t->cap = t->cap ? t->cap * 2 : 64;
    t->at = ww_xrealloc(t->at, t->cap * sizeof *t->at);
  }
  t->at[t->n] = c->plain.n;
  put_le(&c->plain, n, 4);
  ww_buf_add(&c->plain, s, n);
  t->slot[h] = t->n + 1;
  return t->n++;
}

/* Texts are ordered by their bytes. */
static int compare(const column *c, uint32_t x, uint32_t y) {
  const char *a = c->plain.s + c->words.at[x], *b = c->plain.s + c->words.at[y];
  uint32_t na = get_le32(a), nb = get_le32(b);
  int r = memcmp(a + 4, b + 4, na < nb ? na : nb);
  return r ? r : na < nb ? -1 : na > nb;
}

void ww_parquet_text(ww_parquet *p, const char *s) {
  if (!s) {
    ww_parquet_null(p);
    return;
  }
  column *c = next(p);
  uint32_t k = intern(c, s, strlen(s));
  c->index[c->nvalues - 1] = k;
  if (c->nvalues == 1 || compare(c, k, c->least.text) < 0)
    c->least.text = k;
  if (c->nvalues == 1 || compare(c, k, c->most.text) > 0)
    c->most.text = k;
}

/* ---- runs and packed bits, for definition levels and numbers of texts ---- */

static void pack(ww_buf *b, const uint32_t *v, uint32_t n,
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

/* Eight equal values or more are a run, what lies between runs is packed, in whole eights except at
 * the end. */
static void hybrid(ww_buf *b, const uint32_t *v, uint32_t n, uint32_t width) {
  uint32_t at = 0;
  while (at < n) {
    uint32_t run = run_at(v + at, n - at), from = at;
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
static ww_status emit_page(ww_parquet *p, bool dictionary, uint64_t values, int encoding,
                           pq_chunk *k, ww_err *e) {
  size_t cap = ZSTD_compressBound(p->page.n);
  p->packed.n = p->head.n = 0;
  if (p->packed.cap < cap) {
    p->packed.s = ww_xrealloc(p->packed.s, cap);
    p->packed.cap = cap;
  }
  ZSTD_CCtx *z = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL);
  ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
  size_t n = ZSTD_compress2(z, p->packed.s, cap, p->page.n ? p->page.s : "", p->page.n);
  ZSTD_freeCCtx(z);
  if (ZSTD_isError(n))
    return ww_fail(e, WW_EIO, "cannot pack a page: %s", ZSTD_getErrorName(n));
  pq_page_header(&p->head, dictionary, p->page.n, n, values, encoding);
  *(dictionary ? &k->dictionary_at : &k->data_at) = p->at;
  k->plain_bytes += p->head.n + p->page.n;
  k->packed_bytes += p->head.n + n;
  ww_status st = emit(p, p->head.s, p->head.n, e);
  return st ? st : emit(p, p->packed.s, n, e);
}

/* Length, then runs of ones (a value) and zeros (null). */
static void levels(ww_parquet *p, const column *c) {
  uint32_t *v = ww_xmalloc((p->row + 1) * sizeof *v);
  size_t at = p->page.n;
  for (uint32_t k = 0; k < p->row; k++)
    v[k] = c->there[k];
  put_le(&p->page, 0, 4);
  hybrid(&p->page, v, p->row, 1);
  uint32_t n = p->page.n - at - 4;
  for (int k = 0; k < 4; k++)
    p->page.s[at + k] = n >> 8 * k;
  free(v);
}

static void plain_bools(ww_buf *out, const column *c) {
  for (uint32_t k = 0; k < c->nvalues; k += 8) {
    uint8_t eight = 0;
    for (uint32_t i = 0; i < 8 && k + i < c->nvalues; i++)
      eight |= (uint8_t)(c->plain.s[k + i] << i);
    ww_buf_add(out, &eight, 1);
  }
}

static void plain_texts(ww_buf *out, const column *c) {
  for (uint32_t k = 0; k < c->nvalues; k++) {
    const char *s = c->plain.s + c->words.at[c->index[k]];
    ww_buf_add(out, s, get_le32(s) + 4);
  }
}

static void dictionary_texts(ww_buf *out, const column *c) {
  uint32_t width = 1;
  while ((c->words.n - 1) >> width)
    width++;
  put_le(out, width, 1);
  hybrid(out, c->index, c->nvalues, width);
}

/* ---- least and most ---- */

static bool bound(const column *c, const ww_parquet_column *is, bool most, uint8_t *out,
                  uint32_t *n) {
  uint64_t v = most ? c->most.u : c->least.u;
  *n = 8;
  if (is->type == WW_PARQUET_TEXT) {
    const char *s = c->plain.s + c->words.at[most ? c->most.text : c->least.text];
    *n = get_le32(s);
    if (*n <= BOUND_BYTES)
      memcpy(out, s + 4, *n);
    return *n <= BOUND_BYTES;
  }
  if (is->type == WW_PARQUET_BOOL)
    *n = 1;
  if (is->type == WW_PARQUET_DOUBLE) {
    double d = most ? c->most.d : c->least.d;
    if (isnan(d))
      return false;
    if (d == 0)
      d = most ? 0.0 : -0.0; /* readers may not tell the zeros apart */
    v = bits_of(d);
  }
  for (uint32_t k = 0; k < *n; k++)
    out[k] = v >> 8 * k;
  return true;
}

static void bounds(const column *c, const ww_parquet_column *is, pq_chunk *k) {
  k->bounded = c->nvalues && bound(c, is, false, k->least, &k->least_n) &&
               bound(c, is, true, k->most, &k->most_n);
}

/* ---- groups ---- */

static ww_status emit_chunk(ww_parquet *p, uint32_t at, pq_chunk *k, ww_err *e) {
  column *c = &p->columns[at];
  const ww_parquet_column *is = &p->f.columns[at];
  bool text = is->type == WW_PARQUET_TEXT,
       dictionary = text && c->words.n && c->words.n <= c->nvalues / 2;
  ww_status st = WW_OK;
  k->nulls = p->row - c->nvalues;
  bounds(c, is, k);
  p->page.n = 0;
  if (dictionary) {
    ww_buf_add(&p->page, c->plain.s, c->plain.n);
    st = emit_page(p, true, c->words.n, PQ_PLAIN, k, e);
    p->page.n = 0;
  }
  if (is->optional)
    levels(p, c);
  if (dictionary)
    dictionary_texts(&p->page, c);
  else if (text)
    plain_texts(&p->page, c);
  else if (is->type == WW_PARQUET_BOOL)
    plain_bools(&p->page, c);
  else if (c->plain.n)
    ww_buf_add(&p->page, c->plain.s, c->plain.n);
  if (!st)
    st = emit_page(p, false, p->row, dictionary ? PQ_DICTIONARY : PQ_PLAIN, k, e);
  c->plain.n = c->nvalues = c->words.n = 0;
  if (c->words.slot)
    memset(c->words.slot, 0, c->words.nslots * sizeof *c->words.slot);
  return st;
}

static ww_status emit_group(ww_parquet *p, ww_err *e) {
  pq_group g = {.rows = p->row, .chunks = ww_xcalloc(p->f.ncolumns, sizeof(pq_chunk))};
  ww_status st = p->at ? WW_OK : emit(p, "PAR1", 4, e);
  for (uint32_t k = 0; !st && k < p->f.ncolumns; k++)
    st = emit_chunk(p, k, &g.chunks[k], e);
  p->f.groups = ww_xrealloc(p->f.groups, (p->f.ngroups + 1) * sizeof *p->f.groups);
  p->f.groups[p->f.ngroups++] = g;
  p->f.rows += p->row;
  p->row = 0;
  return st;
}

ww_status ww_parquet_row(ww_parquet *p, ww_err *e) {
  p->cell = 0;
  return ++p->row == p->group_rows ? emit_group(p, e) : WW_OK;
}

ww_status ww_parquet_close(ww_parquet *p, ww_err *e) {
  ww_status st = p->row ? emit_group(p, e) : p->at ? WW_OK : emit(p, "PAR1", 4, e);
  if (!st) {
    p->page.n = 0;
    pq_footer(&p->page, &p->f);
    put_le(&p->page, p->page.n, 4);
    ww_buf_puts(&p->page, "PAR1");
    st = emit(p, p->page.s, p->page.n, e);
  }
  if (!st && fflush(p->out))
    st = ww_fail(e, WW_EIO, "cannot write the Parquet file: is the disk full?");
  ww_parquet_drop(p);
  return st;
}
