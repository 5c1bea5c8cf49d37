/* test_rewrite_split.c - ranges of loops that add up, split among threads. */
#include "unit.h"

#include "rewrites.h"

#define HEAD                                                                    \
  "__global__ void k(int n, int h, const float *x, float *y) {\n  int i = " GID \
  ";\n  if (i >= n) return;\n"

static void test_two_loops(void **state) {
  has(*state,
      HEAD "  float s[2] = {}, u = 1;\n  int r = 0;\n"
           "  for (; r + 2 <= h; r += 2) {\n    s[0] += x[r * n + i];\n"
           "    s[1] += x[(r + 1) * n + i];\n    u += 1;\n  }\n"
           "  for (; r < h; r++) s[0] += x[r * n + i];\n"
           "  y[i] = s[0] + s[1] + u;\n}\n",
      SPLIT, &line256, "int r = (int)((long long)h * threadIdx.y / 4);",
      "const int r_end = (int)((long long)h * (threadIdx.y + 1) / 4);",
      "if (threadIdx.y > 0) {\n    s[0] = 0;\n    s[1] = 0;\n    u = 0;\n  }",
      "for (; r + 2 <= r_end; r += 2)", "for (; r < r_end; r++)",
      "__shared__ float part_s[4][2][128];", "if (threadIdx.y > 0) return;",
      "s[1] += part_s[row][1][threadIdx.x];", "u += part_u[row][0][threadIdx.x];");
}

static void test_none(void **state) {
  static const char *const rows[] = {
      /* the sum is looked at */
      HEAD "  float s = 0;\n  int r = 0;\n"
           "  for (; r < h; r++) s += s * x[r * n + i];\n  y[i] = s;\n}\n",
      /* the last one counts */
      HEAD "  float s = 0;\n  int r = 0;\n"
           "  for (; r < h; r++) s = x[r * n + i];\n  y[i] = s;\n}\n",
      /* memory is written */
      HEAD "  int r = 0;\n  for (; r < h; r++) y[r * n + i] += 1;\n}\n",
      /* where it ended is used */
      HEAD "  float s = 0;\n  int r = 0;\n"
           "  for (; r < h; r++) s += x[r * n + i];\n  y[i] = s + r;\n}\n",
      /* it ends early */
      HEAD "  float s = 0;\n  int r = 0;\n  for (; r < h; r++) {\n"
           "    if (x[r] < 0) break;\n    s += x[r * n + i];\n  }\n  y[i] = s;\n}\n",
      /* another step than forward */
      HEAD "  float s = 0;\n  int r = 1;\n"
           "  for (; r < h; r *= 2) s += x[r * n + i];\n  y[i] = s;\n}\n",
  };
  for (size_t r = 0; r < WW_COUNT(rows); r++)
    has_none(*state, rows[r], SPLIT, &line256);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_two_loops), TEST(test_none)};
  return RUN(tests);
}
