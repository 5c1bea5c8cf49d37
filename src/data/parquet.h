/* parquet.h - writes a table as an Apache Parquet file that DuckDB, Arrow, Spark and the rest read:
 * zstd pages, row groups, nullable columns, minimum and maximum of each column chunk.
 *
 * Rows come cell by cell, columns in their order; a row group is kept in memory until it is full.
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
/* Writes to `out` from its present position, which must be its beginning. group_rows 0: 65536. */
ww_parquet *ww_parquet_new(FILE *out, const ww_parquet_column *columns, uint32_t n,
                           uint32_t group_rows);
/* The next cell of the row. The kind must be the column's. */
void ww_parquet_null(ww_parquet *p);
void ww_parquet_bool(ww_parquet *p, bool v);
void ww_parquet_int(ww_parquet *p, int64_t v);
void ww_parquet_uint(ww_parquet *p, uint64_t v);
void ww_parquet_double(ww_parquet *p, double v);    /* NaN: null where the column may be */
void ww_parquet_text(ww_parquet *p, const char *s); /* UTF-8; NULL: null */
/* Behind the last cell of a row; writes the group when it is full. */
ww_status ww_parquet_row(ww_parquet *p, ww_err *e);
/* A pair of texts for the file's own description; before close. */
void ww_parquet_note(ww_parquet *p, const char *key, const char *value);
/* The rest and the footer; frees p, `out` stays open. */
ww_status ww_parquet_close(ww_parquet *p, ww_err *e);
void ww_parquet_drop(ww_parquet *p); /* frees p, the file is of no use; accepts NULL */

#endif
