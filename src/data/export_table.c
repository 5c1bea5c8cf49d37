/* export_table.c - rows as a table: one list of columns for CSV (RFC 4180) and Parquet.
 *
 * A column per metric of metrics.def, after those of the kernel, the launch and the machine. What
 * is not known is empty in CSV, null in Parquet; never zero. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "export_int.h"
#include "parquet.h"
#include "text.h"

/* Those of the kernel and of the launch, in the order of `fixed_cells`. */
static const ww_parquet_column fixed[] = {
    {"key", WW_PARQUET_TEXT, false},        {"origin", WW_PARQUET_TEXT, false},
    {"family", WW_PARQUET_TEXT, true},      {"split", WW_PARQUET_TEXT, false},
    {"kernel", WW_PARQUET_TEXT, false},     {"file", WW_PARQUET_TEXT, true},
    {"dialect", WW_PARQUET_TEXT, true},     {"version", WW_PARQUET_INT, true},
    {"seed", WW_PARQUET_UINT, true},        {"index", WW_PARQUET_INT, true},
    {"source_hash", WW_PARQUET_TEXT, true}, {"structure", WW_PARQUET_TEXT, true},
    {"number", WW_PARQUET_INT, false},      {"grid_x", WW_PARQUET_INT, true},
    {"grid_y", WW_PARQUET_INT, true},       {"grid_z", WW_PARQUET_INT, true},
    {"block_x", WW_PARQUET_INT, true},      {"block_y", WW_PARQUET_INT, true},
    {"block_z", WW_PARQUET_INT, true},      {"gpu", WW_PARQUET_TEXT, true},
    {"device", WW_PARQUET_TEXT, true},      {"driver", WW_PARQUET_TEXT, true},
    {"versions", WW_PARQUET_TEXT, true},    {"compiler", WW_PARQUET_TEXT, true},
    {"status", WW_PARQUET_TEXT, false},     {"error", WW_PARQUET_TEXT, true},
    {"iqr_us", WW_PARQUET_DOUBLE, true},    {"samples", WW_PARQUET_INT, false},
    {"passes", WW_PARQUET_INT, false},      {"accumulates", WW_PARQUET_BOOL, false},
};

enum { NFIXED = sizeof fixed / sizeof *fixed, MOST = NFIXED + WW_NMETRICS + 2 };

struct ww_export_table {
  ww_sink *sink;
  ww_parquet *parquet; /* NULL: CSV */
  ww_parquet_column columns[MOST];
  uint32_t n;
  bool with_launch, with_source, head_written;
  ww_buf line;
};

/* ---- cells ---- */

static ww_parquet_cell text_cell(const char *s) {
  return (ww_parquet_cell){.null = !s || !*s, .text = s};
}
static ww_parquet_cell int_cell(uint64_t v) {
  return (ww_parquet_cell){.integer = v};
}
static ww_parquet_cell int_or_null(uint64_t v, bool there) {
  return (ww_parquet_cell){.null = !there, .integer = v};
}
static ww_parquet_cell hash_cell(uint64_t v, ww_arena *a) {
  return text_cell(v ? ww_fmt(a, "%016" PRIx64, v) : NULL);
}

static ww_parquet_cell number_cell(double v) {
  return (ww_parquet_cell){.null = !isfinite(v), .number = v};
}

static void fixed_cells(const ww_exported *x, ww_parquet_cell *out) {
  const ww_store_row *r = x->row;
  const ww_store_kernel *k = &r->kernel;
  const ww_parquet_cell cells[NFIXED] = {text_cell(k->key),
                                         text_cell(ww_origin_names[k->origin]),
                                         text_cell(k->family),
                                         text_cell(x->split),
                                         text_cell(k->name),
                                         text_cell(x->file),
                                         text_cell(k->dialect),
                                         int_or_null(k->version, x->gen),
                                         int_or_null(k->seed, x->gen),
                                         int_or_null(k->index, x->gen),
                                         hash_cell(k->source_hash, x->arena),
                                         hash_cell(k->structure, x->arena),
                                         int_cell(r->number),
                                         int_or_null(r->grid[0], r->grid[0]),
                                         int_or_null(r->grid[1], r->grid[0]),
                                         int_or_null(r->grid[2], r->grid[0]),
                                         int_or_null(r->block[0], r->block[0]),
                                         int_or_null(r->block[1], r->block[0]),
                                         int_or_null(r->block[2], r->block[0]),
                                         text_cell(r->gpu),
                                         text_cell(r->device),
                                         text_cell(r->driver),
                                         text_cell(r->versions),
                                         text_cell(r->compiler),
                                         text_cell(ww_status_name(r->status)),
                                         text_cell(r->error),
                                         number_cell(r->iqr_us),
                                         int_cell(r->samples),
                                         int_cell(r->passes),
                                         int_cell(r->accumulates)};
  memcpy(out, cells, sizeof cells);
}

/* A row's cells, in the order of the columns. */
static void cells_of(const ww_export_table *t, const ww_exported *x, ww_parquet_cell out[MOST]) {
  fixed_cells(x, out);
  out += NFIXED;
  for (int m = 0; m < WW_NMETRICS; m++)
    *out++ = number_cell(x->row->m[m]);
  if (t->with_launch)
    *out++ = text_cell(x->launch ? ww_text_launch(x->launch, x->arena) : NULL);
  if (t->with_source)
    *out = text_cell(x->text);
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

static void csv_cell(ww_buf *b, uint8_t type, const ww_parquet_cell *c) {
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
    ww_buf_fmt(b, "%" PRIu64, c->integer);
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

static ww_status csv_row(ww_export_table *t, const ww_parquet_cell *cells, ww_err *e) {
  t->line.n = 0;
  if (!t->head_written)
    csv_head(t);
  for (uint32_t k = 0; k < t->n; k++) {
    if (k)
      ww_buf_puts(&t->line, ",");
    csv_cell(&t->line, t->columns[k].type, &cells[k]);
  }
  ww_buf_puts(&t->line, "\r\n");
  return ww_sink_add(t->sink, t->line.s, t->line.n, e);
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
  ww_parquet_cell cells[MOST];
  cells_of(t, x, cells);
  return t->parquet ? ww_parquet_row(t->parquet, cells, e) : csv_row(t, cells, e);
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
