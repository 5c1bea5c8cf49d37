/* test_device_code.c - what NVRTC gets of a CUDA source: host code gone, device code
 * and every line where it was. */
#include "unit.h"

#include <ctype.h>

#include "../../src/measure/compile_int.h"

/* Rows of source, what is left of it. In the result runs of spaces are one and lines
 * that are empty stay. */
static const char *const cases[][2] = {
    {"__global__ void k(float *x) { x[0] = 1; }\nint main() { k<<<1, 1>>>(0); }\n",
     "__global__ void k(float *x) { x[0] = 1; }\n\n"},
    {"#include <stdio.h>\n#include <cuda_fp16.h>\n#include \"mine.h\"\n#include "
     "<thrust/sort.h>\n",
     "\n#include <cuda_fp16.h>\n#include \"mine.h\"\n\n"},
    {"static void host(int a) {\n  // }\n  char c = '}';\n}\n__device__ int d(int a) { "
     "return a; "
     "}\n",
     "\n\n\n\n__device__ int d(int a) { return a; }\n"},
    {"const int N = 4;\nint total = 0;\n__constant__ float c[N];\n__device__ int count "
     "= 2;\nfloat "
     "*dev;\n",
     "const int N = 4;\n\n__constant__ float c[N];\n__device__ int count = 2;\n\n"},
    {"template <typename T> T host(T a) { return a; }\ntemplate <typename "
     "T>\n__global__ void k(T "
     "*x) {}\n",
     "\ntemplate <typename T>\n__global__ void k(T *x) {}\n"},
    {"struct P {\n  int a;\n  P(int b) : a(b) { puts(\"\"); }\n  __device__ int get() "
     "const { "
     "return a; }\n};\n",
     "struct P {\n int a;\n\n __device__ int get() const { return a; }\n};\n"},
    {"namespace n {\nint host() { return 1; }\n__device__ int d() { return 2; }\n}\n",
     "namespace n {\n\n__device__ int d() { return 2; }\n}\n"},
    {"#define HD __host__ __device__\n#define API static\nHD int a() { return 1; "
     "}\nAPI int b() { "
     "return 2; }\n",
     "#define HD __host__ __device__\n#define API static\nHD int a() { return 1; "
     "}\n\n"},
    {"int main() {\n#ifdef X\n  f();\n#pragma omp parallel for\n#else\n  "
     "g();\n#endif\n}\n",
     "\n#ifdef X\n\n\n#else\n\n#endif\n\n"},
    {"typedef float real;\nusing r2 = double;\nenum { A, B };\nvoid proto(real "
     "*x);\nextern \"C\" "
     "__global__ void k();\n",
     "typedef float real;\nusing r2 = double;\nenum { A, B };\n\nextern \"C\" "
     "__global__ void "
     "k();\n"},
    {"constexpr int square(int x) { return x * x; }\n",
     "constexpr int square(int x) { return x * x; }\n"},
    {"__global__ void __launch_bounds__(256) k(int *p) {\n  auto f = [=](int i) { "
     "return i; };\n  "
     "p[0] = f(1);\n}\n",
     "__global__ void __launch_bounds__(256) k(int *p) {\n auto f = [=](int i) { "
     "return i; };\n "
     "p[0] = f(1);\n}\n"},
};

static const char *plain(const char *s, ww_arena *a) {
  char *out = ww_alloc(a, strlen(s) + 1), *w = out;
  for (; *s; s++) {
    bool blank = *s == ' ' || *s == '\r';
    if (blank && (w == out || w[-1] == ' '))
      continue;
    if (*s == '\n' && w > out && w[-1] == ' ')
      w--;
    *w++ = *s;
  }
  return out;
}

static void host_code_goes(void **state) {
  ww_arena *a = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *got = ww_device_code(cases[i][0], NULL, a);
    assert_int_equal(strlen(got), strlen(cases[i][0]));
    for (size_t k = 0; cases[i][0][k]; k++)
      if ((cases[i][0][k] == '\n') != (got[k] == '\n'))
        fail_msg("row %d: a line moved", (int)i);
    check_text(plain(got, a), cases[i][1], i);
  }
}

/* What a compiler rejects goes as a whole; a data member takes its class along. */
static void rejected_lines_go(void **state) {
  static const struct {
    const char *text;
    uint32_t line;
    const char *want; /* NULL: nothing to take out */
  } rows[] = {
      {"#include <nowhere.h>\nint a;\n", 1, "\nint a;\n"},
      {"struct S {\n  string s;\n};\n__global__ void k() {}\n", 2,
       "\n\n\n__global__ void k() {}\n"},
      {"__device__ int f() {\n  return gone();\n}\n__global__ void k() {}\n", 2,
       "\n\n\n__global__ void k() {}\n"},
      {"#error no\n", 1, NULL},
      {"int a;\n", 9, NULL},
  };
  ww_arena *a = *state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *text = ww_strdup(a, rows[i].text);
    bool done = ww_device_code_without(text, rows[i].line, a);
    assert_int_equal(done, rows[i].want != NULL);
    check_text(plain(text, a), rows[i].want ? rows[i].want : rows[i].text, i);
  }
}

static void words_for_compilers(void **state) {
  static const char *const flags[] = {
      "-O3",           "-I",       "inc",
      "-DN=4",         "-U",       "X",
      "-std=gnu++17",  "-Wall",    "-arch=sm_80",
      "-Xcompiler",    "-fopenmp", "-ffast-math",
      "-fmad=false",   "-isystem", "sys",
      "-maxrregcount", "32",       "--expt-relaxed-constexpr",
      "-std=c99"};
  ww_arena *a = *state;
  ww_strings in = {0};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    ww_push(a, &in, flags[i]);
  for (int nvcc = 0; nvcc < 2; nvcc++) {
    ww_strings out = {0};
    ww_buf b = {0};
    ww_nvcc_words(&in, nvcc, a, &out);
    for (uint32_t i = 0; i < out.n; i++)
      ww_buf_fmt(&b, "%s%s", i ? " " : "", out.v[i]);
    check_text(b.s,
               nvcc ? "-Iinc -DN=4 -UX --std=c++17 --use_fast_math --fmad=false -Isys "
                      "--maxrregcount=32 "
                      "--expt-relaxed-constexpr"
                    : "-Iinc -DN=4 -UX --std=c++17 --use_fast_math --fmad=false -Isys "
                      "--maxrregcount=32",
               nvcc);
    ww_buf_free(&b);
  }
}

static void first_messages(void **state) {
  static const struct {
    const char *log, *file;
    uint32_t line;
    const char *text;
  } rows[] = {
      {"a.cu(3): warning #177-D: unused\na.cu(7): error: identifier \"x\" is "
       "undefined\n",
       "a.cu", 7, "identifier \"x\" is undefined"},
      {"a.cu(1): catastrophic error: cannot open source file \"b.h\"\n", "a.cu", 1,
       "cannot open source file \"b.h\""},
      {"a.cu:2:10: fatal error: b.h: No such file or directory\n", "a.cu", 2,
       "b.h: No such file or directory"},
      {"ptxas error   : Entry function 'k' uses too much shared data\n", NULL, 0,
       "Entry function 'k' uses too much shared data"},
      {"1 error detected in the compilation of \"a.cu\".\n", NULL, 0, NULL},
  };
  ww_arena *a = *state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_err e = {0};
    bool found = ww_nvcc_next_error(rows[i].log, a, &e) != NULL;
    assert_int_equal(found, rows[i].text != NULL);
    if (!found)
      continue;
    check_text(e.msg, rows[i].text, i);
    assert_int_equal(e.line, rows[i].line);
    if (rows[i].file)
      check_text(e.file, rows[i].file, i);
  }
}

static void names_of_kernels(void **state) {
  static const char *const in_code[] = {
      "_Z5scaleIfLi4EEvPT_",
      "_Z5scaleIdLi4EEvPT_",
      "plain",
      "_ZN2ns2inEPf",
      "_ZN36_GLOBAL__N__adbd3070_4_t_cu_592cc4722anEPf",
      "_ZN36_GLOBAL__N__adbd3070_4_t_cu_592cc4722tpIfEEvPT_",
      "_ZN36_GLOBAL__N__adbd3070_4_t_cu_592cc4722tpIdEEvPT_",
      "_Z2stPx"};
  static const char *const rows[][2] = {
      {"plain", "plain"},
      {"scale<float, 4>", "_Z5scaleIfLi4EEvPT_"},
      {"scale<double,4>", "_Z5scaleIdLi4EEvPT_"},
      {"_Z5scaleIfLi4EEvPT_", "_Z5scaleIfLi4EEvPT_"},
      {"scale", NULL}, /* several */
      {"in", "_ZN2ns2inEPf"},
      {"ns::in", "_ZN2ns2inEPf"},
      {"_ZN12_GLOBAL__N_12anEPf", "_ZN36_GLOBAL__N__adbd3070_4_t_cu_592cc4722anEPf"},
      {"_ZN12_GLOBAL__N_12tpIdEEvPT___intern__67e12cfe00_059a4aa7",
       "_ZN36_GLOBAL__N__adbd3070_4_t_cu_592cc4722tpIdEEvPT_"},
      {"_ZL2stPl", "_Z2stPx"}, /* int64_t is another type under NVRTC */
      {"nothing", NULL},
  };
  ww_arena *a = *state;
  ww_strings code = {0};
  for (size_t i = 0; i < sizeof in_code / sizeof *in_code; i++)
    ww_push(a, &code, in_code[i]);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *got = ww_kernel_match(&code, rows[i][0], a);
    check_text(got ? got : "none", rows[i][1] ? rows[i][1] : "none", i);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(host_code_goes), TEST(rejected_lines_go),
                                     TEST(words_for_compilers), TEST(first_messages),
                                     TEST(names_of_kernels)};
  return RUN(tests);
}
