/* store_rows.c - one row in, all rows out.
 *
 * A row goes in by what is there already: nothing or a failure is replaced, a time
 * without counters gets those of the new row and keeps its time, anything better stays.
 * Out they come kernel by kernel, so that only the kernels are sorted. */
#include <inttypes.h>
#include <math.h>

#include "../measure/counters.h"
#include "store_int.h"
#include "text.h"

void ww_store_gen_key(char out[64],
                      uint32_t version,
                      uint64_t seed,
                      uint32_t index,
                      const char *dialect) {
  bool cl = dialect && !strcmp(dialect, "opencl");
  snprintf(out, 64, "g%u/%" PRIu64 "/%u%s", version, seed, index, cl ? ".cl" : "");
}

/* ---- statements ---- */

static const char *const texts[WW_NSQL] = {
    [WW_SQL_FIND_GENERATED] =
        "SELECT id FROM kernel WHERE dialect=?1 AND version=?2 AND seed=?3 "
        "AND idx=?4 AND key IS NULL",
    [WW_SQL_FIND_KEY] = "SELECT id FROM kernel WHERE key=?1",
    [WW_SQL_ADD_KERNEL] = "INSERT INTO "
                          "kernel(origin,family,dialect,version,seed,idx,source_hash,"
                          "structure,key,name,file)"
                          " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)",
    [WW_SQL_ADD_FAMILY] = "INSERT INTO family(name) VALUES(?1)",
    [WW_SQL_FIND_FAMILY] = "SELECT id FROM family WHERE name=?1",
    [WW_SQL_ADD_GPU] = "INSERT INTO gpu(name) VALUES(?1)",
    [WW_SQL_FIND_GPU] = "SELECT id FROM gpu WHERE name=?1",
    [WW_SQL_ADD_FAILURE] = "INSERT INTO failure(message) VALUES(?1)",
    [WW_SQL_FIND_FAILURE] = "SELECT id FROM failure WHERE message=?1",
    [WW_SQL_ADD_MACHINE] =
        "INSERT INTO machine(device,driver,versions,compiler,gpu,sms,l2_size)"
        " VALUES(?1,?2,?3,?4,?5,?6,?7)",
    [WW_SQL_FIND_MACHINE] = "SELECT id FROM machine WHERE device=?1 AND driver=?2 AND "
                            "versions=?3 AND compiler=?4"
                            " AND gpu=?5 AND sms=?6 AND l2_size=?7",
    [WW_SQL_HELD] =
        "SELECT status, passes FROM launch WHERE kernel=?1 AND number=?2 AND gpu=?3",
};

#define BEFORE_METRICS                                                                 \
  "kernel,number,gpu,machine,status,failure,samples,passes,accumulates,grid_x,grid_y," \
  "grid_z,"                                                                            \
  "block_x,block_y,block_z,spec,iqr_us"
#define NBEFORE 17

static const char *put_text(ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(&b, "INSERT OR REPLACE INTO launch(" BEFORE_METRICS);
  ww_store_columns(&b, ",", "");
  ww_buf_puts(&b, ") VALUES(?1");
  for (int k = 2; k <= NBEFORE + WW_NMETRICS; k++)
    if (k <= NBEFORE || !ww_store_derived(k - NBEFORE - 1))
      ww_buf_fmt(&b, ",?%d", k);
  ww_buf_puts(&b, ")");
  return ww_text_take(&b, a);
}

static const char *fill_text(ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(&b, "UPDATE launch SET passes=?8");
  for (int m = 0; m < WW_NMETRICS; m++)
    if (!ww_store_derived(m) && !ww_store_timed(m))
      ww_buf_fmt(&b, ",%s=?%d", ww_metrics[m].name, NBEFORE + 1 + m);
  ww_buf_puts(&b, " WHERE kernel=?1 AND number=?2 AND gpu=?3");
  return ww_text_take(&b, a);
}

static ww_status statement(ww_store *s, ww_sql which, sqlite3_stmt **out, ww_err *e) {
  ww_status st = WW_OK;
  if (!s->sql[which]) {
    const char *text = which == WW_SQL_PUT    ? put_text(s->a)
                       : which == WW_SQL_FILL ? fill_text(s->a)
                                              : texts[which];
    st = ww_store_prepare(s, text, &s->sql[which], e);
  }
  *out = s->sql[which];
  return st;
}

/* Runs a bound statement to its end; *id is its first number (a query) or the new row's
 * (an insertion), -1: no row. */
static ww_status finish(ww_store *s, sqlite3_stmt *q, int64_t *id, ww_err *e) {
  int rc = sqlite3_step(q);
  ww_status st = rc == SQLITE_ROW || rc == SQLITE_DONE
                     ? WW_OK
                     : ww_store_fail(s, "writing a row", e);
  if (id)
    *id = rc == SQLITE_ROW           ? sqlite3_column_int64(q, 0)
          : sqlite3_stmt_readonly(q) ? -1
                                     : sqlite3_last_insert_rowid(s->db);
  sqlite3_reset(q);
  return st;
}

static void bind_text(sqlite3_stmt *q, int at, const char *text) {
  sqlite3_bind_text(q, at, text, -1, SQLITE_STATIC);
}

/* n numbers from place `at` on. */
static void bind_numbers(sqlite3_stmt *q, int at, const int64_t *v, int n) {
  for (int k = 0; k < n; k++)
    sqlite3_bind_int64(q, at + k, v[k]);
}

/* ---- names that repeat ---- */

/* What a row is found by, in the order of the statement's places. */
typedef struct {
  const char *texts[4]; /* NULL: an empty one */
  int ntexts;
  int64_t numbers[3];
  int nnumbers;
} row_name;

static ww_status
find(ww_store *s, ww_sql which, const row_name *n, int64_t *id, ww_err *e) {
  sqlite3_stmt *q;
  ww_status st = statement(s, which, &q, e);
  if (st)
    return st;
  for (int k = 0; k < n->ntexts; k++)
    bind_text(q, 1 + k, n->texts[k] ? n->texts[k] : "");
  bind_numbers(q, 1 + n->ntexts, n->numbers, n->nnumbers);
  return finish(s, q, id, e);
}

static ww_status
find_or_add(ww_store *s, ww_sql which, const row_name *n, int64_t *id, ww_err *e) {
  ww_status st = find(s, which, n, id, e);
  return st || *id >= 0 ? st : find(s, which + 1, n, id, e);
}

static ww_status machine_of(ww_store *s, const ww_store_row *r, ww_err *e) {
  char key[sizeof s->machine_key];
  int n = snprintf(key, sizeof key, "%s|%s|%s|%s|%s|%u|%" PRIu64, r->gpu, r->device,
                   r->driver, r->versions, r->compiler, r->sms, r->l2_bytes);
  if (n < (int)sizeof key && !strcmp(key, s->machine_key))
    return WW_OK;
  ww_status st = find_or_add(s, WW_SQL_FIND_GPU,
                             &(row_name){.texts = {r->gpu}, .ntexts = 1}, &s->gpu, e);
  row_name machine = {{r->device, r->driver, r->versions, r->compiler},
                      4,
                      {s->gpu, r->sms, r->l2_bytes},
                      3};
  if (!st)
    st = find_or_add(s, WW_SQL_FIND_MACHINE, &machine, &s->machine, e);
  if (!st)
    snprintf(s->machine_key, sizeof s->machine_key, "%s",
             n < (int)sizeof key ? key : "");
  return st;
}

/* ---- kernels ---- */

static ww_status find_kernel(ww_store *s, const char *key, int64_t *id, ww_err *e) {
  uint32_t version;
  uint32_t index;
  uint64_t seed;
  int end = 0;
  if (sscanf(key, "g%u/%" SCNu64 "/%u%n", &version, &seed, &index, &end) == 3 &&
      (!key[end] || !strcmp(key + end, ".cl"))) {
    row_name made = {{key[end] ? "opencl" : "cuda"}, 1, {version, seed, index}, 3};
    return find(s, WW_SQL_FIND_GENERATED, &made, id, e);
  }
  return find(s, WW_SQL_FIND_KEY, &(row_name){.texts = {key}, .ntexts = 1}, id, e);
}

static ww_status
add_kernel(ww_store *s, const ww_store_kernel *k, int64_t *id, ww_err *e) {
  sqlite3_stmt *q;
  int64_t family;
  bool made = k->origin == WW_ORIGIN_GENERATED;
  row_name name = {.texts = {k->family}, .ntexts = 1};
  ww_status st = find_or_add(s, WW_SQL_FIND_FAMILY, &name, &family, e);
  if (!st)
    st = statement(s, WW_SQL_ADD_KERNEL, &q, e);
  if (st)
    return st;
  sqlite3_bind_int64(q, 1, k->origin);
  sqlite3_bind_int64(q, 2, family);
  bind_text(q, 3, k->dialect ? k->dialect : "");
  bind_numbers(q, 4,
               (int64_t[]){k->version, k->seed, k->index, k->source_hash, k->structure},
               5);
  bind_text(q, 9, made ? NULL : k->key);
  bind_text(q, 10, made ? NULL : k->name);
  bind_text(q, 11, made ? NULL : k->file);
  return finish(s, q, id, e);
}

static ww_status kernel_of(ww_store *s, const ww_store_kernel *k, ww_err *e) {
  if (!strcmp(k->key, s->key))
    return WW_OK;
  ww_status st = find_kernel(s, k->key, &s->kernel, e);
  if (!st && s->kernel < 0)
    st = add_kernel(s, k, &s->kernel, e);
  if (!st)
    snprintf(s->key, sizeof s->key, "%s", strlen(k->key) < sizeof s->key ? k->key : "");
  return st;
}

/* ---- in ---- */

static ww_held level(ww_status status, uint32_t passes) {
  return status ? WW_HELD_FAILED : passes ? WW_HELD_COUNTERS : WW_HELD_TIME;
}

static ww_status held(ww_store *s,
                      int64_t kernel,
                      uint32_t number,
                      int64_t gpu,
                      ww_held *out,
                      ww_err *e) {
  sqlite3_stmt *q;
  *out = WW_HELD_NOT;
  ww_status st = statement(s, WW_SQL_HELD, &q, e);
  if (st)
    return st;
  bind_numbers(q, 1, (int64_t[]){kernel, number, gpu}, 3);
  int rc = sqlite3_step(q);
  if (rc == SQLITE_ROW)
    *out = level(sqlite3_column_int(q, 0), sqlite3_column_int(q, 1));
  if (rc != SQLITE_ROW && rc != SQLITE_DONE)
    st = ww_store_fail(s, "reading it", e);
  sqlite3_reset(q);
  return st;
}

static void bind_real(sqlite3_stmt *q, int at, double v) {
  if (isfinite(v))
    sqlite3_bind_double(q, at, v);
  else
    sqlite3_bind_null(q, at);
}

static ww_status
put(ww_store *s, ww_sql which, const ww_store_row *r, int64_t failure, ww_err *e) {
  sqlite3_stmt *q;
  ww_status st = statement(s, which, &q, e);
  if (st)
    return st;
  sqlite3_clear_bindings(q);
  bind_numbers(q, 1, (int64_t[]){s->kernel, r->number, s->gpu, s->machine, r->status},
               5);
  if (failure >= 0)
    sqlite3_bind_int64(q, 6, failure);
  bind_numbers(q, 7, (int64_t[]){r->samples, r->passes, r->accumulates}, 3);
  for (int k = 0; k < 3; k++) {
    sqlite3_bind_int64(q, 10 + k, r->grid[k]);
    sqlite3_bind_int64(q, 13 + k, r->block[k]);
  }
  ww_arena *a = ww_arena_new();
  bind_text(q, 16, r->launch ? ww_text_launch(r->launch, a) : r->spec);
  bind_real(q, 17, r->status ? NAN : r->iqr_us);
  for (int m = 0; m < WW_NMETRICS; m++)
    if (!ww_store_derived(m))
      bind_real(q, NBEFORE + 1 + m, r->status ? NAN : r->m[m]);
  st = finish(s, q, NULL, e);
  ww_arena_free(a);
  return st;
}

ww_status ww_store_put(ww_store *s, const ww_store_row *r, ww_err *e) {
  ww_held was;
  ww_held is = level(r->status, r->passes);
  int64_t failure = -1;
  if (!s->write)
    return ww_fail(e, WW_EUSAGE, "%s: opened for reading", s->path);
  if (!r->status && !isfinite(r->m[WW_M_time_us]))
    return ww_fail(e, WW_EDATA, "%s: a measured row without a time", r->kernel.key);
  ww_status st = s->begun ? WW_OK : ww_store_exec(s, "BEGIN IMMEDIATE", e);
  if (!st)
    s->begun = true;
  if (!st)
    st = machine_of(s, r, e);
  if (!st)
    st = kernel_of(s, &r->kernel, e);
  if (!st)
    st = held(s, s->kernel, r->number, s->gpu, &was, e);
  if (st || (is <= was && was != WW_HELD_FAILED) || is < was)
    return st;
  if (r->status && r->error)
    st = find_or_add(s, WW_SQL_FIND_FAILURE,
                     &(row_name){.texts = {r->error}, .ntexts = 1}, &failure, e);
  if (!st)
    st = put(s, was == WW_HELD_TIME ? WW_SQL_FILL : WW_SQL_PUT, r, failure, e);
  s->puts += !st;
  return st;
}

ww_held ww_store_has(ww_store *s, const char *key, uint32_t number, const char *gpu) {
  int64_t kernel;
  int64_t which;
  ww_held out = WW_HELD_NOT;
  row_name name = {.texts = {gpu}, .ntexts = 1};
  if (!find_kernel(s, key, &kernel, NULL) && kernel >= 0 &&
      !find(s, WW_SQL_FIND_GPU, &name, &which, NULL) && which >= 0)
    held(s, kernel, number, which, &out, NULL);
  return out;
}

/* ---- out ---- */

static const char kernels_text[] =
    "SELECT k.id, k.origin, f.name, k.dialect, k.version, k.seed, "
    "k.idx, k.source_hash, k.structure, k.key, k.name, k.file"
    " FROM kernel k JOIN family f ON f.id = k.family WHERE (?1 IS "
    "NULL OR f.name = ?1) AND (?2 < 0 OR k.origin = ?2)"
    " ORDER BY k.version, k.seed, k.idx, k.key, k.dialect";

static const char *launches_text(ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(&b, "SELECT number, spec, grid_x, grid_y, grid_z, block_x, block_y, "
                  "block_z, g.name, device, "
                  "driver,"
                  " versions, compiler, sms, l2_size, status, message, iqr_us, "
                  "samples, passes, accumulates");
  ww_store_columns(&b, ", ", "");
  ww_buf_puts(
      &b, " FROM launch l JOIN machine x ON x.id = l.machine JOIN gpu g ON g.id = l.gpu"
          " LEFT JOIN failure y ON y.id = l.failure WHERE kernel = ?1 AND (?2 IS NULL "
          "OR g.name = ?2)"
          " AND (?3 OR status = 0) AND (NOT ?4 OR (status = 0 AND passes > 0)) ORDER "
          "BY number, "
          "g.name");
  return ww_text_take(&b, a);
}

typedef struct {
  char key[64], name[64];
} made_names;

static const char *text_at(sqlite3_stmt *q, int at) {
  return (const char *)sqlite3_column_text(q, at);
}

/* What the tables' constraints promise; a file that somebody else has written may not
 * keep it. */
static ww_status keeps(const ww_store *s, bool holds, const char *what, ww_err *e) {
  if (holds)
    return WW_OK;
  return ww_fail(
      e, WW_EDATA,
      "%s: damaged, or not written by warpwise: a %s lacks what every one has", s->path,
      what);
}

static ww_status read_kernel(
    const ww_store *s, sqlite3_stmt *q, made_names *n, ww_store_kernel *k, ww_err *e) {
  int64_t origin = sqlite3_column_int64(q, 1);
  *k = (ww_store_kernel){.origin = origin,
                         .family = text_at(q, 2),
                         .dialect = text_at(q, 3),
                         .version = sqlite3_column_int64(q, 4),
                         .seed = sqlite3_column_int64(q, 5),
                         .index = sqlite3_column_int64(q, 6),
                         .source_hash = sqlite3_column_int64(q, 7),
                         .structure = sqlite3_column_int64(q, 8),
                         .key = text_at(q, 9),
                         .name = text_at(q, 10),
                         .file = text_at(q, 11)};
  ww_status st = keeps(s,
                       origin >= 0 && origin < WW_NORIGINS && k->family && k->dialect &&
                           (!k->key || k->name),
                       "kernel", e);
  if (st || k->key)
    return st;
  ww_store_gen_key(n->key, k->version, k->seed, k->index, k->dialect);
  snprintf(n->name, sizeof n->name, "g%u_%" PRIu64 "_%u", k->version, k->seed,
           k->index);
  k->key = n->key;
  k->name = n->name;
  return WW_OK;
}

static double real_at(sqlite3_stmt *q, int at) {
  return sqlite3_column_type(q, at) == SQLITE_NULL ? NAN : sqlite3_column_double(q, at);
}

static ww_status
read_launch(const ww_store *s, sqlite3_stmt *q, ww_store_row *r, ww_err *e) {
  int64_t status = sqlite3_column_int64(q, 15);
  r->number = sqlite3_column_int64(q, 0);
  r->spec = text_at(q, 1);
  for (int k = 0; k < 3; k++) {
    r->grid[k] = sqlite3_column_int64(q, 2 + k);
    r->block[k] = sqlite3_column_int64(q, 5 + k);
  }
  r->gpu = text_at(q, 8);
  r->device = text_at(q, 9);
  r->driver = text_at(q, 10);
  r->versions = text_at(q, 11);
  r->compiler = text_at(q, 12);
  r->sms = sqlite3_column_int64(q, 13);
  r->l2_bytes = sqlite3_column_int64(q, 14);
  r->status = status;
  r->error = text_at(q, 16);
  r->iqr_us = real_at(q, 17);
  r->samples = sqlite3_column_int64(q, 18);
  r->passes = sqlite3_column_int64(q, 19);
  r->accumulates = sqlite3_column_int(q, 20) != 0;
  for (int m = 0, at = 21; m < WW_NMETRICS; m++)
    r->m[m] = ww_store_derived(m) ? NAN : real_at(q, at++);
  ww_metrics_derive(r->m);
  return keeps(s,
               status >= WW_OK && status <= WW_EDATA && r->gpu && r->device &&
                   r->driver && r->versions && r->compiler,
               "launch", e);
}

static ww_status each_launch(ww_store *s,
                             sqlite3_stmt *q,
                             int64_t kernel,
                             ww_store_row *r,
                             ww_store_row_fn row,
                             void *ctx,
                             ww_err *e) {
  ww_status st = WW_OK;
  int rc;
  sqlite3_bind_int64(q, 1, kernel);
  while (!st && (rc = sqlite3_step(q)) != SQLITE_DONE) {
    if (rc != SQLITE_ROW) {
      st = ww_store_fail(s, "reading it", e);
      break;
    }
    st = read_launch(s, q, r, e);
    if (!st)
      st = row(ctx, r, e);
  }
  sqlite3_reset(q);
  return st;
}

ww_status ww_store_each(
    ww_store *s, const ww_store_filter *f, ww_store_row_fn row, void *ctx, ww_err *e) {
  sqlite3_stmt *kernels = NULL;
  sqlite3_stmt *launches = NULL;
  ww_arena *a = ww_arena_new();
  ww_status st = ww_store_prepare(s, kernels_text, &kernels, e);
  if (!st)
    st = ww_store_prepare(s, launches_text(a), &launches, e);
  if (!st) {
    bind_text(kernels, 1, f->family);
    sqlite3_bind_int(kernels, 2, f->origin);
    bind_text(launches, 2, f->gpu);
    sqlite3_bind_int(launches, 3, f->failed);
    sqlite3_bind_int(launches, 4, f->counters);
  }
  int rc = SQLITE_DONE;
  while (!st && (rc = sqlite3_step(kernels)) == SQLITE_ROW) {
    made_names names;
    ww_store_row r = {0};
    st = read_kernel(s, kernels, &names, &r.kernel, e);
    if (!st)
      st = each_launch(s, launches, sqlite3_column_int64(kernels, 0), &r, row, ctx, e);
  }
  if (!st && rc != SQLITE_DONE)
    st = ww_store_fail(s, "reading it", e);
  sqlite3_finalize(kernels);
  sqlite3_finalize(launches);
  ww_arena_free(a);
  return st;
}

ww_status
ww_store_count(ww_store *s, const ww_store_filter *f, uint64_t *out, ww_err *e) {
  static const char text[] = "SELECT count(*) FROM launch l JOIN kernel k ON k.id = "
                             "l.kernel JOIN family f ON f.id = "
                             "k.family"
                             " JOIN gpu g ON g.id = l.gpu WHERE (?1 IS NULL OR f.name "
                             "= ?1) AND (?2 < 0 OR k.origin = ?2)"
                             " AND (?3 IS NULL OR g.name = ?3) AND (?4 OR status = 0) "
                             "AND (NOT ?5 OR (status = 0 AND "
                             "passes > 0))";
  sqlite3_stmt *q = NULL;
  ww_status st = ww_store_prepare(s, text, &q, e);
  *out = 0;
  if (st)
    return st;
  bind_text(q, 1, f->family);
  sqlite3_bind_int(q, 2, f->origin);
  bind_text(q, 3, f->gpu);
  sqlite3_bind_int(q, 4, f->failed);
  sqlite3_bind_int(q, 5, f->counters);
  if (sqlite3_step(q) == SQLITE_ROW)
    *out = sqlite3_column_int64(q, 0);
  else
    st = ww_store_fail(s, "counting its rows", e);
  sqlite3_finalize(q);
  return st;
}
