/* store.c - the store's file: opening, the schema, what SQLite says put into words.
 *
 * Invariant: a file is a store of ours (application_id) of a schema that we know, or it
 * is not touched. One process writes at a time, seen to by a lock beside SQLite's own,
 * which is only held within a transaction. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_int.h"
#include "text.h"

#define MOST_UNPACKED ((size_t)1 << 30)
#define SHIPPED "tables/h200.sqlite.zst" /* in the tree: data/ */

const char *const ww_origin_names[WW_NORIGINS] = {"corpus", "generated", "imported"};

/* ---- errors ---- */

ww_status ww_store_fail(const ww_store *s, const char *doing, ww_err *e) {
  const char *path = s->path;
  switch (s->db ? sqlite3_errcode(s->db) & 0xff : SQLITE_NOMEM) {
  case SQLITE_FULL:
    return ww_fail(
        e, WW_EIO,
        "%s: the disk is full while %s; what was committed is safe: make room and run "
        "the same command again",
        path, doing);
  case SQLITE_IOERR:
    return ww_fail(e, WW_EIO,
                   "%s: the disk failed while %s (%s); what was committed is safe: run "
                   "the same command again",
                   path, doing, sqlite3_errmsg(s->db));
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return ww_fail(e, WW_EIO,
                   "%s: another process holds it; a store is written by one at a time",
                   path);
  case SQLITE_READONLY:
  case SQLITE_PERM:
    return ww_fail(
        e, WW_EIO,
        "%s: cannot be written (%s): choose another folder or change its permissions",
        path, sqlite3_errmsg(s->db));
  case SQLITE_CANTOPEN:
    return ww_fail(e, WW_EIO, "%s: cannot be opened: %s", path, strerror(errno));
  case SQLITE_NOTADB:
    return ww_fail(e, WW_EDATA, "%s: no store of warpwise, not even an SQLite file",
                   path);
  case SQLITE_CORRUPT:
    return ww_fail(
        e, WW_EDATA,
        "%s: damaged (%s); `sqlite3 FILE .recover` saves what can be read, into a file "
        "for `warpwise dataset "
        "merge`",
        path, sqlite3_errmsg(s->db));
  default:
    return ww_fail(e, WW_EIO, "%s: %s while %s", path,
                   s->db ? sqlite3_errmsg(s->db) : "no memory", doing);
  }
}

ww_status ww_store_exec(ww_store *s, const char *sql, ww_err *e) {
  return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK
             ? WW_OK
             : ww_store_fail(s, "changing it", e);
}

ww_status
ww_store_prepare(ww_store *s, const char *sql, sqlite3_stmt **out, ww_err *e) {
  return sqlite3_prepare_v2(s->db, sql, -1, out, NULL) == SQLITE_OK
             ? WW_OK
             : ww_store_fail(s, "reading it", e);
}

/* ---- the schema ---- */

/* Generated kernels have no key, name or file of their own: version, seed and idx make
 * them. Names that repeat are numbers. */
static const char tables[] =
    "CREATE TABLE family(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE gpu(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE failure(id INTEGER PRIMARY KEY, message TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE machine(id INTEGER PRIMARY KEY, gpu INTEGER NOT NULL REFERENCES gpu, "
    "device TEXT "
    "NOT NULL,"
    " driver TEXT NOT NULL, versions TEXT NOT NULL, compiler TEXT NOT NULL, sms "
    "INTEGER NOT NULL,"
    " l2_size INTEGER NOT NULL, UNIQUE(gpu, device, driver, versions, compiler, sms, "
    "l2_size)) "
    "STRICT;"
    "CREATE TABLE kernel(id INTEGER PRIMARY KEY, origin INTEGER NOT NULL, family "
    "INTEGER NOT NULL "
    "REFERENCES family,"
    " dialect TEXT NOT NULL, version INTEGER NOT NULL, seed INTEGER NOT NULL, idx "
    "INTEGER NOT NULL,"
    " source_hash INTEGER NOT NULL, structure INTEGER NOT NULL, key TEXT, name TEXT, "
    "file TEXT) "
    "STRICT;"
    "CREATE UNIQUE INDEX kernel_generated ON kernel(version, seed, idx, dialect) WHERE "
    "key IS NULL;"
    "CREATE UNIQUE INDEX kernel_key ON kernel(key) WHERE key IS NOT NULL;";

void ww_store_columns(ww_buf *b, const char *before, const char *behind) {
  for (int m = 0; m < WW_NMETRICS; m++)
    if (!ww_store_derived(m))
      ww_buf_fmt(b, "%s%s%s", before, ww_metrics[m].name, behind);
}

/* The launches themselves, with a column for each metric that does not follow from
 * others; and all of it by name. */
static void launch_tables(ww_buf *b) {
  ww_buf_puts(
      b,
      "CREATE TABLE launch(kernel INTEGER NOT NULL REFERENCES kernel, number INTEGER "
      "NOT NULL,"
      " gpu INTEGER NOT NULL REFERENCES gpu, machine INTEGER NOT NULL REFERENCES "
      "machine,"
      " status INTEGER NOT NULL, failure INTEGER REFERENCES failure, samples INTEGER "
      "NOT NULL,"
      " passes INTEGER NOT NULL, accumulates INTEGER NOT NULL, grid_x INTEGER NOT NULL,"
      " grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL, block_x INTEGER NOT NULL, "
      "block_y "
      "INTEGER NOT NULL,"
      " block_z INTEGER NOT NULL, spec TEXT, iqr_us REAL");
  ww_store_columns(b, ", ", " REAL");
  ww_buf_puts(
      b,
      ", PRIMARY KEY(kernel, number, gpu)) STRICT, WITHOUT ROWID;"
      "CREATE VIEW measured AS SELECT coalesce(k.key, 'g' || k.version || '/' || "
      "k.seed "
      "|| '/' || k.idx ||"
      " iif(k.dialect = 'opencl', '.cl', '')) AS kernel, f.name AS family, k.dialect, "
      "number, g.name AS gpu,"
      " device, driver, versions, compiler, status, message AS error, samples, passes, "
      "accumulates, grid_x,"
      " grid_y, grid_z, block_x, block_y, block_z, spec, iqr_us");
  ww_store_columns(b, ", ", "");
  ww_buf_puts(
      b,
      " FROM launch l JOIN kernel k ON k.id = l.kernel JOIN family f ON f.id = k.family"
      " JOIN gpu g ON g.id = l.gpu JOIN machine m ON m.id = l.machine"
      " LEFT JOIN failure x ON x.id = l.failure;");
}

static ww_status create(ww_store *s, ww_err *e) {
  ww_buf b = {0};
  ww_buf_fmt(&b, "BEGIN IMMEDIATE;PRAGMA application_id=%d;PRAGMA user_version=%d;%s",
             WW_STORE_APPLICATION, WW_STORE_SCHEMA, tables);
  launch_tables(&b);
  ww_buf_puts(&b, "COMMIT;");
  ww_status st = ww_store_exec(s, b.s, e);
  ww_buf_free(&b);
  return st;
}

static bool ask(ww_store *s, const char *sql, int64_t *out) {
  sqlite3_stmt *q;
  *out = 0;
  if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK)
    return false;
  int rc = sqlite3_step(q);
  if (rc == SQLITE_ROW)
    *out = sqlite3_column_int64(q, 0);
  sqlite3_finalize(q);
  return rc == SQLITE_ROW;
}

/* Whose file it is. An empty one, to be written, becomes a store. */
static ww_status check(ww_store *s, ww_err *e) {
  int64_t application;
  int64_t schema;
  int64_t things;
  if (!ask(s, "PRAGMA application_id", &application) ||
      !ask(s, "PRAGMA user_version", &schema) ||
      !ask(s, "SELECT count(*) FROM sqlite_schema", &things))
    return ww_store_fail(s, "opening it", e);
  if (!application && !schema && !things)
    return s->write
               ? create(s, e)
               : ww_fail(
                     e, WW_EDATA,
                     "%s: nothing in it yet: `warpwise dataset collect` fills a store",
                     s->path);
  if (application != WW_STORE_APPLICATION)
    return ww_fail(e, WW_EDATA,
                   "%s: an SQLite file of another program, no store of warpwise",
                   s->path);
  if (schema > WW_STORE_SCHEMA)
    return ww_fail(
        e, WW_EDATA,
        "%s: written by a newer warpwise (schema %lld, this one knows %d): update",
        s->path, (long long)schema, WW_STORE_SCHEMA);
  return WW_OK;
}

/* ---- opening ---- */

static ww_store *new_store(const char *path) {
  ww_store *s = ww_xcalloc(1, sizeof *s);
  s->a = ww_arena_new();
  s->path = ww_strdup(s->a, path);
  s->lock = -1;
  return s;
}

static ww_status lock_file(ww_store *s, ww_err *e) {
  s->lock = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (s->lock < 0)
    return ww_fail(e, WW_EIO, "cannot write '%s': %s", s->path, strerror(errno));
  if (!flock(s->lock, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
    return WW_OK; /* a file system without locks */
  return ww_fail(e, WW_EIO,
                 "'%s' is being written by another process: wait for it, or give each "
                 "its own store and merge",
                 s->path);
}

static ww_status open_write(ww_store *s, ww_err *e) {
  s->write = true;
  ww_status st = lock_file(s, e);
  if (st)
    return st;
  if (sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                      NULL))
    return ww_store_fail(s, "opening it", e);
  sqlite3_busy_timeout(s->db, 10000);
  st = check(s, e);
  return st ? st
            : ww_store_exec(s,
                            "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA "
                            "foreign_keys=ON;",
                            e);
}

/* As a URI: a folder that cannot be written has no place for the index of the log, so
 * SQLite is told that nothing changes. */
static const char *immutable(const char *path, ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(&b, "file:");
  for (; *path; path++)
    ww_buf_fmt(&b, strchr("%?#", *path) ? "%%%02x" : "%c", (unsigned char)*path);
  ww_buf_puts(&b, "?immutable=1");
  return ww_text_take(&b, a);
}

static ww_status open_read(ww_store *s, ww_err *e) {
  const char *path = s->path;
  struct stat there;
  int64_t ignored;
  if (stat(path, &there))
    return ww_fail(e, WW_EIO, "cannot open the store '%s': %s", path, strerror(errno));
  if (S_ISDIR(there.st_mode))
    return ww_fail(e, WW_EIO, "'%s' is a folder, no store", path);
  if (access(path, R_OK))
    return ww_fail(e, WW_EIO, "cannot read '%s': %s", path, strerror(errno));
  int rc = sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READONLY, NULL);
  if (!s->db)
    return ww_store_fail(s, "opening it", e);
  if (rc == SQLITE_OK && !ask(s, "SELECT count(*) FROM sqlite_schema", &ignored))
    rc = sqlite3_errcode(s->db);
  bool log = stat(ww_fmt(s->a, "%s-wal", path), &there) == 0 && there.st_size > 0;
  rc &= 0xff;
  if ((rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY) && !log) {
    sqlite3_close(s->db);
    sqlite3_open_v2(immutable(path, s->a), &s->db,
                    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    if (!s->db)
      return ww_store_fail(s, "opening it", e);
  }
  sqlite3_busy_timeout(s->db, 10000);
  return check(s, e);
}

static ww_status open_packed(ww_store *s, ww_err *e) {
  ww_arena *a = ww_arena_new();
  char *data;
  size_t n;
  ww_status st = ww_read_packed(a, s->path, MOST_UNPACKED, &data, &n, e);
  if (!st && (n < 100 || memcmp(data, "SQLite format 3", 16)))
    st = ww_fail(e, WW_EDATA,
                 "%s: unpacked, it is no store of warpwise, not even an SQLite file",
                 s->path);
  if (!st) {
    unsigned char *image = sqlite3_malloc64(n);
    if (!image || sqlite3_open_v2(":memory:", &s->db, SQLITE_OPEN_READWRITE, NULL)) {
      sqlite3_free(image);
      st = ww_fail(e, WW_ELIMIT, "%s: no memory for %zu bytes", s->path, n);
    } else {
      memcpy(image, data, n);
      image[18] = image[19] = 1; /* no log: there is no file for one */
      if (sqlite3_deserialize(s->db, "main", image, n, n,
                              SQLITE_DESERIALIZE_FREEONCLOSE |
                                  SQLITE_DESERIALIZE_READONLY))
        st = ww_store_fail(s, "unpacking it", e);
    }
  }
  ww_arena_free(a);
  return st ? st : check(s, e);
}

static bool ends_in_zst(const char *path) {
  size_t n = strlen(path);
  return n > 4 && !strcmp(path + n - 4, ".zst");
}

ww_status
ww_store_open(const char *path, ww_store_mode mode, ww_store **out, ww_err *e) {
  ww_arena *a = ww_arena_new();
  bool shipped = !path;
  if (shipped)
    path = ww_path_join(a, ww_data_dir(a), SHIPPED);
  ww_store *s = new_store(path);
  bool packed = ends_in_zst(path);
  ww_status st;
  if (shipped && !ww_file_exists(path))
    st = ww_fail(e, WW_EDATA,
                 "no shipped table (%s): name a store, or make one with `warpwise "
                 "dataset collect`",
                 path);
  else if (mode == WW_STORE_WRITE && (shipped || packed))
    st = ww_fail(e, WW_EUSAGE,
                 "'%s' is packed and only read: `warpwise dataset merge NEW.sqlite %s` "
                 "unpacks it",
                 path, path);
  else
    st = packed                   ? open_packed(s, e)
         : mode == WW_STORE_WRITE ? open_write(s, e)
                                  : open_read(s, e);
  if (st)
    ww_store_close(s);
  *out = st ? NULL : s;
  ww_arena_free(a);
  return st;
}

ww_status ww_store_memory(ww_store **out, ww_err *e) {
  ww_store *s = new_store("(memory)");
  s->write = true;
  ww_status st = sqlite3_open(":memory:", &s->db) ? ww_store_fail(s, "opening it", e)
                                                  : create(s, e);
  if (st)
    ww_store_close(s);
  *out = st ? NULL : s;
  return st;
}

void ww_store_close(ww_store *s) {
  if (!s)
    return;
  if (s->begun)
    ww_store_commit(s, NULL);
  for (int k = 0; k < WW_NSQL; k++)
    sqlite3_finalize(s->sql[k]);
  sqlite3_close(s->db);
  if (s->lock >= 0)
    close(s->lock); /* last: closing it earlier would take SQLite's own locks away */
  ww_arena_free(s->a);
  free(s);
}

const char *ww_store_path(const ww_store *s) {
  return s->path;
}

ww_status ww_store_commit(ww_store *s, ww_err *e) {
  if (!s->begun)
    return WW_OK;
  s->begun = false;
  ww_status st = ww_store_exec(s, "COMMIT", e);
  if (st)
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  if (st)
    *s->key = *s->machine_key = 0; /* their numbers may be gone */
  return st;
}
