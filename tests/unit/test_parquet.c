/* test_parquet.c - Parquet files read back by a small reader of this test's own;
 * tests/export.sh has DuckDB and hyparquet read them. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <zstd.h>

#include "../../src/data/parquet.h"

/* ---- Thrift's compact protocol, as a tree ---- */

typedef struct node node;
struct node {
  int id; /* field number; in lists the index */
  int64_t number;
  const uint8_t *bytes;
  uint64_t n; /* of bytes, of children */
  node *child, *next;
};

typedef struct {
  const uint8_t *at;
  ww_arena *a;
} reader;

static uint64_t varint(reader *r) {
  uint64_t v = 0;
  for (int shift = 0;; shift += 7) {
    v |= (uint64_t)(*r->at & 127) << shift;
    if (!(*r->at++ & 128))
      return v;
  }
}

static int64_t zigzag(reader *r) {
  uint64_t v = varint(r);
  return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static void read_struct(reader *r, node *into);

static void read_value(reader *r, int type, node *n) {
  if (type == 1 || type == 2)
    n->number = type == 1;
  else if (type == 3)
    n->number = *r->at++;
  else if (type >= 4 && type <= 6)
    n->number = zigzag(r);
  else if (type == 8) {
    n->n = varint(r);
    n->bytes = r->at;
    r->at += n->n;
  } else if (type == 9) {
    uint8_t head = *r->at++;
    n->n = head >> 4 == 15 ? varint(r) : head >> 4;
    node **end = &n->child;
    for (uint64_t k = 0; k < n->n; k++, end = &(*end)->next) {
      *end = WW_NEW(r->a, node);
      (*end)->id = (int)k;
      read_value(r, head & 15, *end);
    }
  } else if (type == 12)
    read_struct(r, n);
  else
    fail_msg("type %d", type);
}

static void read_struct(reader *r, node *into) {
  node **end = &into->child;
  int id = 0;
  for (uint8_t head; (head = *r->at++); end = &(*end)->next) {
    assert_int_not_equal(head >> 4, 0);
    *end = WW_NEW(r->a, node);
    (*end)->id = id += head >> 4;
    read_value(r, head & 15, *end);
  }
}

/* Field or element `id`; NULL: absent. */
static const node *get(const node *n, int id) {
  for (const node *c = n ? n->child : NULL; c; c = c->next)
    if (c->id == id)
      return c;
  return NULL;
}

static int64_t number(const node *n, int id) {
  const node *c = get(n, id);
  if (!c)
    fail_msg("no field %d", id);
  return c->number;
}

/* ---- pages ---- */

static uint64_t le(const uint8_t *b, int n) {
  uint64_t v = 0;
  for (int k = 0; k < n; k++)
    v |= (uint64_t)b[k] << 8 * k;
  return v;
}

/* Runs and packed eights of `width` bits. */
static void read_hybrid(
    const uint8_t *at, const uint8_t *end, uint32_t width, uint32_t *out, uint32_t n) {
  reader r = {at, NULL};
  uint32_t k = 0;
  while (k < n) {
    assert_true(r.at < end);
    uint64_t head = varint(&r);
    if (head & 1) {
      uint64_t values = (head >> 1) * 8;
      for (uint64_t i = 0; i < values; i++) {
        uint64_t bit = i * width;
        uint32_t v = 0;
        for (uint32_t b = 0; b < width; b++, bit++)
          v |= (uint32_t)(r.at[bit / 8] >> bit % 8 & 1) << b;
        if (k < n)
          out[k++] = v;
      }
      r.at += values * width / 8;
    } else {
      uint32_t v = (uint32_t)le(r.at, (int)(width + 7) / 8);
      r.at += (width + 7) / 8;
      for (uint64_t i = 0; i < head >> 1; i++)
        out[k++] = v;
    }
  }
  assert_true(r.at <= end && k == n);
}

typedef struct {
  node head;
  uint8_t *data;
  size_t n, length; /* unpacked; in the file with its header */
} page;

static page read_page(const uint8_t *at, ww_arena *a) {
  page p = {0};
  reader r = {at, a};
  read_struct(&r, &p.head);
  p.n = (size_t)number(&p.head, 2);
  size_t packed = (size_t)number(&p.head, 3);
  p.data = ww_alloc(a, p.n + 1);
  assert_int_equal(ZSTD_decompress(p.data, p.n, r.at, packed), p.n);
  p.length = (size_t)(r.at - at) + packed;
  return p;
}

/* ---- a table with everything in it ---- */

enum { ROWS = 2500, GROUP = 1000 };
enum { ID, SEED, TIME, FAMILY, NAME, FLAG, NONE, NCOLUMNS };
static const ww_parquet_column columns[NCOLUMNS] = {
    {"id", WW_PARQUET_INT, false},     {"seed", WW_PARQUET_UINT, true},
    {"time", WW_PARQUET_DOUBLE, true}, {"family", WW_PARQUET_TEXT, false},
    {"name", WW_PARQUET_TEXT, true},   {"flag", WW_PARQUET_BOOL, true},
    {"none", WW_PARQUET_DOUBLE, true}};

static bool there(int column, int row) {
  switch (column) {
  case ID:
  case FAMILY:
    return true;
  case SEED:
    return row % 7 != 0;
  case TIME:
    return row % 3 != 0;
  case NAME:
    return row % 5 != 0;
  case FLAG:
    return row < 100 || row > 230;
  default:
    return false;
  }
}

static int family_of(int row) {
  return row < 300 ? 3 : row * 7 % 13;
} /* a run, then none */

static uint8_t *write_file(ww_arena *a, size_t *n) {
  char *data, family[32], name[32];
  ww_err e = {0};
  FILE *f = open_memstream(&data, n);
  ww_parquet *p = ww_parquet_new(f, columns, NCOLUMNS, GROUP);
  for (int k = 0; k < ROWS; k++) {
    ww_parquet_cell cells[NCOLUMNS] = {
        [ID] = {.integer = k - 1200},
        [SEED] = {.integer = (int64_t)(UINT64_MAX - (uint64_t)k)},
        [TIME] = {.number = k * 0.5},
        [FAMILY] = {.text = family},
        [NAME] = {.text = name},
        [FLAG] = {.integer = k % 3 == 0}};
    snprintf(family, sizeof family, "family%d", family_of(k));
    snprintf(name, sizeof name, "kernel %d", k);
    for (int c = 0; c < NCOLUMNS; c++)
      cells[c].null = !there(c, k);
    assert_int_equal(ww_parquet_row(p, cells, &e), WW_OK);
  }
  assert_int_equal(ww_parquet_close(p, &e), WW_OK);
  fclose(f);
  uint8_t *copy = ww_alloc(a, *n);
  memcpy(copy, data, *n);
  free(data);
  return copy;
}

static const node *footer_of(const uint8_t *file, size_t n, ww_arena *a) {
  assert_memory_equal(file, "PAR1", 4);
  assert_memory_equal(file + n - 4, "PAR1", 4);
  size_t length = (size_t)le(file + n - 8, 4);
  reader r = {file + n - 8 - length, a};
  node *footer = WW_NEW(a, node);
  read_struct(&r, footer);
  assert_ptr_equal(r.at, file + n - 8); /* the footer ends where its length says */
  return footer;
}

/* Everything of a column chunk against what was put in. */
static void check_chunk(const uint8_t *file,
                        const node *meta,
                        int column,
                        int first,
                        int rows,
                        ww_arena *a) {
  bool optional = columns[column].optional, dictionary = get(meta, 11) != NULL;
  page dict = {0}, data = read_page(file + number(meta, 9), a);
  if (dictionary)
    dict = read_page(file + number(meta, 11), a);
  assert_int_equal(number(meta, 7), data.length + dict.length);
  const node *head = get(&data.head, 5);
  assert_int_equal(number(head, 1), rows);
  assert_int_equal(number(head, 2), dictionary ? 8 : 0);
  const uint8_t *at = data.data, *end = data.data + data.n;
  uint32_t *level = WW_NEWN(a, uint32_t, rows), *index = WW_NEWN(a, uint32_t, rows),
           values = 0, v = 0;
  if (optional) {
    uint32_t length = (uint32_t)le(at, 4);
    read_hybrid(at + 4, at + 4 + length, 1, level, (uint32_t)rows);
    at += 4 + length;
  }
  for (int k = 0; k < rows; k++) {
    if (!optional)
      level[k] = 1;
    assert_int_equal(level[k], there(column, first + k));
    values += level[k];
  }
  assert_int_equal(number(get(meta, 12), 3), (uint32_t)rows - values); /* nulls */
  if (dictionary)
    read_hybrid(at + 1, end, *at, index, values);
  const uint8_t **words = WW_NEWN(a, const uint8_t *, ROWS);
  uint32_t nwords = dictionary ? (uint32_t)number(get(&dict.head, 7), 1) : 0;
  const uint8_t *w = dict.data;
  for (uint32_t k = 0; k < nwords; k++, w += 4 + le(w, 4))
    words[k] = w;
  for (int k = 0; k < rows; k++) {
    int row = first + k;
    char text[32];
    double d;
    if (!level[k])
      continue;
    switch (column) {
    case ID:
      assert_int_equal((int64_t)le(at + 8 * v, 8), row - 1200);
      break;
    case SEED:
      assert_true(le(at + 8 * v, 8) == UINT64_MAX - (uint64_t)row);
      break;
    case TIME:
      memcpy(&d, at + 8 * v, 8);
      assert_true(d == row * 0.5);
      break;
    case FLAG:
      assert_int_equal(at[v / 8] >> v % 8 & 1, row % 3 == 0);
      break;
    default:
      if (column == FAMILY)
        snprintf(text, sizeof text, "family%d", family_of(row));
      else
        snprintf(text, sizeof text, "kernel %d", row);
      const uint8_t *s = dictionary ? words[index[v]] : at;
      assert_int_equal(le(s, 4), strlen(text));
      assert_memory_equal(s + 4, text, strlen(text));
      if (!dictionary)
        at += 4 + strlen(text);
    }
    v++;
  }
  if (column == FAMILY)
    assert_true(dictionary);
}

static void all_columns_come_back(void **state) {
  size_t n;
  const uint8_t *file = write_file(*state, &n);
  const node *footer = footer_of(file, n, *state), *groups = get(footer, 4);
  assert_int_equal(number(footer, 3), ROWS);
  assert_int_equal(groups->n, 3);
  for (int g = 0, first = 0; g < 3; g++) {
    const node *group = get(groups, g);
    int rows = (int)number(group, 3);
    assert_int_equal(rows, g < 2 ? GROUP : ROWS - 2 * GROUP);
    for (int c = 0; c < NCOLUMNS; c++)
      check_chunk(file, get(get(get(group, 1), c), 3), c, first, rows, *state);
    first += rows;
  }
}

static const node *statistics(const node *footer, int group, int column) {
  return get(get(get(get(get(get(footer, 4), group), 1), column), 3), 12);
}

static void bounds_are_of_the_group(void **state) {
  size_t n;
  const uint8_t *file = write_file(*state, &n);
  const node *footer = footer_of(file, n, *state), *s = statistics(footer, 1, ID);
  assert_int_equal((int64_t)le(get(s, 6)->bytes, 8), -200);
  assert_int_equal((int64_t)le(get(s, 5)->bytes, 8), 799);
  s = statistics(footer, 1, SEED); /* unsigned: beyond 2^63 is more, not less */
  assert_true(le(get(s, 6)->bytes, 8) == UINT64_MAX - 1999 &&
              le(get(s, 5)->bytes, 8) == UINT64_MAX - 1000);
  s = statistics(footer, 0, FAMILY); /* by bytes: family10 before family2 */
  assert_int_equal(get(s, 6)->n, 7);
  assert_memory_equal(get(s, 6)->bytes, "family0", 7);
  assert_memory_equal(get(s, 5)->bytes, "family9", 7);
  s = statistics(footer, 0, TIME); /* least is row 1's 0.5: row 0 is null, no zero */
  double least;
  memcpy(&least, get(s, 6)->bytes, 8);
  assert_true(least == 0.5);
  s = statistics(footer, 2, NONE);
  assert_null(get(s, 5)); /* nothing but nulls has no bounds */
  assert_int_equal(number(s, 3), 500);
}

static void no_rows(void **state) {
  static const ww_parquet_column one = {"x", WW_PARQUET_DOUBLE, true};
  char *data;
  size_t n;
  ww_err e;
  FILE *f = open_memstream(&data, &n);
  ww_parquet *p = ww_parquet_new(f, &one, 1, 0);
  ww_parquet_note(p, "licence", "none");
  assert_int_equal(ww_parquet_close(p, &e), WW_OK);
  fclose(f);
  const node *footer = footer_of((uint8_t *)data, n, *state);
  assert_int_equal(number(footer, 3), 0);
  assert_int_equal(get(footer, 4)->n, 0);
  assert_memory_equal(get(get(get(footer, 5), 0), 2)->bytes, "none", 4);
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(all_columns_come_back),
                                     TEST(bounds_are_of_the_group), TEST(no_rows)};
  return RUN(tests);
}
