/* test_question.c - what the language model reads: kernels of the four dialects as
 * text, numbers and back, answers, hostile sources. */
#include "unit.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "../../src/predict/text/question_int.h"

#define HEAD "<|number|><|number|><|number|><|number|>h200 Da Ha Ic Vh Cb\n"

static const struct {
  const char *source, *launch, *want;
} goldens[] = {
    /* CUDA: comments, includes, qualifiers and the index's own name go; the argument n
       is its magnitude */
    {"#include <cuda.h>\n// saxpy\nextern \"C\" __global__ void __launch_bounds__(256) "
     "saxpy(int "
     "n, float a, const float *__restrict__ x, "
     "float *y) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] "
     "= a * x[i] "
     "+ y[i] * 0.5f;\n}\n",
     "{\"kernel\":\"saxpy\",\"grid\":[4096,1,1],\"block\":[256,1,1],\"args\":[{"
     "\"value\":1000000},{"
     "\"value\":2.0},"
     "{\"buffer\":{\"bytes\":4000000}},{\"buffer\":{\"bytes\":4000000,\"fill\":"
     "\"zeros\"}}]}",
     "grid I block E all Q bounds 256\n(FA cr Rh,FB Rh zero){if(gx< "
     "Ph)FB[gx]=nfB*FA[gx]+FB[gx]*fkf;}\n"},
    /* HIP: macros, the device function it calls and not the other kernel, trips of
       loops, a strided access */
    {"#define TILE 16\n__global__ void other(int *x) {}\nstatic __device__ float "
     "mix(float v, int "
     "k) {\n  for (int j = 0; j < k; j++) "
     "v = v * v + 1.0f;\n  return v;\n}\n__global__ void mm(const double *a, double "
     "*c, int n) {\n "
     " __shared__ double t[TILE][TILE + "
     "1];\n  for (int k = threadIdx.x; k < n; k += TILE) { t[k][0] = a[k * 3]; "
     "__syncthreads(); "
     "}\n  c[hipThreadIdx_x] = "
     "mix((float)t[0][1], 4);\n}\n",
     "{\"kernel\":\"mm\",\"grid\":[100,1,1],\"block\":[16,16,1],\"args\":[{\"buffer\":{"
     "\"bytes\":"
     "65536}},{\"buffer\":{\"bytes\":128}},"
     "{\"value\":1600}]}",
     "grid Cf block 16 16 1 all Kf\nf fnA(nfA,niB){for 4 "
     "Mf(iA=0;iA<niB;iA++)nfA=nfA*nfA+fko;return nfA;}\n"
     "(DA c M,DB D){sdA[16][16+1];for Cf Rc(iA=tx;iA< "
     "Gf;iA+=16){sdA[iA][0]=DA![iA*3];sync();}DB[tx]=fnA((float)sdA[0][1],4);}\n"},
    /* OpenCL: the same words for the same things */
    {"__kernel void scale(__global const float4 *restrict x, __global float4 *y, "
     "__local float *t, "
     "uint n) {\n  size_t i = "
     "get_global_id(0);\n  for (uint k = n; k > 1; k >>= 1) "
     "barrier(CLK_LOCAL_MEM_FENCE);\n  y[i] "
     "= x[i] * t[get_local_id(0)];\n}\n",
     "{\"kernel\":\"scale\",\"grid\":[64,1,1],\"block\":[128,1,1],\"args\":[{"
     "\"buffer\":{\"bytes\":"
     "131072}},{\"buffer\":{\"bytes\":131072}},"
     "{\"buffer\":{\"bytes\":512,\"local\":true}},{\"value\":128}]}",
     "grid C block D all J\n(FA16 cr N,FB16 N,sfC F){for 7 Lg(uB= "
     "D;uB>1;uB>>=1)sync();FB[gx]=FA[gx]*sfC[tx];}\n"},
    /* OpenMP: the loop is the threads */
    {"void axpy(int n, float a, const float *x, float *y) {\n#pragma omp target teams "
     "distribute "
     "parallel for map(to : x[0 : n]) "
     "map(tofrom : y[0 : n])\n  for (int i = 0; i < n; i++) y[i] += a * x[i];\n}\n",
     "{\"kernel\":\"axpy\",\"grid\":[8192,1,1],\"block\":[128,1,1],\"args\":[{"
     "\"value\":1048576},{"
     "\"value\":2.0},"
     "{\"buffer\":{\"bytes\":4194304}},{\"buffer\":{\"bytes\":4194304}}]}",
     "grid J block D all Q omp\n(FA c S,FB S){omp target teams distribute parallel "
     "for\nfor Q "
     "Q(iA=0;iA< Q;iA++)FB[iA]+=nfB*FA[iA];}\n"},
    /* template arguments out of the mangled name, a -D, rows whose lengths the launch
       tells, a gather */
    {"template <typename T, int N> __global__ void rows(const int *__restrict__ ptr, "
     "const int "
     "*col, const T *x, T *y) {\n  const int "
     "row = blockIdx.x * blockDim.x + threadIdx.x;\n  T s = 0;\n  for (int k = "
     "ptr[row]; k < "
     "ptr[row + 1]; k++) s += x[col[k]] * W;\n"
     "  for (int q = 0; q < N; q++) y[row * 32] = s;\n}\n",
     "{\"kernel\":\"_Z4rowsIfLi3EEvPKiS1_PKT_PS2_\",\"flags\":[\"-DW=0.25f\"],\"grid\":"
     "[40,1,1],"
     "\"block\":[256,1,1],\"args\":["
     "{\"buffer\":{\"bytes\":40964,\"fill\":{\"monotone\":[0,122880]}}},{\"buffer\":{"
     "\"bytes\":"
     "491520,\"fill\":{\"uniform\":[0,10240]}}},"
     "{\"buffer\":{\"bytes\":40960}},{\"buffer\":{\"bytes\":1310720}}]}",
     "grid Bd block E all Jd\n(IA cr Ld mono Mh,IB c Oh uniform Jd,FC c Ld,FD Qd){tA "
     "fB=0;for 12 "
     "Mh(iC=IA[gx];iC<IA[gx+1];iC++)fB+=FC`[IB![iC]]*fkc;for 3 "
     "Kh(iD=0;iD<3;iD++)FD![gx* "
     "B]=fB;}\n"},
};

/* Reads the kernel of a source and asks for one launch of it. */
static ww_status make_question(const char *source,
                               const ww_launch *l,
                               const ww_gpu *g,
                               ww_arena *a,
                               ww_text_question *out,
                               ww_err *e) {
  ww_question_kernel *k;
  ww_status st = ww_question_read(source, strlen(source), l->kernel, l->flags,
                                  l->nflags, a, &k, e);
  if (!st)
    ww_question_ask(k, l, g, a, out);
  return st;
}

static void load_h200(ww_gpu *g, ww_arena *a) {
  ww_err e;
  if (ww_gpu_load("h200", a, g, &e))
    fail_msg("%s", e.msg);
}

static void kernels_as_text(void **state) {
  ww_gpu g;
  load_h200(&g, *state);
  for (size_t k = 0; k < sizeof goldens / sizeof *goldens; k++) {
    ww_launch l;
    ww_text_question q;
    ww_err e;
    if (ww_launch_parse(goldens[k].launch, NULL, *state, &l, &e))
      fail_msg("%s", e.msg);
    if (make_question(goldens[k].source, &l, &g, *state, &q, &e))
      fail_msg("%s", e.msg);
    char *text = ww_strdup(*state, q.text), *est = strstr(text, "est ");
    assert_non_null(est);
    assert_string_equal(text + q.n - strlen(WW_QUESTION_END), WW_QUESTION_END);
    *est = 0; /* figures of the GPU's description go into that line */
    check_text(text, ww_fmt(*state, HEAD "%s", goldens[k].want), k);
    for (int i = 0; i < WW_QUESTION_FEATURES; i++)
      assert_true(isfinite(q.features[i]) && fabsf(q.features[i]) < 6);
  }
}

/* What a launch does, by the source alone: counts over all threads, the parts of the
 * machine in us.
 */
static void walk_of(const char *source, const char *launch, ww_arena *a, ww_qwalk *w) {
  ww_question_kernel *k;
  ww_launch l;
  ww_gpu g;
  ww_err e;
  load_h200(&g, a);
  if (ww_launch_parse(launch, NULL, a, &l, &e))
    fail_msg("%s", e.msg);
  if (ww_question_read(source, strlen(source), l.kernel, NULL, 0, a, &k, &e))
    fail_msg("%s", e.msg);
  ww_question_walk(k, &l, a, w);
  ww_question_estimate(w, k, &l, &g);
}

#define LAUNCH                                                                       \
  "\"kernel\":\"k\",\"grid\":[1024,1,1],\"block\":[256,1,1],\"args\":[{\"buffer\":{" \
  "\"bytes\":"                                                                       \
  "1048576}},{\"buffer\":{\"bytes\":1048576}},{\"value\":100}]}"
#define KERNEL(body)                                                                \
  "__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n) { " \
  "int i = "                                                                        \
  "blockIdx.x * blockDim.x + threadIdx.x; " body " }"

static void work_is_counted(void **state) {
  static const double threads = 1024 * 256;
  static const struct {
    const char *source;
    ww_qcount count;
    double least, most; /* a thread */
  } rows[] = {
      {KERNEL("y[i] = x[i];"), Q_C_loads, 1, 1},
      {KERNEL("y[i] = x[i];"), Q_C_moved_bytes, 8, 8},
      {KERNEL("y[i] = x[i * 8];"), Q_C_moved_bytes, 36, 36},
      {KERNEL("y[i] = x[i] + x[i + 1] + x[i + 2];"), Q_C_moved_bytes, 8,
       8}, /* neighbours come along */
      {KERNEL("float s = 0; for (int j = 0; j < n; j++) s += x[j * 262144 + i]; y[i] = "
              "s;"),
       Q_C_loads, 100, 100},
      /* a multiply-add is one; a result that goes nowhere is none; what a loop does not
         change is done once */
      {KERNEL("y[i] = x[i] * 3.0f + 1.0f;"), Q_C_fp32, 1, 1},
      {KERNEL(
           "float v = x[i], u = v; for (int j = 0; j < n; j++) u = u * u; y[i] = v;"),
       Q_C_fp32, 0, 0},
      {KERNEL("int a = i; for (int j = 0; j < n; j++) a = a * 5 + j; y[i] = x[a + (3 - "
              "a)];"),
       Q_C_loads, 1, 1},
      {KERNEL("float v = x[i], s = 0; for (int j = 0; j < n; j++) s += expf(v) * v; "
              "y[i] = s;"),
       Q_C_special, 0, 1},
      {KERNEL("float v = x[i], s = 0; for (int j = 0; j < n; j++) { s = s * v; s += "
              "expf(s); } "
              "y[i] = s;"),
       Q_C_special, 100, 100},
      /* threads that have no work, warps that have one lane */
      {KERNEL("if (i < 1024) y[i] = x[i];"), Q_C_loads, 1.0 / 256, 1.0 / 256},
      {KERNEL("if (threadIdx.x == 0) y[i] = x[i];"), Q_C_loads, 1.0 / 256, 1.0 / 256},
      {KERNEL("float a[8]; for (int j = 0; j < 8; j++) a[j] = x[i]; int at = (int)x[i "
              "+ 9]; y[i] = "
              "a[at & 7];"),
       Q_C_locals, 9, 9},
      {KERNEL("float a[8]; for (int j = 0; j < 8; j++) a[j] = x[i]; y[i] = a[3];"),
       Q_C_locals, 0, 0},
  };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    ww_qwalk w;
    walk_of(rows[r].source, "{" LAUNCH, *state, &w);
    double n = w.count[rows[r].count] / threads;
    if (!(n >= rows[r].least - 1e-9 && n <= rows[r].most + 1e-9))
      fail_msg("%s: %g a thread", rows[r].source, n);
  }
}

/* One warp of one block does all the work: the others do not shorten it. A chain of
 * loads takes longer than as many side by side. */
static void time_is_estimated(void **state) {
  ww_qwalk all, few, chain, apart;
  walk_of(
      KERNEL("float s = 0; for (int j = 0; j < n; j++) s = s * s + x[i]; y[i] = s;"),
      "{" LAUNCH, *state, &all);
  walk_of(KERNEL("float s = 0; if (i < 32) { for (int j = 0; j < n; j++) s = s * s + "
                 "x[i]; y[i] = s; }"),
          "{" LAUNCH, *state, &few);
  assert_true(all.active == 1024 && few.active < 512);
  assert_true(few.estimate[Q_E_issue] < all.estimate[Q_E_issue] &&
              few.instructions < all.instructions / 4);
  assert_true(few.cycles > 0.5 * all.cycles);
  walk_of(KERNEL("int a = i; for (int j = 0; j < n; j++) a = (int)x[a]; y[i] = a;"),
          "{" LAUNCH, *state, &chain);
  walk_of(
      KERNEL(
          "float a = 0; for (int j = 0; j < n; j++) a += x[i + j * 1000]; y[i] = a;"),
      "{" LAUNCH, *state, &apart);
  assert_true(chain.cycles > 2 * apart.cycles);
  assert_true(chain.estimate[Q_E_most] >= chain.estimate[Q_E_latency]);
}

/* What the compiler leaves out is not written either. */
static void dead_code_is_left_out(void **state) {
  ww_gpu g;
  ww_launch l;
  ww_text_question q;
  ww_err e;
  load_h200(&g, *state);
  const char *source = KERNEL("float v = x[i], u = v; for (int j = 0; j < n; j++) u = "
                              "u * u; int z = i - i; y[i] = v + z;");
  assert_int_equal(ww_launch_parse("{" LAUNCH, NULL, *state, &l, &e), WW_OK);
  assert_int_equal(make_question(source, &l, &g, *state, &q, &e), WW_OK);
  assert_null(strstr(q.text, "for"));
  assert_non_null(strstr(q.text, "FB[gx]="));
}

/* Names, spaces and comments say nothing: the same text. */
static void names_do_not_matter(void **state) {
  static const char *const a = "__global__ void k(int n, const float *x, float *y) { "
                               "int i = threadIdx.x + blockIdx.x * "
                               "blockDim.x; "
                               "if (i >= n) return; float s = 0.f; for (int j = 0; j < "
                               "10; ++j) s += x[i]; y[i] = s; }",
                           *const b = "/* sum */ __global__ void k(int count, const "
                                      "float *in, float *out)\n{\n  const int id "
                                      "= "
                                      "(blockIdx.x * blockDim.x) + threadIdx.x;\n  if "
                                      "(id >= count) return; // over\n  float "
                                      "total = "
                                      "0.0f;\n  for (int t = 0; t < 10; ++t)\n    "
                                      "total += in[id];\n  out[id] = total;\n}";
  ww_gpu g;
  ww_text_question p, q;
  ww_err e;
  load_h200(&g, *state);
  ww_arg args[3] = {{.kind = WW_ARG_VALUE, .is_int = true, .ivalue = 5000},
                    {.kind = WW_ARG_BUFFER, .buffer = {.bytes = 20000}},
                    {.kind = WW_ARG_BUFFER, .buffer = {.bytes = 20000}}};
  ww_launch l = {.kernel = "k",
                 .grid = {20, 1, 1},
                 .block = {256, 1, 1},
                 .args = args,
                 .nargs = 3};
  assert_int_equal(make_question(a, &l, &g, *state, &p, &e), WW_OK);
  assert_int_equal(make_question(b, &l, &g, *state, &q, &e), WW_OK);
  assert_string_equal(p.text, q.text);
  assert_memory_equal(p.features, q.features, sizeof p.features);
  args[0].ivalue = 50;
  assert_int_equal(make_question(a, &l, &g, *state, &q, &e), WW_OK);
  assert_string_not_equal(p.text, q.text);
}

static void magnitudes(void **state) {
  static const struct {
    double v;
    const char *want;
  } rows[] = {{0, "0"},       {1, "1"},        {16, "16"},       {17, "Ab"},
              {32, "B"},      {33, "Ba"},      {1024, "G"},      {1000, "Ga"},
              {1048576, "Q"}, {1e6, "Ph"},     {536870912, "Z"}, {1073741824, "ZA"},
              {-64, "-C"},    {1e30, "ZZZRf"}, {0.0 / 0.0, "?"}};
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_buf b = {0};
    ww_question_magnitude(rows[k].v, &b);
    check_text(b.s, rows[k].want, k);
    ww_buf_free(&b);
  }
}

static void numbers_and_back(void **state) {
  static const double values[] = {0.5, 1, 7.25, 32, 100, 1984, 1e6, 3.3e12};
  (void)state;
  for (int m = 0; m < WW_NMETRICS; m++) {
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
      double back = ww_question_value(m, ww_question_number(m, values[k]));
      if (fabs(back - values[k]) > 1e-4 * values[k] + 1e-3)
        fail_msg("%s: %g came back as %g", ww_metrics[m].name, values[k], back);
    }
    assert_true(isnan(ww_question_number(m, NAN)) && isnan(ww_question_value(m, NAN)));
    if (ww_metrics[m].zero != WW_ZERO_NEVER)
      assert_true(fabs(ww_question_value(m, ww_question_number(m, 0))) < 1e-3);
  }
}

/* Every metric, three digits, exactly JSON. */
static void answers(void **state) {
  double v[WW_NMETRICS];
  ww_buf b = {0};
  (void)state;
  for (int m = 0; m < WW_NMETRICS; m++)
    v[m] = m % 5 == 4 ? NAN : m % 7 == 3 ? 0 : 1.2345 * pow(10, m - 6);
  ww_question_answer(v, &b);
  cJSON *j = cJSON_Parse(b.s), *one = j ? j->child : NULL;
  assert_non_null(j);
  for (int m = 0; m < WW_NMETRICS; m++, one = one->next) {
    assert_non_null(one);
    assert_string_equal(one->string, ww_metrics[m].name);
    if (isnan(v[m]))
      assert_true(cJSON_IsNull(one));
    else
      assert_true(fabs(one->valuedouble - v[m]) <= 0.005 * v[m]);
  }
  assert_null(one);
  cJSON_Delete(j);
  ww_buf_free(&b);
}

/* ---- sources that nobody wrote in good faith ---- */

static const char *repeated(ww_arena *a, const char *s, uint32_t n) {
  char *out = ww_alloc(a, strlen(s) * n + 1);
  for (uint32_t i = 0; i < n; i++)
    memcpy(out + strlen(s) * i, s, strlen(s));
  return out;
}

static void hostile_sources(void **state) {
  ww_arena *a = *state;
  const char *open = "__global__ void k(int n, float *x) { ";
  const char *const rows[] = {
      "__global__ void k(",
      "__global__ void k(int n",
      "__global__ void k(int n){",
      "__global__ void k(int,,) {}",
      "__global__ void k(int n) { for (",
      "__global__ void k(int n) { for (;;",
      "__global__ void k(int n) { if (n",
      "__global__ void k(int n) { x[",
      "__global__ void k(int n, float *x) { while (n < } ] ) x[n",
      "#define A A\n#define B B B B\n__global__ void k() { A; B; }",
      "#define A B B B B B B B B\n#define B C C C C C C C C\n#define C D D D D D D D "
      "D\n#define D "
      "A A A A A A A\n__global__ void k() { A; }",
      "#define F(x) F(x) F(x\n__global__ void k() { F(F(F(1))); }",
      "#define P(a,b) a##b\n__global__ void k() { P(,); P(P,P)(1,2); }",
      "__device__ void f(int n); __device__ void g(int n) { g(n); g(n); }\n__global__ "
      "void k(int "
      "n) { g(n); f(n); }",
      ww_fmt(a, "%s%s}", open, repeated(a, "{", 5000)),
      ww_fmt(a, "%s x[%s", open, repeated(a, "(", 5000)),
      ww_fmt(a, "%s x[0] = %s1;}", open, repeated(a, "-", 9000)),
      ww_fmt(a, "%s %s }", open, repeated(a, "for (int i = 0; i < n; i++) ", 3000)),
      ww_fmt(a, "%s %s }", open,
             repeated(a, "x[n] = x[n * 99999999999] / 0 % 0 << 999;", 5000)),
      ww_fmt(a, "%s if (%s) return; }", open, repeated(a, "n ? ", 4000)),
      ww_fmt(a, "__global__ void k(%s) {}", repeated(a, "int n,", 4000)),
      "__global__ void k(int n) { \xff\xfe\x01 $ @ ` n; }"};
  ww_gpu g;
  load_h200(&g, a);
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    ww_text_question q = {0};
    ww_err e = {0};
    ww_arg arg = {.kind = WW_ARG_VALUE, .is_int = true, .ivalue = INT64_MIN};
    ww_launch l = {.kernel = "k",
                   .grid = {UINT64_MAX, 0, 1},
                   .block = {0, 1, 7},
                   .args = &arg,
                   .nargs = 1};
    double start = ww_now();
    if (make_question(rows[r], &l, &g, a, &q, &e))
      assert_true(e.msg[0]);
    else
      assert_true(q.n > 0 && q.n < 8000);
    if (ww_now() - start > 5)
      fail_msg("row %zu takes %.1f s", r, ww_now() - start);
  }
}

static void which_kernel(void **state) {
  static const char two[] = "__global__ void a(int n) {} __global__ void b(int n) {}",
                    none[] = "int main(void) { return 0; }",
                    omp[] =
                        "void _(int n) {\n#pragma omp target\n  n++;\n}\nvoid f(int n) "
                        "{\n#pragma omp target\n  n++;\n}";
  ww_question_kernel *k;
  ww_err e;
  const char *const *names;
  assert_int_equal(ww_question_read(two, strlen(two), "b", NULL, 0, *state, &k, &e),
                   WW_OK);
  assert_int_equal(ww_question_params(k, &names, NULL, *state), 1);
  assert_string_equal(names[0], "n");
  assert_int_equal(ww_question_read(two, strlen(two), "_Z1bi", NULL, 0, *state, &k, &e),
                   WW_OK);
  assert_int_equal(ww_question_read(two, strlen(two), "c", NULL, 0, *state, &k, &e),
                   WW_OK); /* of neither: the text is asked about */
  assert_true(ww_question_is_raw(k));
  assert_int_equal(ww_question_read(two, strlen(two), NULL, NULL, 0, *state, &k, &e),
                   WW_EUSAGE);
  assert_int_equal(ww_question_read(none, strlen(none), NULL, NULL, 0, *state, &k, &e),
                   WW_OK);
  assert_true(ww_question_is_raw(k));
  assert_int_equal(ww_question_read(" // k\n", 6, "k", NULL, 0, *state, &k, &e),
                   WW_EPARSE);
  assert_non_null(strstr(e.msg, "no code"));
  const char *line =
      "__omp_offloading_10_2a_f_l6"; /* neither the _ at its begin nor the f of off */
  assert_int_equal(ww_question_read(omp, strlen(omp), line, NULL, 0, *state, &k, &e),
                   WW_OK);
  assert_string_equal(ww_question_name(k, NULL), "f");
}

/* However a source makes its kernel: the name of a function, or its text is asked
 * about.
 */
static void kernels_are_found(void **state) {
  static const struct {
    const char *source, *kernel, *name, *holds; /* in the question */
    bool raw;
  } rows[] = {
      /* the name is a macro's */
      {"#define K scale\n__global__ void K(float *x) { x[threadIdx.x] *= 2; }", "scale",
       "K", "FA[tx]", false},
      /* or given to one; makers may be made of makers */
      {"#define MAKE(name, op) __global__ void name(float *x) { x[threadIdx.x] op 3; "
       "}\n"
       "#define BOTH(op) MAKE(grow, op) MAKE(other, op)\nBOTH(+=)",
       "_Z4growPf", "grow", "FA[tx]", false},
      /* a string that is compiled later */
      {"const char *s = \"__kernel void late(__global float *x) {\\n\"\n"
       "\"  x[get_global_id(0)] = 1; }\";",
       "late", "late", "FA[gx]", false},
      {"const char *s = R\"(__kernel void late(__global float *x)"
       "{ x[get_global_id(0)] = 1; })\";",
       "late", "late", "FA[gx]", false},
      /* among others of the namespace, by its mangled name */
      {"namespace ns { __global__ void foo(int *p) { p[1] = 2; } }\n"
       "__global__ void bar(int *p) { p[3] = 4; }",
       "_ZN2ns3fooEPi", "foo", "IA~[1]=2", false},
      /* text */
      {"kernel foo: x = x + 1;", "foo", "foo", "raw", true},
      {".version 8.0\n.target sm_80\n.visible .entry one() { ret; }\n"
       ".visible .entry two() { exit; }",
       "two", "two", "exit", true},
  };
  ww_gpu g;
  load_h200(&g, *state);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_question_kernel *q;
    ww_text_question asked;
    ww_err e = {0};
    ww_arg arg = {.kind = WW_ARG_BUFFER, .buffer = {.bytes = 4096}};
    ww_launch l = {.kernel = rows[k].kernel,
                   .grid = {4, 1, 1},
                   .block = {256, 1, 1},
                   .args = &arg,
                   .nargs = 1};
    if (ww_question_read(rows[k].source, strlen(rows[k].source), rows[k].kernel, NULL,
                         0, *state, &q, &e))
      fail_msg("row %zu: %s", k, e.msg);
    if (strcmp(ww_question_name(q, NULL), rows[k].name) != 0 ||
        ww_question_is_raw(q) != rows[k].raw)
      fail_msg("row %zu: %s", k, ww_question_name(q, NULL));
    ww_question_ask(q, &l, &g, *state, &asked);
    if (!strstr(asked.text, rows[k].holds))
      fail_msg("row %zu: %s", k, asked.text);
  }
}

/* Names of launches that are cut short or lie about their lengths. */
static void hostile_names(void **state) {
  static const char *const names[] = {"_Z",
                                      "_ZS",
                                      "_ZSa",
                                      "_ZNS0",
                                      "_ZN",
                                      "_Z9",
                                      "_Z99999999999999999999x",
                                      "<",
                                      "__omp_offloading",
                                      "__omp_offloading__Z",
                                      "__omp_offloading__ZS",
                                      "::",
                                      "a::<"};
  static const char source[] = "__global__ void k(int n) {}\n__global__ void j() {}";
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    ww_question_kernel *q;
    ww_err e = {0};
    char *name = ww_xmalloc(strlen(names[k]) + 1); /* of its length: no room behind */
    strcpy(name, names[k]);
    ww_status st =
        ww_question_read(source, strlen(source), name, NULL, 0, *state, &q, &e);
    assert_true(st ? e.msg[0] != 0 : ww_question_is_raw(q));
    free(name);
  }
}

/* Macros that make macros that make kernels, each defined before what it is made of. */
static void hostile_makers(void **state) {
  ww_buf b = {0};
  ww_question_kernel *q;
  ww_err e = {0};
  for (int k = 0; k < 20000; k++)
    ww_buf_fmt(&b, "#define M%d(x) M%d(x)\n", k, k + 1);
  ww_buf_puts(&b, "#define M20000(x) __global__ void x() {}\nM0(k)\n");
  double begin = ww_now();
  assert_int_equal(ww_question_read(b.s, b.n, "nowhere", NULL, 0, *state, &q, &e),
                   WW_OK);
  assert_true(ww_question_is_raw(q));
  if (ww_now() - begin > 10)
    fail_msg("%.1f s", ww_now() - begin);
  ww_buf_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(kernels_as_text),
                                     TEST(names_do_not_matter),
                                     TEST(magnitudes),
                                     TEST(numbers_and_back),
                                     TEST(work_is_counted),
                                     TEST(time_is_estimated),
                                     TEST(dead_code_is_left_out),
                                     TEST(answers),
                                     TEST(hostile_sources),
                                     TEST(hostile_names),
                                     TEST(hostile_makers),
                                     TEST(kernels_are_found),
                                     TEST(which_kernel)};
  return RUN(tests);
}
