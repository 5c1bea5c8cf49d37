/* test_rewrite_accumulators.c - sums in several variables: the loop, what is left of
 * it, and how the variables become one. */
#include "unit.h"

#include "rewrites.h"

static void test_sum(void **state) {
  has(*state,
      "__global__ void k(int n, const float *x, float *y) {\n  float s = y[0];\n"
      "  for (int j = threadIdx.x; j < n; j++)\n    s += x[j] * x[j];\n"
      "  y[threadIdx.x] = s;\n}\n",
      ACCUMULATORS, &line256, "{\n    float s_1 = 0, s_2 = 0, s_3 = 0;\n",
      "    int j = threadIdx.x;\n    for (; j + 3 < n; j += 4) {\n",
      "      s += x[j] * x[j];\n      s_1 += x[(j + 1)] * x[(j + 1)];\n",
      "    }\n    for (; j < n; j++)\n      s += x[j] * x[j];\n",
      "    s += s_1;\n    s += s_2;\n    s += s_3;\n  }\n");
}

/* Steps, braces, a product, the larger one of two; names that are taken. */
static void test_forms(void **state) {
  has(*state,
      "__global__ void k(int n, int by, const float *x, float *y) {\n"
      "  float p_1 = 2, p = p_1, top = 0;\n  int j;\n"
      "  for (j = 0; j <= n; j += by) {\n    float v = x[j];\n    p *= v;\n"
      "    top = fmaxf(top, v);\n  }\n  y[0] = p + top;\n}\n",
      ACCUMULATORS, &line256, "float p_12 = 1, p_2 = 1, p_3 = 1;",
      "float top_1 = top, top_2 = top, top_3 = top;", "    j = 0;\n",
      "for (; j + 3 * (by) <= n; j += 4 * (by)) {", "float v = x[(j + 2 * (by))];",
      "p *= p_12;", "top = fmaxf(top, top_3);");
}

static void test_refused(void **state) {
  static const char *const loops[] = {
      "for (int j = 0; j < n; j++) s = s * 0.5f + x[j];", /* each needs the last */
      "for (int j = 0; j < n; j++) { if (x[j] < 0) break; s += x[j]; }",
      "for (int j = 0; j < n; j++) { if (x[j] < 0) continue; s += x[j]; }",
      "for (int j = 0; j < n; j++) { s += x[j]; y[j] = s; }", /* the sum is looked at */
      "for (int j = 0; j < n; j++) y[0] += x[j];",            /* no variable */
      "for (int j = 0; j < n; j++) s += __shfl_xor_sync(~0u, x[j], 1);",
      "for (int j = 0; j < n; n -= 1, j++) s += x[j];",
      "for (int j = 0; j * 2 < n; j++) s += x[j];",
      "for (int j = 0; j < n; j++) for (int i = 0; i < j; i++) y[i] = x[j];",
      "for (int j = 0; j < n; j++) ADD(s);", /* what a macro makes stays */
  };
  for (size_t k = 0; k < WW_COUNT(loops); k++)
    has_none(*state,
             ww_fmt(*state,
                    "#define ADD(to) to += x[j]\n"
                    "__global__ void k(int n, const float *x, float *y) {\n"
                    "  float s = 0;\n  %s\n  y[threadIdx.x] = s;\n}\n",
                    loops[k]),
             ACCUMULATORS, &line256);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_sum), TEST(test_forms),
                                     TEST(test_refused)};
  return RUN(tests);
}
