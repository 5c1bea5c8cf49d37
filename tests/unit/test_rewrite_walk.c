/* test_rewrite_walk.c - vector accesses: offered where neighbouring elements are used,
 * with the way that remains for other addresses, and refused where they are not. */
#include "unit.h"

#include "rewrites.h"

/* The offer whose text has that; NULL. */
static const char *offer_with(ww_arena *a,
                              const char *text,
                              ww_rewrite_kind kind,
                              const ww_launch *l,
                              const char *wanted) {
  const char *now;
  for (int n = 0; (now = offer(a, text, kind, n, l)); n++)
    if (strstr(now, wanted))
      return now;
  return NULL;
}

#define has_one(a, text, kind, launch, first, ...)                            \
  do {                                                                        \
    static const char *const wanted_[] = {first, __VA_ARGS__};                \
    const char *now_ = offer_with(a, text, WW_REWRITE_##kind, launch, first); \
    if (!now_)                                                                \
      fail_msg("no offer for %s has %s", text, first);                        \
    for (size_t w_ = 0; w_ < WW_COUNT(wanted_); w_++)                         \
      if (!strstr(now_, wanted_[w_]))                                         \
        fail_msg("no \"%s\" in \"%s\"", wanted_[w_], now_);                   \
  } while (0)

static void test_elements(void **state) {
  has_one(
      *state,
      "__global__ void k(int n, float a, const float *x, float *y) {\n  int i = " GID
      ";\n  if (i < n) y[i] = a * x[i] + y[i];\n}\n",
      VECTOR, &line256, "float4", "int i = (" GID ") * 4;",
      "if (i + 3 < n && (size_t)&y[i] % 16 == 0 && (size_t)&x[i] % 16 == 0)",
      "*(float4 *)y4 = *(const float4 *)&y[i];",
      "for (int item = 0; item < 4; item++) y4[item] = a * x4[item] + y4[item];",
      "*(float4 *)&y[i] = *(float4 *)y4;",
      "for (int end = i + 4; i < end; i++) if (i < n) y[i] = a * x[i] + y[i];");
  has_one(*state,
          "__global__ void k(int n, const unsigned char *p, unsigned char *q) {\n"
          "  int i = " GID ";\n  if (i >= n) return;\n"
          "  int at = 3 * i;\n  q[i] = (p[at] + p[at + 1] + p[at + 2]) / 3;\n}\n",
          VECTOR, &line256, "p4[12]",
          "((unsigned *)p4)[2] = ((const unsigned *)&p[3 * i])[2];",
          "q4[item] = (p4[3 * item] + p4[3 * item + 1] + p4[3 * item + 2]) / 3;",
          "if (i >= n) continue;");
  has_one(*state,
          "struct rgb { float r, g, b; };\n"
          "__global__ void k(int n, rgb *p) {\n  int i = " GID
          ";\n  if (i < n) p[i].g = p[i].r;\n}\n",
          VECTOR, &line256, "rgb p4[4]",
          "((uint4 *)p4)[2] = ((const uint4 *)&p[i])[2];", "p4[item].g = p4[item].r;",
          "((uint4 *)&p[i])[2] = ((uint4 *)p4)[2];");
}

/* Neighbours on both sides, at the ends one by one. */
static void test_margins(void **state) {
  has_one(*state,
          "__global__ void k(int n, const float *x, float *y) {\n  int i = " GID
          ";\n  if (i < 1 || i > n - 2) return;\n"
          "  y[i] = x[i - 1] + x[i] + x[i + 1];\n}\n",
          VECTOR, &line256, "float4", "if (i >= 1 && i + 3 <= n - 2 && ",
          "x4[3] = x[i - 1];", "*(float4 *)&x4[4] = *(const float4 *)&x[i];",
          "x4[8] = x[i + 4];", "x4[item + 3] + x4[item + 4] + x4[item + 5]");
}

static void test_no_elements(void **state) {
  /* another element of what is written */
  has_none(*state,
           "__global__ void k(int n, float *y) {\n  int i = " GID
           ";\n  if (i < n) y[i] = y[n - i];\n}\n",
           VECTOR, &line256);
  /* not of every element */
  has_none(*state,
           "__global__ void k(int n, float *y) {\n  int i = " GID
           ";\n  if (i < n) { if (n % 3 == 0) y[i] = 1; }\n}\n",
           VECTOR, &line256);
  /* threads that meet */
  has_none(*state,
           "__global__ void k(int n, float *y) {\n  int i = " GID
           ";\n  if (i < n) { y[i] = 1; __syncthreads(); }\n}\n",
           VECTOR, &line256);
  has_none(*state,
           "__global__ void k(int n, volatile float *y) {\n  int i = " GID
           ";\n  if (i < n) y[i] = 1;\n}\n",
           VECTOR, &line256);
}

static void test_loop(void **state) {
  has_one(*state,
          "__global__ void k(int m, const float *x, float *y) {\n  int i = " GID
          ";\n  float s = 0;\n  for (int j = 0; j < m; j++)\n    s += x[i * m + j];\n"
          "  y[i] = s;\n}\n",
          VECTOR_LOOP, &line256, "float4", "int j = 0;",
          "for (; j < m && (size_t)&x[i * m + j] % 16 != 0; j++) s += x[i * m + j];",
          "if ((size_t)&x[i * m + j] % 16 == 0) {", "for (; j + 3 < m; j += 4) {",
          "s += x4[item];", "for (; j < m; j++) s += x[i * m + j];");
  /* it is left early; it walks through the same memory that it writes */
  has_none(*state,
           "__global__ void k(int m, const float *x, float *y) {\n"
           "  for (int j = 0; j < m; j++) {\n    if (x[j] < 0) break;\n    y[0] += "
           "x[j];\n  }\n}\n",
           VECTOR_LOOP, &line256);
  has_none(*state,
           "__global__ void k(int m, float *x) {\n"
           "  for (int j = 1; j < m; j++) x[j] += x[j - 1];\n}\n",
           VECTOR_LOOP, &line256);
}

static void test_together(void **state) {
  const char *warps =
      "__global__ void k(int n, const float *x, float *y) {\n"
      "  int lane = threadIdx.x % 32;\n  float s = 0;\n"
      "  for (int j = lane; j < n; j += 32) s += x[j];\n  y[" GID "] = s;\n}\n";
  has_one(*state, warps, VECTOR_LOOP, &line256, "float4", "int j = (lane) * 4;",
          "for (; j + 3 < n; j += (32) * 4) {", "j = (n) / 4 * 4 + (lane);",
          "j = lane;\n", "for (; j < n; j += 32) s += x[j];");
  /* it is not known that they are side by side */
  has_none(*state,
           "__global__ void k(int n, const float *x, float *y) {\n"
           "  int lane = threadIdx.x % 16;\n  float s = 0;\n"
           "  for (int j = lane; j < n; j += 32) s += x[j];\n  y[" GID "] = s;\n}\n",
           VECTOR_LOOP, &line256);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_elements), TEST(test_margins),  TEST(test_no_elements),
      TEST(test_loop),     TEST(test_together),
  };
  return RUN(tests);
}
