/* fuzz_store.c - any bytes as a store: refused with a message, or rows whose texts and
 * numbers can be used, also to merge them into another.
 *
 * Three forms: an SQLite file, one packed with zstd (each by its first bytes), or
 * statements of SQL that are run on a small store before it is opened: what a file can
 * say that its schema forbids is quickest said so. */
#include "fuzz.h"

#include <unistd.h>

#include "../../src/data/store_int.h"

static unsigned char *image; /* of the small store */
static sqlite3_int64 image_n;

static ww_store_row small_row(uint32_t number, const char *key) {
  ww_store_row r = {.kernel = {.key = key,
                               .family = "gemm",
                               .name = "k",
                               .file = "gemm/gemm.cu",
                               .dialect = "cuda"},
                    .number = number,
                    .spec = number % 2 ? "{}" : NULL,
                    .grid = {number + 1, 1, 1},
                    .block = {256, 1, 1},
                    .gpu = "h200",
                    .device = "NVIDIA H200",
                    .driver = "580",
                    .versions = "13",
                    .compiler = "NVRTC",
                    .sms = 132,
                    .l2_bytes = 62914560,
                    .samples = 3,
                    .passes = number % 2};
  for (int m = 0; m < WW_NMETRICS; m++)
    r.m[m] = m + 0.5;
  if (number == 2) {
    r.status = WW_EDEVICE;
    r.error = "it failed";
  }
  return r;
}

static void free_image(void) {
  sqlite3_free(image);
}

static void make_image(void) {
  ww_store *s;
  ww_err e = {0};
  fuzz_must(!ww_store_memory(&s, &e));
  for (uint32_t k = 0; k < 4; k++) {
    char key[64];
    ww_store_row r = small_row(k, k % 2 ? key : "corpus/gemm/gemm.cu:k");
    ww_store_gen_key(key, 1, 7, k, k == 3 ? "opencl" : "cuda");
    if (k % 2) {
      r.kernel.origin = WW_ORIGIN_GENERATED;
      r.kernel.version = 1;
      r.kernel.seed = 7;
      r.kernel.index = k;
    }
    if (k == 3)
      r.kernel.dialect = "opencl";
    if (ww_store_put(s, &r, &e)) {
      fprintf(stderr, "%s\n", e.msg);
      abort();
    }
  }
  fuzz_must(!ww_store_commit(s, &e));
  image = sqlite3_serialize(s->db, "main", &image_n, 0);
  fuzz_must(image);
  ww_store_close(s);
  atexit(free_image);
}

/* ---- statements of SQL ---- */

/* Bytes of the file that are changed behind the statements: a line `@OFFSET=VALUE`
 * each. */
static void damage(const char *lines, unsigned char *bytes, size_t n) {
  for (const char *p = lines; n && p && *p == '@';
       p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
    char *end;
    unsigned long at = strtoul(p + 1, &end, 10);
    if (*end == '=')
      bytes[at % n] = (unsigned char)strtoul(end + 1, NULL, 10);
  }
}

/* No file but the one in memory. */
static int
allow(void *ctx, int what, const char *a, const char *b, const char *c, const char *d) {
  (void)ctx;
  (void)a;
  (void)b;
  (void)c;
  (void)d;
  return what == SQLITE_ATTACH || what == SQLITE_DETACH ? SQLITE_DENY : SQLITE_OK;
}

static int enough(void *ctx) {
  return ++*(int *)ctx > 100;
}

static const char *by_statements(char *sql) {
  sqlite3 *db = NULL;
  sqlite3_int64 n = 0;
  int steps = 0;
  if (!image)
    make_image();
  unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)image_n);
  memcpy(copy, image, (size_t)image_n);
  fuzz_must(!sqlite3_open(":memory:", &db));
  sqlite3_deserialize(db, "main", copy, image_n, image_n,
                      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  sqlite3_exec(db, "PRAGMA writable_schema=ON; PRAGMA ignore_check_constraints=ON;",
               NULL, NULL, NULL);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 100000);
  sqlite3_set_authorizer(db, allow, NULL);
  sqlite3_progress_handler(db, 1000, enough, &steps);
  char *lines = *sql == '@' ? sql : strstr(sql, "\n@");
  if (lines && lines > sql)
    *lines++ = 0;
  if (lines != sql)
    sqlite3_exec(db, sql, NULL, NULL, NULL);
  unsigned char *out = sqlite3_serialize(db, "main", &n, 0);
  damage(lines, out, (size_t)n);
  const char *path = fuzz_file("s.sqlite", out, (size_t)n);
  sqlite3_free(out);
  sqlite3_close(db);
  return path;
}

/* ---- use ---- */

static ww_status look(void *ctx, const ww_store_row *r, ww_err *e) {
  volatile size_t *sum = ctx;
  const char *const texts[] = {r->kernel.key,     r->kernel.family, r->kernel.name,
                               r->kernel.dialect, r->gpu,           r->device};
  (void)e;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    *sum += strlen(texts[k]);
  fuzz_must(r->kernel.origin < WW_NORIGINS);
  fuzz_must(r->status <= WW_EDATA);
  if (r->spec)
    *sum += strlen(r->spec);
  if (r->error)
    *sum += strlen(r->error);
  ww_status_name(r->status);
  return WW_OK;
}

static void use(const char *path, bool merge) {
  static const ww_store_filter filters[] = {
      {.origin = -1, .failed = true},
      {.origin = 0, .counters = true},
      {.gpu = "h200", .family = "gemm", .origin = -1}};
  ww_store *s, *into;
  ww_err e = {0};
  size_t sum = 0;
  uint64_t added, twice;
  if (ww_store_open(path, WW_STORE_READ, &s, &e)) {
    fuzz_must(e.msg[0]);
    return;
  }
  for (size_t k = 0; k < sizeof filters / sizeof *filters; k++) {
    if (ww_store_each(s, &filters[k], look, &sum, &e))
      fuzz_must(e.msg[0]);
    if (ww_store_count(s, &filters[k], &added, &e))
      fuzz_must(e.msg[0]);
  }
  ww_store_has(s, "corpus/gemm/gemm.cu:k", 0, "h200");
  ww_store_has(s, "g1/7/1", 1, "h200");
  ww_store_close(s);
  if (!merge)
    return;
  fuzz_must(!ww_store_memory(&into, &e));
  ww_store_merge(into, path, &added, &twice, &e);
  ww_store_close(into);
}

static void write_to(const char *path) {
  ww_store *s;
  ww_err e = {0};
  ww_store_row r = small_row(9, "corpus/gemm/gemm.cu:k");
  if (ww_store_open(path, WW_STORE_WRITE, &s, &e)) {
    fuzz_must(e.msg[0]);
    return;
  }
  if (ww_store_put(s, &r, &e))
    fuzz_must(e.msg[0]);
  r.number = 1;
  r.passes = 7;
  ww_store_put(s, &r, &e);
  ww_store_commit(s, &e);
  ww_store_close(s);
}

int fuzz_store(const uint8_t *data, size_t n) {
  static const unsigned char zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
  char *text = fuzz_text(data, n);
  const char *path;
  if (n >= 4 && !memcmp(data, zstd, 4))
    path = fuzz_file("s.sqlite.zst", data, n);
  else if (!n || (n >= 16 && !memcmp(data, "SQLite format 3", 16)))
    path = fuzz_file("s.sqlite", data, n);
  else
    path = by_statements(text);
  use(path, n % 2);
  if (n % 4 == 0)
    write_to(path);
  for (int k = 0; k < 3; k++) { /* what a store that was left open keeps beside it */
    char beside[320];
    snprintf(beside, sizeof beside, "%s%s", path,
             k == 0   ? "-wal"
             : k == 1 ? "-shm"
                      : "-journal");
    unlink(beside);
  }
  free(text);
  return 0;
}
