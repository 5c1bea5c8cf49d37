/* test_recorder.c - the recorder with a made-up device memory: lines, counts, bounds,
 * contents, forks, crashes. */
#include "unit.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/measure/record/recorder.h"

/* ---- a device with three allocations ---- */

enum { NALLOC = 3 };
static uint8_t device[NALLOC][4096];
static const uint64_t device_base[NALLOC] = {0x7f0000000000, 0x7f0000100000,
                                             0x7f0000200000};
static uint64_t device_bytes[NALLOC] = {4096, 1024, 4096}, finds, reads;

static bool
fake_find(void *ctx, uint64_t address, uint64_t *base, uint64_t *bytes, uint64_t *id) {
  (void)ctx;
  finds++;
  for (uint64_t i = 0; i < NALLOC; i++) {
    if (address < device_base[i] || address >= device_base[i] + device_bytes[i])
      continue;
    *base = device_base[i];
    *bytes = device_bytes[i];
    *id = i + 1;
    return true;
  }
  return false;
}

static bool fake_read(void *ctx, uint64_t address, void *out, size_t n) {
  uint64_t base, bytes, id;
  reads++;
  if (!fake_find(ctx, address, &base, &bytes, &id) || address - base + n > bytes)
    return false;
  memcpy(out, device[id - 1] + (address - base), n);
  return true;
}

static const ww_recorder_memory fake = {NULL, fake_find, fake_read};

/* ---- a folder for each test ---- */

static char folder[64], lines_path[96];

static int fresh(void **state) {
  strcpy(folder, "/tmp/test_recorder.XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(lines_path, sizeof lines_path, "%s/l.jsonl", folder);
  for (int i = 0; i < NALLOC; i++)
    for (int b = 0; b < 4096; b++)
      device[i][b] = (uint8_t)(b * 7 + i);
  finds = reads = 0;
  return arena_setup(state);
}

static int gone(void **state) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0)
    return 1;
  return arena_teardown(state);
}

static uint32_t lines_of(const char *path, ww_arena *a, ww_launch **out) {
  uint32_t n = 0;
  ww_err e = {0};
  if (ww_launch_read(path, a, out, &n, &e) != WW_OK)
    fail_msg("%s", e.msg);
  return n;
}

static ww_recorder *begin(ww_recorder_options o) {
  ww_err e = {0};
  o.path = lines_path;
  ww_recorder *r = ww_recorder_open(&o, &fake, &e);
  if (!r)
    fail_msg("%s", e.msg);
  return r;
}

/* saxpy(int n, float a, float *x, float *y) with y at an offset */
static void saxpy(ww_recorder *r, int n, float a, uint64_t x, uint64_t y) {
  ww_raw_arg args[] = {{.bytes = &n, .size = 4, .type = "i32"},
                       {.bytes = &a, .size = 4, .type = "f32"},
                       {.bytes = &x, .size = 8, .pointer = 1},
                       {.bytes = &y, .size = 8, .pointer = -1}};
  ww_raw_launch l = {.kernel = "_Z5saxpyifPfS_",
                     .grid = {(uint64_t)(n + 255) / 256, 1, 1},
                     .block = {256, 1, 1}};
  l.args = args;
  l.nargs = 4;
  ww_recorder_launch(r, &l);
}

static void test_line(void **state) {
  ww_launch *l;
  ww_recorder *r = begin((ww_recorder_options){0});
  for (int i = 0; i < 3; i++)
    saxpy(r, 1000, 0.5f, device_base[0], device_base[1] + 16);
  saxpy(r, 1000, -0.0f, device_base[0], 0);
  saxpy(r, 1000, 0.5f, device_base[0], device_base[0]); /* in place is another launch */
  saxpy(r, 1000, 0.5f, device_base[2],
        device_base[1] + 16); /* another allocation of the same size is not */
  ww_recorder_close(r);
  assert_int_equal(lines_of(lines_path, *state, &l), 3);
  assert_string_equal(l[0].kernel, "_Z5saxpyifPfS_");
  assert_int_equal(l[0].count, 4);
  static const uint64_t places[] = {0, 3, 5, 1}; /* of the program's launches */
  assert_int_equal(l[0].nat, 4);
  assert_memory_equal(l[0].at, places, sizeof places);
  assert_int_equal(l[0].grid[0], 4);
  assert_int_equal(l[0].block[0], 256);
  assert_true(l[0].args[0].kind == WW_ARG_VALUE && l[0].args[0].is_int &&
              l[0].args[0].ivalue == 1000);
  assert_true(l[0].args[1].kind == WW_ARG_VALUE && !l[0].args[1].is_int &&
              l[0].args[1].value == 0.5);
  const ww_buffer *x = &l[0].args[2].buffer, *y = &l[0].args[3].buffer;
  assert_true(l[0].args[2].kind == WW_ARG_BUFFER && x->bytes == 4096 &&
              x->offset == 0 && x->head_n == 64);
  assert_memory_equal(x->head, device[0], 64);
  assert_true(y->bytes == 1024 && y->offset == 16 && strcmp(y->id, x->id) != 0);
  assert_memory_equal(y->head, device[1] + 16, 64);
  assert_true(l[1].args[1].kind == WW_ARG_HEX &&
              l[1].args[1].hex[3] == 0x80);                        /* -0 as bytes */
  assert_true(l[1].args[3].kind == WW_ARG_HEX && l[1].count == 1); /* a null pointer */
  assert_string_equal(l[2].args[2].buffer.id, l[2].args[3].buffer.id);
  assert_null(l[0].note);
}

static void test_values(void **state) {
  static const struct {
    const char *type;
    uint32_t size;
    uint64_t bits;
    const char *want;
  } rows[] = {
      {"i32", 4, 0xffffffff, "{\"value\":-1}"},
      {"u32", 4, 0xffffffff, "{\"value\":4294967295}"},
      {"i64", 8, 9007199254740993, "{\"value\":9007199254740993}"},
      {"u64", 8, UINT64_MAX, "{\"value\":18446744073709551615}"},
      {"u8", 1, 200, "{\"value\":200}"},
      {"bool", 1, 1, "{\"value\":1}"},
      {"f32", 4, 0x3f800000, "{\"value\":1.0}"},
      {"f32", 4, 0x7fc00000, "{\"hex\":\"0000c07f\"}"},
      {"f64", 8, 0x7ff0000000000000, "{\"hex\":\"000000000000f07f\"}"},
      {"f16", 2, 0x3c00, "{\"hex\":\"003c\"}"},
      {NULL, 4, 7, "{\"hex\":\"07000000\"}"},
      {NULL, 1, 7, "{\"hex\":\"07\"}"},
  };
  char *text;
  ww_recorder *r = begin((ww_recorder_options){0});
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_raw_arg g = {.bytes = &rows[i].bits, .size = rows[i].size, .type = rows[i].type};
    ww_recorder_launch(
        r, &(ww_raw_launch){.kernel = "k", .grid = {i + 1}, .args = &g, .nargs = 1});
  }
  ww_recorder_launch(
      r,
      &(ww_raw_launch){.kernel = "k", .args = &(ww_raw_arg){.size = 256}, .nargs = 1});
  ww_recorder_close(r);
  assert_int_equal(ww_read_file(*state, lines_path, 1 << 20, &text, NULL, NULL), WW_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *end = strchr(text, '\n');
    *end = 0;
    if (!strstr(text, rows[i].want))
      fail_msg("row %zu: no %s in %s", i, rows[i].want, text);
    text = end + 1;
  }
  assert_non_null(strstr(text, "{\"buffer\":{\"bytes\":256,\"local\":true}}"));
}

static void test_struct_and_symbols(void **state) {
  ww_launch *l;
  struct {
    int n;
    uint64_t p, other, q;
  } s = {7, device_base[0] + 8, 12345678, device_base[1]};
  uint64_t table = device_base[1] + 64;
  memcpy(device[2], &table, 8); /* a __device__ pointer variable */
  ww_raw_arg g = {.bytes = &s, .size = sizeof s, .pointer = -1, .struct_ = true};
  ww_raw_symbol symbols[] = {{"table", device_base[2], 8},
                             {"coef", device_base[2] + 64, 100},
                             {"big", device_base[2], 2048}};
  ww_recorder *r = begin((ww_recorder_options){0});
  ww_raw_launch raw = {.kernel = "k",
                       .args = &g,
                       .nargs = 1,
                       .symbols = symbols,
                       .nsymbols = 3,
                       .note = "by hand"};
  raw.cooperative = true;
  ww_recorder_launch(r, &raw);
  ww_recorder_close(r);
  assert_int_equal(lines_of(lines_path, *state, &l), 1);
  assert_true(l->cooperative);
  assert_string_equal(l->note, "by hand");
  assert_int_equal(l->args[0].hex_n, sizeof s);
  assert_int_equal(l->args[0].hex[0], 7);
  assert_int_equal(l->args[0].hex[16], 12345678 & 255);
  assert_int_equal(l->args[0].hex[8], 0); /* addresses are left out */
  assert_int_equal(l->args[0].nptrs, 2);
  assert_true(l->args[0].ptrs[0].at == 8 && l->args[0].ptrs[0].buffer.offset == 8);
  assert_true(l->args[0].ptrs[1].at == 24 && l->args[0].ptrs[1].buffer.bytes == 1024);
  assert_int_equal(l->nsymbols, 3);
  assert_true(l->symbols[0].arg.nptrs == 1 &&
              l->symbols[0].arg.ptrs[0].buffer.offset == 64);
  assert_true(l->symbols[1].arg.hex_n == 100 &&
              memcmp(l->symbols[1].arg.hex, device[2] + 64, 100) == 0);
  assert_true(l->symbols[2].arg.kind == WW_ARG_BUFFER &&
              l->symbols[2].arg.buffer.bytes == 2048);
  assert_memory_equal(l->symbols[2].arg.buffer.head, device[2], 64);
}

static void test_contents(void **state) {
  ww_launch *l;
  char *data;
  size_t n;
  ww_recorder *r = begin((ww_recorder_options){
      .contents = true, .contents_limit = 6000, .binaries = true});
  saxpy(r, 1, 1, device_base[0], device_base[0] + 64);
  saxpy(r, 2, 1, device_base[0], device_base[1]);
  device[2][5] ^= 1; /* other bytes: 4096 more than fit */
  saxpy(r, 3, 1, device_base[2], device_base[1]);
  ww_recorder_launch(
      r, &(ww_raw_launch){
             .kernel = "c", .binary = "code", .binary_n = 4, .binary_suffix = "cubin"});
  ww_recorder_launch(
      r, &(ww_raw_launch){
             .kernel = "s", .binary = "kernel", .binary_n = 6, .binary_suffix = "cl"});
  ww_recorder_launch(r, &(ww_raw_launch){.kernel = "p",
                                         .binary = "code",
                                         .binary_n = 4,
                                         .ptx = ".version",
                                         .ptx_n = 8});
  ww_recorder_close(r);
  assert_int_equal(lines_of(lines_path, *state, &l), 6);
  assert_int_equal(l[0].args[2].buffer.fill.kind, WW_FILL_FILE);
  assert_string_equal(l[0].args[2].buffer.fill.path, l[0].args[3].buffer.fill.path);
  assert_string_equal(l[0].args[2].buffer.fill.path, l[1].args[2].buffer.fill.path);
  assert_int_equal(
      ww_read_packed(*state, l[0].args[2].buffer.fill.path, 1 << 20, &data, &n, NULL),
      WW_OK);
  assert_int_equal(n, 4096);
  assert_memory_equal(data, device[0], 4096);
  assert_int_equal(l[2].args[2].buffer.fill.kind, WW_FILL_NONE);
  assert_non_null(strstr(l[2].note, "4096 bytes of contents left out"));
  assert_int_equal(l[2].args[3].buffer.fill.kind, WW_FILL_FILE); /* stored before */
  assert_int_equal(ww_read_file(*state, l[3].binary, 100, &data, &n, NULL), WW_OK);
  assert_string_equal(data, "code");
  assert_null(l[4].binary);
  assert_int_equal(ww_read_file(*state, l[4].file, 100, &data, &n, NULL), WW_OK);
  assert_string_equal(data, "kernel");
  assert_true(l[5].binary && ww_ends(l[5].file, ".ptx"));
  assert_int_equal(ww_read_file(*state, l[5].file, 100, &data, &n, NULL), WW_OK);
  assert_string_equal(data, ".version");
}

static void test_bounds(void **state) {
  ww_launch *l;
  uint64_t sum = 0;
  ww_recorder *r = begin((ww_recorder_options){.per_kernel = 10, .most = 12});
  for (int i = 0; i < 100000; i++)
    saxpy(r, i % 2 ? 1000 : 100000, (float)i, device_base[0], device_base[1]);
  for (int i = 0; i < 50; i++)
    ww_recorder_launch(r, &(ww_raw_launch){.kernel = i % 2 ? "a" : "b",
                                           .grid = {(uint64_t)i + 1},
                                           .block = {64}});
  ww_recorder_launch(
      r,
      &(ww_raw_launch){.kernel = "last"}); /* a kernel's first launch is always kept */
  ww_recorder_close(r);
  uint32_t n = lines_of(lines_path, *state, &l);
  assert_int_equal(n, 13);
  for (uint32_t i = 0; i < n; i++)
    sum += l[i].count;
  assert_int_equal(sum, 100051);
  uint64_t small = 0,
           large = 0; /* launches beyond the bound went to lines of their own shape */
  for (uint32_t i = 0; i < 10; i++)
    *(l[i].grid[0] == 4 ? &small : &large) += l[i].count;
  assert_int_equal(small, 50000);
  assert_int_equal(large, 50000);
  uint32_t noted = 0;
  for (uint32_t i = 0; i < 10; i++)
    noted += l[i].note && strstr(l[i].note, "launches with other arguments");
  assert_true(noted >= 2);
}

static void test_fork(void **state) {
  ww_launch *l;
  char path[128];
  ww_recorder *r = begin((ww_recorder_options){0});
  saxpy(r, 1, 1, device_base[0], device_base[1]);
  pid_t pid = fork();
  if (pid == 0) {
    saxpy(r, 2, 1, device_base[0], device_base[1]);
    saxpy(r, 2, 1, device_base[0], device_base[1]);
    ww_recorder_close(r);
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  saxpy(r, 1, 1, device_base[0], device_base[1]);
  ww_recorder_close(r);
  assert_int_equal(lines_of(lines_path, *state, &l), 1);
  assert_int_equal(l[0].count, 2);
  snprintf(path, sizeof path, "%s/l.%ld.jsonl", folder, (long)pid);
  assert_int_equal(lines_of(path, *state, &l), 1);
  assert_int_equal(l[0].count, 2);
  assert_int_equal(l[0].args[0].ivalue, 2);
}

static void test_kill(void **state) {
  ww_launch *l;
  int ready[2];
  char byte;
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  if (pid == 0) {
    ww_recorder *r = begin((ww_recorder_options){0});
    for (int i = 1; i <= 20; i++)
      saxpy(r, i * 256, 1, device_base[0], device_base[1]);
    if (write(ready[1], "x", 1) != 1)
      _exit(1);
    for (;;)
      saxpy(r, 256, 1, device_base[0], device_base[1]);
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  assert_int_equal(lines_of(lines_path, *state, &l), 20);
  for (uint32_t i = 0; i < 20; i++)
    assert_int_equal(l[i].args[0].ivalue, (i + 1) * 256);
}

static void test_env(void **state) {
  ww_launch *l;
  ww_recorder_options o = {.path = lines_path,
                           .per_kernel = 3,
                           .most = 4,
                           .contents = true,
                           .contents_limit = 99};
  unsetenv("WARPWISE_RECORD");
  assert_null(ww_recorder_from_env(&fake));
  setenv("WARPWISE_RECORD", "{", 1);
  assert_null(ww_recorder_from_env(&fake));
  setenv("WARPWISE_RECORD", ww_recorder_env(&o, *state), 1);
  ww_recorder *r = ww_recorder_from_env(&fake);
  assert_non_null(r);
  for (int i = 0; i < 9; i++)
    saxpy(r, i, 1, device_base[0], device_base[1]);
  ww_recorder_note(r, "graphs are not seen");
  ww_recorder_note(r, "graphs are not seen");
  ww_recorder_close(r);
  unsetenv("WARPWISE_RECORD");
  assert_int_equal(lines_of(lines_path, *state, &l), 3);
  assert_non_null(strstr(l[0].note, "left out"));
  char *text;
  assert_int_equal(ww_read_file(*state, lines_path, 1 << 20, &text, NULL, NULL), WW_OK);
  assert_true(ww_starts(text, "# graphs are not seen\n{"));
}

static void test_collect(void **state) {
  char other[128];
  ww_recorded_run got;
  ww_err e = {0};
  const char *mine = "# "
                     "one\n{\"kernel\":\"a\",\"grid\":[2,1,1],\"count\":3,\"at\":[0,3]}"
                     "\n{\"kernel\":\"b\"}\n{"
                     "\"kernel\":\"c\",\"gr\n";
  const char *theirs = "# one\n# "
                       "two\n{\"kernel\":\"a\",\"grid\":[2,1,1]}\n{\"kernel\":\"a\","
                       "\"grid\":[3,1,1]}\n{\"ker";
  snprintf(other, sizeof other, "%s/l.77.jsonl", folder);
  assert_int_equal(ww_recorded_collect(lines_path, *state, &got, &e), WW_OK);
  assert_int_equal(got.nlines, 0);
  ww_write_file_atomic(lines_path, mine, strlen(mine), NULL);
  ww_write_file_atomic(other, theirs, strlen(theirs), NULL);
  if (ww_recorded_collect(lines_path, *state, &got, &e) != WW_OK)
    fail_msg("%s", e.msg);
  assert_true(got.nlines == 3 && got.launches == 6 && got.kernels == 2 &&
              got.nnotes == 3);
  assert_true(strcmp(got.lines[0].kernel, "a") == 0 && got.lines[0].count == 4);
  assert_int_equal(got.lines[0].nat, 0); /* whose order it would be is not known */
  assert_false(ww_file_exists(other));
  ww_recorded_clear(lines_path);
  assert_false(ww_file_exists(lines_path));
}

/* A launch seen before costs a hash: no read, one find for each pointer. The bound is
 * loose, for slow machines. */
static void test_speed(void **state) {
  ww_launch *l;
  enum { N = 1000000 };
  ww_recorder *r = begin((ww_recorder_options){0});
  saxpy(r, 1, 1, device_base[0], device_base[1]);
  uint64_t reads_before = reads, finds_before = finds;
  double start = ww_now();
  for (int i = 1; i < N; i++)
    saxpy(r, 1, 1, device_base[0], device_base[1]);
  double ns = (ww_now() - start) / N * 1e9;
  assert_int_equal(reads - reads_before, 0);
  assert_int_equal(finds - finds_before, 2 * (N - 1));
  ww_recorder_close(r);
  assert_int_equal(lines_of(lines_path, *state, &l), 1);
  assert_int_equal(l[0].count, N);
  print_message("# a repeated launch costs %.0f ns\n", ns);
  assert_true(ns < 20000);
}

#define EACH(fn) cmocka_unit_test_setup_teardown(fn, fresh, gone)
int main(void) {
  const struct CMUnitTest tests[] = {
      EACH(test_line),     EACH(test_values), EACH(test_struct_and_symbols),
      EACH(test_contents), EACH(test_bounds), EACH(test_fork),
      EACH(test_kill),     EACH(test_env),    EACH(test_collect),
      EACH(test_speed)};
  return RUN(tests);
}
