/* test_rewrite_habits.c - what others write: names for threadIdx, const and size_t,
 * other indentation and line ends, kernels that are declared, instantiated and launched
 * in several ways. */
#include "unit.h"

#include "rewrites.h"

#define NAMED "  const int t = threadIdx.x, b = blockIdx.x;\n"

static void test_names_of_indices(void **state) {
  const char *named = "__global__ void k(int n, float *x) {\n" NAMED
                      "  const int i = b * 256 + t;\n  if (i < n) x[i] = 1;\n}\n";
  has(*state, named, BLOCK, &line256, "i = b * 32 + t;");
  /* the name is used by itself, or changes */
  has_none(*state,
           "__global__ void k(int n, float *x) {\n" NAMED
           "  int i = b * 256 + t;\n  if (i < n) x[i] = t;\n}\n",
           BLOCK, &line256);
  has_none(*state,
           "__global__ void k(int n, float *x) {\n  int t = threadIdx.x;\n  t += 1;\n"
           "  int i = blockIdx.x * 256 + t;\n  if (i < n) x[i] = 1;\n}\n",
           BLOCK, &line256);
}

static void test_types_of_indices(void **state) {
  const char *fixed = "__global__ void k(size_t n, float *x) {\n"
                      "  const size_t i = " GID ";\n  if (i >= n) return;\n"
                      "  x[i] *= 2;\n}\n";
  has(*state, fixed, STRIDE, &line256, "for (size_t i = " GID "; i < n;");
  has(*state, fixed, VECTOR, &line256, "\n  size_t i = (" GID ") * 2;");
  has(*state, fixed, JAM, &line256, "const size_t i_x1 = i + ");
}

static void test_indentation(void **state) {
  const char *four = "__global__ void k(int n, float *x) {\n    int i = " GID
                     ";\n    if (i >= n) return;\n\n    x[i] *= 2;\n}\n";
  const char *tabs = "__global__ void k(int n, float *x) {\n\tint i = " GID
                     ";\n\tif (i >= n) return;\n\n\tx[i] *= 2;\n}\n";
  has(*state, four, STRIDE, &line256, "{\n\n        x[i] *= 2;\n    }\n}");
  has(*state, tabs, STRIDE, &line256, "{\n\n\t\tx[i] *= 2;\n\t}\n}");
  has(*state, tabs, VECTOR, &line256, "\n\t\talignas(8) float x2[2];",
      "\n\t\tfor (int item = 0;", "\n\t\t\tx2[item] *= 2;");
}

static void test_line_ends(void **state) {
  const char *now = offer(*state,
                          "__global__ void k(int n, float *x) {\r\n  int i = " GID
                          ";\r\n  if (i >= n) return;\r\n\r\n  x[i] *= 2;\r\n}\r\n",
                          WW_REWRITE_STRIDE, 0, &line256);
  assert_non_null(now);
  assert_non_null(strstr(now, "{\r\n\r\n    x[i] *= 2;\r\n  }\r\n}\r\n"));
  for (const char *p = now; (p = strchr(p, '\n')); p++)
    assert_true(p[-1] == '\r');
}

/* A constant instead of a pointer's type would make another function of it. */
static void test_declared_twice(void **state) {
  const char *kernel = "__global__ void k(float *x, float *y) { y[0] = x[0]; }\n";
  const char *before =
      ww_fmt(*state, "__global__ void k(float *x, float *y);\n%s", kernel);
  const char *now = offer(*state, kernel, WW_REWRITE_RESTRICT, 0, &line256);
  assert_non_null(strstr(now, "const float *__restrict__ x"));
  now = offer(*state, before, WW_REWRITE_RESTRICT, 0, &line256);
  assert_non_null(
      strstr(now, "void k(float *__restrict__ x, float *__restrict__ y) {"));
  now = offer(*state,
              "template <class T> __global__ void k(T *x, T *y) { y[0] = x[0]; }\n"
              "template __global__ void k<float>(float *x, float *y);\n",
              WW_REWRITE_RESTRICT, 0, &line256);
  assert_null(strstr(now, "const"));
}

/* Other instances compute in double. */
static void test_constants_of_templates(void **state) {
  has(*state,
      "template <class T> __global__ void k(T *x) { x[0] = x[0] * 0.5 + 0.1; }\n"
      "template __global__ void k<float>(float *x);\n",
      FLOATS, &line256, "x[0] * 0.5f + 0.1;");
}

#define PROGRAM(launch)                                                           \
  "template <class T> __global__ void k(int n, T *x) {\n  int i = " GID           \
  ";\n  if (i < n) x[i] = 1;\n}\n"                                                \
  "template <class T> void f(int n, T *x, dim3 g, int b) {\n  // k is launched\n" \
  "  other<<<g, 256>>>(n, x);\n  " launch "(n, x);\n}\n"

#define LONE(launch)                                                               \
  "__global__ void k(int n, float *x) {\n  int i = " GID                           \
  ";\n  if (i < n) x[i] = 1;\n}\nvoid f(int n, float *x, dim3 g, int b) { " launch \
  "(n, x); }\n"

/* A bound that is only known behind the index does not stand in front of it. */
static void test_late_bound(void **state) {
  has_none(
      *state,
      "__global__ void k(float *x) {\n  int i = " GID
      ";\n  int n = blockDim.x * gridDim.x;\n  if (i >= n) return;\n  x[i] = 1;\n}\n",
      JAM, &line256);
}

static void test_launches(void **state) {
  const char *of_template =
      "template <class T> __global__ void other(int n, T *x) {}\n" PROGRAM(
          "k<T> <<<g, 256>>>");
  has(*state, of_template, BLOCK, &line256,
      "k<T> <<<dim3(dim3(g).x * 8, dim3(g).y, dim3(g).z), 32>>>(n, x)",
      "other<<<g, 256>>>(n, x)");
  /* blocks of its own: the same elements all the same */
  has(*state,
      "template <class T> __global__ void other(int n, T *x) {}\n" PROGRAM(
          "k<T><<<g, b>>>"),
      BLOCK, &line256, "dim3((dim3(g).x * dim3(b).x + 31) / 32, dim3(g).y, dim3(g).z)");
  /* what is written as three axes is taken apart, what does not change stays */
  has(*state, LONE("k<<<dim3((n + 7) / 8, 4), 256>>>"), BLOCK, &line256,
      "k<<<dim3(((n + 7) / 8) * 8, 4, 1), 32>>>");
  has(*state, LONE("k<<<dim3(g), b>>>"), STRIDE, &line256,
      "k<<<dim3((dim3(dim3(g)).x + 1) / 2, dim3(dim3(g)).y, dim3(dim3(g)).z), b>>>");
  assert_int_equal(ww_text_launches(of_template, "k<float>"), 1);
  assert_int_equal(ww_text_launches(of_template, "other"), 1);
  assert_int_equal(ww_text_launches("void k(); a(k); k(); kk<<<1, 1>>>();", "k"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_names_of_indices), TEST(test_types_of_indices),
      TEST(test_indentation),      TEST(test_line_ends),
      TEST(test_declared_twice),   TEST(test_constants_of_templates),
      TEST(test_launches),         TEST(test_late_bound),
  };
  return RUN(tests);
}
