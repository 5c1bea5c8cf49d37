/* parquet_int.h - what parquet.c (cells, pages, groups) and parquet_meta.c (headers and
 * footer) share. */
#ifndef WW_DATA_PARQUET_INT_H
#define WW_DATA_PARQUET_INT_H

#include "parquet.h"

enum { PQ_PLAIN = 0, PQ_RLE = 3, PQ_DICTIONARY = 8 }; /* encodings */

/* What the footer says of one column chunk. */
typedef struct {
  uint64_t dictionary_at, data_at;    /* offsets in the file; dictionary_at 0: none */
  uint64_t plain_bytes, packed_bytes; /* with page headers */
  uint64_t nulls;
  uint8_t least[64], most[64]; /* as PLAIN writes them, without a length */
  uint32_t least_n, most_n;
  bool bounded; /* least and most are known */
} pq_chunk;

typedef struct {
  uint64_t rows;
  pq_chunk *chunks; /* one a column */
} pq_group;

typedef struct {
  const char *key, *value;
} pq_note;

typedef struct {
  const ww_parquet_column *columns;
  uint32_t ncolumns;
  WW_VEC(pq_group) groups;
  WW_VEC(pq_note) notes;
  uint64_t rows;
} pq_file;

void pq_varint(ww_buf *b, uint64_t v);
void pq_page_header(ww_buf *out,
                    bool dictionary,
                    uint64_t plain,
                    uint64_t packed,
                    uint64_t values,
                    int encoding);
void pq_footer(ww_buf *out, const pq_file *f);

#endif
