/* test_query.c - sources and their kernels: reading without a workspace, IR that is
 * kept, comments that give launches, and which of them counts. */
#include "unit.h"

#include "../../src/query/query.h"
#include "folder.h"

/* ---- comments ---- */

static const char *comment(const char *text, uint32_t line, ww_arena *a) {
  return ww_source_comment(text, strlen(text), line, a);
}

static void comments(void **state) {
  char *text;
  size_t n;
  ww_err e = {0};
  assert_int_equal(
      ww_read_file(*state, "tests/front/comment.cu", 1 << 20, &text, &n, &e), WW_OK);
  assert_string_equal(comment(text, 3, *state), "grid=n/256 block=256 n=1<<20");
  assert_string_equal(comment(text, 5, *state), "grid=16 block=32");
  assert_null(comment(text, 10, *state));
  const char *only = "// warpwise: block=64\nint a;\n\n__global__ void k() {}\n";
  assert_string_equal(comment(only, 4, *state), "block=64");
  const char *own =
      "// warpwise: block=64\n__global__ void k() {}\n__global__ void other() {}\n";
  assert_string_equal(comment(own, 2, *state), "block=64");
  assert_null(comment(own, 3, *state)); /* that of k alone */
}

/* ---- sources ---- */

static const char source[] =
    "// warpwise: grid=n/128 block=128 n=8192 x=f32[n]\n"
    "extern \"C\" __global__ void a(int n, float *x) { x[threadIdx.x] *= 2; }\n"
    "extern \"C\" __global__ void b(int n, float *x) { x[threadIdx.x] += n; }\n"
    "int main() { b<<<7, 32>>>(1024, nullptr); }\n";

static ww_source in(const char *text) {
  return (ww_source){.path = "/nowhere/query.cu", .text = text};
}

static void read_once(void **state) {
  ww_query_unit r = {0};
  ww_err e = {0};
  ww_source s = in(source);
  assert_int_equal(ww_query_read(NULL, &s, 0, *state, &r, &e), WW_OK);
  const ww_unit *first = r.unit;
  assert_true(r.read_ms > 0);
  assert_int_equal(ww_query_read(NULL, &s, 0, *state, &r, &e), WW_OK);
  assert_true(r.unit == first && r.read_ms == 0);
  s = in(ww_fmt(*state, "%s// more\n", source));
  assert_int_equal(ww_query_read(NULL, &s, 0, *state, &r, &e), WW_OK);
  assert_true(r.read_ms > 0);
  s = (ww_source){.path = "/nowhere/query.cu"}; /* nor is it */
  assert_int_equal(ww_query_read(NULL, &s, 0, *state, &r, &e), WW_EIO);
  assert_null(r.unit);
  ww_query_release(NULL, &r);
}

/* Given over the comment over the host code, numbers for names. */
static void launches(void **state) {
  static const struct {
    const char *kernel;
    uint64_t given, grid, block;
    bool commented, host;
  } rows[] = {
      {"a", 0, 64, 128, true, false},
      {"a", 3, 3, 128, true, false},
      {"b", 0, 7, 32, false, true},
      /* where a grid is given, the host code is not looked at, read or not */
      {"b", 5, 5, 0, false, false},
  };
  ww_query_unit r = {0};
  ww_source s = in(source);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_query_kernel x = {.launch = {.kernel = rows[k].kernel, .grid = {rows[k].given}}};
    ww_err e = {0};
    if (ww_query_find(NULL, &s, 0, *state, &r, &x, &e))
      fail_msg("row %zu: %s", k, e.msg);
    assert_string_equal(x.fn->name, rows[k].kernel);
    assert_int_equal(x.launch.grid[0], rows[k].grid);
    assert_int_equal(x.launch.block[0], rows[k].block);
    assert_int_equal(x.launch.nargs, 2);
    assert_int_equal(x.commented, rows[k].commented);
    assert_int_equal(x.said.n, rows[k].host);
  }
  s.as_written = true;
  ww_query_kernel x = {.launch = {.kernel = "a"}};
  assert_int_equal(ww_query_find(NULL, &s, 0, *state, &r, &x, &(ww_err){0}), WW_OK);
  assert_string_equal(x.launch.grid_expr[0], "n/128");
  ww_query_kernel none = {.launch = {.kernel = "c"}};
  assert_int_equal(ww_query_find(NULL, &s, 0, *state, &r, &none, &(ww_err){0}),
                   WW_EUSAGE);
  ww_query_release(NULL, &r);
}

/* What was read once needs no clang where WARPWISE_IR names a folder. */
static void kept(void **state) {
  ww_query_unit r = {0};
  ww_err e = {0};
  ww_source s = in(source);
  char folder[] = "/tmp/warpwise-ir-XXXXXX";
  assert_non_null(mkdtemp(folder));
  setenv("WARPWISE_IR", folder, 1);
  assert_int_equal(ww_query_read(NULL, &s, 0, *state, &r, &e), WW_OK);
  ww_query_release(NULL, &r);
  setenv("WARPWISE_CLANG", "/bin/false", 1);
  assert_int_equal(ww_query_read(NULL, &s, 0, *state, &r, &e), WW_OK);
  assert_non_null(ww_ir_find(&r.unit->module, "a"));
  ww_query_release(NULL, &r);
  unsetenv("WARPWISE_IR");
  assert_int_equal(ww_query_read(NULL, &s, 0, *state, &r, &e), WW_EUNSUPPORTED);
  unsetenv("WARPWISE_CLANG");
  ww_remove_tree(folder);
}

/* A launch names an instance that nothing in the source makes. */
static void instances(void **state) {
  static const char text[] =
      "namespace n { template <class T, int N> __global__ void k(T *x) {\n"
      "  x[threadIdx.x * N] *= 2; } }\n"
      "template <class T> __global__ void tk(T *x) { x[threadIdx.x] += T(1); }\n";
  static const struct {
    const char *asked, *found; /* NULL: none */
    const char *why;
  } rows[] = {
      {"tk<float>", "tk<float>", NULL},
      {"_Z2tkIdEvPT_", "tk<double>", NULL},
      {"n::k<int, 4>", "k<int, 4>", NULL},
      {"_ZN1n1kIfLi8EEEvPT_", "k<float, 8>", NULL},
      {"tk<nothing>", NULL, "cannot instantiate 'tk<nothing>'"},
      {"tk<float>;\nint x", NULL, "there is no kernel"},
      {"other<float>", NULL, "there is no kernel"},
  };
  for (size_t k = 0; k < WW_COUNT(rows); k++) {
    ww_query_unit r = {0};
    ww_source s = in(text);
    ww_query_kernel x = {.launch = {.kernel = rows[k].asked, .grid = {1}}};
    ww_err e = {0};
    ww_status st = ww_query_find(NULL, &s, 0, *state, &r, &x, &e);
    if (!rows[k].found)
      assert_true(st && strstr(e.msg, rows[k].why));
    else if (st)
      fail_msg("%s: %s", rows[k].asked, e.msg);
    else
      assert_string_equal(x.fn->name, rows[k].found);
    ww_query_release(NULL, &r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(comments), TEST(read_once), TEST(launches),
                                     TEST(kept), TEST(instances)};
  return RUN(tests);
}
