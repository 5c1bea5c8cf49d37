/* export_table.c - rows as a table: one list of columns for CSV (RFC 4180) and Parquet.
 *
 * A column per metric of metrics.def, after those of the kernel, the launch and the machine. What
 * is not known is empty in CSV, null in Parquet; never zero. */
#include <math.h>
#include <stdlib.h>

#include "export_int.h"
#include "parquet.h"

enum {
  KEY,
  ORIGIN,
  FAMILY,
  SPLIT,
  KERNEL,
  FILE_,
  DIALECT,
  VERSION,
  SEED,
  INDEX,
  SOURCE_HASH,
  STRUCTURE,
  NUMBER,
  GRID_X,
  GRID_Y,
  GRID_Z,
  BLOCK_X,
  BLOCK_Y,
  BLOCK_Z,
  GPU,
  DEVICE,
  DRIVER,
  VERSIONS,
  COMPILER,
  STATUS,
  ERROR_,
  IQR,
  SAMPLES,
  PASSES,
  ACCUMULATES,
  NFIXED
};

static const ww_parquet_column fixed[NFIXED] = {
    [KEY] = {"key", WW_PARQUET_TEXT, false},
    [ORIGIN] = {"origin", WW_PARQUET_TEXT, false},
    [FAMILY] = {"family", WW_PARQUET_TEXT, true},
    [SPLIT] = {"split", WW_PARQUET_TEXT, false},
    [KERNEL] = {"kernel", WW_PARQUET_TEXT, false},
    [FILE_] = {"file", WW_PARQUET_TEXT, true},
    [DIALECT] = {"dialect", WW_PARQUET_TEXT, true},
    [VERSION] = {"version", WW_PARQUET_INT, true},
    [SEED] = {"seed", WW_PARQUET_UINT, true},
    [INDEX] = {"index", WW_PARQUET_INT, true},
    [SOURCE_HASH] = {"source_hash", WW_PARQUET_TEXT, true},
    [STRUCTURE] = {"structure", WW_PARQUET_TEXT, true},
    [NUMBER] = {"number", WW_PARQUET_INT, false},
    [GRID_X] = {"grid_x", WW_PARQUET_INT, true},
    [GRID_Y] = {"grid_y", WW_PARQUET_INT, true},
    [GRID_Z] = {"grid_z", WW_PARQUET_INT, true},
    [BLOCK_X] = {"block_x", WW_PARQUET_INT, true},
    [BLOCK_Y] = {"block_y", WW_PARQUET_INT, true},
    [BLOCK_Z] = {"block_z", WW_PARQUET_INT, true},
    [GPU] = {"gpu", WW_PARQUET_TEXT, true},
    [DEVICE] = {"device", WW_PARQUET_TEXT, true},
    [DRIVER] = {"driver", WW_PARQUET_TEXT, true},
    [VERSIONS] = {"versions", WW_PARQUET_TEXT, true},
    [COMPILER] = {"compiler", WW_PARQUET_TEXT, true},
    [STATUS] = {"status", WW_PARQUET_TEXT, false},
    [ERROR_] = {"error", WW_PARQUET_TEXT, true},
    [IQR] = {"iqr_us", WW_PARQUET_DOUBLE, true},
    [SAMPLES] = {"samples", WW_PARQUET_INT, false},
    [PASSES] = {"passes", WW_PARQUET_INT, false},
    [ACCUMULATES] = {"accumulates", WW_PARQUET_BOOL, false},
};

enum { MOST = NFIXED + WW_NMETRICS + 2 };

struct ww_export_table {
  ww_sink *sink;
  ww_parquet *parquet; /* NULL: CSV */
  ww_parquet_column columns[MOST];
  uint32_t n;
  bool with_launch, with_source, head_written;
  ww_buf line;
};

typedef struct {
  bool null;
  const char *text;
  double number;
  int64_t integer; /* of unsigned ones the bits */
} cell;

/* ---- cells ---- */

static cell text_cell(const char *s) {
  return (cell){.null = !s || !*s, .text = s};
}
static cell int_cell(uint64_t v) {
  return (cell){.integer = v};
}
static cell int_or_null(uint64_t v, bool there) {
  return (cell){.null = !there, .integer = v};
}
static cell hash_cell(uint64_t v, ww_arena *a) {
  return text_cell(v ? ww_fmt(a, "%016llx", (unsigned long long)v) : NULL);
}

static cell kernel_cell(const ww_exported *x, int at) {
  const ww_store_kernel *k = &x->row->kernel;
  switch (at) {
  case KEY:
    return text_cell(k->key);
  case ORIGIN:
    return text_cell(ww_origin_names[k->origin]);
  case FAMILY:
    return text_cell(k->family);
  case SPLIT:
    return text_cell(x->split);
  case KERNEL:
    return text_cell(k->name);
  case FILE_:
    return text_cell(x->file);
  case DIALECT:
    return text_cell(k->dialect);
  case VERSION:
    return int_or_null(k->version, x->gen);
  case SEED:
    return int_or_null(k->seed, x->gen);
  case INDEX:
    return int_or_null(k->index, x->gen);
  case SOURCE_HASH:
    return hash_cell(k->source_hash, x->arena);
  default:
    return hash_cell(k->structure, x->arena);
  }
}

static cell launch_cell(const ww_exported *x, int at) {
  const ww_store_row *r = x->row;
  switch (at) {
  case NUMBER:
    return int_cell(r->number);
  case GRID_X:
  case GRID_Y:
  case GRID_Z:
    return int_or_null(r->grid[at - GRID_X], r->grid[0]);
  case BLOCK_X:
  case BLOCK_Y:
  case BLOCK_Z:
    return int_or_null(r->block[at - BLOCK_X], r->block[0]);
  case GPU:
    return text_cell(r->gpu);
  case DEVICE:
    return text_cell(r->device);
  case DRIVER:
    return text_cell(r->driver);
  case VERSIONS:
    return text_cell(r->versions);
  case COMPILER:
    return text_cell(r->compiler);
  case STATUS:
    return text_cell(ww_status_name(r->status));
  case ERROR_:
    return text_cell(r->error);
  case IQR:
    return (cell){.null = !isfinite(r->iqr_us), .number = r->iqr_us};
  case SAMPLES:
    return int_cell(r->samples);
  case PASSES:
    return int_cell(r->passes);
  default:
    return int_cell(r->accumulates);
  }
}

static cell spec_cell(const ww_exported *x) {
  ww_buf b = {0};
  ww_json j = {0};
  if (!x->launch)
    return (cell){.null = true};
  ww_json_begin(&j, &b);
  ww_launch_write(x->launch, &j);
  cell c = text_cell(ww_strdup(x->arena, b.s));
  ww_buf_free(&b);
  return c;
}

static cell cell_at(const ww_export_table *t, const ww_exported *x, uint32_t at) {
  if (at < NUMBER)
    return kernel_cell(x, at);
  if (at < NFIXED)
    return launch_cell(x, at);
  if (at < NFIXED + WW_NMETRICS) {
    double v = x->row->m[at - NFIXED];
    return (cell){.null = !isfinite(v), .number = v};
  }
  return at == NFIXED + WW_NMETRICS && t->with_launch ? spec_cell(x) : text_cell(x->text);
}

/* ---- CSV ---- */

/* Quoted where the text holds what ends a field. */
static void csv_text(ww_buf *b, const char *s) {
  if (!strpbrk(s, ",\"\r\n")) {
    ww_buf_puts(b, s);
    return;
  }
  ww_buf_puts(b, "\"");
  for (; *s; s++) {
    if (*s == '"')
      ww_buf_puts(b, "\"");
    ww_buf_add(b, s, 1);
  }
  ww_buf_puts(b, "\"");
}

static void csv_cell(ww_buf *b, uint8_t type, const cell *c) {
  ww_json j = {0};
  if (c->null)
    return;
  ww_json_begin(&j, b);
  switch (type) {
  case WW_PARQUET_TEXT:
    csv_text(b, c->text);
    break;
  case WW_PARQUET_DOUBLE:
    ww_json_num(&j, c->number);
    break; /* the shortest that reads back the same */
  case WW_PARQUET_INT:
    ww_buf_fmt(b, "%lld", (long long)c->integer);
    break;
  case WW_PARQUET_UINT:
    ww_buf_fmt(b, "%llu", (unsigned long long)c->integer);
    break;
  default:
    ww_buf_puts(b, c->integer ? "true" : "false");
  }
}

static void csv_head(ww_export_table *t) {
  for (uint32_t k = 0; k < t->n; k++)
    ww_buf_fmt(&t->line, "%s%s", k ? "," : "", t->columns[k].name);
  ww_buf_puts(&t->line, "\r\n");
  t->head_written = true;
}

static ww_status csv_row(ww_export_table *t, const ww_exported *x, ww_err *e) {
  t->line.n = 0;
  if (!t->head_written)
    csv_head(t);
  for (uint32_t k = 0; k < t->n; k++) {
    cell c = cell_at(t, x, k);
    if (k)
      ww_buf_puts(&t->line, ",");
    csv_cell(&t->line, t->columns[k].type, &c);
  }
  ww_buf_puts(&t->line, "\r\n");
  return ww_sink_add(t->sink, t->line.s, t->line.n, e);
}

/* ---- Parquet ---- */

static ww_status parquet_row(ww_export_table *t, const ww_exported *x, ww_err *e) {
  for (uint32_t k = 0; k < t->n; k++) {
    cell c = cell_at(t, x, k);
    if (c.null && t->columns[k].optional)
      ww_parquet_null(t->parquet);
    else if (t->columns[k].type == WW_PARQUET_TEXT)
      ww_parquet_text(t->parquet, c.text ? c.text : "");
    else if (t->columns[k].type == WW_PARQUET_DOUBLE)
      ww_parquet_double(t->parquet, c.number);
    else if (t->columns[k].type == WW_PARQUET_INT)
      ww_parquet_int(t->parquet, c.integer);
    else if (t->columns[k].type == WW_PARQUET_UINT)
      ww_parquet_uint(t->parquet, c.integer);
    else
      ww_parquet_bool(t->parquet, c.integer != 0);
  }
  return ww_parquet_row(t->parquet, e);
}

/* ---- both ---- */

ww_export_table *ww_export_table_new(const ww_export_options *o, ww_sink *s) {
  ww_export_table *t = ww_xcalloc(1, sizeof *t);
  t->sink = s;
  t->with_launch = o->with_launch;
  t->with_source = o->with_source;
  memcpy(t->columns, fixed, sizeof fixed);
  t->n = NFIXED;
  for (int m = 0; m < WW_NMETRICS; m++)
    t->columns[t->n++] = (ww_parquet_column){ww_metrics[m].name, WW_PARQUET_DOUBLE, true};
  if (o->with_launch)
    t->columns[t->n++] = (ww_parquet_column){"launch", WW_PARQUET_TEXT, true};
  if (o->with_source)
    t->columns[t->n++] = (ww_parquet_column){"source", WW_PARQUET_TEXT, true};
  if (o->form == WW_EXPORT_PARQUET) {
    t->parquet = ww_parquet_new(ww_sink_file(s), t->columns, t->n, 0);
    ww_parquet_note(t->parquet, "warpwise.schema_version", "1");
  }
  return t;
}

ww_status ww_export_table_row(ww_export_table *t, const ww_exported *x, ww_err *e) {
  return t->parquet ? parquet_row(t, x, e) : csv_row(t, x, e);
}

ww_status ww_export_table_end(ww_export_table *t, bool good, ww_err *e) {
  ww_status st = WW_OK;
  if (t->parquet && good)
    st = ww_parquet_close(t->parquet, e);
  else if (t->parquet)
    ww_parquet_drop(t->parquet);
  else if (good && !t->head_written) { /* no row: a table of no lines still has its columns */
    csv_head(t);
    st = ww_sink_add(t->sink, t->line.s, t->line.n, e);
  }
  ww_buf_free(&t->line);
  free(t);
  return st;
}
