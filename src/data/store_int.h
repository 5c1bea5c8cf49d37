/* store_int.h - what the files of the store share.
 *
 *   store.c       opening, the schema, errors in words
 *   store_rows.c  one row in, all rows out
 *   store_move.c  merge, pack */
#ifndef WW_DATA_STORE_INT_H
#define WW_DATA_STORE_INT_H

#include <sqlite3.h>

#include "store.h"

/* user_version; a change of the tables is a new one */
#define WW_STORE_SCHEMA 1
/* application_id: this file is a store of ours */
#define WW_STORE_APPLICATION 0x57576473

typedef enum { /* prepared when first used */
               WW_SQL_FIND_GENERATED,
               WW_SQL_FIND_KEY,
               WW_SQL_ADD_KERNEL,
               WW_SQL_FIND_FAMILY, /* and behind it what adds one */
               WW_SQL_ADD_FAMILY,
               WW_SQL_FIND_GPU,
               WW_SQL_ADD_GPU,
               WW_SQL_FIND_FAILURE,
               WW_SQL_ADD_FAILURE,
               WW_SQL_FIND_MACHINE,
               WW_SQL_ADD_MACHINE,
               WW_SQL_HELD,
               WW_SQL_PUT,  /* the whole row */
               WW_SQL_FILL, /* its counters alone */
               WW_NSQL
} ww_sql;

struct ww_store {
  sqlite3 *db;
  ww_arena *a; /* lives as long as the store */
  const char *path;
  int lock; /* held while it is written; -1 none */
  bool write, begun;
  uint64_t puts; /* rows that were new or better than what was there */
  sqlite3_stmt *sql[WW_NSQL];
  /* the last ones: rows of a kernel and of a machine come together */
  char key[512];
  int64_t kernel;
  char machine_key[512];
  int64_t machine, gpu;
};

/* What SQLite says, in words a user can act on. */
ww_status ww_store_fail(const ww_store *s, const char *doing, ww_err *e);
ww_status ww_store_exec(ww_store *s, const char *sql, ww_err *e);
/* A new one in memory, to be written. */
ww_status ww_store_memory(ww_store **out, ww_err *e);
ww_status ww_store_prepare(ww_store *s, const char *sql, sqlite3_stmt **out, ww_err *e);

/* The columns of metrics, each between these. */
void ww_store_columns(ww_buf *b, const char *before, const char *behind);

/* dram_gbps, gflops and ai are made when a row is read. */
static inline bool ww_store_derived(int m) {
  return m == WW_M_dram_gbps || m == WW_M_gflops || m == WW_M_ai;
}
/* Known without counters: what the timed runs and the code itself say. */
static inline bool ww_store_timed(int m) {
  return m == WW_M_time_us || m == WW_M_sm_clock_mhz || m == WW_M_registers ||
         m == WW_M_shared_bytes || m == WW_M_local_bytes ||
         m == WW_M_occupancy_limit_pct;
}

#endif
