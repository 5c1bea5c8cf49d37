/* test_rewrite_opencl.c - OpenCL's forms of rewrites whose threads work together: local
 * memory, which is declared in the body itself, and barriers. */
#include "unit.h"

#include "rewrites.h"

static void test_row(void **state) {
  const char *sum =
      "__kernel void k(int n, int m, __global const float *a, __global float *y) {\n"
      "  int i = get_global_id(0);\n  if (i < n) {\n    float s = 1, top = 0;\n"
      "    for (int j = 0; j < m; j++) {\n      s += a[i * m + j];\n"
      "      top = fmax(top, a[i * m + j]);\n    }\n    y[i] = s + top;\n  }\n}\n";
  has(*state, sum, ROW, &line256,
      "{\n  __local float s_part[128];\n  __local float top_part[128];\n"
      "  int lane = get_local_id(0);\n  int i = get_group_id(0);\n",
      "if (lane > 0) s = 0;\n    for (int j = lane; j < m; j += 128) {",
      "s_part[lane] = s;\n    top_part[lane] = top;\n"
      "    barrier(CLK_LOCAL_MEM_FENCE);\n",
      " = 64; ", "s_part[lane] += s_part[lane + ",
      "top_part[lane] = fmax(top_part[lane], top_part[lane + ",
      "s = s_part[0];\n    top = top_part[0];\n    barrier(CLK_LOCAL_MEM_FENCE);\n",
      "if (lane == 0) y[i] = s + top;");
  /* whole groups alone: nobody promises lanes that meet without memory */
  assert_non_null(offer(*state, sum, WW_REWRITE_ROW, 1, &line256));
  assert_null(offer(*state, sum, WW_REWRITE_ROW, 2, &line256));
  /* a store by a function of OpenCL's is one; the loop needs what came before */
  has_none(*state,
           "__kernel void k(int m, __global const float4 *a, __global float *y) {\n"
           "  int i = get_global_id(0);\n  for (int j = 0; j < m; j++)\n"
           "    vstore4(a[i * m + j] + vload4(i, y), i, y);\n}\n",
           ROW, &line256);
}

static void test_tile(void **state) {
  const char *product =
      "__kernel void k(int n, __global const float *a, __global const float *b, "
      "__global float *c) {\n"
      "  int col = get_global_id(0), row = get_global_id(1);\n"
      "  if (row >= n || col >= n) return;\n  float s = 0.0f;\n"
      "  for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];\n"
      "  c[row * n + col] = s;\n}\n";
  has(*state, product, TILE, &tile16,
      "{\n  __local __attribute__((aligned(16))) float a_tile[16][16];\n"
      "  __local __attribute__((aligned(16))) float b_tile[16][16];\n",
      "const int row_own = get_global_id(1);",
      "const bool inside = row_own < n && col_own < n;", "int k_at = get_local_id(0);",
      "b_tile[k_at][get_local_id(0)] = b[", "  barrier(CLK_LOCAL_MEM_FENCE);",
      "s += a_tile[get_local_id(1)][k_at] * b_tile[k_at][get_local_id(0)];",
      "if (inside) c[row * n + col] = s;");
  assert_null(strstr(offer(*state, product, WW_REWRITE_TILE, 0, &tile16), "threadIdx"));
}

/* What stands for CUDA alone is not offered. */
static void test_none(void **state) {
  static const ww_rewrite_kind kinds[] = {WW_REWRITE_SHARE, WW_REWRITE_JAM,
                                          WW_REWRITE_SPLIT, WW_REWRITE_TURN,
                                          WW_REWRITE_VECTOR};
  const char *sum =
      "__kernel void k(int n, int m, __global const float *a, __global float *y) {\n"
      "  int i = get_global_id(0);\n  if (i >= n) return;\n  float s = 0;\n"
      "  for (int j = 0; j < m; j++)\n    s += a[j * n + i];\n  y[i] = s;\n}\n";
  for (size_t k = 0; k < WW_COUNT(kinds); k++)
    assert_null(offer(*state, sum, kinds[k], 0, &line256));
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_row), TEST(test_tile), TEST(test_none)};
  return RUN(tests);
}
