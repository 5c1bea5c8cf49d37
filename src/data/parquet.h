/* parquet.h - writes a table as an Apache Parquet file that DuckDB, Arrow, Spark and
 * the rest read: zstd pages, row groups, nullable columns, minimum and maximum of each
 * column chunk.
 *
 * A row group is kept in memory until it is full.
 * Texts that repeat go by a dictionary. */
#ifndef WW_DATA_PARQUET_H
#define WW_DATA_PARQUET_H

#include "../base/base.h"

typedef enum {
  WW_PARQUET_BOOL,
  WW_PARQUET_INT,
  WW_PARQUET_UINT,
  WW_PARQUET_DOUBLE,
  WW_PARQUET_TEXT
} ww_parquet_type;

typedef struct {
  const char *name; /* must outlive the file */
  uint8_t type;     /* ww_parquet_type; integers have 64 bits */
  bool optional;    /* may be null */
} ww_parquet_column;

typedef struct ww_parquet ww_parquet;
/* Writes to `out` from its present position, which must be its beginning. group_rows 0:
 * 65536. */
ww_parquet *ww_parquet_new(FILE *out,
                           const ww_parquet_column *columns,
                           uint32_t n,
                           uint32_t group_rows);
/* What a column's type says of it; null in a column that may not be is an empty text,
 * or 0. */
typedef struct {
  bool null;
  const char *text; /* UTF-8 */
  double number;
  int64_t integer; /* of unsigned ones the bits; a bool: 0 or 1 */
} ww_parquet_cell;
/* A row, one cell a column; writes the group when it is full. */
ww_status ww_parquet_row(ww_parquet *p, const ww_parquet_cell *cells, ww_err *e);
/* A pair of texts for the file's own description; before close. */
void ww_parquet_note(ww_parquet *p, const char *key, const char *value);
/* The rest and the footer; frees p, `out` stays open. */
ww_status ww_parquet_close(ww_parquet *p, ww_err *e);
void ww_parquet_drop(ww_parquet *p); /* frees p, the file is of no use; accepts NULL */

#endif
