/* test_rewrite.c - rewrites of kernels: each is offered where it is right, with the
 * text that it makes, and refused where it is not; launches that follow; patches. */
#include "unit.h"

#include "rewrites.h"

/* ---- syntax ---- */

static void test_syntax(void **state) {
  const char *files[] = {"k.cu"};
  const char *texts[] = {"#define TWICE(v) ((v) + (v))\n"
                         "__global__ void k(float *x) { x[3] = TWICE(x[4]); }\n"};
  ww_front_options o = {
      .files = files, .nfiles = 1, .dialect = WW_CUDA, .texts = texts};
  ww_syntax s;
  ww_err e = {0};
  uint32_t plain = 0;
  uint32_t macro = 0;
  assert_int_equal(ww_syntax_read(&o, *state, &s, &e), WW_OK);
  for (uint32_t k = 0; k < s.n; k++) {
    const ww_node *n = &s.v[k];
    assert_true(n->begin <= n->end && n->end <= s.bytes && n->last > k);
    if (n->kind != WW_NODE_SUBSCRIPT)
      continue;
    assert_int_equal(n->type, WW_TYPE_FLOAT);
    plain += !n->macro;
    macro += n->macro;
  }
  assert_int_equal(plain, 1); /* x[3] */
  assert_true(macro >= 1);    /* what the macro makes of x[4] */
}

/* ---- rewrites ---- */

static void test_block(void **state) {
  const char *fixed =
      "__global__ void k(int n, float *x) {\n"
      "  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) x[i] = 1;\n}\n";
  has(*state, fixed, BLOCK, &line256, "blockIdx.x * 32 + threadIdx.x");
  has_none(*state,
           "__global__ void k(int n, float *x) {\n  __shared__ float s[256];\n"
           "  s[threadIdx.x] = x[" GID "];\n  __syncthreads();\n"
           "  x[" GID "] = s[255 - threadIdx.x];\n}\n",
           BLOCK, &line256);
  has_none(*state, "__global__ void k(float *x) { x[threadIdx.x] = blockIdx.x; }\n",
           BLOCK, &line256);
  has_none(*state,
           "#define ID blockIdx.x * 256 + threadIdx.x\n"
           "__global__ void k(float *x) { x[ID] = 1; }\n",
           BLOCK, &line256);
}

static void test_launches_follow(void **state) {
  const char *program =
      "__global__ void k(int n, float *x) {\n  int i = " GID
      ";\n  if (i < n) x[i] = 1;\n}\n"
      "void f(int n, float *x, dim3 g) {\n"
      "  k<<<(n + 255) / 256, 256>>>(n, x);\n  k<<<g, 256, 0>>>(n, x);\n}\n";
  has(*state, program, BLOCK, &line256, "k<<<(n + 31) / 32, 32>>>(n, x)",
      "k<<<dim3(dim3(g).x * 8, dim3(g).y, dim3(g).z), 32, 0>>>");
  has_none(*state,
           "__global__ void k(int n, float *x) {\n  int i = " GID
           ";\n  if (i < n) x[i] = 1;\n}\n"
           "void f(void **a) { cudaLaunchKernel((void *)k, 1, 256, a, 0, 0); }\n",
           BLOCK, &line256);
}

static void test_comment_follows(void **state) {
  has(*state,
      "// warpwise: grid=64 block=256 n=1<<14\n"
      "__global__ void k(int n, float *x) {\n  int i = " GID
      ";\n  if (i < n) x[i] = 1;\n}\n",
      BLOCK, &line256, "// warpwise: grid=512 block=32 n=1<<14");
}

static void test_swap(void **state) {
  has(*state,
      "__global__ void k(int n, float *x) {\n"
      "  int r = blockIdx.x * 16 + threadIdx.x, c = blockIdx.y * 16 + threadIdx.y;\n"
      "  x[r * n + c] = 1;\n}\n",
      SWAP, &tile16,
      "r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x");
  has_none(
      *state,
      "__global__ void k(float *x) {\n  float v = x[threadIdx.y * 16 + threadIdx.x];\n"
      "  x[threadIdx.x] = __shfl_xor_sync(~0u, v, 1);\n}\n",
      SWAP, &tile16);
  has_none(*state, "__global__ void k(int n, float *x) { x[" GID "] = n; }\n", SWAP,
           &line256);
}

static void test_restrict(void **state) {
  has(*state,
      "__global__ void k(const float *x, float *y, float *z) { z[0] = x[0] + y[0]; }\n",
      RESTRICT, &line256,
      "k(const float *__restrict__ x, const float *__restrict__ y, "
      "float *__restrict__ z)");
  has_none(
      *state,
      "__global__ void k(const float *__restrict__ x, float *__restrict__ y) { y[0] = "
      "x[0]; }\n",
      RESTRICT, &line256);
}

static void test_floats(void **state) {
  has(*state, "__global__ void k(float *x) { x[0] = x[0] * 2.0 + 1e-3 + 3.0f; }\n",
      FLOATS, &line256, "x[0] * 2.0f + 1e-3f + 3.0f");
  has_none(*state, "__global__ void k(float *x, double s) { x[0] = x[0] * 2.0 + s; }\n",
           FLOATS, &line256);
}

static void test_fast(void **state) {
  has(*state, "__global__ void k(float *x) { x[0] = expf(x[1]) + sqrtf(x[2]); }\n",
      FAST, &line256, "__expf(x[1]) + sqrtf(x[2])");
  has_none(*state, "__global__ void k(double *x) { x[0] = exp(x[1]); }\n", FAST,
           &line256);
}

static void test_accumulate(void **state) {
  has(*state,
      "__global__ void k(int n, const float *x, float *y) {\n  int i = threadIdx.x;\n"
      "  for (int j = 0; j < n; j++)\n    y[i] += x[j * 32 + i];\n}\n",
      ACCUMULATE, &line256, "float sum = y[i];\n  for",
      "sum += x[j * 32 + i];\n  y[i] = sum;");
  has_none(*state,
           "__global__ void k(int n, const float *x, float *y) {\n"
           "  for (int j = 0; j < n; j++)\n    y[j] += x[j];\n}\n",
           ACCUMULATE, &line256);
  has_none(*state,
           "__global__ void k(int n, float *y) {\n  int i = threadIdx.x;\n"
           "  for (int j = 0; j < n; j++)\n    y[i] += y[j];\n}\n",
           ACCUMULATE, &line256);
}

static void test_unroll(void **state) {
  has(*state,
      "__global__ void k(int n, float *x) {\n  float s = 0;\n"
      "  for (int j = 0; j < n; j++)\n    s += x[j];\n  x[0] = s;\n}\n",
      UNROLL, &line256, "  #pragma unroll 4\n  for (int j");
  has_none(*state,
           "__global__ void k(int n, float *x) {\n  float s = 0;\n  #pragma unroll 2\n"
           "  for (int j = 0; j < n; j++)\n    s += x[j];\n  x[0] = s;\n}\n",
           UNROLL, &line256);
  /* two conditions end it; a break does */
  has_none(*state,
           "__global__ void k(int n, int m, float *x) {\n  float s = 0;\n"
           "  for (int j = 0; j < n && m > 3; j++)\n    s += x[j];\n  x[0] = s;\n}\n",
           UNROLL, &line256);
  has_none(*state,
           "__global__ void k(int n, float *x) {\n  float s = 0;\n"
           "  for (int j = 0; j < n; j++) {\n    if (x[j] < 0) break;\n    s += x[j];\n"
           "  }\n  x[0] = s;\n}\n",
           UNROLL, &line256);
}

static void test_atomic_group(void **state) {
  has(*state,
      "__global__ void k(int n, const int *to, const float *x, float *s) {\n"
      "  int i = " GID ";\n  if (i < n) atomicAdd(&s[to[i]], x[i]);\n}\n",
      ATOMIC_GROUP, &line256, "(unsigned long long)", "__shfl_sync(peers, own, __ffs(");
  has(*state,
      "__global__ void k(int n, int *s) {\n  atomicAdd(&s[threadIdx.x / 4], n);\n}\n",
      ATOMIC_GROUP, &line256, "= &s[threadIdx.x / 4], own = n;",
      "__reduce_add_sync(peers, own);", "if (threadIdx.x % 32 == __ffs(peers) - 1)");
  /* one address for all; somebody uses the result */
  has_none(*state, "__global__ void k(int n, int *s) { atomicAdd(s, n); }\n",
           ATOMIC_GROUP, &line256);
  has_none(*state,
           "__global__ void k(int n, int *s) {\n"
           "  int was = atomicAdd(&s[threadIdx.x / 4], n);\n  s[was] = 0;\n}\n",
           ATOMIC_GROUP, &line256);
}

static void test_atomic_warp(void **state) {
  has(*state,
      "__global__ void k(int n, const float *x, float *s) {\n  int i = " GID
      ";\n  if (i < n) atomicAdd(s, x[i]);\n}\n",
      ATOMIC_WARP, &line256, "if (__activemask() == 0xffffffffu)", "__shfl_down_sync",
      "atomicAdd(s, sum);");
  has_none(
      *state,
      "__global__ void k(const int *x, int *s) { atomicAdd(&s[x[threadIdx.x]], 1); }\n",
      ATOMIC_WARP, &line256);
  has_none(
      *state,
      "__global__ void k(int *q, int *s) { int at = atomicAdd(s, 1); q[at] = 1; }\n",
      ATOMIC_WARP, &line256);
}

static void test_atomic_sum(void **state) {
  has(*state,
      "__global__ void k(int n, const float *x, float *s) {\n  int i = " GID
      ";\n  if (i < n) atomicAdd(s, x[i]);\n}\n",
      ATOMIC_SUM, &line256, "float sum = 0.0f;\n", "sum += x[i];",
      "sum += __shfl_down_sync(0xffffffffu, sum, step);\n",
      "    atomicAdd(s, sum);\n}");
  has_none(*state,
           "__global__ void k(int n, int *s) {\n  int i = " GID
           ";\n  if (i < n) atomicAdd(&s[i % 4], 1);\n}\n",
           ATOMIC_SUM, &line256);
  has_none(*state,
           "__global__ void k(int n, int *s) {\n  int i = " GID
           ";\n  if (i < n) { atomicAdd(s, 1); atomicMax(s, i); }\n}\n",
           ATOMIC_SUM, &line256);
}

static void test_atomic_table(void **state) {
  ww_arg args[] = {{.kind = WW_ARG_VALUE},
                   {.kind = WW_ARG_BUFFER, .buffer = {.bytes = 16384}},
                   {.kind = WW_ARG_BUFFER, .buffer = {.bytes = 1024}}};
  ww_launch l = line256;
  l.args = args;
  l.nargs = 3;
  const char *counts =
      "__global__ void k(int n, const int *x, int *bins) {\n  int i = " GID
      ";\n  if (i < n) atomicAdd(&bins[x[i]], 1);\n}\n";
  has(*state, counts, ATOMIC_TABLE, &l, "__shared__ int part[256];",
      "if ((unsigned)(x[i]) < 256u) atomicAdd(&part[x[i]], 1);",
      "else atomicAdd(&bins[x[i]], 1);",
      "if (part[k] != 0) atomicAdd(&bins[k], part[k]);\n}");
  args[2].buffer.bytes = 1 << 20; /* no table of a block */
  has_none(*state, counts, ATOMIC_TABLE, &l);
}

static void test_share(void **state) {
  has(*state,
      "__global__ void k(int n, int m, const float *x, float *y) {\n  int i = " GID
      ";\n  if (i >= n) return;\n  float s = 1;\n"
      "  for (int j = 0; j < m; j++)\n    s += x[j * n + i];\n  y[i] = s;\n}\n",
      SHARE, &line256, "if (threadIdx.y > 0) s = 0;",
      "for (int j = (int)threadIdx.y; j < m; j += 2)",
      "__shared__ float part_s[2][256];", "if (threadIdx.y > 0) return;");
  /* it looks at the sum */
  has_none(
      *state,
      "__global__ void k(int n, int m, const float *x, float *y) {\n  int i = " GID
      ";\n  if (i >= n) return;\n  float s = 1;\n"
      "  for (int j = 0; j < m; j++)\n    s += x[j * n + i] * s;\n  y[i] = s;\n}\n",
      SHARE, &line256);
  /* it writes memory */
  has_none(*state,
           "__global__ void k(int n, int m, const float *x, float *y) {\n  int i = " GID
           ";\n  float s = 1;\n  for (int j = 0; j < m; j++) {\n    s += x[j];\n"
           "    y[i] = s;\n  }\n}\n",
           SHARE, &line256);
  /* it ends where its own elements say */
  has_none(*state,
           "__global__ void k(int n, int m, const float *x, float *y) {\n  int i = " GID
           ";\n  if (i >= n) return;\n  float s = 1;\n"
           "  for (int j = 0; j < m; j++) {\n    if (x[j] < 0) break;\n"
           "    s += x[j * n + i];\n  }\n  y[i] = s;\n}\n",
           SHARE, &line256);
}

static void test_row(void **state) {
  has(*state,
      "__global__ void k(int n, int m, const float *a, const float *x, float *y) {\n"
      "  int i = " GID ";\n  if (i >= n) return;\n  float s = 1, top = 0;\n"
      "  for (int j = 0; j < m; j++) {\n    s += a[i * m + j] * x[j];\n"
      "    top = fmaxf(top, x[j]);\n  }\n  y[i] = s + top;\n}\n",
      ROW, &line256, "int lane = threadIdx.x % 32;", "int i = (" GID ") / 32;",
      "if (lane > 0) s = 0;\n", "for (int j = lane; j < m; j += 32)", "s += s_other;",
      "top = fmaxf(top, top_other);", "if (lane == 0) y[i] = s + top;");
  /* an element that is added to; a counter from outside */
  has(*state,
      "__global__ void k(int n, int m, const float *a, float *y) {\n  int i = " GID
      ", j;\n  if (i < n) {\n    y[i] = 0;\n"
      "    for (j = 0; j < m; j++) y[i] += a[i * m + j];\n  }\n}\n",
      ROW, &line256, "if (lane == 0) y[i] = 0;",
      "float y_sum = lane == 0 ? y[i] : (float)0;", "y_sum += a[i * m + j];",
      "if (lane == 0) y[i] = y_sum;");
  /* the larger, by a comparison */
  has(*state,
      "__global__ void k(int n, int m, const float *a, float *y) {\n  int i = " GID
      ";\n  float t = 0;\n  for (int j = 0; j < m; j++)\n"
      "    if (a[i * m + j] > t) t = a[i * m + j];\n  y[i] = t;\n}\n",
      ROW, &line256, "t = t_other > t ? t_other : t;");
  /* places of a queue are everybody's own */
  has(*state,
      "__global__ void k(int n, const int *first, const int *to, int *q, int *tail) {\n"
      "  int i = " GID ";\n  if (i >= n) return;\n"
      "  for (int j = first[i]; j < first[i + 1]; j++)\n"
      "    if (to[j] > n) q[atomicAdd(tail, 1)] = to[j];\n}\n",
      ROW, &line256, "for (int j = (first[i]) + lane; j < first[i + 1]; j += 32)");
  /* rounds that depend on one another */
  has_none(*state,
           "__global__ void k(int n, int m, const float *a, float *y) {\n  int i = " GID
           ";\n  float t = 0;\n  for (int j = 0; j < m; j++)\n"
           "    t = t * 0.5f + a[i * m + j];\n  y[i] = t;\n}\n",
           ROW, &line256);
  /* all lanes read what the first one writes; a lane reads what another one writes */
  has_none(*state,
           "__global__ void k(int m, const float *a, float *y) {\n  int i = " GID
           ";\n  float t = 0;\n  for (int j = 0; j < m; j++) t += a[i * m + j];\n"
           "  y[i] = t;\n  for (int j = 0; j < m; j++) t += a[j] * y[i];\n"
           "  y[i + 1] = t;\n}\n",
           ROW, &line256);
  has_none(*state,
           "__global__ void k(int m, const float *a, float *y) {\n  int i = " GID
           ";\n  float t = 0;\n"
           "  for (int j = 0; j < m; j++) y[i * m + j] = a[i * m + j];\n"
           "  for (int j = 0; j < m - 1; j++) t += y[i * m + j + 1];\n"
           "  y[i * m] = t;\n}\n",
           ROW, &line256);
  /* the counter's last value is used */
  has_none(*state,
           "__global__ void k(int m, const float *a, float *y) {\n  int i = " GID
           ", j;\n  float t = 0;\n  for (j = 0; j < m; j++) t += a[i * m + j];\n"
           "  y[i] = t + j;\n}\n",
           ROW, &line256);
}

static void test_tile(void **state) {
  has(*state,
      "__global__ void k(int n, const float *a, const float *b, float *c) {\n"
      "  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + "
      "threadIdx.y;\n"
      "  if (row >= n || col >= n) return;\n  float s = 0.0f;\n"
      "  for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];\n"
      "  c[row * n + col] = s;\n}\n",
      TILE, &tile16, "const int row_own = blockIdx.y * 16 + threadIdx.y;",
      "row = row_own < n ? row_own : n - 1;",
      "const bool inside = row_own < n && col_own < n;", "float a_tile[16][16];",
      "for (int k0 = 0; k0 < n; k0 += 16) {",
      "if (k0 + k_at < n) b_tile[k_at][threadIdx.x] = b[(k0 + k_at) * n + col];",
      "s += a_tile[threadIdx.y][k_at] * b_tile[k_at][threadIdx.x];",
      "if (inside) c[row * n + col] = s;");
  /* the same for the whole block; the counter is still needed */
  has(*state,
      "__global__ void k(int n, const float *x, float *y) {\n  int i = " GID
      ";\n  if (i < n) {\n    float s = 0;\n"
      "    for (int j = 0; j < n; j++)\n      if (j != i) s += x[j] - x[i];\n"
      "    y[i] = s;\n  }\n}\n",
      TILE, &line256, "float x_tile[16];", "int j = j0 + j_at;",
      "if (j != i) s += x_tile[j_at] - x[i];", "if (inside) y[i] = s;");
  /* the lines of a body in braces move to the right, and no braces are added */
  has(*state,
      "__global__ void k(int n, const float *x, float *y) {\n  int i = " GID
      ";\n  float s = 0, t = 0;\n  for (int j = 0; j < n; j++) {\n    s += x[j];\n\n"
      "    t += x[j] * x[j];\n  }\n  y[i] = s * t;\n}\n",
      TILE, &line256,
      "j_at++) {\n      s += x_tile[j_at];\n\n"
      "      t += x_tile[j_at] * x_tile[j_at];\n    }\n    __syncthreads();\n  }\n");
  /* threads have rounds of their own */
  has_none(*state,
           "__global__ void k(const float *x, float *y) {\n  int i = " GID
           ";\n  float s = 0;\n  for (int j = 0; j < i; j++) s += x[j];\n"
           "  y[i] = s;\n}\n",
           TILE, &line256);
  /* not all come to the loop */
  has_none(*state,
           "__global__ void k(int n, const float *x, float *y) {\n  int i = " GID
           ";\n  if (x[i] < 0) return;\n  float s = 0;\n"
           "  for (int j = 0; j < n; j++) s += x[j];\n  y[i] = s;\n}\n",
           TILE, &line256);
  /* it writes memory */
  has_none(*state,
           "__global__ void k(int n, const float *x, float *y) {\n  int i = " GID
           ";\n  for (int j = 0; j < n; j++) y[i] += x[j];\n}\n",
           TILE, &line256);
}

static void test_turn(void **state) {
  has(*state,
      "__global__ void k(int n, const float *in, float *out) {\n"
      "  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
      "  if (x >= n || y >= n) return;\n  float v = in[y * n + x];\n"
      "  out[x * n + y] = 2 * v;\n}\n",
      TURN, &tile16, "__shared__ float tile[32][33];",
      "x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y + step;",
      "if (x >= n || y >= n) continue;",
      "tile[threadIdx.y + step][threadIdx.x] = 2 * v;\n  }\n  __syncthreads();",
      "x = blockIdx.x * 32 + threadIdx.y + step, y = blockIdx.y * 32 + threadIdx.x;",
      "out[x * n + y] = tile[threadIdx.x][threadIdx.y + step];");
  /* no guard, and the launch does not tell one */
  const char *bare =
      "__global__ void k(int n, const float *in, float *out) {\n"
      "  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
      "  out[x * n + y] = in[y * n + x];\n}\n";
  has_none(*state, bare, TURN, &tile16);
  ww_arg n = {.kind = WW_ARG_VALUE, .is_int = true, .ivalue = 128, .value = 128};
  ww_launch l = tile16;
  l.args = &n;
  l.nargs = 1;
  has(*state, bare, TURN, &l, "if (x >= n || y >= n) continue;");
  /* two stores */
  has_none(*state,
           "__global__ void k(int n, const float *in, float *out) {\n"
           "  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + "
           "threadIdx.y;\n"
           "  if (x < n && y < n) {\n    out[x * n + y] = in[y * n + x];\n"
           "    out[n * n + x] = 1;\n  }\n}\n",
           TURN, &tile16);
}

/* A block of elements a thread, and a guard that the launch tells. */
static void test_jam_both(void **state) {
  ww_arg n = {.kind = WW_ARG_VALUE, .is_int = true, .ivalue = 128, .value = 128};
  ww_launch l = tile16;
  l.args = &n;
  l.nargs = 1;
  const char *text =
      "__global__ void k(int n, const float *a, const float *b, float *c) {\n"
      "  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + "
      "threadIdx.y;\n"
      "  float s = 0.0f;\n  for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n "
      "+ col];\n"
      "  c[row * n + col] = s;\n}\n";
  const char *both = NULL;
  for (int k = 0; !both || !strstr(both, "s_x1_y1"); k++) {
    both = offer(*state, text, WW_REWRITE_JAM, k, &l);
    assert_non_null(both);
  }
  both = NULL;
  for (int k = 0; !both || !strstr(both, "s_x1_y1") || !strstr(both, ">= n"); k++) {
    both = offer(*state, text, WW_REWRITE_JAM, k, &l);
    assert_non_null(both);
  }
  assert_non_null(strstr(both, "col = blockIdx.x * 32 + threadIdx.x"));
  assert_non_null(strstr(both, "int row_y1 = row + 16 < n ? row + 16 : row;"));
  assert_non_null(strstr(both, "if (col >= n || row >= n) return;"));
  assert_non_null(strstr(both, "s_x1_y1 += a[row_y1 * n + k] * b[k * n + col_x1];"));
  assert_non_null(
      strstr(both, "if (col_x1 != col && row_y1 != row) c[row_y1 * n + col_x1]"));
}

#define TREE_OF(last)                                                              \
  "__global__ void k(int n, const float *x, float *y) {\n"                         \
  "  __shared__ float s[256];\n  int t = threadIdx.x, i = blockIdx.x * 256 + t;\n" \
  "  s[t] = i < n ? x[i] : 0;\n  __syncthreads();\n"                               \
  "  for (int d = 128; d > 0; d /= 2) {\n    if (t < d) s[t] += s[t + d];\n"       \
  "    __syncthreads();\n  }\n  if (t == 0) y[blockIdx.x] = " last ";\n}\n"

static void test_tree(void **state) {
  const ww_launch odd = {.grid = {64, 1, 1}, .block = {96, 1, 1}};
  has(*state, TREE_OF("s[0]"), TREE, &line256, "for (int d = 128; d > 16; d /= 2)",
      "if (t < 32) {", "= s[t];", " += __shfl_down_sync(0xffffffffu, ",
      "if (t == 0) s[0] = ");
  /* what the tree leaves beside its top; a block that is no power of two */
  has_none(*state, TREE_OF("s[1]"), TREE, &line256);
  has_none(*state, TREE_OF("s[0]"), TREE, &odd);
  /* its start changes with the block */
  has(*state, TREE_OF("s[0]"), TEAM, &line256, "float s[64]",
      "for (int d = 32; d > 0;");
}

/* Of nested loops the innermost is shared, and the lanes meet behind the outermost. */
static void test_row_innermost(void **state) {
  const char *nested =
      "__global__ void k(int n, const int *c, const int *first, const float *a, "
      "float *y) {\n  int i = " GID ";\n  if (i >= n) return;\n  float s = 0;\n"
      "  for (int b = 0; b < 9; b++)\n"
      "    for (int j = first[c[i] + b]; j < first[c[i] + b + 1]; j++) s += a[j];\n"
      "  y[i] = s;\n}\n";
  const char *mixed =
      "__global__ void k(int n, const float *a, float *y) {\n  int i = " GID
      ";\n  if (i >= n) return;\n  float s = 0;\n"
      "  for (int b = 0; b < 9; b++) {\n    s += a[b];\n"
      "    for (int j = 0; j < n; j++) s += a[j * 9 + b];\n  }\n"
      "  y[i] = s;\n}\n";
  bool inner = false;
  const char *now;
  for (int n = 0; (now = offer(*state, nested, WW_REWRITE_ROW, n, &line256)); n++) {
    if (!strstr(now,
                "for (int b = 0; b < 9; b++)\n    for (int j = (first[c[i] + b]) + "
                "lane; j < first[c[i] + b + 1]; j += 16) s += a[j];"))
      continue;
    inner = true;
    assert_non_null(strstr(now, "s += a[j];\n  for (int d"));
  }
  assert_true(inner);
  /* what the outer loop adds itself would be added by every lane */
  for (int n = 0; (now = offer(*state, mixed, WW_REWRITE_ROW, n, &line256)); n++)
    assert_non_null(strstr(now, "for (int j = 0; j < n; j++)"));
}

static void test_jam(void **state) {
  has(*state,
      "__global__ void k(int n, const float *a, const float *b, float *c) {\n"
      "  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + "
      "threadIdx.y;\n"
      "  float s = 0.0f;\n  for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n "
      "+ col];\n"
      "  c[row * n + col] = s;\n}\n",
      JAM, &tile16, "int col_x1 = col + 8;", "float s_x1 = 0.0f;",
      "s_x1 += a[row * n + k] * b[k * n + col_x1];", "c[row * n + col_x1] = s_x1;");
  has(*state,
      "__global__ void k(int n, float *x) {\n  int i = " GID
      ";\n  if (i < n) x[i] *= 2;\n}\n",
      JAM, &line256, "blockIdx.x * (blockDim.x * 2) + threadIdx.x",
      "int i_x1 = i + blockDim.x < n ? i + blockDim.x : i;",
      "if (i_x1 != i) x[i_x1] *= 2;");
  /* an element decides what its copy does, and what it then changes is its own */
  has(*state,
      "__global__ void k(int n, int m, const float *x, const float *p, int *y) {\n"
      "  int i = " GID ";\n  if (i >= n) return;\n  int in = 0;\n"
      "  for (int a = 0; a < m; a++)\n    if (x[i] < p[a]) in = !in;\n"
      "  y[i] = in;\n}\n",
      JAM, &line256, "int in_x1 = 0;", "if (x[i] < p[a]) in = !in;",
      "if (x[i_x1] < p[a]) in_x1 = !in_x1;", "if (i_x1 != i) y[i_x1] = in_x1;");
  has_none(*state,
           "__global__ void k(int n, int m, const float *x, const float *p, int *y) {\n"
           "  int i = " GID ";\n  if (i >= n) return;\n  int in = 0;\n"
           "  for (int a = 0; a < m; a++) {\n    if (x[i] < p[a]) continue;\n"
           "    in += a;\n  }\n  y[i] = in;\n}\n",
           JAM, &line256);
  /* the index decides how often a loop runs */
  has_none(*state,
           "__global__ void k(int n, float *x) {\n  int i = " GID
           ";\n  if (i >= n) return;\n  float s = 0;\n"
           "  for (int j = 0; j < i; j++) s += j;\n  x[i] = s;\n}\n",
           JAM, &line256);
}

static void test_stride(void **state) {
  has(*state,
      "__global__ void k(int n, float *x) {\n  int i = " GID
      ";\n  if (i >= n) return;\n  x[i] *= 2;\n}\n",
      STRIDE, &line256,
      "for (int i = " GID
      "; i < n; i += gridDim.x * blockDim.x) {\n    x[i] *= 2;\n  }\n}");
  has_none(
      *state,
      "__global__ void k(int n, float *x) {\n  int i = " GID
      ";\n  if (i >= n) return;\n  while (n--) if (x[i] < n) return;\n  x[i] = 1;\n}\n",
      STRIDE, &line256);
  has_none(*state,
           "__global__ void k(int n, float *x) {\n  int i = " GID
           ";\n  if (i >= n) return;\n  i += 3;\n  x[i] *= 2;\n}\n",
           STRIDE, &line256);
}

static void test_grid(void **state) {
  const char *strided = "__global__ void k(int n, float *x) {\n"
                        "  for (int i = " GID "; i < n; i += blockDim.x * gridDim.x)\n"
                        "    x[i] = 1;\n}\n";
  assert_non_null(offer(*state, strided, WW_REWRITE_GRID, 0, &line256));
  has_none(*state, "__global__ void k(int n, float *x) { x[" GID "] = n; }\n", GRID,
           &line256);
}

/* The table of docs/optimize.md has them all. */
static void test_table(void **state) {
  char *page;
  ww_err e = {0};
  if (ww_read_file(*state, "docs/optimize.md", 1 << 20, &page, NULL, &e))
    fail_msg("%s", e.msg);
  for (int k = 0; k < WW_NREWRITES; k++) {
    assert_true(*ww_rewrites[k].what && *ww_rewrites[k].needs);
    if (!strstr(page,
                ww_fmt(*state, "| `%s` | %s", ww_rewrites[k].id, ww_rewrites[k].what)))
      fail_msg("docs/optimize.md lacks %s: %s", ww_rewrites[k].id, ww_rewrites[k].what);
  }
}

/* ---- launches ---- */

static void test_reshape(void **state) {
  static const struct {
    const char *grid;
    uint32_t was, now;
    const char *want;
  } rows[] = {
      {"(n+255)/256", 256, 128, "(n+127)/128"},
      {"n/256", 256, 128, "(n/256)*2"},
      {"n/64", 64, 256, "(n/64+3)/4"},
      {"n/96", 96, 128, "((n/96)*3+3)/4"},
  };
  for (size_t k = 0; k < WW_COUNT(rows); k++) {
    ww_launch l = {.grid_expr = {rows[k].grid}, .block = {rows[k].was, 1, 1}};
    ww_reshape r = {.was = {rows[k].was}, .now = {rows[k].now}};
    ww_reshape_launch(&r, &line256, *state, &l);
    check_text(l.grid_expr[0], rows[k].want, k);
  }
  ww_launch l = {.grid = {10, 3, 1}, .block = {32, 4, 1}};
  ww_reshape_launch(&(ww_reshape){.swap = true}, &line256, *state, &l);
  assert_true(l.grid[0] == 3 && l.grid[1] == 10 && l.block[0] == 4 && l.block[1] == 32);
}

/* ---- patches ---- */

static void test_patch(void **state) {
  ww_buf b = {0};
  ww_patch_write("k.cu", "a\nb\nc\nd\ne\nf\n", "a\nb\nx\ny\nd\nf\n", *state, &b);
  assert_string_equal(
      b.s, "--- a/k.cu\n+++ b/k.cu\n@@ -1,6 +1,6 @@\n a\n b\n-c\n+x\n+y\n d\n"
           "-e\n f\n");
  ww_buf_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_syntax),        TEST(test_block),        TEST(test_launches_follow),
      TEST(test_swap),          TEST(test_restrict),     TEST(test_comment_follows),
      TEST(test_floats),        TEST(test_unroll),       TEST(test_accumulate),
      TEST(test_atomic_sum),    TEST(test_atomic_table), TEST(test_share),
      TEST(test_row),           TEST(test_tile),         TEST(test_turn),
      TEST(test_atomic_group),  TEST(test_tree),         TEST(test_jam_both),
      TEST(test_row_innermost), TEST(test_jam),          TEST(test_fast),
      TEST(test_atomic_warp),   TEST(test_stride),       TEST(test_grid),
      TEST(test_table),         TEST(test_reshape),      TEST(test_patch),
  };
  return RUN(tests);
}
