/* test_compile.c - child processes that compile, die and answer nonsense; the cache;
 * real compilers where there are any. */
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/measure/compile_int.h"

static char *folder(ww_arena *a) {
  char *dir = ww_strdup(a, "/tmp/ww_compile_XXXXXX");
  if (!mkdtemp(dir))
    fail_msg("no folder in /tmp");
  return dir;
}

static void remove_folder(const char *dir, ww_arena *a) {
  const char *argv[] = {"rm", "-rf", dir, NULL};
  ww_run_result r;
  (void)a;
  if (ww_run(argv, NULL, 0, 10, &r, NULL) == WW_OK)
    ww_run_free(&r);
}

/* ---- the pool, with a script as the worker ---- */

static const char worker[] =
    "#!/bin/sh\n"
    "[ \"$1 $2\" = 'measure --compile-worker' ] || exit 3\n"
    "while read -r line; do\n"
    "  case $line in\n"
    "  *boom*) kill -9 $$ ;;\n"
    "  *quit*) exit 0 ;;\n"
    "  *nonsense*) echo 'not json' ;;\n"
    "  *wrong*) echo '{\"error\":8,\"message\":\"no such "
    "thing\",\"file\":\"a.cu\",\"line\":7}' ;;\n"
    "  *) echo '{\"compiler\":\"sh\",\"entries\":[\"entry\"]}' ;;\n"
    "  esac\n"
    "done\n";

static void every_unit_has_its_answer(void **state) {
  static const char *const kinds[] = {"fine", "fine",     "boom", "fine",
                                      "quit", "nonsense", "wrong"};
  ww_arena *a = *state;
  const char *dir = folder(a), *self = ww_path_join(a, dir, "worker.sh");
  assert_int_equal(ww_write_file_atomic(self, worker, sizeof worker - 1, NULL), WW_OK);
  assert_int_equal(chmod(self, 0700), 0);
  enum { N = 70 };
  ww_pool_unit units[N] = {0}, *all[N];
  char *big = ww_alloc(a, 300001); /* more than a socket takes at once */
  memset(big, 'x', 300000);
  for (int i = 0; i < N; i++) {
    units[i].job = (ww_unit_job){.architecture = "sm_90",
                                 .file = kinds[i % 7],
                                 .text = i % 10 ? "" : big,
                                 .out = "o"};
    ww_push(a, &units[i].job.kernels, "k");
    all[i] = &units[i];
  }
  ww_err e = {0};
  ww_set_quiet(true);
  assert_int_equal(ww_pool_run(all, N, 3, self, NULL, a, &e), WW_OK);
  for (int i = 0; i < N; i++) {
    const ww_err *error = &units[i].error;
    const char *kind = kinds[i % 7];
    if (!strcmp(kind, "fine") && error->code)
      fail_msg("unit %d: %s", i, error->msg);
    if (!strcmp(kind, "fine"))
      assert_string_equal(units[i].job.entries[0], "entry");
    if (!strcmp(kind, "boom") && !strstr(error->msg, "signal 9"))
      fail_msg("unit %d: %s", i, error->msg);
    if (!strcmp(kind, "quit") && !strstr(error->msg, "exit code 0"))
      fail_msg("unit %d: %s", i, error->msg);
    if (!strcmp(kind, "nonsense"))
      assert_int_equal(error->code, WW_EPARSE);
    if (strcmp(kind, "wrong") != 0)
      continue;
    assert_int_equal(error->code, WW_EDATA);
    assert_int_equal(error->line, 7);
    assert_string_equal(error->msg, "no such thing");
  }
  remove_folder(dir, a);
}

static void worker_that_is_not_there(void **state) {
  ww_arena *a = *state;
  ww_pool_unit unit = {.job = {.architecture = "sm_90", .text = "", .out = "o"}};
  ww_err e = {0};
  assert_int_equal(
      ww_pool_run((ww_pool_unit *[]){&unit}, 1, 1, "/nowhere/warpwise", NULL, a, &e),
      WW_EIO);
  assert_non_null(strstr(e.msg, "/nowhere/warpwise"));
}

/* ---- cubins that are none ---- */

static void damaged_code(void **state) {
  ww_arena *a = *state;
  uint8_t bytes[256] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  for (size_t n = 0; n <= sizeof bytes; n += 16) {
    ww_strings names = {0};
    ww_err e = {0};
    bytes[40] = 64;
    bytes[58] = 64;
    bytes[60] = 3;
    bytes[62] = 1; /* three sections, names in the second */
    bytes[64 + 64 + 24] = 255;
    bytes[64 + 64 + 32] = 255; /* which lie outside */
    if (ww_kernels_of_code(bytes, n, a, &names, &e) != WW_EDATA)
      fail_msg("%d bytes are taken for code", (int)n);
  }
}

/* ---- real compilers ---- */

static const char source[] = "#include <cstdio>\n"
                             "template <typename T, int N> __global__ void scale(T *x) "
                             "{ x[threadIdx.x] *= N; }\n"
                             "__global__ void copy(const float *x, float *y) { "
                             "y[threadIdx.x] = x[threadIdx.x]; }\n"
                             "int main() { FILE *f = fopen(\"x\", \"r\"); copy<<<1, "
                             "32>>>(0, 0); return f != 0; }\n";

static void compile_with(const char *with, ww_arena *a) {
  const char *dir = folder(a), *flags[] = {"-O3", "-Wall"};
  ww_compile_job jobs[] = {
      {.text = source, .kernel = "copy", .flags = flags, .nflags = 2},
      {.text = source, .kernel = "scale<float, 4>", .flags = flags, .nflags = 2},
      {.text = source, .kernel = "_Z5scaleIdLi2EEvPT_", .flags = flags, .nflags = 2},
      {.text = source, .kernel = "nobody", .flags = flags, .nflags = 2},
      {.text = "\n__global__ void k(int *p) {\n  *p = missing;\n}\n", .kernel = "k"},
      {.file = "/nowhere/a.cu", .kernel = "k"},
  };
  static const char *const entries[] = {"_Z4copyPKfPf", "_Z5scaleIfLi4EEvPT_",
                                        "_Z5scaleIdLi2EEvPT_"};
  ww_compile_options o = {.architecture = "sm_90", .with = with, .cache = dir};
  ww_err e = {0};
  for (int again = 0; again < 2; again++) { /* the second time from the cache */
    if (ww_compile(jobs, again ? 3 : 6, &o, a, &e))
      fail_msg("%s", e.msg);
    for (int i = 0; i < 3; i++) {
      if (jobs[i].error.code)
        fail_msg("%s: %s", jobs[i].kernel, jobs[i].error.msg);
      assert_string_equal(jobs[i].entry, entries[i]);
      assert_true(ww_file_exists(jobs[i].binary));
      assert_non_null(
          strstr(jobs[i].compiler, strcmp(with, "nvcc") ? "NVRTC" : "nvcc"));
    }
    assert_non_null(strstr(jobs[3].error.msg, "`nobody`"));
    assert_non_null(strstr(jobs[4].error.msg, "\"missing\" is undefined"));
    assert_int_equal(jobs[4].error.line, 3);
    assert_int_equal(jobs[5].error.code, WW_EIO);
  }
  remove_folder(dir, a);
}

static void with_nvcc(void **state) {
  ww_arena *a = *state;
  if (!ww_nvcc_find(a))
    skip();
  compile_with("nvcc", a);
}

static void with_nvrtc(void **state) {
  ww_arena *a = *state;
  if (!ww_nvrtc_version(a, NULL))
    skip();
  compile_with("nvrtc", a);
}

static void no_such_compiler(void **state) {
  ww_arena *a = *state;
  ww_compile_job job = {.text = source};
  ww_compile_options o = {.architecture = "sm_90", .with = "icc"};
  ww_err e = {0};
  assert_int_equal(ww_compile(&job, 1, &o, a, &e), WW_EUSAGE);
  o.with = "nvrtc";
  o.architecture = NULL;
  assert_int_equal(ww_compile(&job, 1, &o, a, &e), WW_EUSAGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(every_unit_has_its_answer),
                                     TEST(worker_that_is_not_there),
                                     TEST(damaged_code),
                                     TEST(with_nvcc),
                                     TEST(with_nvrtc),
                                     TEST(no_such_compiler)};
  return RUN(tests);
}
