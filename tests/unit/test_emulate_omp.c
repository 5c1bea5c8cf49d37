/* test_emulate_omp.c - OpenMP programs without a GPU: the launches that are recorded,
 * and the results when kernels are executed.
 *
 * Each program of tests/emulate checks what it can see itself, with its exit code; what
 * was recorded is compared with the .want file beside it, one line per launch: main_l15
 * 3125x32 0 100000 [400000 a 0000803f0000803f] 2.5 region, teams x threads, then the
 * arguments: numbers, bits, buffers with size, which one it is and how it begins. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../src/measure/emulate/emulate.h"
#include "../../src/report/omp_shape.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1 /* the library of this build links with nothing else */
#else
#define SANITIZED 0
#endif

/* ---- shapes ---- */

/* What LLVM's runtime chooses, worked out by hand from its rules. */
static void shapes_follow_the_runtime(void **state) {
  static const struct {
    uint8_t mode;
    int64_t min, max, teams, limit;
    uint64_t trips, want_teams, want_threads;
  } rows[] = {
      {WW_OMP_SPMD, 1, 128, 0, 0, 3200 * 128, 3200,
       128}, /* just enough for full teams */
      {WW_OMP_SPMD, 1, 128, 0, 0, 3200 * 128 - 1, 3200,
       128}, /* 127.99 iterations each round up to 128 */
      {WW_OMP_SPMD, 1, 128, 0, 0, 3200 * 64, 3200, 64},
      {WW_OMP_SPMD, 1, 128, 0, 0, 3200 * 32 - 1, 3200, 32},
      {WW_OMP_SPMD, 1, 128, 0, 0, 1, 1, 32},
      {WW_OMP_SPMD, 1, 128, 0, 0, 0, 3200, 128},   /* no loop */
      {WW_OMP_SPMD, 1, 256, 0, 256, 1000, 4, 256}, /* the program's limit is kept */
      {WW_OMP_SPMD, 1, 0, 0, 2048, 1u << 30, 3200, 1024}, /* what the hardware can */
      {WW_OMP_SPMD, 1, 64, 12345, 64, 10, 12345, 64},
      {WW_OMP_SPMD, 1, 128, -1, 0, 100, 1, 128},   /* a plain target */
      {WW_OMP_GENERIC, 1, 0, 0, 0, 500, 500, 128}, /* an iteration for each team */
      {WW_OMP_GENERIC, 1, 0, 0, 64, 5000, 3200,
       96}, /* and a warp for the main thread */
      {WW_OMP_GENERIC_SPMD, 1, 128, 0, 0, 5000, 3200, 128},
      {WW_OMP_GENERIC_SPMD, 1, 0, 0, 64, 50, 50, 64},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_omp_bounds b = {
        .mode = rows[i].mode, .min_threads = rows[i].min, .max_threads = rows[i].max};
    ww_omp_request r = {
        .teams = rows[i].teams, .threads = rows[i].limit, .trips = rows[i].trips};
    uint64_t teams, threads;
    ww_omp_shape(&b, &r, &teams, &threads);
    if (teams != rows[i].want_teams || threads != rows[i].want_threads)
      fail_msg("row %zu: got %llux%llu, want %llux%llu", i, (unsigned long long)teams,
               (unsigned long long)threads, (unsigned long long)rows[i].want_teams,
               (unsigned long long)rows[i].want_threads);
  }
}

/* ---- names ---- */

/* A recorded name fits the same source at another place on another disk. */
static void regions_are_found_by_function_and_line(void **state) {
  ww_fn fns[] = {{.kernel = true,
                  .name = "main_l9",
                  .mangled = "__omp_offloading_fe00_5122cd_main_l9"},
                 {.kernel = true,
                  .name = "f_l9",
                  .mangled = "__omp_offloading_fe00_5122cd__Z1fPf_l9"},
                 {.kernel = true,
                  .name = "f_l9",
                  .mangled = "__omp_offloading_fe00_5122ce__Z1fPd_l9"}};
  ww_module m = {.dialect = WW_OPENMP, .fns = fns, .nfns = 3};
  (void)state;
  assert_ptr_equal(ww_ir_find(&m, "__omp_offloading_10309_2f04138_main_l9"), &fns[0]);
  assert_ptr_equal(ww_ir_find(&m, "__omp_offloading_10309_2f04138__Z1fPd_l9"), &fns[2]);
  assert_null(ww_ir_find(&m, "__omp_offloading_10309_2f04138_main_l19"));
  assert_null(ww_ir_find(&m, "__omp_offloading_"));
  fns[2].mangled =
      "__omp_offloading_fe00_5122ce__Z1fPf_l9"; /* the same function in two files: only
                                                   the exact name tells */
  assert_null(ww_ir_find(&m, "__omp_offloading_1_2__Z1fPf_l9"));
  assert_ptr_equal(ww_ir_find(&m, fns[2].mangled), &fns[2]);
}

/* ---- programs ---- */

typedef struct {
  const char *ids[64];
  uint32_t n;
  bool addresses; /* contents of this launch are addresses: other ones in each run */
} names;

static char
letter(names *seen,
       const char *id) { /* allocations in the order of their first mention */
  uint32_t i = 0;
  while (id && i < seen->n && strcmp(seen->ids[i], id))
    i++;
  if (i == seen->n && i < 64)
    seen->ids[seen->n++] = id ? id : "";
  return (char)('a' + i % 26);
}

static void show_buffer(const ww_buffer *b, names *seen, ww_buf *out) {
  ww_buf_fmt(out, " [%llu", (unsigned long long)b->bytes);
  if (b->offset)
    ww_buf_fmt(out, "+%llu", (unsigned long long)b->offset);
  ww_buf_fmt(out, " %c", letter(seen, b->id));
  uint32_t known = seen->addresses ? 0 : b->head_n;
  if (known)
    ww_buf_puts(out, " ");
  for (uint32_t i = 0; i < known && i < 8; i++)
    ww_buf_fmt(out, "%02x", b->head[i]);
  ww_buf_puts(out, "]");
}

static void show_arg(const ww_arg *g, names *seen, ww_buf *out) {
  uint64_t bits = 0;
  if (g->kind == WW_ARG_BUFFER)
    show_buffer(&g->buffer, seen, out);
  if (g->kind == WW_ARG_VALUE)
    ww_buf_fmt(out, " %.9g", g->value);
  if (g->kind != WW_ARG_HEX)
    return;
  memcpy(&bits, g->hex, g->hex_n < 8 ? g->hex_n : 8);
  if (g->nptrs)
    show_buffer(&g->ptrs[0].buffer, seen, out);
  else
    ww_buf_fmt(out, bits ? " 0x%llx" : " 0", (unsigned long long)bits);
}

/* The part of a region's name that does not depend on the file's place on the disk. */
static const char *region(const char *kernel) {
  const char *s = strstr(kernel, "__omp_offloading_");
  for (int i = 0; i < 2 && s; i++)
    s = strchr(s + (i ? 0 : strlen("__omp_offloading_")), '_') + 1;
  return s ? s : kernel;
}

static void show(const ww_launch *l, names *seen, ww_buf *out) {
  seen->addresses = l->note && strstr(l->note, "pointers");
  ww_buf_fmt(out, "%s %llux%llu", region(l->kernel), (unsigned long long)l->grid[0],
             (unsigned long long)l->block[0]);
  for (uint32_t i = 0; i < l->nargs; i++)
    show_arg(&l->args[i], seen, out);
  for (uint32_t i = 0; i < l->nsymbols; i++) {
    ww_buf_fmt(out, " %s", l->symbols[i].name);
    show_arg(&l->symbols[i].arg, seen, out);
  }
  if (l->note)
    ww_buf_fmt(out, " (%s)", l->note);
  ww_buf_puts(out, "\n");
}

static char *launches(const char *path, ww_arena *a) {
  ww_launch *l;
  uint32_t n;
  ww_err e = {0};
  names seen = {0};
  ww_buf b = {0};
  if (ww_launch_read(path, a, &l, &n, &e) != WW_OK)
    fail_msg("%s", e.msg);
  for (uint32_t i = 0; i < n; i++)
    show(&l[i], &seen, &b);
  char *out = ww_strdup(a, b.s ? b.s : "");
  ww_buf_free(&b);
  return out;
}

static void emulate(const char *file, bool execute, const char *record, ww_arena *a) {
  const char *args[] = {execute ? "run" : NULL, NULL};
  ww_emulate_options o = {.front = {.files = &file, .nfiles = 1, .dialect = -1},
                          .args = args,
                          .execute = execute ? WW_EXECUTE_ALL : WW_EXECUTE_NONE,
                          .record = {.path = record},
                          .limit_s = 120};
  ww_emulated r;
  ww_err e = {0};
  if (ww_emulate(&o, a, &r, &e) != WW_OK)
    fail_msg("%s: %s", file, e.msg);
  if (r.exit_code)
    fail_msg("%s%s ended with %d: %s", file, execute ? " run" : "", r.exit_code,
             r.output);
}

static bool ready(ww_arena *a) {
  ww_err e;
  return !SANITIZED && ww_front_clang(a, NULL, &e) &&
         ww_file_exists("tests/emulate/omp_saxpy.c");
}

static void programs_are_recorded(void **state) {
  static const char *const programs[] = {
      "omp_saxpy.c", "omp_data.c",   "omp_members.cpp", "omp_declare.c",
      "omp_shape.c", "omp_nowait.c", "omp_host.c"};
  ww_arena *a = *state;
  char record[] = "/tmp/ww-omp-XXXXXX";
  if (!ready(a))
    skip();
  close(mkstemp(record));
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    const char *file = ww_fmt(a, "tests/emulate/%s", programs[i]),
               *base = ww_strndup(a, file, strcspn(file, "."));
    char *want;
    size_t n;
    ww_err e = {0};
    emulate(file, false, record, a);
    const char *got = launches(record, a);
    if (getenv("WW_UPDATE"))
      ww_write_file_atomic(ww_fmt(a, "%s.want", base), got, strlen(got), &e);
    if (ww_read_file(a, ww_fmt(a, "%s.want", base), 1 << 20, &want, &n, &e) != WW_OK)
      fail_msg("%s", e.msg);
    if (strcmp(got, want))
      fail_msg("%s: got\n%s\nwant\n%s", file, got, want);
  }
  unlink(record);
}

static void executed_kernels_give_results(void **state) {
  static const char *const programs[] = {"omp_saxpy.c", "omp_declare.c", "omp_nowait.c",
                                         "omp_members.cpp"};
  ww_arena *a = *state;
  char record[] = "/tmp/ww-omp-XXXXXX";
  if (!ready(a))
    skip();
  close(mkstemp(record));
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    emulate(ww_fmt(a, "tests/emulate/%s", programs[i]), true, record, a);
  unlink(record);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(shapes_follow_the_runtime), TEST(regions_are_found_by_function_and_line),
      TEST(programs_are_recorded), TEST(executed_kernels_give_results)};
  return RUN(tests);
}
