/* test_rewrite_team.c - block sizes of threads that work together. */
#include "unit.h"

#include "rewrites.h"

/* Offers come from a quarter of the size upwards: here of 64 threads. */
static void test_numbers(void **state) {
  has(*state,
      "__global__ void k(int n, const float *x, float *y) {\n"
      "  __shared__ float part[8], more[256 + 2];\n  float s = 0;\n"
      "  for (int i = threadIdx.x; i < n; i += 256) s += x[blockIdx.x * n + i];\n"
      "  for (int i = threadIdx.x; i < 258; i += 256) more[i] = s * 8;\n"
      "  part[threadIdx.x / 32] = s;\n  __syncthreads();\n"
      "  for (int w = 1; w < 8; w++) s += part[w];\n  y[blockIdx.x] = s;\n}\n",
      TEAM, &line256, "part[2], more[64 + 2];", "i < n; i += 64)", "i < 66; i += 64)",
      "s * 8;", "w < 2;");
}

static void test_grids(void **state) {
  const char *rows = "__global__ void k(int n, float *y) {\n"
                     "  int row = blockIdx.x * 8 + threadIdx.x / 32;\n"
                     "  float v = __shfl_xor_sync(~0u, y[row], 1);\n"
                     "  if (row < n) y[row] = v;\n}\n"
                     "void f(int g, float *y) { k<<<g, 256>>>(g, y); }\n";
  has(*state, rows, TEAM, &line256, "blockIdx.x * 2 + threadIdx.x / 32",
      "k<<<dim3(dim3(g).x * 4, dim3(g).y, dim3(g).z), 64>>>");
  const char *blocks =
      "__global__ void k(int n, float *y) {\n  __shared__ float s[256];\n"
      "  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = y[i];\n"
      "  __syncthreads();\n  if (threadIdx.x == 0) y[blockIdx.x] = s[n];\n}\n"
      "void f(int g, float *y) { k<<<g, 256>>>(g, y); }\n";
  has(*state, blocks, TEAM, &line256, "s[256];", "i < 256; i += blockDim.x",
      "k<<<g, 64>>>");
}

static void test_none(void **state) {
  /* `block` has it; the size is promised to the compiler; two axes */
  has_none(*state, "__global__ void k(int n, float *x) { x[" GID "] = n; }\n", TEAM,
           &line256);
  has_none(*state,
           "__global__ void __launch_bounds__(256) k(float *y) {\n"
           "  __shared__ float s[256];\n  s[threadIdx.x] = y[threadIdx.x];\n"
           "  __syncthreads();\n  y[threadIdx.x] = s[255 - threadIdx.x];\n}\n",
           TEAM, &line256);
  has_none(
      *state,
      "__global__ void k(float *y) {\n  __shared__ float s[16];\n"
      "  s[threadIdx.x] = y[threadIdx.y];\n  __syncthreads();\n  y[0] = s[1];\n}\n",
      TEAM, &tile16);
}

static void test_queue(void **state) {
  has(*state,
      "__global__ void k(int n, float *y, int *next) {\n"
      "  for (;;) {\n    int i = atomicAdd(next, 1);\n    if (i >= n) return;\n"
      "    y[i] = 1;\n  }\n}\nvoid f(int n, float *y, int *q) { k<<<64, 256>>>(n, y, "
      "q); }\n",
      GRID, &line256, "k<<<64 * 2, 256>>>");
  has_none(*state,
           "__global__ void k(float *y, int *next) {\n"
           "  int i = atomicAdd(next, 1);\n  y[i] = blockIdx.x;\n}\n",
           GRID, &line256);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_numbers), TEST(test_grids),
                                     TEST(test_none), TEST(test_queue)};
  return RUN(tests);
}
