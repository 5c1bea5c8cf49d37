/* test_rewrite_constant.c - other values for numbers with names: where they stand, the
 * block that follows, and names that others use too. */
#include "unit.h"

#include "rewrites.h"

#define BODY                                                              \
  "  __shared__ float s[TILE];\n"                                         \
  "  s[threadIdx.x & (TILE - 1)] = x[threadIdx.x];\n  __syncthreads();\n" \
  "  for (int j = 0; j < TILE; j++) x[blockIdx.x * n + threadIdx.x] += s[j];\n"

static void test_forms(void **state) {
  static const char *const heads[][3] = {
      {"#define TILE 16 // wide\n", "", "#define TILE 4 // wide\n"},
      {"#ifndef TILE\n#define TILE 16\n#endif\n", "", "#define TILE 4\n"},
      {"", "  const int TILE = 16;\n", "const int TILE = 4;"},
  };
  for (size_t k = 0; k < WW_COUNT(heads); k++) {
    const char *text = ww_fmt(*state,
                              "%s// warpwise: grid=64 block=256\n"
                              "__global__ void k(int n, float *x) {\n%s" BODY "}\n",
                              heads[k][0], heads[k][1]);
    has(*state, text, CONSTANT, &line256, "// warpwise: grid=64 block=256\n");
    assert_non_null(
        strstr(offer(*state, text, WW_REWRITE_CONSTANT, 0, &line256), heads[k][2]));
    assert_non_null(offer(*state, text, WW_REWRITE_CONSTANT, 3, &line256));
    assert_null(offer(*state, text, WW_REWRITE_CONSTANT, 4, &line256)); /* 4 8 32 64 */
  }
}

static void test_block_follows(void **state) {
  has(*state,
      "#define TILE 256\n// warpwise: grid=(n+255)/256 block=256 n=16384\n"
      "__global__ void k(int n, float *x) {\n" BODY "}\n",
      CONSTANT, &line256, "#define TILE 64\n",
      "// warpwise: grid=256 block=64 n=16384");
}

static void test_names_of_others(void **state) {
  static const char *const behind[] = {
      "__global__ void other(float *x) { x[TILE] = 1; }\n",
      "void f(int n, float *x) { k<<<n / TILE, TILE>>>(n, x); }\n",
      "#define HALF (TILE / 2)\n",
  };
  for (size_t k = 0; k < WW_COUNT(behind); k++)
    has_none(*state,
             ww_fmt(*state,
                    "#define TILE 16\n__global__ void k(int n, float *x) {\n" BODY
                    "}\n%s",
                    behind[k]),
             CONSTANT, &line256);
  has_none(*state, "#define N 16\n__global__ void k(float *x) { x[N] = N; }\n",
           CONSTANT, &line256); /* it sizes nothing */
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_forms), TEST(test_block_follows),
                                     TEST(test_names_of_others)};
  return RUN(tests);
}
