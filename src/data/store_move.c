/* store_move.c - rows from one store to another: merged, or in order into one packed
 * file.
 *
 * Packing writes a store in memory, its kernels numbered in the order of their keys, so
 * that equal rows make equal files. */
#include <math.h>

#include "store_int.h"

#define LEVEL 22 /* of zstd: packed once, read often */
/* significant ones: 0.0015 %, far below what two runs differ by */
#define VALUE_BITS 16
#define SPREAD_BITS 8

typedef struct {
  ww_store *into;
  uint64_t rows;
  bool round;
} mover;

static double rounded(double v, int bits) {
  int e;
  if (!isfinite(v) || v == 0)
    return v;
  double m = frexp(v, &e);
  return ldexp(rint(ldexp(m, bits)), e - bits);
}

static ww_status move(void *ctx, const ww_store_row *r, ww_err *e) {
  mover *m = ctx;
  ww_store_row copy = *r;
  for (int k = 0; m->round && k < WW_NMETRICS; k++)
    copy.m[k] = rounded(r->m[k], VALUE_BITS);
  if (m->round)
    copy.iqr_us = rounded(r->iqr_us, SPREAD_BITS);
  ww_status st = ww_store_put(m->into, &copy, e);
  m->rows++;
  return st;
}

ww_status ww_store_merge(ww_store *into,
                         const char *path,
                         uint64_t *added,
                         uint64_t *duplicates,
                         ww_err *e) {
  mover m = {.into = into};
  uint64_t before = into->puts;
  ww_store *from;
  *added = *duplicates = 0;
  ww_status st = ww_store_open(path, WW_STORE_READ, &from, e);
  if (st)
    return st;
  st = ww_store_each(from, &(ww_store_filter){.origin = -1, .failed = true}, move, &m,
                     e);
  ww_store_close(from);
  if (!st)
    st = ww_store_commit(into, e);
  *added = into->puts - before;
  *duplicates = m.rows - *added;
  return st;
}

ww_status ww_store_pack(ww_store *s, const char *path, ww_err *e) {
  mover m = {.round = true};
  ww_status st = ww_store_memory(&m.into, e);
  if (!st)
    st =
        ww_store_each(s, &(ww_store_filter){.origin = -1, .failed = true}, move, &m, e);
  if (!st)
    st = ww_store_commit(m.into, e);
  if (!st)
    st = ww_store_exec(m.into, "VACUUM", e);
  sqlite3_int64 n = 0;
  unsigned char *image = st ? NULL : sqlite3_serialize(m.into->db, "main", &n, 0);
  if (!st && !image)
    st = ww_fail(e, WW_ELIMIT, "%s: no memory to pack it", s->path);
  if (!st)
    st = ww_write_packed(path, image, n, LEVEL, e);
  sqlite3_free(image);
  ww_store_close(m.into);
  return st;
}
