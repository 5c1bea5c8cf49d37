/* test_rewrite_ahead.c - tiles that are copied asynchronously while the one before is
 * worked on: two of them by turns, and what is waited for. */
#include "unit.h"

#include "rewrites.h"

static const char *const product =
    "__global__ void k(int n, const float *a, const float *b, float *c) {\n"
    "  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;\n"
    "  if (row >= n || col >= n) return;\n  float s = 0.0f;\n"
    "  for (int k = n / 2; k < n; k++) s += a[row * n + k] * b[k * n + col];\n"
    "  c[row * n + col] = s;\n}\n";

static void test_two_tiles(void **state) {
  has(*state, product, TILE_AHEAD, &tile16, "#include <cuda_pipeline.h>\n__global__",
      "float a_tile[2][16][16];\n  ", "float b_tile[2][16][16];\n  int k_turn = 0;\n",
      "    if ((n / 2) + k_at < n) "
      "__pipeline_memcpy_async(&b_tile[0][k_at][threadIdx.x],"
      " &b[((n / 2) + k_at) * n + col], 4);\n",
      "  __pipeline_commit();\n"
      "  for (int k0 = n / 2; k0 < n; k0 += 16, k_turn ^= 1) {\n",
      "      if (k0 + 16 + k_at < n) __pipeline_memcpy_async(&a_tile[k_turn ^ 1]"
      "[threadIdx.y][k_at], &a[row * n + (k0 + 16 + k_at)], 4);\n",
      "    __pipeline_commit();\n    __pipeline_wait_prior(1);\n    __syncthreads();\n",
      "s += a_tile[k_turn][threadIdx.y][k_at] * b_tile[k_turn][k_at][threadIdx.x];",
      "if (inside) c[row * n + col] = s;");
  /* a header that is there stays alone */
  const char *with =
      ww_fmt(*state, "#include <cuda_pipeline.h>\n// products\n%s", product);
  const char *now = offer(*state, with, WW_REWRITE_TILE_AHEAD, 0, &tile16);
  assert_non_null(now);
  assert_null(strstr(now + 1, "#include"));
}

/* Sizes that cp.async does not have, and tiles that are too large twice. */
static void test_none(void **state) {
  has_none(*state,
           "__global__ void k(int n, const short *x, float *y) {\n  int i = " GID
           ";\n  float s = 0;\n  for (int j = 0; j < n; j++) s += x[j];\n"
           "  y[i] = s;\n}\n",
           TILE_AHEAD, &line256);
  static const ww_launch wide = {.grid = {8, 8, 1}, .block = {128, 4, 1}};
  const char *rows = "__global__ void k(int n, const double *x, double *y) {\n"
                     "  int i = blockIdx.x * 128 + threadIdx.x;\n  double s = 0;\n"
                     "  for (int j = 0; j < n; j++) s += x[j * n + i];\n"
                     "  y[(blockIdx.y * 4 + threadIdx.y) * n + i] = s;\n}\n";
  assert_non_null(offer(*state, rows, WW_REWRITE_TILE, 1, &wide));
  assert_non_null(offer(*state, rows, WW_REWRITE_TILE_AHEAD, 0, &wide));
  assert_null(offer(*state, rows, WW_REWRITE_TILE_AHEAD, 1, &wide));
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_two_tiles), TEST(test_none)};
  return RUN(tests);
}
