/* test_export.c - rows out of a store and back, what prompts say of a kernel,
 * distributions and repeated launches. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/data/export_int.h"
#include "../../src/data/reports.h"
#include "../../src/data/split.h"
#include "../../src/data/stats.h"

static const char *folder(ww_arena *a) {
  char *dir = ww_strdup(a, "/tmp/ww-export-XXXXXX");
  assert_non_null(mkdtemp(dir));
  return dir;
}

static const char *contents(const char *path, ww_arena *a) {
  char *data;
  size_t n;
  ww_err e;
  if (ww_read_packed(a, path, 1 << 24, &data, &n, &e))
    fail_msg("%s", e.msg);
  return data;
}

static void removed(const char *dir) {
  const char *argv[] = {"rm", "-rf", dir, NULL};
  ww_run_result r;
  ww_err e;
  if (!ww_run(argv, NULL, 0, 10, &r, &e))
    ww_run_free(&r);
}

/* ---- what a source says ---- */

static void parameters_as_they_are_spelled(void **state) {
  static const struct {
    const char *source, *kernel, *want;
  } rows[] = {
      {"__global__ void f(int n, const float *__restrict__ x /* a, b */, float* y) {}",
       "f", "n||int;x|const __restrict__|float *;y||float *;"},
      {"__kernel void g(__global const int *restrict a,\n __local float *t, uint "
       "n)\n{}",
       "g", "a|__global const restrict|int *;t|__local|float *;n||uint;"},
      {"template <typename T, int N> __global__ void __launch_bounds__(256, 2) h(T "
       "*out, unsigned "
       "long long n) {}",
       "_Z1hIfLi4EEvPT_y", "out||T *;n||unsigned long long;"},
      {"__global__ void a(int x) {}\n__global__ void b(double y) {}", "b",
       "y||double;"},
      {"__global__ void a(int x) {}\n__global__ void b(double y) {}", "c",
       ""}, /* neither */
      {"extern \"C\" __global__ void only(short v) {}", "renamed", "v||short;"},
      {"// __global__ void no(int);\n__global__ void k(void) {}", "k", ""},
      {"__global__ void k(std::pair<int, float> p, int n) {}", "k",
       "p||std : : pair < int , float >;n||int;"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_param_text *p;
    ww_buf b = {0};
    uint32_t n = ww_params_of_text(rows[k].source, rows[k].kernel, *state, &p);
    ww_buf_puts(&b, "");
    for (uint32_t i = 0; i < n; i++)
      ww_buf_fmt(&b, "%s|%s|%s;", p[i].name, p[i].qualifiers, p[i].type);
    check_text(b.s, rows[k].want, k);
    ww_buf_free(&b);
  }
}

static void one_kernel_of_a_file(void **state) {
  static const char source[] =
      "#include <x.h>\n#define N 4\n\n// warpwise: grid=1\n__global__ "
      "void a(int n) {\n  if (n) { n++; }\n}\n\n"
      "// helps\n__device__ int help(int v) { return v; }\n\n// warpwise: "
      "grid=2\nextern \"C\" __global__ void b(int n) { help(n); }\n";
  assert_string_equal(ww_kernel_text(source, "b", *state),
                      "#include <x.h>\n#define N 4\n\n// helps\n__device__ int "
                      "help(int v) { return v; }\n\n"
                      "extern \"C\" __global__ void b(int n) { help(n); }\n");
  assert_non_null(strstr(ww_kernel_text(source, "a", *state), "void a("));
  assert_null(strstr(ww_kernel_text(source, "a", *state), "void b("));
  assert_non_null(strstr(ww_kernel_text(source, "c", *state),
                         "void b(")); /* not found: all of it */
}

static void values_by_their_types(void **state) {
  static const struct {
    uint8_t bytes[8];
    uint32_t n;
    const char *type, *want;
  } rows[] = {{{0xfe, 0xff, 0xff, 0xff}, 4, "int", "-2"},
              {{0xfe, 0xff, 0xff, 0xff}, 4, "unsigned int", "4294967294"},
              {{0, 0, 0x20, 0x40}, 4, "float", "2.5"},
              {{0, 0, 0, 0, 0, 0, 4, 0x40}, 8, "double", "2.5"},
              {{0, 0x41}, 2, "half", "2.5"},
              {{1, 2, 3}, 3, "thing *", "0x010203"},
              {{0, 0, 0, 0, 1, 0, 0, 0}, 8, "size_t", "4294967296"}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_arg g = {.kind = WW_ARG_HEX, .hex = rows[k].bytes, .hex_n = rows[k].n};
    check_text(ww_arg_text(&g, rows[k].type, *state), rows[k].want, k);
  }
}

static void paths_from_a_file(void **state) {
  const char *dir = folder(*state);
  mkdir(ww_path_join(*state, dir, "a"), 0777);
  mkdir(ww_path_join(*state, dir, "ab"), 0777);
  assert_string_equal(ww_path_from(ww_path_join(*state, dir, "a/rows.jsonl"),
                                   ww_path_join(*state, dir, "ab"), *state),
                      "../ab");
  assert_string_equal(ww_path_from(ww_path_join(*state, dir, "rows.jsonl"),
                                   ww_path_join(*state, dir, "a"), *state),
                      "a");
  assert_string_equal(ww_path_from(ww_path_join(*state, dir, "a/rows.jsonl"),
                                   ww_path_join(*state, dir, "a"), *state),
                      ".");
  assert_string_equal(
      ww_path_from(ww_path_join(*state, dir, "a/rows.jsonl"), dir, *state), "..");
  removed(dir);
}

/* ---- out and back ---- */

static ww_store_row
row_of(const ww_gen_kernel *g, const char *key, uint32_t number, double us) {
  ww_store_row r = {.kernel = {.key = key,
                               .origin = WW_ORIGIN_GENERATED,
                               .family = g->family,
                               .name = g->name,
                               .dialect = "cuda",
                               .version = g->version,
                               .seed = g->seed,
                               .index = g->index,
                               .source_hash = ww_gen_source_hash(g, WW_GEN_CUDA),
                               .structure = g->structure},
                    .number = number,
                    .grid = {8, 1, 1},
                    .block = {64, 1, 1},
                    .gpu = "h200",
                    .device = "NVIDIA H200",
                    .driver = "580",
                    .versions = "CUDA 13.0",
                    .compiler = "NVRTC 13.0",
                    .sms = 132,
                    .l2_bytes = 60 << 20,
                    .iqr_us = 0.5,
                    .samples = 5};
  for (int m = 0; m < WW_NMETRICS; m++)
    r.m[m] = NAN;
  r.m[WW_M_time_us] = us;
  return r;
}

static ww_store *open_store(const char *path) {
  ww_store *s;
  ww_err e;
  if (ww_store_open(path, WW_STORE_WRITE, &s, &e))
    fail_msg("%s", e.msg);
  return s;
}

static void put(ww_store *s, const ww_store_row *r) {
  ww_err e;
  if (ww_store_put(s, r, &e))
    fail_msg("%s", e.msg);
}

/* A generated launch with counters, one with its time alone, a failure; a corpus kernel
 * whose flags hold what CSV must quote. */
static void fill_store(ww_store *s, ww_arena *a) {
  ww_gen_kernel g;
  ww_err e;
  char key[64];
  assert_int_equal(ww_gen_make(1, 7, 3, a, &g, &e), WW_OK);
  ww_store_gen_key(key, g.version, g.seed, g.index, "cuda");
  ww_store_row r = row_of(&g, key, 0, 12.5);
  r.passes = 3;
  r.m[WW_M_dram_read_bytes] = 4e6;
  r.m[WW_M_dram_write_bytes] = 0;
  r.m[WW_M_l1_hit_pct] = 33.25;
  put(s, &r);
  r = row_of(&g, key, 1, 1.75);
  put(s, &r);
  r = row_of(&g, key, 2, NAN);
  r.status = WW_EDEVICE;
  r.error = "an illegal address, \"twice\"";
  put(s, &r);
  ww_store_row c = row_of(&g, "corpus/gemm/gemm.cu:tiled -DF(a,b)=\"x\"", 4, 900);
  c.kernel = (ww_store_kernel){.key = c.kernel.key,
                               .origin = WW_ORIGIN_CORPUS,
                               .family = "gemm",
                               .name = "tiled",
                               .file = "gemm/gemm.cu",
                               .dialect = "cuda"};
  c.spec =
      "{\"file\":\"gemm/"
      "gemm.cu\",\"kernel\":\"tiled\",\"grid\":[8,1,1],\"block\":[64,1,1],\"args\":[{"
      "\"value\":5}]}";
  put(s, &c);
  assert_int_equal(ww_store_commit(s, &e), WW_OK);
}

static ww_export_count export_to(ww_store *s, ww_export_options o, const char *out) {
  ww_export_count n;
  ww_err e = {0};
  o.out = out;
  if (ww_export(s, &o, &n, &e))
    fail_msg("%s", e.msg);
  return n;
}

static void reports_come_back(void **state) {
  const char *dir = folder(*state), *first = ww_path_join(*state, dir, "first.jsonl"),
             *second = ww_path_join(*state, dir, "second.jsonl.zst");
  ww_store *s = open_store(ww_path_join(*state, dir, "a.sqlite")),
           *t = open_store(ww_path_join(*state, dir, "b.sqlite"));
  ww_export_options o = {
      .form = WW_EXPORT_JSONL, .split = -1, .origin = -1, .failed = true};
  ww_err e = {0};
  uint64_t added;
  fill_store(s, *state);
  ww_export_count n = export_to(s, o, first);
  assert_int_equal(n.rows, 4);
  assert_int_equal(n.no_launch, 0);
  if (ww_reports_import(t, first, WW_ORIGIN_IMPORTED, &added, &e))
    fail_msg("%s", e.msg);
  assert_int_equal(added, 4);
  assert_int_equal(
      ww_store_has(t, "corpus/gemm/gemm.cu:tiled -DF(a,b)=\"x\"", 4, "h200"),
      WW_HELD_TIME);
  assert_int_equal(ww_store_has(t, "g1/7/3", 0, "h200"), WW_HELD_COUNTERS);
  assert_int_equal(ww_store_has(t, "g1/7/3", 2, "h200"), WW_HELD_FAILED);
  export_to(t, o, second);
  assert_string_equal(contents(first, *state), contents(second, *state));
  ww_store_close(s);
  ww_store_close(t);
  removed(dir);
}

static void files_are_whole_or_absent(void **state) {
  const char *dir = folder(*state);
  ww_store *s = open_store(ww_path_join(*state, dir, "a.sqlite"));
  ww_export_options o = {.form = WW_EXPORT_CSV,
                         .split = -1,
                         .origin = -1,
                         .out = ww_path_join(*state, dir, "none/rows.csv")};
  ww_export_count n;
  ww_err e = {0};
  assert_int_equal(ww_export(s, &o, &n, &e), WW_EIO);
  const char *path = ww_path_join(*state, dir, "rows.csv");
  export_to(s, o, path); /* no rows: the head alone */
  assert_int_equal(strncmp(contents(path, *state), "key,origin,", 11), 0);
  assert_false(ww_file_exists(ww_path_join(*state, dir, "rows.csv.part")));
  ww_store_close(s);
  removed(dir);
}

static void csv_is_quoted(void **state) {
  const char *dir = folder(*state), *path = ww_path_join(*state, dir, "rows.csv");
  ww_store *s = open_store(ww_path_join(*state, dir, "a.sqlite"));
  fill_store(s, *state);
  export_to(s,
            (ww_export_options){
                .form = WW_EXPORT_CSV, .split = -1, .origin = -1, .failed = true},
            path);
  const char *text = contents(path, *state);
  assert_non_null(strstr(
      text, "\r\n\"corpus/gemm/gemm.cu:tiled -DF(a,b)=\"\"x\"\"\",corpus,gemm,"));
  assert_non_null(strstr(text, ",device,\"an illegal address, \"\"twice\"\"\","));
  export_to(s,
            (ww_export_options){
                .form = WW_EXPORT_CSV, .split = -1, .origin = -1, .family = "gemm"},
            path);
  int lines = 0;
  for (text = contents(path, *state); (text = strstr(text, "\r\n")); text += 2)
    lines++;
  assert_int_equal(lines, 2);
  ww_store_close(s);
  removed(dir);
}

static void sources_are_made_again(void **state) {
  const char *dir = folder(*state), *path = ww_path_join(*state, dir, "rows.jsonl"),
             *sources = ww_path_join(*state, dir, "src");
  ww_store *s = open_store(ww_path_join(*state, dir, "a.sqlite"));
  ww_gen_kernel g;
  ww_err e;
  fill_store(s, *state);
  ww_export_count n = export_to(s,
                                (ww_export_options){.form = WW_EXPORT_JSONL,
                                                    .split = -1,
                                                    .origin = -1,
                                                    .counters = true,
                                                    .sources = sources},
                                path);
  assert_int_equal(n.rows, 1);
  assert_int_equal(n.sources, 1);
  assert_int_equal(ww_gen_make(1, 7, 3, *state, &g, &e), WW_OK);
  const char *text =
      contents(ww_path_join(*state, sources, ww_fmt(*state, "%s.cu", g.name)), *state);
  assert_true(ww_hash(text, strlen(text), 0) == ww_gen_source_hash(&g, WW_GEN_CUDA));
  assert_non_null(
      strstr(contents(path, *state), ww_fmt(*state, "\"file\":\"src/%s.cu\"", g.name)));
  ww_store_close(s);
  removed(dir);
}

static void prompts_ask_and_answer(void **state) {
  const char *dir = folder(*state), *path = ww_path_join(*state, dir, "rows.jsonl");
  ww_store *s = open_store(ww_path_join(*state, dir, "a.sqlite"));
  static const uint32_t styles[] = {0, 5};
  ww_export_options o = {.form = WW_EXPORT_PROMPTS,
                         .split = -1,
                         .origin = -1,
                         .ask = WW_ASK_TIME,
                         .raw = true,
                         .styles = styles,
                         .nstyles = 2};
  fill_store(s, *state);
  ww_export_count n = export_to(s, o, path);
  assert_int_equal(n.rows, 4);      /* two launches in two styles */
  assert_int_equal(n.no_source, 1); /* the corpus is not here */
  const char *text = contents(path, *state);
  assert_non_null(strstr(
      text,
      "Global size: 512 1 1\\nLocal size: 64 1 1\\n\",\"completion\":\"3.6439\"}"));
  assert_non_null(strstr(text, "Argument 0: "));
  assert_null(strstr(text, "Argument 0: ?"));
  o.ask = WW_ASK_COUNTERS;
  o.raw = false;
  o.nstyles = 0;
  n = export_to(s, o, path);
  assert_int_equal(n.rows, 1);
  text = contents(path, *state);
  assert_non_null(
      strstr(text, "{\"messages\":[{\"role\":\"system\",\"content\":\"You are"));
  assert_non_null(strstr(text, "\\\"l1_hit_pct\\\":33.25"));
  ww_store_close(s);
  removed(dir);
}

/* ---- statistics ---- */

static void bins_and_what_lies_beyond(void **state) {
  const ww_spread_info *t = &ww_spreads[WW_SPREAD_time],
                       *ai = &ww_spreads[WW_SPREAD_ai];
  static const struct {
    double us;
    uint32_t place;
  } rows[] = {{0.9, WW_BELOW}, {1, 0}, {9.999, 3}, {10, 4}, {1e5, 19}, {2e5, WW_ABOVE}};
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    assert_int_equal(ww_spread_place(t, rows[k].us), rows[k].place);
  assert_int_equal(ww_spread_place(ai, 0), WW_ZERO);
  assert_int_equal(ww_spread_place(ai, INFINITY), WW_ABOVE);
  ww_spread s = {.at = {[WW_ZERO] = 20, [3] = 19, [4] = 500}, .n = 539};
  ww_spread other = {.at = {[WW_ZERO] = 1, [3] = 2, [4] = 5, [WW_ABOVE] = 2}, .n = 10};
  assert_true(fabs(ww_spread_cover(&s, &other) - 0.6) < 1e-12);
  assert_true(isnan(ww_spread_cover(&s, &(ww_spread){0})));
}

static void counts_of_a_store(void **state) {
  const char *dir = folder(*state);
  ww_store *s = open_store(ww_path_join(*state, dir, "a.sqlite"));
  ww_store_filter all = {.origin = -1, .failed = true};
  ww_stats v;
  ww_err e;
  fill_store(s, *state);
  ww_stats_begin(&v, "test");
  assert_int_equal(ww_store_each(s, &all, ww_stats_row, &v, &e), WW_OK);
  ww_stats_end(&v);
  assert_true(v.all.kernels == 2 && v.all.launches == 3 && v.all.with_counters == 1 &&
              v.failed == 1);
  assert_true(v.origin[WW_ORIGIN_CORPUS].launches == 1 &&
              v.origin[WW_ORIGIN_GENERATED].kernels == 1);
  assert_true(v.under_10us == 1 && v.blocking[WW_FEW_BLOCKS] == 3 &&
              v.time_most == 900 && v.time_median == 12.5);
  assert_int_equal(v.causes.n, 1);
  assert_string_equal(v.causes.v[0].text, "an illegal address, \"twice\"");
  for (int q = 0; q < WW_NSPREADS; q++) /* as if every launch were there ten times */
    for (int k = 0; k < WW_NPLACES; k++)
      v.spread[q].at[k] *= 10;
  assert_true(ww_stats_cover(&v, &v) ==
              0); /* 30 launches, but 10 in each bin of the time */
  for (int k = 0; k < WW_NPLACES; k++)
    v.spread[WW_SPREAD_time].at[k] *= 2;
  assert_true(fabs(ww_stats_cover(&v, &v) - 2 / 3.0) <
              1e-12); /* the one with counters has bins of its own there */
  ww_stats_free(&v);
  ww_store_close(s);
  removed(dir);
}

static void repeated_launches(void **state) {
  static const struct {
    double first, second; /* us */
    double iqr;
  } rows[] = {{100, 104.9, 0.1}, {100, 106, 0.1}, {100, 108, 4},
              {3, 3.24, 0},      {3, 3.3, 0},     {6, 6.4, 0}};
  const char *dir = folder(*state);
  ww_store *s = open_store(ww_path_join(*state, dir, "a.sqlite")),
           *t = open_store(ww_path_join(*state, dir, "b.sqlite"));
  ww_gen_kernel g;
  ww_repeat_counts r;
  ww_err e;
  assert_int_equal(ww_gen_make(1, 7, 3, *state, &g, &e), WW_OK);
  for (uint32_t k = 0; k < 6; k++) {
    ww_store_row a = row_of(&g, "g1/7/3", k, rows[k].first),
                 b = row_of(&g, "g1/7/3", k, rows[k].second);
    a.iqr_us = 0;
    b.iqr_us = rows[k].iqr;
    put(s, &a);
    put(t, &b);
  }
  ww_store_row alone = row_of(&g, "g1/7/3", 9, 5);
  put(t, &alone);
  if (ww_repeats_find(s, t, &r, &e))
    fail_msg("%s", e.msg);
  assert_true(r.compared == 6 && r.agree == 2 && r.told == 1 && r.absent == 1);
  assert_int_equal(r.nworst, 4);
  assert_true(r.worst[0].number == 4 && r.worst[1].number == 2); /* +10 %, +8 % */
  ww_store_close(s);
  ww_store_close(t);
  removed(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(parameters_as_they_are_spelled),
                                     TEST(one_kernel_of_a_file),
                                     TEST(values_by_their_types),
                                     TEST(paths_from_a_file),
                                     TEST(reports_come_back),
                                     TEST(files_are_whole_or_absent),
                                     TEST(csv_is_quoted),
                                     TEST(sources_are_made_again),
                                     TEST(prompts_ask_and_answer),
                                     TEST(bins_and_what_lies_beyond),
                                     TEST(counts_of_a_store),
                                     TEST(repeated_launches)};
  return RUN(tests);
}
