/* test_fixes.c - fixes as text: what is changed, what is left alone, the launch's
 * comment, diffs, and texts that are damaged. */
#include "unit.h"

#include <dirent.h>
#include <stdlib.h>

#include "../../src/predict/advice/advice.h"
#include "../../src/predict/advice/fixes.h"
#include "../../src/predict/advice/tokens.h"

typedef struct {
  const char *what, *rule, *text, *want; /* want NULL: no fix may be offered; "": any */
  uint32_t bounds[2];                    /* of the finding */
  int dialect;
  uint32_t line; /* of the finding */
  uint32_t block[2], grid[2];
} example;

static uint32_t find(const example *x, const char *text, ww_arena *a, ww_fix **out) {
  ww_launch l = {.grid = {x->grid[0], x->grid[1], 1},
                 .block = {x->block[0], x->block[1], 1}};
  ww_fix_source s = {.text = text,
                     .n = strlen(text),
                     .dialect = (ww_dialect)x->dialect,
                     .kernel = "k",
                     .launch = x->block[0] ? &l : NULL};
  ww_finding f = {.line = x->line,
                  .rule = x->rule,
                  .message = "",
                  .bounds = {x->bounds[0], x->bounds[1]}};
  return ww_fixes_find(&s, &f, a, out);
}

/* Sorted, apart, inside, and neither in a comment (the launch's own apart) nor in a
 * string. */
static void check_edits(const char *text, size_t n, const ww_fix *f, ww_arena *a) {
  ww_scan s;
  ww_scan_source(text, n, a, &s);
  assert_true(f->n > 0 && f->title && *f->title && !strchr(f->title, '\n'));
  for (uint32_t k = 0; k < f->n; k++) {
    const ww_edit *e = &f->edits[k];
    assert_true(e->begin <= e->end && e->end <= n);
    if (k)
      assert_true(e->begin >= e[-1].end && e->begin > e[-1].begin);
    uint32_t line = e->begin;
    while (line && text[line - 1] != '\n')
      line--;
    if (memmem(text + line, e->begin - line, "warpwise:", 9))
      continue;
    bool inside = false;
    for (uint32_t i = e->begin; i < e->end; i++)
      inside |= s.kind[i] == WW_BYTE_COMMENT || s.kind[i] == WW_BYTE_STRING;
    if (e->begin == e->end && e->begin && e->begin < n && text[e->begin - 1] != '\n')
      inside =
          s.kind[e->begin] == s.kind[e->begin - 1] &&
          (s.kind[e->begin] == WW_BYTE_COMMENT || s.kind[e->begin] == WW_BYTE_STRING);
    if (inside)
      fail_msg("%s: edits a comment or a string", f->title);
  }
}

#define K "__global__ void k("

#define CASE(a, b, c, d, ...) \
  { .what = (a), .rule = (b), .text = (c), .want = (d), __VA_ARGS__ }

static const example examples[] = {
    /* ---- constants ---- */
    CASE("a constant",
         "double-constant",
         K "float *x) { x[0] = x[1] * 0.5; }",
         K "float *x) { x[0] = x[1] * 0.5f; }",
         .line = 1),
    CASE("not in comments, strings, raw strings and dead code",
         "double-constant",
         K "float *x) {\n  // 1.0 \\\n 2.0\n  printf(\"3.0\"); const char *s = "
           "R\"x(4.0)\" "
           "5.0)x\";\n#if 0\n  x[0] = 6.0;\n#endif\n  x[0] /* 7.0 */ = 8.0;\n}",
         K "float *x) {\n  // 1.0 \\\n 2.0\n  printf(\"3.0\"); const char *s = "
           "R\"x(4.0)\" "
           "5.0)x\";\n#if 0\n  x[0] = 6.0;\n#endif\n  x[0] /* 7.0 */ = 8.0f;\n}"),
    CASE("a comment that goes on, CRLF",
         "double-constant",
         K "float *x) {\r\n  // so \\\r\n  x[0] = 1.0;\r\n  x[0] = 2.0;\r\n}",
         K "float *x) {\r\n  // so \\\r\n  x[0] = 1.0;\r\n  x[0] = 2.0f;\r\n}"),
    CASE("all forms of them",
         "double-constant",
         K "float *x) { x[0] = 1. + .5 + 1e3 + 1.5e-3 + 1'000.5 + 2 + 0x1p-2 + 1.0L + "
           "3.0f + 1e5f; }",
         K "float *x) { x[0] = 1.f + .5f + 1e3f + 1.5e-3f + 1'000.5f + 2 + 0x1p-2f + "
           "1.0L + 3.0f + "
           "1e5f; }"),
    CASE("too large or too small for a float",
         "double-constant",
         K "float *x) { x[0] = 1e300 * x[1] + 1e-60; }",
         NULL),
    CASE("spliced", "double-constant", K "float *x) { x[0] = 1.\\\n0 * x[1]; }", NULL),
    CASE("a type of another file",
         "double-constant",
         K "float *x, real r) { x[0] = r * 0.1; x[1] = p.mass * 0.1; }",
         NULL),
    CASE("members of this file",
         "double-constant",
         "struct P { float mass; double far; };\n" K
         "float *x, P p) { x[0] = p.mass * 0.1; x[1] = p.far * 0.1; }",
         "struct P { float mass; double far; };\n" K
         "float *x, P p) { x[0] = p.mass * 0.1f; x[1] = p.far * 0.1; }"),
    CASE("a macro",
         "double-constant",
         "#define S (-0.5)\n" K "float *x) { x[0] = S * x[1]; }",
         "#define S (-0.5f)\n" K "float *x) { x[0] = S * x[1]; }"),
    CASE("doubles on purpose",
         "double-constant",
         K "float *x, double *d) { d[0] = d[1] * 0.5; double t = 1.0; x[0] = t * 2.0; "
           "x[1] = x[2] "
           "* 0.25; }",
         K "float *x, double *d) { d[0] = d[1] * 0.5; double t = 1.0; x[0] = t * 2.0; "
           "x[1] = x[2] "
           "* 0.25f; }"),
    CASE("who knows what auto is, where doubles are about",
         "double-constant",
         K "float *x, double *d) { auto v = d[0]; x[0] = v * 0.5; }",
         NULL),
    CASE("nothing says float",
         "double-constant",
         K "int *x) { x[0] = x[1] * 0.5; }",
         NULL),
    CASE("templates of types",
         "double-constant",
         "template <typename T> " K "T *x, float *y) { y[0] = y[1] * 0.5; }",
         NULL),
    CASE("templates of numbers",
         "double-constant",
         "template <int N> " K "float *y) { y[0] = y[1] * 0.5; }",
         "template <int N> " K "float *y) { y[0] = y[1] * 0.5f; }"),
    CASE("arguments of functions from elsewhere",
         "double-constant",
         K "float *x) { x[0] = blend(x[1], 0.5); }",
         NULL),
    CASE("functions that it calls",
         "double-constant",
         "__device__ float half_of(float v) { return 0.5 * v; }\nfloat host(float v) { "
         "return 0.5 "
         "* v; }\n" K "float *x) { x[0] = half_of(x[1]); }",
         "__device__ float half_of(float v) { return 0.5f * v; }\nfloat host(float v) "
         "{ return 0.5 "
         "* v; }\n" K "float *x) { x[0] = half_of(x[1]); }"),
    CASE("that give a double",
         "double-constant",
         "__device__ double half_of(float v) { return 0.5 * v; }\n" K
         "float *x) { x[0] = half_of(x[1]); }",
         NULL),
    CASE("a macro used on the host too",
         "double-constant",
         "#define S 0.5\ndouble h() { return S; }\n" K "float *x) { x[0] = S * x[1]; }",
         NULL),
    CASE("pow of an int",
         "double-constant",
         K "float *x) { x[0] = pow(x[1], 2) + sqrt(x[2]) + std::pow(x[3], 2); }",
         K "float *x) { x[0] = x[1] * x[1] + sqrt(x[2]) + std::pow(x[3], 2); }"),
    CASE("pow of an int that is large",
         "double-constant",
         K "float *x) { x[0] = pow(x[1], 20); }",
         K "float *x) { x[0] = powf(x[1], 20); }"),
    CASE("OpenCL keeps its names",
         "double-constant",
         "__kernel void k(__global float *x) { x[0] = pow(x[1], 2) * 0.5; }",
         "__kernel void k(__global float *x) { x[0] = pow(x[1], 2) * 0.5f; }",
         .dialect = WW_OPENCL),
    /* ---- shared memory ---- */
    CASE(
        "a square tile",
        "bank-conflict",
        K "float *x) { __shared__ float t[32][32]; int c = threadIdx.x; t[c][0] = 1; }",
        K "float *x) { __shared__ float t[32][33]; int c = threadIdx.x; t[c][0] = 1; }",
        .line = 1),
    CASE("halves: a word is two",
         "bank-conflict",
         K "float *x) { __shared__ half t[32][32]; int c = threadIdx.x; t[c][0] = 1; }",
         K
         "float *x) { __shared__ half t[32][34]; int c = threadIdx.x; t[c][0] = 1; }"),
    CASE("of constants",
         "bank-conflict",
         "constexpr int N = 8 * 4;\n" K
         "float *x) { __shared__ float t[N][N]; t[threadIdx.x][0] = 1; }",
         "constexpr int N = 8 * 4;\n" K
         "float *x) { __shared__ float t[N][N + 1]; t[threadIdx.x][0] = 1; }"),
    CASE("a macro looks at it",
         "bank-conflict",
         "#define FLAT(i) (&t[0][0])[i]\n" K
         "float *x) { __shared__ float t[32][32]; t[threadIdx.x][0] = 1; }",
         NULL),
    CASE("rows in a row",
         "bank-conflict",
         "#define N 32\n" K
         "float *x) { __shared__ float t[N * N]; int c = threadIdx.x; t[0 * N + "
         "c] = t[c * N + 1]; x[0] = t[1 + N * (c + 1)]; }",
         "#define N 32\n" K "float *x) { __shared__ float t[N * (N + 1)]; int c = "
         "threadIdx.x; t[0 * (N + 1) + c] = "
         "t[c * (N + 1) + 1]; x[0] = t[1 + (N + 1) * (c + 1)]; }",
         .line = 2),
    CASE("rows in a row, read through",
         "bank-conflict",
         K "float *x) { __shared__ float t[32 * 32]; int c = threadIdx.x; t[c * 32 + "
           "1] = 1; x[0] "
           "= t[c]; }",
         NULL,
         .line = 1),
    CASE("of another length",
         "bank-conflict",
         K "float *x) { __shared__ float t[32 * 32]; int c = threadIdx.x; t[c * 32 + "
           "1] = 1; x[0] "
           "= t[c * 16 + 1]; }",
         NULL,
         .line = 1),
    CASE("padded",
         "bank-conflict",
         "#define N 32\n" K
         "float *x) { __shared__ float t[N][N + 1]; t[threadIdx.x][0] = 1; }",
         NULL),
    CASE("padded by who knows what",
         "bank-conflict",
         "template <int N> " K
         "float *x) { __shared__ float t[N][N + PAD]; t[threadIdx.x][0] = 1; }",
         NULL),
    CASE("its address is taken",
         "bank-conflict",
         K "float *x) { __shared__ float t[32][32]; t[threadIdx.x][0] = 1; *(float4 "
           "*)&t[0][0] = v; }",
         NULL),
    CASE("handed on",
         "bank-conflict",
         K
         "float *x) { __shared__ float t[32][32]; t[threadIdx.x][0] = 1; load(t, x); }",
         NULL),
    CASE("its size is asked for",
         "bank-conflict",
         K "float *x) { __shared__ float t[32][32]; t[threadIdx.x][0] = sizeof t; }",
         NULL),
    CASE("threads differ in the column",
         "bank-conflict",
         K "float *x) { __shared__ float t[32][32]; t[0][threadIdx.x * 2] = 1; }",
         NULL),
    CASE("rows by what memory holds",
         "bank-conflict",
         K
         "int *x) { __shared__ float t[32][32]; int r = x[threadIdx.x]; t[r][0] = 1; }",
         NULL),
    CASE("rows and columns",
         "bank-conflict",
         K "int *x) { __shared__ float t[32][32]; t[threadIdx.x / 8][threadIdx.x % 8] "
           "= 1; }",
         NULL),
    CASE("no room",
         "bank-conflict",
         K "float *x) { __shared__ float t[96][128]; t[threadIdx.x][0] = 1; }",
         NULL),
    CASE("declared by configuration",
         "bank-conflict",
         K "float *x) {\n#ifdef A\n  __shared__ float t[32][32];\n#else\n  __shared__ "
           "float "
           "t[16][16];\n#endif\n  t[threadIdx.x][0] = 1; }",
         NULL),
    CASE("atomics on it",
         "bank-conflict",
         K "float *x) { __shared__ int t[32][32]; atomicAdd(&t[threadIdx.x][0], 1); }",
         K "float *x) { __shared__ int t[32][33]; atomicAdd(&t[threadIdx.x][0], 1); }"),
    /* ---- axes ---- */
    CASE(
        "swapped",
        "uncoalesced-load",
        K
        "float *a, int n) { int r = threadIdx.x, c = threadIdx.y; a[r * n + c] = 0; }",
        K
        "float *a, int n) { int r = threadIdx.y, c = threadIdx.x; a[r * n + c] = 0; }"),
    CASE("OpenCL",
         "uncoalesced-store",
         "__kernel void k(__global float *a, int n) { a[get_global_id(0) * n + "
         "get_global_id(1)] = "
         "0; }",
         "__kernel void k(__global float *a, int n) { a[get_global_id(1) * n + "
         "get_global_id(0)] = "
         "0; }",
         .dialect = WW_OPENCL),
    CASE(
        "a macro knows x",
        "uncoalesced-load",
        "#define ME threadIdx.x\n" K
        "float *a, int n) { int r = threadIdx.x, c = threadIdx.y; a[r * n + c] = ME; }",
        NULL),
    CASE("a macro that is a number",
         "uncoalesced-load",
         "#define N 64\n" K
         "float *a) { int r = threadIdx.x, c = threadIdx.y; a[r * N + c] = 0; }",
         "#define N 64\n" K
         "float *a) { int r = threadIdx.y, c = threadIdx.x; a[r * N + c] = 0; }"),
    CASE("a transpose has no good side",
         "uncoalesced-load",
         K "float *a, float *b, int n) { int r = threadIdx.x, c = threadIdx.y; a[r * n "
           "+ c] = b[c "
           "* n + r]; }",
         NULL),
    CASE("warps matter",
         "uncoalesced-load",
         K "float *a, int n) { int r = threadIdx.x, c = threadIdx.y; a[r * n + c] = "
           "__shfl_sync(~0u, 1, 0); }",
         NULL),
    CASE("a short block",
         "uncoalesced-load",
         K
         "float *a, int n) { int r = threadIdx.x, c = threadIdx.y; a[r * n + c] = 0; }",
         NULL,
         .block = {128, 2}),
    CASE("one axis alone",
         "uncoalesced-load",
         K "float *a, int n) { int r = threadIdx.x; for (int c = 0; c < n; c++) a[r * "
           "n + c] = 0; }",
         NULL),
    CASE("a function looks at its thread",
         "uncoalesced-load",
         "__device__ int me() { return threadIdx.x; }\n" K
         "float *a, int n) { int r = threadIdx.x, c = threadIdx.y; a[r * n + c] = "
         "me(); }",
         NULL),
    CASE("an index that moves on",
         "uncoalesced-load",
         K "float *a, int n) { int r = threadIdx.x, c = threadIdx.y; r += n; a[r * n + "
           "c] = 0; }",
         NULL),
    /* ---- loops ---- */
    CASE("a running value",
         "memory-accumulator",
         K "float *__restrict__ o, int n) {\n  o[n] = 1.0f;\n  for (int k = 0; k < n; "
           "k++) { o[n] "
           "+= k; }\n}",
         K "float *__restrict__ o, int n) {\n  float sum = 1.0f;\n  for (int k = 0; k "
           "< n; k++) { "
           "sum += k; }\n  o[n] = sum;\n}",
         .line = 3),
    CASE("its index moves",
         "memory-accumulator",
         K "float *o, int n) {\n  for (int k = 0; k < n; k++)\n    o[k] += k;\n}",
         NULL,
         .line = 3),
    CASE("others see it",
         "memory-accumulator",
         K "float *o, int n) {\n  for (int k = 0; k < n; k++) {\n    o[n] += k; "
           "__syncthreads(); }\n}",
         NULL,
         .line = 3),
    CASE(
        "volatile",
        "memory-accumulator",
        K
        "volatile float *o, int n) {\n  for (int k = 0; k < n; k++)\n    o[n] += k;\n}",
        NULL,
        .line = 3),
    CASE("another element of it",
         "memory-accumulator",
         K "float *o, int n) {\n  for (int k = 0; k < n; k++)\n    o[n] += o[k];\n}",
         NULL,
         .line = 3),
    CASE("restrict where the element is hidden",
         "memory-accumulator",
         "__kernel void k(__global const float *a, __global float* o, __local float "
         "*l, int n) { "
         "f(a, o); }",
         "__kernel void k(__global const float *restrict a, __global float* restrict "
         "o, __local "
         "float *l, int n) { f(a, o); }",
         .dialect = WW_OPENCL),
    CASE("restrict is there",
         "memory-accumulator",
         K "const float *__restrict__ a, float *__restrict__ o) { f(a, o); }",
         NULL),
    CASE("an unbraced body",
         "memory-accumulator",
         K "float *__restrict__ o, int n) {\n  if (n > 3) for (int k = 0; k < n; "
           "k++)\n    o[n] += "
           "k;\n}",
         NULL,
         .line = 3),
    CASE("unrolled",
         "local-memory",
         K "float *x) {\n  float w[8];\n  for (int k = 0; k < 8; k++)\n    w[k] = "
           "x[k];\n  x[0] = "
           "w[3];\n}",
         K "float *x) {\n  float w[8];\n  #pragma unroll\n  for (int k = 0; k < 8; "
           "k++)\n    w[k] "
           "= x[k];\n  x[0] = w[3];\n}"),
    CASE("CRLF",
         "local-memory",
         K "float *x) {\r\n  float w[8];\r\n  for (int k = 0; k < 8; k++) w[k] = "
           "x[k];\r\n}\r\n",
         K "float *x) {\r\n  float w[8];\r\n  #pragma unroll\r\n  for (int k = 0; k < "
           "8; k++) w[k] "
           "= x[k];\r\n}\r\n"),
    CASE("bounds known at run time",
         "local-memory",
         K "float *x, int n) {\n  float w[8];\n  for (int k = 0; k < n; k++)\n    w[k] "
           "= x[k];\n}",
         NULL),
    CASE("an index known at run time",
         "local-memory",
         K "float *x, int *at) {\n  float w[8];\n  for (int k = 0; k < 8; k++)\n    "
           "w[at[k]] = "
           "x[k];\n}",
         NULL),
    CASE("unrolled already",
         "local-memory",
         K "float *x) {\n  float w[8];\n#pragma unroll\n  for (int k = 0; k < 8; k++) "
           "w[k] = x[k];\n}",
         NULL),
    /* ---- powers ---- */
    CASE("a square",
         "expensive-math",
         K "float *x) { float v = x[0]; x[0] = 2.0f * powf(v, 2.0f); x[1] = powf(x[0], "
           "3); }",
         K "float *x) { float v = x[0]; x[0] = 2.0f * (v * v); x[1] = x[0] * x[0] * "
           "x[0]; }"),
    CASE("of an int",
         "expensive-math",
         K "float *x, int n) { x[0] = powf(n, 2.0f); }",
         NULL),
    CASE("with a side effect",
         "expensive-math",
         K "float *x, int n) { x[0] = powf(x[n++], 2.0f) + powf(f(n), 2.0f); }",
         NULL),
    CASE("by something unknown",
         "expensive-math",
         K "float *x, float e) { x[0] = powf(x[1], e) + powf(x[1], 2.5f) + powf(x[1], "
           "17.0f); }",
         NULL),
    CASE("of a double",
         "expensive-math",
         K "double *x) { x[0] = pow(x[1], 0.5) - pow(x[1] - 1, -2.0); }",
         K "double *x) { x[0] = sqrt(x[1]) - 1.0 / ((x[1] - 1) * (x[1] - 1)); }"),
    /* ---- registers, atomics ---- */
    CASE("bounds",
         "low-occupancy",
         "template <int N>\n__global__ void\nk(float *x) {}",
         "template <int N>\n__global__ void\n__launch_bounds__(256, 3) k(float *x) {}",
         .bounds = {256, 3}),
    CASE("half a bound",
         "low-occupancy",
         "__global__ void __launch_bounds__(256) k(float *x) { x[0] = 1; }",
         "__global__ void __launch_bounds__(256, 3) k(float *x) { x[0] = 1; }",
         .bounds = {256, 3}),
    CASE("bounded",
         "low-occupancy",
         "__global__ void __launch_bounds__(256, 2) k(float *x) { x[0] = 1; }",
         NULL,
         .bounds = {256, 3}),
    CASE("another limit", "low-occupancy", K "float *x) { x[0] = 1; }", NULL),
    CASE("an atomic of all",
         "atomic-contention",
         K "int *x) {\n  atomicAdd(&x[blockIdx.x], f());\n}",
         K "int *x) {\n  int sum = f();\n  for (int k2 = 16; k2 > 0; k2 >>= 1) sum += "
           "__shfl_down_sync(0xffffffffu, sum, k2);\n  if (threadIdx.x % 32 == 0) "
           "atomicAdd(&x[blockIdx.x], sum);\n}"),
    CASE("somebody has left",
         "atomic-contention",
         K "int *x, int n) { if (threadIdx.x > n) return; atomicAdd(x, 1); }",
         NULL),
    CASE("a macro that may return",
         "atomic-contention",
         K "int *x, int n) { CHECK(n); atomicAdd(x, 1); }",
         NULL),
    CASE("in a loop",
         "atomic-contention",
         K "int *x, int n) { for (int i = 0; i < n; i++) { atomicAdd(x, 1); } }",
         NULL),
    CASE("each to its own",
         "atomic-contention",
         K "int *x) { atomicAdd(&x[threadIdx.x], 1); }",
         NULL),
    CASE("few of them",
         "atomic-contention",
         K "int *x, int v) { if (v != 0) atomicAdd(x, v); }",
         NULL),
    CASE("one of them",
         "atomic-contention",
         K "int *x, int v) { if (threadIdx.x == 0) atomicAdd(x, v); }",
         NULL),
    CASE("odd blocks",
         "atomic-contention",
         K "int *x) { atomicAdd(x, 1); }",
         NULL,
         .block = {100, 1}),
    /* ---- no such thing ---- */
    CASE("another rule", "tail", K "float *x) { x[0] = 0.5; }", NULL),
    CASE("an unknown rule", "no-such-rule", K "float *x) { x[0] = 0.5; }", NULL),
    CASE("no kernel", "double-constant", "int x = 3;", NULL),
    CASE("nothing", "double-constant", "", NULL),
};

static void each_example(void **state) {
  for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
    const example *x = &examples[k];
    ww_fix *f, *again;
    uint32_t n = find(x, x->text, *state, &f);
    if (!x->want && n)
      fail_msg("%s (%s): offered \"%s\" for\n%s", x->what, x->rule, f[0].title,
               x->text);
    if (!x->want)
      continue;
    if (!n)
      fail_msg("%s (%s): nothing is offered for\n%s", x->what, x->rule, x->text);
    check_edits(x->text, strlen(x->text), &f[0], *state);
    char *now = ww_fix_apply(x->text, strlen(x->text), &f[0], *state, NULL);
    if (strcmp(now, x->want))
      fail_msg("%s (%s): got\n%s\nnot\n%s", x->what, x->rule, now, x->want);
    uint32_t left = find(x, now, *state, &again);
    for (uint32_t i = 0; i < left; i++)
      if (!strcmp(again[i].title, f[0].title))
        fail_msg("%s (%s): offered twice: %s", x->what, x->rule, again[i].title);
    assert_true(!f[0].preferred || !f[0].assumes);
  }
}

/* ---- the comment ---- */

static const struct {
  const char *text, *settings, *want; /* want NULL: fails */
} comments[] = {
    {K "int n) {}\n", "grid=4 block=256",
     "// warpwise: grid=4 block=256\n" K "int n) {}\n"},
    {"namespace a {\n  template <class T>\n  " K "int n) {}\n}\n",
     "grid=n/256 block=32,8",
     "namespace a {\n  // warpwise: grid=n/256 block=32,8\n  template <class T>\n  " K
     "int n) {}\n}\n"},
    {"// about it\n// warpwise: grid=1 n=1<<20\n" K "int n) {}", "grid=2",
     "// about it\n// warpwise: grid=2 n=1<<20\n" K "int n) {}"},
    {"// warpwise: n=1<<20 x=f32[n]\r\n" K "int n) {}", "n=1048576 block=64",
     "// warpwise: n=1<<20 x=f32[n] block=64\r\n" K "int n) {}"},
    {"/* warpwise: block=64 */ " K "int n) {}", "block=128 shared=1024 cache=warm",
     "/* warpwise: block=128 shared=1024 cache=warm */ " K "int n) {}"},
    {"int y; " K "int n) {}\n", "block=64",
     "int y; \n// warpwise: block=64\n" K "int n) {}\n"},
    {K "float *x, int n) {}", "x=i32[n+1]:monotone(0,n) n=7 arg.grid=3",
     "// warpwise: x=i32[n+1]:monotone(0,n) n=7 arg.grid=3\n" K "float *x, int n) {}"},
    {"// warpwise: block=64\nint g;\n" K "int n) {}", "n=2",
     "// warpwise: block=64\nint g;\n// warpwise: block=64 n=2\n" K "int n) {}"},
    {"// warpwise: block=64\n__global__ void other(int n) {}\n" K "int n) {}", "n=2",
     "// warpwise: block=64\n__global__ void other(int n) {}\n// warpwise: n=2\n" K
     "int n) {}"},
    {"const char *s = \"warpwise: grid=9\";\n" K "int n) {}", "n=2",
     "const char *s = \"warpwise: grid=9\";\n// warpwise: n=2\n" K "int n) {}"},
    {"// warpwise: n=0x10\n" K "int n) {}", "n=16", NULL}, /* it says so already */
    {K "int n) {}", "", NULL},
    {"int x;", "n=2", NULL},
};

static void launches(void **state) {
  for (size_t k = 0; k < sizeof comments / sizeof *comments; k++) {
    ww_launch l = {0};
    ww_fix f;
    ww_err e = {0};
    ww_fix_source s = {
        .text = comments[k].text, .n = strlen(comments[k].text), .kernel = "k"};
    if (*comments[k].settings)
      assert_int_equal(ww_launch_comment(comments[k].settings, *state, &l, &e), WW_OK);
    ww_status st = ww_fix_launch(&s, &l, *state, &f, &e);
    if (!comments[k].want) {
      if (!st)
        fail_msg("wrote %s", ww_fix_apply(s.text, s.n, &f, *state, NULL));
      assert_true(e.msg[0] != 0);
      continue;
    }
    if (st)
      fail_msg("%s: %s", comments[k].settings, e.msg);
    check_edits(s.text, s.n, &f, *state);
    char *now = ww_fix_apply(s.text, s.n, &f, *state, NULL);
    if (strcmp(now, comments[k].want))
      fail_msg("got\n%s\nnot\n%s", now, comments[k].want);
    s.text = now;
    s.n = strlen(now);
    assert_int_equal(ww_fix_launch(&s, &l, *state, &f, &e), WW_EUSAGE);
  }
}

/* A resolved launch has numbers and positions; what is written for it reads back as the
 * same. */
static void resolved_launches(void **state) {
  static const char text[] =
      "struct P { int a; };\n" K
      "const float *x, unsigned char *y, P p, const map<int, int> &m, "
      "double d, int n, float4 *v) {}";
  const char *json = "{\"grid\":[8,4],\"block\":[32,4,2],\"args\":[{\"buffer\":{"
                     "\"bytes\":4096,\"type\":\"f32\","
                     "\"fill\":\"random\"}},"
                     "{\"buffer\":{\"bytes\":100,\"fill\":{\"uniform\":[1,9]},\"id\":"
                     "\"q\",\"offset\":4}},{"
                     "\"hex\":\"01020304\"},null,{\"value\":2.0},{\"value\":7},{"
                     "\"buffer\":{\"bytes\":64}}]}";
  ww_launch l = {0}, back = {0};
  ww_err e = {0};
  ww_fix_source s = {.text = text, .n = strlen(text), .kernel = "k"};
  if (ww_launch_parse(json, ".", *state, &l, &e))
    fail_msg("%s", e.msg);
  ww_fix f;
  if (ww_fix_launch(&s, &l, *state, &f, &e))
    fail_msg("%s", e.msg);
  const char *line =
      strstr(ww_fix_apply(text, s.n, &f, *state, NULL), "// warpwise: ") + 13;
  const char *now = ww_strndup(*state, line, strcspn(line, "\n"));
  assert_string_equal(
      now, "grid=8,4 block=32,4,2 x=[1024] y=[100]:uniform(1,9):id(q):offset(4) "
           "p=hex:01020304 d=2.0 n=7 v=[4]");
  assert_int_equal(ww_launch_comment(now, *state, &back, &e), WW_OK);
  const char *types[] = {"const float *", "unsigned char *"};
  assert_string_equal(ww_launch_settings(&back, types, 2, *state), now);
}

/* ---- files of the tests, whole and damaged ---- */

typedef struct {
  char *text;
  size_t n;
} sample;
typedef WW_VEC(sample) samples;

static void read_folder(const char *folder, ww_arena *a, samples *out) {
  DIR *d = opendir(folder);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) {
    sample s;
    if (e->d_name[0] == '.' || !strchr(e->d_name, '.'))
      continue;
    if (ww_read_file(a, ww_path_join(a, folder, e->d_name), 1 << 20, &s.text, &s.n,
                     NULL) == WW_OK)
      ww_push(a, out, s);
  }
  closedir(d);
}

static uint64_t seed = 7;
static uint32_t roll(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return n ? (uint32_t)(seed >> 33) % n : 0;
}

/* Cuts, doubles, overwrites and joins pieces; an exact copy, so that a sanitizer sees
 * the first byte behind. */
static char *damage(const samples *from, size_t *n) {
  static const char *const bits[] = {
      "(",           ")",    "[",     "]",
      "{",           "}",    "\"",    "'",
      "/*",          "*/",   "//",    "\\\n",
      "#if 0\n",     "R\"(", "for (", "pow(",
      "1.0",         "\n",   ";",     "__shared__ float t[32][32];",
      "threadIdx.x", "<",    "\r\n",  "#define A A\n",
      "\xff"};
  const sample *s = &from->v[roll(from->n)];
  ww_buf b = {0};
  size_t cut = roll((uint32_t)s->n + 1);
  ww_buf_add(&b, s->text, roll(2) ? cut : s->n);
  if (!b.s)
    ww_buf_puts(&b, "");
  for (uint32_t k = roll(4); k > 0; k--) {
    const char *bit = bits[roll(sizeof bits / sizeof *bits)];
    size_t at = roll((uint32_t)b.n + 1);
    ww_buf tail = {0};
    ww_buf_add(&tail, b.s + at, b.n - at);
    b.n = at;
    ww_buf_puts(&b, bit);
    size_t skip = roll(3) ? 0 : roll(20);
    if (skip < tail.n)
      ww_buf_add(&b, tail.s + skip, tail.n - skip);
    ww_buf_free(&tail);
  }
  char *out = ww_xmalloc(b.n + 1);
  memcpy(out, b.s, b.n);
  out[b.n] = 0;
  *n = b.n;
  ww_buf_free(&b);
  return out;
}

static uint32_t try_all(const char *text, size_t n, ww_arena *a) {
  uint32_t offers = 0, lines = 1;
  for (size_t i = 0; i < n; i++)
    lines += text[i] == '\n';
  ww_fix_source s = {.text = text, .n = n, .line = roll(lines + 2)};
  s.dialect = (ww_dialect)roll(WW_NDIALECTS);
  for (int r = 0; r < WW_NRULES; r++) {
    ww_finding f = {
        .line = roll(lines + 3), .rule = ww_rules[r].id, .bounds = {256, 2}};
    ww_fix *v;
    uint32_t m = ww_fixes_find(&s, &f, a, &v);
    for (uint32_t k = 0; k < m; k++) {
      ww_buf diff = {0};
      check_edits(text, n, &v[k], a);
      ww_fix_apply(text, n, &v[k], a, NULL);
      ww_fix_diff("x.cu", text, n, &v[k], &diff);
      ww_buf_free(&diff);
    }
    offers += m;
  }
  ww_launch l = {.grid = {4}, .block = {128, 2}};
  ww_fix f;
  if (ww_fix_launch(&s, &l, a, &f, NULL) == WW_OK)
    check_edits(text, n, &f, a);
  return offers;
}

static void damaged_texts(void **state) {
  samples all = {0};
  uint32_t offers = 0;
  read_folder("tests/fixes", *state, &all);
  read_folder("tests/explain", *state, &all);
  read_folder("tests/kernels", *state, &all);
  for (size_t k = 0; k < sizeof examples / sizeof *examples; k++)
    ww_push(*state, &all, (sample){(char *)examples[k].text, strlen(examples[k].text)});
  for (int round = 0; round < 4000; round++) {
    size_t n;
    ww_arena *a = ww_arena_new();
    char *text = damage(&all, &n);
    offers += try_all(text, n, a);
    free(text);
    ww_arena_free(a);
  }
  assert_true(offers > 200); /* else nothing was tested */
}

/* Texts that would cost a careless search hours. */
static void hostile_texts(void **state) {
  static const char *const units[] = {"(",
                                      "[",
                                      "{",
                                      "((a[",
                                      "1.0 + ",
                                      "float a = b + b + b, b = c + c;",
                                      "x * ",
                                      "#define A B+B+B\n",
                                      "for(int k=0;k<8;k++)",
                                      "a.b(",
                                      "\"",
                                      "/*",
                                      "int x();"};
  for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
    ww_arena *a = ww_arena_new();
    ww_buf b = {0};
    ww_buf_puts(&b, K "float *x) { float y[4]; x[0] = ");
    while (b.n < 60000)
      ww_buf_puts(&b, units[k]);
    if (k % 2)
      ww_buf_puts(&b, "; }");
    double from = ww_now();
    for (int r = 0; r < WW_NRULES; r++) {
      ww_fix_source s = {.text = b.s, .n = b.n, .kernel = "k"};
      ww_finding f = {.line = 1, .rule = ww_rules[r].id, .message = ""};
      ww_fix *v;
      ww_fixes_find(&s, &f, a, &v);
    }
    if (ww_now() - from > 5)
      fail_msg("\"%s\" again and again takes %.1f s", units[k], ww_now() - from);
    ww_buf_free(&b);
    ww_arena_free(a);
  }
  (void)state;
}

/* ---- the rest ---- */

static void joined_and_shown(void **state) {
  static const char text[] = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn";
  ww_edit e1[] = {{2, 3, "B"}}, e2[] = {{4, 4, "new\n"}, {24, 27, "M2\nn2"}},
          e3[] = {{2, 3, "x"}};
  ww_fix one = {.edits = e1, .n = 1}, two = {.edits = e2, .n = 2},
         three = {.edits = e3, .n = 1}, all = {0};
  ww_buf b = {0};
  assert_true(ww_fix_join(&all, &two, *state));
  assert_true(ww_fix_join(&all, &one, *state));
  assert_false(ww_fix_join(&all, &three, *state));
  assert_int_equal(all.n, 3);
  ww_fix_diff("t.cu", text, strlen(text), &all, &b);
  assert_string_equal(b.s, "--- a/t.cu\n+++ b/t.cu\n@@ -1,5 +1,6 @@\n "
                           "a\n-b\n+B\n+new\n c\n d\n e\n@@ -10,5 +11,5 @@\n "
                           "j\n k\n l\n-m\n-n\n\\ No newline at end of "
                           "file\n+M2\n+n2\n\\ No newline at end of file\n");
  ww_buf_free(&b);
}

static const char *const abouts[WW_NRULES] = {
#define FIX(name, function, about) [WW_RULE_##name] = about,
#include "../../src/predict/advice/fixes.def"
};

static void every_rule_has_its_word(void **state) {
  char *text;
  size_t n;
  assert_int_equal(ww_read_file(*state, "docs/explain.md", 1 << 20, &text, &n, NULL),
                   WW_OK);
  for (int k = 0; k < WW_NRULES; k++) {
    const char *about = abouts[k];
    if (!about)
      fail_msg("fixes.def has no line for %s", ww_rules[k].id);
    if (!strstr(text, ww_fmt(*state, "| `%s` | %s |", ww_rules[k].id, about)))
      fail_msg("docs/explain.md does not say | `%s` | %s |", ww_rules[k].id, about);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(each_example),           TEST(launches),      TEST(resolved_launches),
      TEST(damaged_texts),          TEST(hostile_texts), TEST(joined_and_shown),
      TEST(every_rule_has_its_word)};
  return RUN(tests);
}
