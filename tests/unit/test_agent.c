/* What a model may submit, how its answers are read, and the state that it is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/agent/llm.h"
#include "../../src/agent/pieces.h"
#include "../../src/agent/submit.h"
#include "../../src/opt/state.h"

static const char file[] =
    "#include <cstdio>\n"
    "static const char *brace = \"{\"; // {\n"
    "namespace inner {\n"
    "template <int N> __global__ void other(float *x) { x[0] = N; }\n"
    "}\n"
    "__device__ int counter;\n"
    "// what it does\n"
    "__global__ __launch_bounds__(256) void k(int n, float *x) {\n"
    "  if (n) x[0] = '}';\n"
    "}\n"
    "int main() { dim3 g(1); k<<<g, 1>>>(1, nullptr); printf(\"\"); free(0); }\n";

static const char *put(const char *source, ww_arena *a, ww_err *e) {
  uint32_t line = 0;
  *e = (ww_err){0};
  return ww_submit_put(file, "k", WW_CUDA, source, a, &line, e);
}

static void pieces_of_a_file(void **state) {
  (void)state;
  ww_arena *a = ww_arena_new();
  ww_pieces p;
  ww_err e = {0};
  assert_int_equal(ww_pieces_cut(file, a, &p, &e), WW_OK);
  assert_int_equal(p.v.n, 5); /* brace, other, counter, k, main */
  assert_true(p.blocks);
  assert_false(p.v.v[0].function);
  assert_true(p.v.v[3].function && ww_token_is(&p, p.v.v[3].name, "k"));
  assert_int_equal(ww_pieces_cut("#define A 1 /* {\n } */\nint x;\n", a, &p, &e),
                   WW_OK);
  assert_int_equal(p.v.n, 1);
  static const char *const bad[] = {"int x", "void f() {", "}",
                                    "/* x",  "\"x",        "R\"(x)\""};
  for (size_t k = 0; k < WW_COUNT(bad); k++)
    assert_int_not_equal(ww_pieces_cut(bad[k], a, &p, &e), WW_OK);
  assert_int_equal(ww_pieces_cut("", a, &p, &e), WW_OK);
  ww_arena_free(a);
}

static void a_source_takes_the_kernels_place(void **state) {
  (void)state;
  ww_arena *a = ww_arena_new();
  ww_err e;
  const char *out = put("struct pair { int a, b; };\n"
                        "template <class T> __device__ T twice(T x) { return x + x; }\n"
                        "__global__ void k(const int n, float *__restrict__ x) {\n"
                        "#pragma unroll 2\n"
                        "  for (int i = 0; i < 4; i++) x[i] = twice(i);\n}",
                        a, &e);
  assert_non_null(out);
  assert_non_null(
      strstr(out, "twice(T x) { return x + x; }\n// what it does\n__global__"));
  assert_null(strstr(out, "'}'"));
  assert_non_null(strstr(out, "}\nint main() { dim3 g(1); k<<<g, 1>>>"));
  assert_true(ww_starts(out, "#include <cstdio>\nstatic const char *brace"));
  ww_arena_free(a);
}

/* Each of these in front of a kernel that would do. */
static void host_code_is_refused(void **state) {
  (void)state;
  static const char *const v[] = {"int f() { return 1; }",
                                  "int x;",
                                  "int x = f();",
                                  "const int x = f();",
                                  "const S x{1};",
                                  "auto x = 1;",
                                  "struct S {} s;",
                                  "enum { A } x = A;",
                                  "struct S { inline static int x = 1; };",
                                  "#define k j",
                                  "#include <x>",
                                  "# pragma once",
                                  "using namespace std;",
                                  "namespace a { }",
                                  "extern \"C\" { }",
                                  "__host__ __device__ int f() { return 1; }",
                                  "static int x = 1;",
                                  "__device__ int x;",
                                  "asm(\"x\");",
                                  "template <class T> int v = f();",
                                  "%:define x",
                                  "// \\\nint x;",
                                  "__managed__ int x;",
                                  "_Pragma(\"once\")",
                                  "__global__ void j() {}",
                                  "// warpwise: n=1",
                                  "/**/#define main(...) main() { steal(); }",
                                  "/**/ # include <x>",
                                  "int constant = f();",
                                  "int x = [] constexpr { return f(); }();",
                                  "int x __constant__, y = f();",
                                  "const int x = y++;",
                                  "const int x = y = 1;",
                                  "constexpr struct S { S(); } s;",
                                  "template <int __device__> int f() { return 1; }",
                                  "decltype([] __device__ {}) f() { return {}; }",
                                  "int __device__ f() { return 1; }",
                                  "[[gnu::constructor]] void f() {}",
                                  "__attribute((constructor)) void f() {}",
                                  "struct S { S() { f(); } };",
                                  "struct S { struct { void f() {} } x; };",
                                  "struct dim3 { int x; };",
                                  "using dim3 = int;",
                                  "typedef int a, dim3;",
                                  "enum E { dim3 };",
                                  "constexpr int a = 1, main = 2;",
                                  "template <> struct main<int> {};",
                                  "__device__ void printf(int) {}",
                                  "__device__ int x(0);",
                                  "__device__ int (x){0};",
                                  "using I = int; __device__ I (x){0};",
                                  "__device__ int unsigned (x){0};",
                                  "__device__ int f();"};
  ww_arena *a = ww_arena_new();
  ww_err e;
  for (size_t k = 0; k < WW_COUNT(v); k++) {
    const char *source =
        ww_fmt(a, "%s\n__global__ void k(int n, float *x) { x[0] = n; }\n", v[k]);
    if (put(source, a, &e))
      fail_msg("taken: %s", v[k]);
    assert_true(e.msg[0]);
  }
  assert_non_null(put("__global__ void k(int n, float *x) { x[0] = n; }", a, &e));
  ww_arena_free(a);
}

/* Each of these inside of a kernel that would do. */
static void bodies_are_refused(void **state) {
  (void)state;
  static const char *const v[] = {
      "\n/**/#define printf(...) steal()\n",
      "\n#pragma unroll /*\n\"*/ } int steal() { return 1; } __device__ f() { /*\"\n*/",
      "\n#pragma unroll \"x\"\n",
      "static __device__ int seen; if (seen++) return;",
      "extern __device__ int seen; if (seen++) return;",
      "if (counter++) return;",
      "printf(\"x\");",
      "free(x);",
      "asm(\"mov.u64 %0, %%glob\" \"altimer;\" : \"=l\"(n));",
      "asm(\"mov.u64 %0, %%cl\\157ck64;\" : \"=l\"(n));",
      "if (__nvvm_read_ptx_sreg_clock()) return;",
      "if (__builtin_amdgcn_s_memtime()) return;",
      "n = 1\\u0061;",
      "[[clang::noinline]] n = 1;",
  };
  ww_arena *a = ww_arena_new();
  ww_err e;
  for (size_t k = 0; k < WW_COUNT(v); k++) {
    const char *source =
        ww_fmt(a, "__global__ void k(int n, float *x) { %s x[0] = n; }\n", v[k]);
    if (put(source, a, &e))
      fail_msg("taken: %s", v[k]);
  }
  ww_arena_free(a);
}

/* What models write is taken. */
static void device_code_is_taken(void **state) {
  (void)state;
  static const char *const v[] = {
      "constexpr int a = 1, b = 2;",
      "static constexpr int sizes[] = {1, 2};",
      "__constant__ float w[3] = {1, 2, 3};",
      "const int tile = 2 * 16;",
      "enum { A, B = 3 };",
      "using vec = float4;",
      "typedef float real;",
      "struct __align__(8) pair { float a; int b = 0; };",
      "template <class T> struct box { T v; __device__ box(T x) : v{x} {} __device__ T "
      "get() const { return v; } };",
      "static __device__ __forceinline__ float f(float y) { return y; }",
      "__device__ const float *f(const float *y) { static constexpr int o = 1; return "
      "y "
      "+ o; }",
      "template <int N> __device__ void f(float (&y)[N]) {\n#pragma unroll\n  for (int "
      "i "
      "= 0; i < N; i++) y[i] = 0;\n}",
  };
  ww_arena *a = ww_arena_new();
  ww_err e;
  for (size_t k = 0; k < WW_COUNT(v); k++) {
    const char *source =
        ww_fmt(a,
               "%s\n__global__ void __launch_bounds__(256) k(int n, "
               "float *x) { extern __shared__ float s[]; asm(\"mov.b32 "
               "%%0, %%0;\\n\\t\" : \"+r\"(n)); x[0] = 1'000 * n; }\n",
               v[k]);
    if (!put(source, a, &e))
      fail_msg("refused: %s: %s", v[k], e.msg);
  }
  ww_arena_free(a);
}

/* A source that is cut off anywhere is refused or taken, and nothing else happens. */
static void cut_sources(void **state) {
  (void)state;
  static const char whole[] =
      "template <int N = (1 > 0)> __device__ int f(int x) { return \"a\\\"b\"[x]; }\n"
      "constexpr int t[] = {1, 2, {3}}; /* c */ __global__ void k(int n, float *x) {}";
  ww_arena *a = ww_arena_new();
  ww_err e;
  for (size_t n = 0; n < sizeof whole; n++)
    put(ww_strndup(a, whole, n), a, &e);
  ww_arena_free(a);
}

static void answers_are_read(void **state) {
  (void)state;
  ww_arena *a = ww_arena_new();
  ww_llm_answer x;
  ww_err e = {0};
  static const char native[] =
      "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"a\","
      "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},{\"function\":{}}]}}],"
      "\"usage\":{\"total_tokens\":7}}";
  assert_int_equal(ww_llm_read(native, strlen(native), a, &x, &e), WW_OK);
  assert_int_equal(x.message.ncalls, 2);
  assert_string_equal(x.message.calls[0].name, "f");
  assert_string_equal(x.message.calls[1].name, "?");
  assert_int_equal(x.tokens, 7);
  static const char odd[] =
      "{\"choices\":[{\"message\":{\"tool_calls\":[{\"function\":{"
      "\"name\":\"f\",\"arguments\":\"{\\\"\\\\u0061\\\":1}\"}}]}}],"
      "\"usage\":{\"total_tokens\":-9223372036854775808}}";
  assert_int_equal(ww_llm_read(odd, strlen(odd), a, &x, &e), WW_OK);
  assert_string_equal(x.message.calls[0].arguments, "{\"a\":1}");
  assert_int_equal(x.tokens, 0);
  static const char *const bad[] = {"",
                                    "1",
                                    "{}",
                                    "{\"choices\":[]}",
                                    "{\"choices\":3}",
                                    "{\"choices\":[{\"message\":1}]}",
                                    "[[[["};
  for (size_t k = 0; k < WW_COUNT(bad); k++)
    assert_int_equal(ww_llm_read(bad[k], strlen(bad[k]), a, &x, &e), WW_EDATA);
  ww_tool_call calls[WW_LLM_MOST_CALLS];
  assert_int_equal(
      ww_llm_calls_in("so ```tool\n{\"name\":\"f\",\"arguments\":{\"x\":1}}```"
                      "```tool {```",
                      a, calls),
      2);
  assert_string_equal(calls[0].arguments, "{\"x\":1}");
  assert_string_equal(calls[1].name, "?");
  assert_int_equal(ww_llm_calls_in(" {\"name\":\"g\"}", a, calls), 1);
  assert_int_equal(ww_llm_calls_in("{\"content\":\"x\"}", a, calls), 0);
  assert_int_equal(ww_llm_calls_in("```tool {}", a, calls), 0);
  ww_buf many = {0};
  for (int k = 0; k < 40; k++)
    ww_buf_puts(&many, "```tool {}```");
  assert_int_equal(ww_llm_calls_in(many.s, a, calls), WW_LLM_MOST_CALLS);
  ww_buf_free(&many);
  ww_arena_free(a);
}

/* One fact a line: a kernel's name cannot begin another. */
static void state_lines(void **state) {
  (void)state;
  ww_candidate v[2] = {
      {.us = 100, .low = 90, .high = 120, .title = "a\nrewrite r9 b"},
      {.us = 50, .low = 40, .high = 60, .state = WW_CANDIDATE_VERIFIED}};
  ww_optimized o = {.kernel = "k\nstate verified", .floor_us = 10};
  ww_buf out = {0};
  v[0].report.gpu = "h200";
  v[0].ready.grid[0] = 7;
  o.v.v = v;
  o.v.n = 2;
  ww_state_write(&o, 1, v, 1, &out);
  assert_non_null(strstr(out.s, "version v1\nkernel k?state verified\ngpu h200\n"));
  assert_non_null(strstr(out.s, "time 50 us 40 .. 60\ngain 2.00\nfloor 10 us\n"
                                "above-floor 5.00\nstate verified\n"));
  assert_non_null(strstr(out.s, "rewrite r1 block: a?rewrite r9 b\n"));
  ww_buf_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_of_a_file),
      cmocka_unit_test(a_source_takes_the_kernels_place),
      cmocka_unit_test(host_code_is_refused),
      cmocka_unit_test(bodies_are_refused),
      cmocka_unit_test(device_code_is_taken),
      cmocka_unit_test(cut_sources),
      cmocka_unit_test(answers_are_read),
      cmocka_unit_test(state_lines),
  };
  return cmocka_run_group_tests_name("agent", tests, NULL, NULL);
}
