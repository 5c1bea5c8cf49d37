/* export_table.c - rows as a table: one list of columns for CSV (RFC 4180) and Parquet.
 *
 * A column per metric of metrics.def, after those of the kernel, the launch and the
 * machine. What is not known is empty in CSV, null in Parquet; never zero. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "export_int.h"
#include "parquet.h"
#include "text.h"

enum { MOST = 32 + WW_NMETRICS };

struct ww_export_table {
  ww_sink *sink;
  ww_parquet *parquet; /* NULL: CSV */
  ww_parquet_column columns[MOST];
  ww_parquet_cell cells[MOST]; /* of the row in hand */
  uint32_t n;
  bool with_launch, with_source, head_written;
  ww_buf line;
};

/* ---- columns, each with its cell ---- */

static void add(ww_export_table *t,
                const char *name,
                ww_parquet_type type,
                bool optional,
                ww_parquet_cell c) {
  t->columns[t->n] = (ww_parquet_column){name, type, optional};
  t->cells[t->n++] = c;
}

static void
add_text(ww_export_table *t, const char *name, bool optional, const char *s) {
  add(t, name, WW_PARQUET_TEXT, optional,
      (ww_parquet_cell){.null = !s || !*s, .text = s});
}

static void add_hash(ww_export_table *t, const char *name, uint64_t v, ww_arena *a) {
  add_text(t, name, true, v ? ww_fmt(a, "%016" PRIx64, v) : NULL);
}

static void add_number(ww_export_table *t, const char *name, double v) {
  add(t, name, WW_PARQUET_DOUBLE, true,
      (ww_parquet_cell){.null = !isfinite(v), .number = v});
}

static void
add_whole(ww_export_table *t, const char *name, ww_parquet_type type, uint64_t v) {
  add(t, name, type, false, (ww_parquet_cell){.integer = v});
}

static void add_whole_or_null(ww_export_table *t,
                              const char *name,
                              ww_parquet_type type,
                              uint64_t v,
                              bool there) {
  add(t, name, type, true, (ww_parquet_cell){.null = !there, .integer = v});
}

static void
add_shape(ww_export_table *t, const char *const names[3], const uint64_t v[3]) {
  for (int d = 0; d < 3; d++)
    add_whole_or_null(t, names[d], WW_PARQUET_INT, v[d], v[0]);
}

/* All columns, in their order. */
static void fill(ww_export_table *t, const ww_exported *x) {
  static const char *const grid[] = {"grid_x", "grid_y", "grid_z"};
  static const char *const block[] = {"block_x", "block_y", "block_z"};
  const ww_store_row *r = x->row;
  const ww_store_kernel *k = &r->kernel;
  t->n = 0;
  add_text(t, "key", false, k->key);
  add_text(t, "origin", false, ww_origin_names[k->origin]);
  add_text(t, "family", true, k->family);
  add_text(t, "split", false, x->split);
  add_text(t, "kernel", false, k->name);
  add_text(t, "file", true, x->file);
  add_text(t, "dialect", true, k->dialect);
  add_whole_or_null(t, "version", WW_PARQUET_INT, k->version, x->gen);
  add_whole_or_null(t, "seed", WW_PARQUET_UINT, k->seed, x->gen);
  add_whole_or_null(t, "index", WW_PARQUET_INT, k->index, x->gen);
  add_hash(t, "source_hash", k->source_hash, x->arena);
  add_hash(t, "structure", k->structure, x->arena);
  add_whole(t, "number", WW_PARQUET_INT, r->number);
  add_shape(t, grid, r->grid);
  add_shape(t, block, r->block);
  add_text(t, "gpu", true, r->gpu);
  add_text(t, "device", true, r->device);
  add_text(t, "driver", true, r->driver);
  add_text(t, "versions", true, r->versions);
  add_text(t, "compiler", true, r->compiler);
  add_text(t, "status", false, ww_status_name(r->status));
  add_text(t, "error", true, r->error);
  add_number(t, "iqr_us", r->iqr_us);
  add_whole(t, "samples", WW_PARQUET_INT, r->samples);
  add_whole(t, "passes", WW_PARQUET_INT, r->passes);
  add_whole(t, "accumulates", WW_PARQUET_BOOL, r->accumulates);
  for (int m = 0; m < WW_NMETRICS; m++)
    add_number(t, ww_metrics[m].name, r->m[m]);
  if (t->with_launch)
    add_text(t, "launch", true, x->launch ? ww_text_launch(x->launch, x->arena) : NULL);
  if (t->with_source)
    add_text(t, "source", true, x->text);
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
    ww_json_int(&j, c->integer);
    break;
  case WW_PARQUET_UINT:
    ww_json_uint(&j, c->integer);
    break;
  default:
    ww_json_bool(&j, c->integer);
  }
}

static void csv_head(ww_export_table *t) {
  for (uint32_t k = 0; k < t->n; k++)
    ww_buf_fmt(&t->line, "%s%s", k ? "," : "", t->columns[k].name);
  ww_buf_puts(&t->line, "\r\n");
  t->head_written = true;
}

static ww_status csv_row(ww_export_table *t, ww_err *e) {
  t->line.n = 0;
  if (!t->head_written)
    csv_head(t);
  for (uint32_t k = 0; k < t->n; k++) {
    if (k)
      ww_buf_puts(&t->line, ",");
    csv_cell(&t->line, t->columns[k].type, &t->cells[k]);
  }
  ww_buf_puts(&t->line, "\r\n");
  return ww_sink_add(t->sink, &t->line, e);
}

/* ---- both ---- */

ww_export_table *ww_export_table_new(const ww_export_options *o, ww_sink *s) {
  ww_export_table *t = ww_xcalloc(1, sizeof *t);
  ww_store_row none = {0};
  t->sink = s;
  t->with_launch = o->with_launch;
  t->with_source = o->with_source;
  fill(t, &(ww_exported){.row = &none}); /* for the columns alone */
  if (o->form == WW_EXPORT_PARQUET) {
    t->parquet = ww_parquet_new(ww_sink_file(s), t->columns, t->n, 0);
    ww_parquet_note(t->parquet, "warpwise.schema_version", "1");
  }
  return t;
}

ww_status ww_export_table_row(ww_export_table *t, const ww_exported *x, ww_err *e) {
  fill(t, x);
  return t->parquet ? ww_parquet_row(t->parquet, t->cells, e) : csv_row(t, e);
}

ww_status ww_export_table_end(ww_export_table *t, bool good, ww_err *e) {
  ww_status st = WW_OK;
  if (t->parquet && good)
    st = ww_parquet_close(t->parquet, e);
  else if (t->parquet)
    ww_parquet_drop(t->parquet);
  else if (good &&
           !t->head_written) { /* no row: a table of no lines still has its columns */
    csv_head(t);
    st = ww_sink_add(t->sink, &t->line, e);
  }
  ww_buf_free(&t->line);
  free(t);
  return st;
}
