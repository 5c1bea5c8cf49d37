/* test_structure.c - copies of a kernel are alike whatever was renamed, reformatted,
 * reordered or resized in them, other algorithms are not; and the published table of
 * splits is the one in the program. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../src/data/split.h"
#include "../../src/front/front.h"

static const char *const product =
    "#define TILE 16\n"
    "extern \"C\" __global__ void product(int n, const float *a, const float *b, float "
    "*c) {\n"
    "  __shared__ float as[TILE][TILE], bs[TILE][TILE];\n"
    "  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
    "  float sum = 0;\n"
    "  for (int t = 0; t < n; t += TILE) {\n"
    "    as[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];\n"
    "    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];\n"
    "    __syncthreads();\n"
    "    for (int k = 0; k < TILE; k++) sum += as[threadIdx.y][k] * "
    "bs[k][threadIdx.x];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  c[y * n + x] = sum;\n"
    "}\n";

/* Other names, another order of what is independent, unsigned numbers, a while loop,
 * another tile.
 */
static const char *const disguised =
    "enum { EDGE = 8 };\n"
    "extern \"C\" __global__ void mm(const unsigned size, const float *left, const "
    "float *right, "
    "float *out) {\n"
    "  __shared__ float second[EDGE][EDGE]; __shared__ float first[EDGE][EDGE];\n"
    "  unsigned row = EDGE * blockIdx.y + threadIdx.y; unsigned col = threadIdx.x + "
    "EDGE * "
    "blockIdx.x;\n"
    "  float total = 0.0f; unsigned at = 0;\n"
    "  while (at < size) {\n"
    "    second[threadIdx.y][threadIdx.x] = right[size * (threadIdx.y + at) + col];\n"
    "    first[threadIdx.y][threadIdx.x] = left[threadIdx.x + (at + size * row)];\n"
    "    __syncthreads();\n"
    "    for (unsigned i = 0; i != EDGE; ++i) total = first[threadIdx.y][i] * "
    "second[i][threadIdx.x] + total;\n"
    "    at += EDGE;\n"
    "    __syncthreads();\n"
    "  }\n"
    "  *(out + col + size * row) = total;\n"
    "}\n";

/* A different way to the same product. */
static const char *const plain =
    "extern \"C\" __global__ void product(int n, const float *a, const float *b, float "
    "*c) {\n"
    "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + "
    "threadIdx.y;\n"
    "  if (x >= n || y >= n) return;\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];\n"
    "  c[y * n + x] = sum;\n"
    "}\n";

/* The plain one in OpenCL, whose indices are size_t. */
static const char *const plain_cl =
    "__kernel void product(int n, __global const float *a, __global const float *b, "
    "__global float "
    "*c) {\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  if (x >= n || y >= n) return;\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];\n"
    "  c[y * n + x] = sum;\n"
    "}\n";

static const char *const rows =
    "extern \"C\" __global__ void rows(int m, const int *row, const int *col, const "
    "float *val, "
    "const float *x, float *y) {\n"
    "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (r >= m) return;\n"
    "  float s = 0;\n"
    "  for (int k = row[r]; k < row[r + 1]; k++) s += val[k] * x[col[k]];\n"
    "  y[r] = s;\n"
    "}\n";

static const char *const rows_cl =
    "__kernel void sparse(__global const float *v, __global const float *in, __global "
    "const int "
    "*c,\n"
    "                     __global const int *begin, const int dim, __global float "
    "*out) {\n"
    "  int mine = get_global_id(0);\n"
    "  if (mine < dim) {\n"
    "    float t = 0.0f;\n"
    "    int start = begin[mine], end = begin[mine + 1];\n"
    "    for (int j = start; j < end; j++) t += v[j] * in[c[j]];\n"
    "    out[mine] = t;\n"
    "  }\n"
    "}\n";

static const char *const histogram =
    "extern \"C\" __global__ void histogram(int n, const unsigned char *x, unsigned "
    "*bins) {\n"
    "  __shared__ unsigned own[256];\n"
    "  own[threadIdx.x] = 0;\n"
    "  __syncthreads();\n"
    "  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) "
    "atomicAdd(&own[x[i]], 1);\n"
    "  __syncthreads();\n"
    "  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);\n"
    "}\n";

static const char *const sum =
    "extern \"C\" __global__ void sum(int n, const float *x, float *out) {\n"
    "  float s = 0;\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
    "blockDim.x) s "
    "+= x[i];\n"
    "  for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);\n"
    "  if ((threadIdx.x & 31) == 0) atomicAdd(out, s);\n"
    "}\n";

static void structure_of(const char *text, ww_arena *a, ww_structure *out) {
  char path[] = "/tmp/ww_structure_XXXXXX.cu";
  const char *file = path;
  int dialect = strstr(text, "__kernel") ? WW_OPENCL : WW_CUDA;
  ww_front_options o = {
      .files = &file, .nfiles = 1, .dialect = dialect, .no_sdk = true};
  ww_unit u;
  ww_err e = {0};
  int fd = mkstemps(path, 3);
  assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  ww_status st = ww_front_load(&o, a, &u, &e);
  unlink(path);
  if (st)
    fail_msg("%s", e.msg);
  for (uint32_t k = 0; k < u.module.nfns; k++)
    if (u.module.fns[k].kernel)
      ww_structure_of(&u.module, &u.module.fns[k], a, out);
}

static double alike(const char *x, const char *y, ww_arena *a) {
  ww_structure s, t;
  structure_of(x, a, &s);
  structure_of(y, a, &t);
  double v = ww_structure_alike(&s, &t);
  assert_true(v == ww_structure_alike(&t, &s));
  return v;
}

static char *replaced(const char *text, const char *old, const char *new, ww_arena *a) {
  const char *at = strstr(text, old);
  assert_non_null(at);
  return ww_fmt(a, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

static void copies_are_alike(void **state) {
  ww_structure s, t;
  structure_of(product, *state, &s);
  structure_of(replaced(product, "void product(", "void other(", *state), *state, &t);
  assert_true(ww_structure_hash(&s) == ww_structure_hash(&t));
  assert_true(s.n > 60);
  double tile = alike(
      product, replaced(product, "#define TILE 16", "#define TILE 32", *state), *state);
  double hidden = alike(product, disguised, *state);
  if (tile < 0.9 || hidden < 0.8)
    fail_msg("another tile %.2f, disguised %.2f", tile, hidden);
}

static void the_language_does_not_matter(void **state) {
  double product_cl = alike(plain, plain_cl, *state),
         sparse_cl = alike(rows, rows_cl, *state);
  if (product_cl < 0.8 || sparse_cl < 0.8)
    fail_msg("product %.2f, sparse %.2f", product_cl, sparse_cl);
}

static void other_algorithms_are_not(void **state) {
  static const char *const all[] = {product, plain, histogram, sum, rows};
  for (int i = 0; i < 5; i++)
    for (int k = i + 1; k < 5; k++) {
      double v = alike(all[i], all[k], *state);
      if (v >= 0.5)
        fail_msg("kernels %d and %d: %.2f", i, k, v);
    }
}

static void a_longer_chain_is_another_kernel(void **state) {
  const char *more = replaced(product, "c[y * n + x] = sum;",
                              "c[y * n + x] = sqrtf(sum) / (1 + c[x]);", *state);
  double v = alike(product, more, *state);
  if (v > 0.97 || v < 0.6)
    fail_msg("%.2f", v);
}

/* ---- splits ---- */

static void families_are_in_one_split(void **state) {
  (void)state;
  uint32_t corpus[WW_NSPLITS] = {0}, generated[WW_NSPLITS] = {0};
  for (uint32_t i = 0; i < ww_nsplit_families; i++) {
    const ww_split_family *f = &ww_split_families[i];
    for (uint32_t k = 0; k < i; k++)
      assert_string_not_equal(f->name, ww_split_families[k].name);
    (ww_starts(f->name, "gen.") ? generated : corpus)[f->split]++;
    ww_store_kernel kernel = {
        .origin = WW_ORIGIN_CORPUS, .family = f->name, .key = "x"};
    assert_int_equal(ww_split_of(&kernel), f->split);
  }
  for (int s = 0; s < WW_NSPLITS; s++)
    assert_true(corpus[s] >= 4 && generated[s] >= 4);
}

static void unknown_families_go_by_their_name(void **state) {
  uint32_t n[WW_NSPLITS] = {0};
  for (int k = 0; k < 1000; k++) {
    ww_store_kernel f = {.origin = WW_ORIGIN_GENERATED,
                         .family = ww_fmt(*state, "gen.new%d", k),
                         .key = "x"};
    ww_store_kernel i = {.origin = WW_ORIGIN_IMPORTED,
                         .family = "import",
                         .key = "x",
                         .structure = 77u * (unsigned)k + 1};
    ww_split s = ww_split_of(&f);
    assert_int_equal(s, ww_split_of(&f));
    n[s]++;
    n[ww_split_of(&i)]++;
  }
  for (int s = 0; s < WW_NSPLITS; s++)
    if (n[s] < (s ? 120u : 1500u) || n[s] > (s ? 280u : 1700u))
      fail_msg("%s: %u of 2000", ww_split_names[s], n[s]);
}

/* The table of docs/splits.md. */
static void markdown(ww_buf *out) {
  ww_buf_puts(out, "| split | corpus | generator |\n|---|---|---|\n");
  for (int s = 0; s < WW_NSPLITS; s++) {
    ww_buf_fmt(out, "| %s |", ww_split_names[s]);
    for (int generated = 0; generated < 2; generated++) {
      uint32_t n = 0;
      for (uint32_t k = 0; k < ww_nsplit_families; k++) {
        const ww_split_family *f = &ww_split_families[k];
        if ((int)f->split != s || ww_starts(f->name, "gen.") != (generated == 1))
          continue;
        ww_buf_fmt(out, "%s %s", n++ ? "," : "", f->name);
      }
      ww_buf_puts(out, " |");
    }
    ww_buf_puts(out, "\n");
  }
}

static void the_page_has_the_table(void **state) {
  ww_buf b = {0};
  ww_err e = {0};
  char *text;
  markdown(&b);
  if (ww_read_file(*state, "docs/splits.md", 1 << 20, &text, NULL, &e))
    fail_msg("%s", e.msg);
  bool there = strstr(text, b.s) != NULL;
  if (!there)
    print_message("%s", b.s);
  ww_buf_free(&b);
  if (!there)
    fail_msg(
        "docs/splits.md has not the table of split.def: put in what is printed above");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(copies_are_alike),          TEST(the_language_does_not_matter),
      TEST(other_algorithms_are_not),  TEST(a_longer_chain_is_another_kernel),
      TEST(families_are_in_one_split), TEST(unknown_families_go_by_their_name),
      TEST(the_page_has_the_table)};
  return RUN(tests);
}
