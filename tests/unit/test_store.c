/* test_store.c - the store: what goes in comes out, which of two rows stays, what other
 * files are, and that a crash loses nothing. */
#include "unit.h"

#include <math.h>
#include <sqlite3.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/data/collect.h"
#include "../../src/data/store.h"

static uint64_t count(ww_store *s, const ww_store_filter *f) {
  ww_err e;
  uint64_t n;
  assert_int_equal(ww_store_count(s, f, &n, &e), WW_OK);
  return n;
}

static char dir[] = "/tmp/ww_store_XXXXXX";

static const char *path_of(const char *name) {
  static char path[4][128];
  static int k;
  k = (k + 1) % 4;
  snprintf(path[k], sizeof path[k], "%s/%s", dir, name);
  return path[k];
}

static ww_store *opened(const char *name, ww_store_mode mode) {
  ww_store *s = NULL;
  ww_err e = {0};
  if (ww_store_open(path_of(name), mode, &s, &e))
    fail_msg("%s: %s", name, e.msg);
  return s;
}

static ww_store_row row(const char *key, uint32_t number, double us, uint32_t passes) {
  ww_store_row r = {.kernel = {.key = key,
                               .origin = WW_ORIGIN_CORPUS,
                               .family = "gemm",
                               .name = "k",
                               .dialect = "cuda"},
                    .number = number,
                    .grid = {number + 1, 1, 1},
                    .block = {256, 1, 1},
                    .gpu = "h200",
                    .device = "NVIDIA H200",
                    .driver = "580",
                    .versions = "CUDA 13.0",
                    .compiler = "NVRTC 13.0",
                    .sms = 132,
                    .l2_bytes = 62914560,
                    .iqr_us = us / 50,
                    .samples = 3,
                    .passes = passes};
  for (int m = 0; m < WW_NMETRICS; m++)
    r.m[m] = NAN;
  r.m[WW_M_time_us] = us;
  r.m[WW_M_registers] = 32;
  for (int m = 0; passes && m < WW_NMETRICS; m++)
    if (isnan(r.m[m]))
      r.m[m] = m + 0.123456789;
  return r;
}

static void made(ww_store_row *r, uint32_t index) {
  static char key[64];
  ww_store_gen_key(key, 1, UINT64_MAX - 3, index, "cuda");
  r->kernel = (ww_store_kernel){.key = key,
                                .origin = WW_ORIGIN_GENERATED,
                                .family = "gen.stencil",
                                .dialect = "cuda",
                                .version = 1,
                                .index = index,
                                .seed = UINT64_MAX - 3,
                                .source_hash = 0xfedcba9876543210,
                                .structure = 5};
}

static void put(ww_store *s, const ww_store_row *r) {
  ww_err e = {0};
  if (ww_store_put(s, r, &e))
    fail_msg("%s", e.msg);
}

typedef struct {
  uint32_t n;
  ww_store_row v[16];
  char key[16][64], name[16][64], error[16][64];
} rows;

static ww_status take(void *ctx, const ww_store_row *r, ww_err *e) {
  rows *x = ctx;
  (void)e;
  assert_true(x->n < 16);
  x->v[x->n] = *r;
  snprintf(x->key[x->n], 64, "%s", r->kernel.key);
  snprintf(x->name[x->n], 64, "%s", r->kernel.name);
  snprintf(x->error[x->n], 64, "%s", r->error ? r->error : "");
  x->n++;
  return WW_OK;
}

static rows all(ww_store *s, bool failed) {
  rows x = {0};
  ww_err e = {0};
  if (ww_store_each(s, &(ww_store_filter){.origin = -1, .failed = failed}, take, &x,
                    &e))
    fail_msg("%s", e.msg);
  return x;
}

static void rows_come_back(void **state) {
  (void)state;
  ww_store *s = opened("back.sqlite", WW_STORE_WRITE);
  ww_store_row a = row("corpus/gemm/gemm.cu:k", 7, 12.5, 3), b = row("", 2, 3.25, 0);
  a.spec = "{\"kernel\":\"k\"}";
  made(&b, 123);
  put(s, &a);
  put(s, &b);
  ww_store_close(s);
  s = opened("back.sqlite", WW_STORE_READ);
  rows x = all(s, false);
  assert_int_equal(x.n, 2);
  const ww_store_row *corpus = &x.v[0], *gen = &x.v[1];
  assert_string_equal(x.key[1], "g1/18446744073709551612/123");
  assert_string_equal(x.name[1], "g1_18446744073709551612_123");
  assert_true(gen->kernel.seed == UINT64_MAX - 3 &&
              gen->kernel.source_hash == 0xfedcba9876543210);
  assert_true(gen->number == 2 && gen->m[WW_M_time_us] == 3.25 &&
              isnan(gen->m[WW_M_dram_read_bytes]) && !gen->passes);
  assert_true(gen->sms == 132 && gen->l2_bytes == 62914560 && gen->grid[0] == 3 &&
              gen->block[0] == 256);
  assert_string_equal(x.key[0], "corpus/gemm/gemm.cu:k");
  assert_true(corpus->passes == 3 &&
              corpus->m[WW_M_int_ops] == WW_M_int_ops + 0.123456789);
  double bytes = corpus->m[WW_M_dram_read_bytes] +
                 corpus->m[WW_M_dram_write_bytes]; /* rates follow from the rest */
  assert_true(fabs(corpus->m[WW_M_dram_gbps] - bytes / 12.5 * 1e-3) < 1e-12);
  assert_int_equal(count(s, &(ww_store_filter){.origin = -1, .counters = true}), 1);
  assert_int_equal(count(s, &(ww_store_filter){.origin = WW_ORIGIN_GENERATED,
                                               .family = "gen.stencil"}),
                   1);
  assert_int_equal(count(s, &(ww_store_filter){.origin = -1, .gpu = "a100"}), 0);
  ww_err e = {0};
  assert_int_equal(ww_store_put(s, &a, &e), WW_EUSAGE);
  ww_store_close(s);
}

/* A failure gives way, counters are filled in under the time that was there, anything
 * better stays.
 */
static void the_better_row_stays(void **state) {
  (void)state;
  ww_store *s = opened("better.sqlite", WW_STORE_WRITE);
  const char *key = "corpus/a/a.cu:k";
  ww_store_row bad = row(key, 1, 1, 0), time = row(key, 1, 10, 0),
               counters = row(key, 1, 20, 3), other = row(key, 1, 30, 0);
  bad.status = WW_EDATA;
  bad.error = "illegal address";
  other.gpu = "a100";
  assert_int_equal(ww_store_has(s, key, 1, "h200"), WW_HELD_NOT);
  put(s, &bad);
  assert_int_equal(ww_store_has(s, key, 1, "h200"), WW_HELD_FAILED);
  assert_int_equal(all(s, false).n, 0);
  assert_string_equal(all(s, true).error[0], "illegal address");
  put(s, &time);
  assert_int_equal(ww_store_has(s, key, 1, "h200"), WW_HELD_TIME);
  put(s, &bad);
  put(s, &other); /* another GPU's */
  time.m[WW_M_time_us] = 11;
  put(s, &time);
  rows x = all(s, true);
  assert_int_equal(x.n, 2);
  assert_true(x.v[1].m[WW_M_time_us] == 10 && !x.v[1].status &&
              x.v[0].m[WW_M_time_us] == 30);
  put(s, &counters);
  assert_int_equal(ww_store_has(s, key, 1, "h200"), WW_HELD_COUNTERS);
  x = all(s, true);
  assert_true(x.v[1].m[WW_M_time_us] == 10 && x.v[1].passes == 3 &&
              x.v[1].samples == 3);
  assert_true(x.v[1].m[WW_M_l2_bytes] == counters.m[WW_M_l2_bytes] &&
              x.v[1].m[WW_M_registers] == 32);
  put(s, &time);
  assert_int_equal(ww_store_has(s, key, 1, "h200"), WW_HELD_COUNTERS);
  ww_store_close(s);
}

static void merged_and_packed(void **state) {
  (void)state;
  ww_err e = {0};
  uint64_t added, duplicates;
  ww_store *a = opened("a.sqlite", WW_STORE_WRITE),
           *b = opened("b.sqlite", WW_STORE_WRITE);
  for (uint32_t k = 0; k < 6; k++) {
    ww_store_row r = row("corpus/x/x.cu:k", k, k + 1.0 / 3, k % 2 ? 3 : 0);
    if (k > 2)
      made(&r, 10 - k);
    if (k < 4)
      put(a, &r);
    r.m[WW_M_time_us] *= 2;
    r.driver = "581"; /* the same GPU in another machine */
    if (k > 2)
      put(b, &r);
  }
  ww_store_close(b);
  assert_int_equal(ww_store_merge(a, path_of("b.sqlite"), &added, &duplicates, &e),
                   WW_OK);
  assert_true(added == 2 && duplicates == 1);
  rows x = all(a, true);
  assert_int_equal(x.n, 6);
  assert_string_equal(x.key[3],
                      "g1/18446744073709551612/5"); /* in the order of the numbers */
  assert_true(x.v[5].kernel.index == 7 && x.v[5].m[WW_M_time_us] == 3 + 1.0 / 3);
  assert_int_equal(ww_store_pack(a, path_of("a.sqlite.zst"), &e), WW_OK);
  ww_store_close(a);
  a = opened("a.sqlite.zst", WW_STORE_READ);
  rows y = all(a, true);
  assert_int_equal(y.n, 6);
  for (uint32_t k = 0; k < 6; k++) {
    double was = x.v[k].m[WW_M_time_us], is = y.v[k].m[WW_M_time_us];
    assert_true(is != was && fabs(is / was - 1) < 1.0 / (1 << 16));
    assert_string_equal(x.key[k], y.key[k]);
    assert_true(x.v[k].passes == y.v[k].passes && x.v[k].grid[0] == y.v[k].grid[0]);
  }
  ww_store_close(a);
  ww_store *s = NULL;
  assert_int_equal(ww_store_open(path_of("a.sqlite.zst"), WW_STORE_WRITE, &s, &e),
                   WW_EUSAGE);
}

static void
expect(const char *name, ww_store_mode mode, ww_status code, const char *words) {
  ww_store *s = NULL;
  ww_err e = {0};
  ww_status st = ww_store_open(path_of(name), mode, &s, &e);
  if (st != code || !strstr(e.msg, words))
    fail_msg("%s: %d %s", name, st, e.msg);
  assert_null(s);
}

static void sql(const char *name, const char *text) {
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path_of(name), &db), SQLITE_OK);
  if (sqlite3_exec(db, text, NULL, NULL, NULL))
    fail_msg("%s", sqlite3_errmsg(db));
  sqlite3_close(db);
}

static void other_files_are_told(void **state) {
  (void)state;
  static const char text[] = "SQLite format 3 is what a store begins with, and this is "
                             "not it, long as it may be........."
                             "..........";
  expect("none.sqlite", WW_STORE_READ, WW_EIO, "cannot open the store");
  expect("no/such/folder.sqlite", WW_STORE_WRITE, WW_EIO, "cannot write");
  ww_write_file_atomic(path_of("text.sqlite"), text, sizeof text, NULL);
  expect("text.sqlite", WW_STORE_READ, WW_EDATA, "no store of warpwise");
  expect("text.sqlite", WW_STORE_WRITE, WW_EDATA, "no store of warpwise");
  ww_write_file_atomic(path_of("empty.sqlite"), "", 0, NULL);
  expect("empty.sqlite", WW_STORE_READ, WW_EDATA, "nothing in it yet");
  sql("other.sqlite", "CREATE TABLE t(x)");
  expect("other.sqlite", WW_STORE_WRITE, WW_EDATA, "another program");
  ww_store_close(opened("newer.sqlite", WW_STORE_WRITE));
  sql("newer.sqlite", "PRAGMA user_version=99");
  expect("newer.sqlite", WW_STORE_WRITE, WW_EDATA, "newer warpwise (schema 99");
  ww_write_packed(path_of("text.sqlite.zst"), text, sizeof text, 3, NULL);
  expect("text.sqlite.zst", WW_STORE_READ, WW_EDATA, "no store of warpwise");
  ww_store *s = opened("busy.sqlite", WW_STORE_WRITE);
  expect("busy.sqlite", WW_STORE_WRITE, WW_EIO, "being written by another process");
  ww_store_close(s);
  ww_store_close(opened("busy.sqlite", WW_STORE_WRITE));
}

/* Rows behind the first page are damaged: an error, and no crash. */
static void damage_is_an_error(void **state) {
  (void)state;
  ww_store *s = opened("damaged.sqlite", WW_STORE_WRITE);
  for (uint32_t k = 0; k < 4000; k++) {
    ww_store_row r = row("corpus/x/x.cu:k", k, k + 0.1, 3);
    put(s, &r);
  }
  ww_store_close(s);
  FILE *f = fopen(path_of("damaged.sqlite"), "r+");
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  for (long at = 16 * 4096; at < size; at += 4096) {
    fseek(f, at, SEEK_SET);
    for (int k = 0; k < 512; k++)
      fputc(0xa5, f);
  }
  fclose(f);
  s = opened("damaged.sqlite", WW_STORE_READ);
  ww_err e = {0};
  uint64_t added, duplicates;
  ww_store *to = opened("saved.sqlite", WW_STORE_WRITE);
  assert_int_equal(
      ww_store_merge(to, path_of("damaged.sqlite"), &added, &duplicates, &e), WW_EDATA);
  assert_non_null(strstr(e.msg, "damaged"));
  ww_store_close(to);
  ww_store_close(s);
}

static void nobody_may_write_here(void **state) {
  (void)state;
  ww_store_row r = row("corpus/x/x.cu:k", 1, 2, 0);
  ww_store *s;
  mkdir(path_of("closed"), 0777);
  s = opened("closed/s.sqlite", WW_STORE_WRITE);
  put(s, &r);
  ww_store_close(s);
  chmod(path_of("closed"), 0555);
  if (geteuid() == 0 && (setegid(65534) || seteuid(65534)))
    skip();
  s = opened("closed/s.sqlite", WW_STORE_READ);
  assert_int_equal(all(s, false).n, 1);
  ww_store_close(s);
  expect("closed/new.sqlite", WW_STORE_WRITE, WW_EIO, "Permission denied");
  if (getuid() == 0 && (seteuid(0) || setegid(0)))
    fail();
  chmod(path_of("closed"), 0777);
}

/* What was committed is there after kill -9, what was not is gone, and the next process
 * goes on. */
static void a_crash_loses_what_was_not_committed(void **state) {
  (void)state;
  ww_err e = {0};
  pid_t child = fork();
  if (!child) {
    ww_store *s = opened("crash.sqlite", WW_STORE_WRITE);
    for (uint32_t k = 0; k < 10; k++) {
      ww_store_row r = row("corpus/x/x.cu:k", k, 5, 0);
      put(s, &r);
      if (k == 6 && ww_store_commit(s, &e))
        raise(SIGABRT);
    }
    raise(SIGKILL);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  ww_store *s = opened("crash.sqlite", WW_STORE_WRITE);
  assert_int_equal(all(s, true).n, 7);
  ww_store_row r = row("corpus/x/x.cu:k", 8, 5, 0);
  put(s, &r);
  assert_int_equal(ww_store_commit(s, &e), WW_OK);
  assert_int_equal(all(s, true).n, 8);
  ww_store_close(s);
}

static void a_full_disk_keeps_what_is_there(void **state) {
  (void)state;
  ww_err e = {0};
  ww_store_close(opened("full.sqlite", WW_STORE_WRITE));
  pid_t child = fork();
  if (!child) {
    ww_store *s = opened("full.sqlite", WW_STORE_WRITE);
    ww_store_row r = row("corpus/x/x.cu:k", 0, 5, 0);
    put(s, &r);
    ww_status st = ww_store_commit(s, &e);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {1 << 18, 1 << 18}; /* no file grows beyond */
    setrlimit(RLIMIT_FSIZE, &limit);
    for (uint32_t k = 1; !st && k < 100000; k++) {
      r = row("corpus/x/x.cu:k", k, 5, 3);
      st = ww_store_put(s, &r, &e);
      if (!st && k % 100 == 0)
        st = ww_store_commit(s, &e);
    }
    _exit(st == WW_EIO && strstr(e.msg, "what was committed is safe") ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ww_store *s = opened("full.sqlite", WW_STORE_WRITE);
  uint64_t n = count(s, &(ww_store_filter){.origin = -1});
  assert_true(n > 0 && n % 100 == 1);
  ww_store_close(s);
}

/* ---- ranks ---- */

static void ranks_come_from_the_launcher(void **state) {
  (void)state;
  static const char *const names[] = {
      "WARPWISE_RANK",        "WARPWISE_SIZE", "OMPI_COMM_WORLD_RANK",
      "OMPI_COMM_WORLD_SIZE", "PMI_RANK",      "PMI_SIZE",
      "SLURM_PROCID",         "SLURM_NTASKS",  "JOB_COMPLETION_INDEX"};
  ww_rank r;
  ww_err e = {0};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    unsetenv(names[k]);
  assert_true(ww_rank_find(&r, &e) == WW_OK && r.rank == 0 && r.size == 1 && !r.from);
  setenv("SLURM_PROCID", "5", 1);
  assert_int_equal(ww_rank_find(&r, &e), WW_EUSAGE);
  setenv("SLURM_NTASKS", "8", 1);
  assert_true(ww_rank_find(&r, &e) == WW_OK && r.rank == 5 && r.size == 8 &&
              !strcmp(r.from, "SLURM_PROCID"));
  setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  assert_true(ww_rank_find(&r, &e) == WW_OK && r.rank == 1 &&
              r.size == 2); /* mpirun inside a Slurm job */
  unsetenv("OMPI_COMM_WORLD_RANK");
  unsetenv("SLURM_PROCID");
  setenv("JOB_COMPLETION_INDEX", "3", 1);
  assert_int_equal(ww_rank_find(&r, &e), WW_EUSAGE);
  setenv("WARPWISE_SIZE", "4", 1);
  assert_true(ww_rank_find(&r, &e) == WW_OK && r.rank == 3 && r.size == 4);
  setenv("JOB_COMPLETION_INDEX", "four", 1);
  assert_int_equal(ww_rank_find(&r, &e), WW_EUSAGE);
  setenv("JOB_COMPLETION_INDEX", "4", 1);
  assert_int_equal(ww_rank_find(&r, &e), WW_EUSAGE);
}

/* The parts of a campaign's ranks make the whole, and the share of counters is what was
 * asked for.
 */
static void parts_make_the_whole(void **state) {
  (void)state;
  ww_err e = {0};
  ww_campaign c = {.version = WW_GENERATOR_VERSION,
                   .seed = 3,
                   .first = 10,
                   .count = 101,
                   .launches = 5,
                   .counters = 0.3};
  ww_target t = {.gpu = "h200", .sms = 132, .l2_bytes = 62914560};
  ww_campaign_plan whole, part, sum = {0};
  assert_int_equal(
      ww_campaign_plan_make(&c, &(ww_rank){.size = 1}, &t, NULL, &whole, &e), WW_OK);
  assert_true(whole.kernels == 101 && whole.launches == 505 && whole.device_s > 0.1);
  assert_true(whole.with_counters > 505 * 0.25 && whole.with_counters < 505 * 0.35);
  for (uint32_t k = 0; k < 4; k++) {
    assert_int_equal(ww_campaign_plan_make(&c, &(ww_rank){.rank = k, .size = 4}, &t,
                                           NULL, &part, &e),
                     WW_OK);
    assert_true(part.kernels == 25 || part.kernels == 26);
    sum.kernels += part.kernels;
    sum.with_counters += part.with_counters;
  }
  assert_true(sum.kernels == whole.kernels && sum.with_counters == whole.with_counters);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(rows_come_back),
      TEST(the_better_row_stays),
      TEST(merged_and_packed),
      TEST(other_files_are_told),
      TEST(damage_is_an_error),
      TEST(nobody_may_write_here),
      TEST(a_crash_loses_what_was_not_committed),
      TEST(a_full_disk_keeps_what_is_there),
      TEST(ranks_come_from_the_launcher),
      TEST(parts_make_the_whole),
  };
  if (!mkdtemp(dir))
    return 1;
  chmod(dir, 0777);
  int failed = RUN(tests);
  char remove[64];
  snprintf(remove, sizeof remove, "rm -rf %s", dir);
  return system(remove) || failed;
}
