/* test_rewrite_inline.c - kernels that only call another function. */
#include "unit.h"

#include "rewrites.h"

static const char *inlined(ww_arena *a, const char *text) {
  ww_syntax syntax;
  read_syntax(text, &syntax);
  ww_rewrite_input in = {
      .syntax = &syntax, .kernel = "k", .line = 1, .launch = &line256};
  return ww_rewrite_inlined(&in, a);
}

#define inlines(a, text, ...)                               \
  do {                                                      \
    static const char *const wanted_[] = {__VA_ARGS__};     \
    const char *now_ = inlined(a, text);                    \
    if (!now_)                                              \
      fail_msg("nothing is inlined in %s", text);           \
    for (size_t w_ = 0; w_ < WW_COUNT(wanted_); w_++)       \
      if (!strstr(now_, wanted_[w_]))                       \
        fail_msg("no \"%s\" in \"%s\"", wanted_[w_], now_); \
  } while (0)

static void test_wrappers(void **state) {
  inlines(*state,
          "template <int each, typename T>\n"
          "__device__ void work(int n, const T *v) {\n  T s = v[n * each];\n}\n"
          "__global__ void k(int m, const double *v) { work<4>(m + 1, v); }\n",
          "__device__ void work(int n, const T *v) {\n  T s",
          "void k(int m, const double *v) {\n  constexpr int each = 4;\n"
          "  using T = double;\n  int n = m + 1;\n  T s = v[n * each];\n}\n");
  inlines(*state,
          "__device__ void work(float *v) { v[0] = 1; }\n"
          "__global__ void k(float *v) { work(v); }\n",
          "void k(float *v) {\n v[0] = 1; }");
}

static void test_others(void **state) {
  static const char *const rows[] = {
      /* it does more; it takes a value; a macro calls; there is no body */
      "__device__ void work(float *v) { v[0] = 1; }\n"
      "__global__ void k(float *v) { work(v); v[1] = 2; }\n",
      "__device__ float work(float *v) { return v[0]; }\n"
      "__global__ void k(float *v) { work(v); }\n",
      "__device__ void work(float *v) { v[0] = 1; }\n#define WORK work(v)\n"
      "__global__ void k(float *v) { WORK; }\n",
      "__device__ void work(float *v);\n__global__ void k(float *v) { work(v); }\n",
      "__global__ void k(float *v) { v[0] = 1; }\n",
  };
  for (size_t r = 0; r < WW_COUNT(rows); r++)
    if (inlined(*state, rows[r]))
      fail_msg("inlined: %s", rows[r]);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_wrappers), TEST(test_others)};
  return RUN(tests);
}
