/* test_front.c - the front end's driver: dialects, flags, recovery from broken sources,
 * instances, host launches, bad input.
 *
 * The sources are in tests/front/, what must come out of each in NAME.want beside it:
 * one line per kernel, per diagnostic and per host launch. WW_WRITE=1 writes the .want
 * files anew. */
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/base/confine.h"
#include "../../src/front/front_int.h"
#include "../../src/front/isolate.h"

#define DIR_FRONT "tests/front/"

/* ---- whole files ---- */

typedef struct {
  const char *name; /* NAME.want */
  const char *files[3];
  const char *flags[4];
  const char *instantiate[3];
  bool launches;
} load_case;

static const load_case cases[] = {
    {"broken", {"broken.cu"}, {0}, {0}, false},
    {"branches", {"branches.cu"}, {0}, {0}, false},
    {"branches_wide", {"branches.cu"}, {"-DWIDE"}, {0}, false},
    {"broken_omp", {"broken_omp.c"}, {0}, {0}, false},
    {"broken_cl", {"broken.cl"}, {0}, {0}, false},
    {"instance_error", {"instance_error.cu"}, {0}, {0}, false},
    {"header", {"header.cu"}, {0}, {0}, false},
    {"link", {"link_a.cu", "link_b.cu"}, {0}, {0}, false},
    {"link_half", {"link_a.cu"}, {0}, {0}, false},
    {"instances",
     {"instances.cu"},
     {0},
     {"deep::kern<float,256>", "deep::kern<double, 32>"},
     false},
    {"instances_none", {"instances.cu"}, {"-arch=sm_80", "--frobnicate"}, {0}, false},
    {"statements", {"statements.hip"}, {0}, {0}, false},
    {"torch", {"torch.cu"}, {0}, {0}, true},
    {"host", {"host.cu"}, {0}, {0}, true},
    {"host_struct", {"host_struct.cu"}, {0}, {0}, true},
    {"host_hip", {"host.hip"}, {0}, {0}, true},
    {"host_omp", {"host_omp.c"}, {0}, {0}, true},
    {"host_cl", {"host_cl.cl", "host_cl.c"}, {0}, {0}, true},
};

static uint32_t count(const char *const *v, uint32_t max) {
  uint32_t n = 0;
  while (n < max && v[n])
    n++;
  return n;
}

static ww_front_options options_of(const load_case *c, ww_arena *a) {
  ww_front_options o = {.dialect = -1,
                        .no_sdk = true,
                        .nfiles = count(c->files, 3),
                        .nflags = count(c->flags, 4)};
  o.ninstantiate = count(c->instantiate, 3);
  o.files = WW_NEWN(a, const char *, 3);
  for (uint32_t i = 0; i < o.nfiles; i++)
    o.files[i] = ww_fmt(a, DIR_FRONT "%s", c->files[i]);
  o.flags = (const char **)c->flags;
  o.instantiate = (const char **)c->instantiate;
  return o;
}

/* The device and inode in an OpenMP kernel's name change with the machine. */
static void put_name(const char *name, ww_buf *b) {
  const char *omp = "__omp_offloading_";
  if (!strncmp(name, omp, strlen(omp))) {
    name += strlen(omp);
    for (int i = 0; i < 2; i++)
      name += strcspn(name, "_") + 1;
  }
  ww_buf_puts(b, name);
}

static void put_unit(const ww_unit *u, ww_buf *b) {
  for (uint32_t i = 0; i < u->module.nfns; i++) {
    const ww_fn *f = &u->module.fns[i];
    if (!f->kernel)
      continue;
    ww_buf_puts(b, f->refusal ? "refused " : "kernel ");
    put_name(f->name, b);
    ww_buf_fmt(b, " at %s:%u", ww_path_base(f->file ? f->file : "?"), f->line);
    for (uint32_t k = 0; k < f->nparams; k++)
      ww_buf_fmt(b, "%s%s %s", k ? ", " : " (", f->params[k].ctype, f->params[k].name);
    if (f->nparams)
      ww_buf_puts(b, ")");
    ww_buf_fmt(b, "%s%s\n", f->refusal ? ": " : "", f->refusal ? f->refusal : "");
  }
  for (uint32_t i = 0; i < u->ndiags; i++) {
    const ww_diag *d = &u->diags[i];
    ww_buf_fmt(b, "%s %s:%u: %s\n", d->error ? "error" : "note",
               ww_path_base(d->file ? d->file : "-"), d->line, d->message);
  }
  if (u->partial)
    ww_buf_puts(b, "partial\n");
}

static void put_launches(const ww_front_options *o, ww_arena *a, ww_buf *b) {
  ww_host_launch *l;
  uint32_t n;
  assert_int_equal(ww_front_host_launches(o, a, &l, &n, NULL), WW_OK);
  for (uint32_t i = 0; i < n; i++) {
    ww_json j = {0};
    ww_buf_puts(b, "launch ");
    put_name(l[i].kernel, b);
    ww_buf_fmt(b, " at %s:%u ", ww_path_base(l[i].file), l[i].line);
    l[i].launch.kernel = NULL;
    ww_json_begin(&j, b);
    ww_launch_write(&l[i].launch, &j);
    ww_buf_puts(b, "\n");
  }
}

static void test_load(void **state) {
  ww_arena *a = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const load_case *c = &cases[i];
    ww_front_options o = options_of(c, a);
    ww_unit u;
    ww_err e = {0};
    ww_buf b = {0};
    char *want = "";
    if (ww_front_load(&o, a, &u, &e) == WW_OK)
      put_unit(&u, &b);
    else
      ww_buf_fmt(&b, "fails %s: %s\n", ww_status_name(e.code), e.msg);
    if (c->launches)
      put_launches(&o, a, &b);
    const char *path = ww_fmt(a, DIR_FRONT "%s.want", c->name);
    if (getenv("WW_WRITE"))
      ww_write_file_atomic(path, b.s, b.n, NULL);
    ww_read_file(a, path, 1 << 20, &want, NULL, NULL);
    if (strcmp(b.s, want))
      fail_msg("%s: got\n%s", path, b.s);
    ww_buf_free(&b);
  }
}

/* ---- what cannot be loaded ---- */

static ww_status
load(const char *file, const char *instantiate, ww_arena *a, ww_err *e) {
  ww_front_options o = {.files = &file, .nfiles = 1, .dialect = -1, .no_sdk = true};
  ww_unit u;
  *e = (ww_err){0};
  if (instantiate) {
    o.instantiate = &instantiate;
    o.ninstantiate = 1;
  }
  return ww_front_load(&o, a, &u, e);
}

static const char *
scratch_file(ww_arena *a, const char *name, const char *text, size_t n) {
  const char *path = ww_fmt(a, "build/tests/%s", name);
  assert_int_equal(ww_write_file_atomic(path, text, n, NULL), WW_OK);
  return path;
}

static void test_bad_input(void **state) {
  ww_arena *a = *state;
  ww_err e;
  assert_int_equal(load("tests/front/no_such_file.cu", NULL, a, &e), WW_EIO);
  assert_int_equal(load("tests/front", NULL, a, &e), WW_EIO);
  assert_int_equal(load("/dev/zero", NULL, a, &e), WW_EIO);
  assert_int_equal(load(scratch_file(a, "binary.cu", "\177ELF\0\1\2", 7), NULL, a, &e),
                   WW_EPARSE);
  assert_non_null(strstr(e.msg, "binary"));
  const char *huge = scratch_file(a, "huge.cu", "", 0);
  assert_int_equal(truncate(huge, (off_t)1 << 30), 0);
  assert_int_equal(load(huge, NULL, a, &e), WW_ELIMIT);
  unlink(huge);
  assert_int_equal(load(scratch_file(a, "prose.txt", "hello", 5), NULL, a, &e),
                   WW_EUSAGE);
  assert_non_null(strstr(e.msg, "dialect"));
  assert_int_equal(load(scratch_file(a, "empty.cu", "", 0), NULL, a, &e),
                   WW_OK); /* no kernels, no error */
  const char *noise = ")))) }}}} <<<< \"\n'' \\ /* \n R\"x( #if\n#include\n";
  assert_int_equal(load(scratch_file(a, "noise.cu", noise, strlen(noise)), NULL, a, &e),
                   WW_EPARSE);
  assert_int_equal(load("tests/front/instances.cu", "deep::kern<float>", a, &e),
                   WW_EUSAGE);
  assert_non_null(strstr(e.msg, "deep::kern<float>"));
  assert_int_equal(load("tests/front/instances.cu", "nothing<3>", a, &e), WW_EUSAGE);
}

/* Nothing may be left in a temporary folder, and no cache may only cost time. */
static void test_leaves_nothing(void **state) {
  ww_arena *a = *state;
  const char *temp = "build/tests/tmp_front";
  ww_err e;
  mkdir(temp, 0777);
  setenv("TMPDIR", temp, 1);
  char *cache =
      getenv("XDG_CACHE_HOME") ? ww_strdup(a, getenv("XDG_CACHE_HOME")) : NULL;
  setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  assert_int_equal(load("tests/front/broken.cu", NULL, a, &e), WW_OK);
  if (cache)
    setenv("XDG_CACHE_HOME", cache, 1);
  else
    unsetenv("XDG_CACHE_HOME");
  unsetenv("TMPDIR");
  uint32_t entries = 0;
  DIR *d = opendir(temp);
  assert_non_null(d);
  while (readdir(d))
    entries++;
  closedir(d);
  assert_int_equal(entries, 2); /* . and .. */
  rmdir(temp);
}

/* ---- parts ---- */

static void join(const ww_strings *v, ww_buf *b) {
  for (uint32_t i = 0; i < v->n; i++)
    ww_buf_fmt(b, " %s", v->v[i]);
}

static void test_flags(void **state) {
  ww_arena *a = *state;
  static const struct {
    const char *in[6], *want;
  } rows[] = {
      {{"-Iinclude", "-DN=4", "-D", "M", "-U", "X"},
       "cc1 -I include -D N=4 -D M -U X driver ignored"},
      {{"-arch=sm_80", "-gencode", "arch=compute_80,code=sm_80", "-O3", "-lineinfo",
        "-rdc=true"},
       "cc1 driver ignored"},
      {{"--std", "c++17", "-x", "cu", "-maxrregcount", "64"},
       "cc1 driver -std=c++17 ignored"},
      {{"-std=c++20", "-Xcompiler", "-fopenmp,-DHOST=1,-O2",
        "--expt-relaxed-constexpr"},
       "cc1 -D HOST=1 driver -std=c++20 ignored"},
      {{"-use_fast_math"},
       "cc1 driver -fgpu-flush-denormals-to-zero -freciprocal-math -fapprox-func "
       "-fgpu-approx-transcendentals ignored"},
      {{"--fmad=false", "-cl-std=CL2.0", "--offload-arch=gfx90a"},
       "cc1 driver -ffp-contract=off -cl-std=CL2.0 ignored"},
      {{"-unknown", "file.o", "-isystem", "/opt/x"},
       "cc1 -isystem /opt/x driver ignored -unknown file.o"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_flags f;
    ww_buf b = {0};
    ww_flags_sort((const char **)rows[i].in, count(rows[i].in, 6), a, &f);
    ww_buf_puts(&b, "cc1");
    join(&f.cc1, &b);
    ww_buf_puts(&b, " driver");
    join(&f.driver, &b);
    ww_buf_puts(&b, " ignored");
    join(&f.ignored, &b);
    check_text(b.s, rows[i].want, i);
    ww_buf_free(&b);
  }
}

/* Functions as "name" or "name*" for kernels, with the line; other declarations as
 * their first word. */
static void test_scan(void **state) {
  ww_arena *a = *state;
  static const char *const rows[][2] = {
      {"int f() { return 1; }\n__global__ void k(int x) { }", "f:1 k*:2"},
      {"namespace a { namespace b { void f() {} } void g() {} } void h() {}",
       "f:1 g:1 h:1"},
      {"struct S { int x; S() : x{1} {} void m() const { if (x) {} } } s; void g() {}",
       "?:1 S:1 m:1 ?:1 g:1"},
      {"extern \"C\" {\nvoid f() {}\n}\nint a[] = {1, 2};\nvoid g() {}", "f:2 ?:4 g:5"},
      {"template <typename T, int N = (3 > 2)> __global__ void __launch_bounds__(256) "
       "k(T *x) {}",
       "k*:1"},
      {"/* } */ void f() { char c = '}'; const char *s = \"}\"; } // }\nvoid g() {}",
       "f:1 g:2"},
      {"#define OPEN {\nvoid f() { g(R\"x(})x\"); }\nvoid g() {}", "f:2 g:3"},
      {"kernel void k(global int *x) { }\n__kernel void l() {}", "k*:1 l*:2"},
      {"auto f = [](int x) { return x; };\nbool operator==(S a, S b) { return true; }",
       "?:1 operator:2"},
      {"#ifdef A\nvoid f(int x) {\n#else\nvoid f() {\n#endif\n}\nvoid g() {}",
       "f:2 g:7"},
      {"}}} void f() {}", "f:1"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_scan s;
    ww_buf b = {0};
    ww_buf_puts(&b, "");
    ww_scan_source(rows[i][0], strlen(rows[i][0]), a, &s);
    for (uint32_t k = 0; k < s.ndecls; k++) {
      const ww_decl *d = &s.decls[k];
      ww_buf_fmt(&b, "%s%s%s:%u", k ? " " : "", d->body ? d->name : "?",
                 d->kernel ? "*" : "", d->line);
    }
    check_text(b.s, rows[i][1], i);
    ww_buf_free(&b);
  }
}

static void test_dialect(void **state) {
  ww_arena *a = *state;
  static const struct {
    const char *file, *text;
    int want;
  } rows[] = {
      {"a.cu", "", WW_CUDA},
      {"a.cuh", "", WW_CUDA},
      {"a.hip", "", WW_HIP},
      {"a.cl", "", WW_OPENCL},
      {"a.cu", "#include <hip/hip_runtime.h>\n", WW_HIP},
      {"a.cu", "// #include <hip/hip_runtime.h>\n", WW_CUDA},
      {"a.cpp", "#include \"hip/hip_runtime.h\"\n", WW_HIP},
      {"a.cu", "#include \"common.h\"\nvoid f() { hipDeviceSynchronize(); }", WW_HIP},
      {"a.cu", "void f() { hipMalloc(); cudaMalloc(); }", WW_CUDA},
      {"a.cpp", "#pragma omp target teams\n", WW_OPENMP},
      {"a.c", "#pragma omp parallel for\n", -1},
      {"a.cpp", "__global__ void k();", WW_CUDA},
      {"a.cpp", "const char *s = \"__global__\";", -1},
      {"noext", "int main() {}", -1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_scan s;
    ww_scan_source(rows[i].text, strlen(rows[i].text), a, &s);
    if (ww_front_dialect(rows[i].file, &s) != rows[i].want)
      fail_msg("row %zu: %s", i, rows[i].file);
  }
}

static void test_clang(void **state) {
  int version = 0;
  ww_err e = {0};
  assert_non_null(ww_front_clang(*state, &version, &e));
  assert_true(version >= 17);
  setenv("WARPWISE_CLANG", "/bin/true", 1);
  assert_null(ww_front_clang(*state, &version, &e));
  assert_non_null(strstr(e.msg, "WARPWISE_CLANG"));
  unsetenv("WARPWISE_CLANG");
}

static void try_everything(void *ctx, ww_buf *out) {
  const char *variable = getenv("WW_TEST_SECRET");
  if (variable && *variable)
    ww_buf_puts(out, " environment");
  if (open(ctx, O_RDONLY) >= 0)
    ww_buf_puts(out, " read");
  if (open("ww-test-made", O_WRONLY | O_CREAT, 0600) >= 0)
    ww_buf_puts(out, " write");
  if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
    ww_buf_puts(out, " network");
  if (fork() >= 0)
    ww_buf_puts(out, " process");
}

/* What LLVM makes of somebody's code, it makes without rights. */
static void test_isolated(void **state) {
  (void)state;
  ww_buf out = {0};
  ww_err e = {0};
  if (ww_confine_missing())
    skip();
  setenv("WW_TEST_SECRET", "x", 1);
  ww_child child = ww_isolate_child(ww_now() + 20);
  child.work = try_everything;
  child.ctx = "Makefile";
  assert_int_equal(ww_child_run(&child, &out, &e), WW_OK);
  assert_string_equal(out.s, "");
  ww_buf_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_isolated),       TEST(test_flags),
                                     TEST(test_scan),           TEST(test_dialect),
                                     TEST(test_clang),          TEST(test_bad_input),
                                     TEST(test_leaves_nothing), TEST(test_load)};
  return RUN(tests);
}
