/* test_cuda.c - the CUDA backend over a driver made of host memory: loading, restoring,
 * digests, and what is refused.
 *
 * The driver's kernels are C functions: the backend's helpers, and `_Z1kPiif6Params`,
 * which writes out[i] = in[i] + (int)f, counts its runs in the variable `table` and,
 * for n = 5, changes its own input. n < 0 is an illegal address. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../src/measure/cuda_int.h"
#include "cubin_sample.h"

/* ---- the driver ---- */

#define MEMORY (1ull << 30)
enum { FILL = 1, COMPARE, KERNEL };
static struct {
  ww_cuda_status broken;
  uint64_t live, allocations;
  uint32_t table[64], coef[4];
  int shared_asked;
  uint32_t loads, unloads;
} gpu;

static ww_cuda_status alloc(uint64_t *at, size_t n) {
  if (gpu.live + n > MEMORY)
    return 2;
  uint8_t *p = aligned_alloc(512, n + 512);
  memcpy(p, &n, sizeof n);
  memset(p + 512, 0xcc, n < 4096 ? n : 4096); /* memory comes dirty */
  *at = (uint64_t)(uintptr_t)p + 512;
  gpu.live += n;
  gpu.allocations++;
  return gpu.broken;
}
static ww_cuda_status release(uint64_t at) {
  uint8_t *p = (uint8_t *)(uintptr_t)at - 512;
  size_t n;
  memcpy(&n, p, sizeof n);
  gpu.live -= n;
  free(p);
  return 0;
}
static ww_cuda_status up(uint64_t to, const void *from, size_t n) {
  return memcpy((void *)(uintptr_t)to, from, n), gpu.broken;
}
static ww_cuda_status down(void *to, uint64_t from, size_t n) {
  return memcpy(to, (void *)(uintptr_t)from, n), gpu.broken;
}
static ww_cuda_status across(uint64_t to, uint64_t from, size_t n, void *s) {
  (void)s;
  return memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, n), gpu.broken;
}
static ww_cuda_status set(uint64_t at, unsigned char v, size_t n, void *s) {
  (void)s;
  return memset((void *)(uintptr_t)at, v, n), gpu.broken;
}

static ww_cuda_status
load(void **module, const void *image, unsigned n, int *options, void **values) {
  (void)n;
  (void)options;
  if (!memcmp(image, "bad", 3))
    return strcpy(values[0], "line 3\nsyntax"), 218;
  for (int i = 0; i < 64; i++)
    gpu.table[i] = 7;
  *module = &gpu;
  gpu.loads++;
  return 0;
}
static ww_cuda_status unload(void *module) {
  return gpu.unloads++, module == &gpu ? 0 : 400;
}
static ww_cuda_status find(void **f, void *module, const char *name) {
  (void)module;
  *f = (void *)(uintptr_t)KERNEL;
  return strcmp(name, "_Z1kPiif6Params") ? 500 : 0;
}
static ww_cuda_status
variable(uint64_t *at, size_t *bytes, void *module, const char *name) {
  (void)module;
  bool table = !strcmp(name, "table");
  *at = (uint64_t)(uintptr_t)(table ? gpu.table : gpu.coef);
  *bytes = table ? sizeof gpu.table : sizeof gpu.coef;
  return table || !strcmp(name, "_ZN2ns4coefE") ? 0 : 500;
}
static ww_cuda_status kernel_count(unsigned *n, void *module) {
  return (void)module, *n = 3, 0;
}
static ww_cuda_status kernels(void **f, unsigned n, void *module) {
  (void)module;
  for (unsigned i = 0; i < n; i++)
    f[i] = (void *)(uintptr_t)(KERNEL + i);
  return 0;
}
static ww_cuda_status kernel_name(const char **name, void *f) {
  static const char *const all[] = {"_Z1kPiif6Params", "_Z5twiceIfEvv",
                                    "_Z5twiceIdEvv"};
  return *name = all[(uintptr_t)f - KERNEL], 0;
}
static ww_cuda_status parameter(void *f, size_t i, size_t *offset, size_t *size) {
  static const size_t sizes[] = {8, 4, 4, 16};
  (void)f;
  *offset = 0;
  return i < 4 ? *size = sizes[i], 0 : 1;
}
static ww_cuda_status ask(int *v, int attribute, void *f) {
  (void)f;
  *v = attribute == WW_CUDA_FN_MAX_THREADS ? 512
       : attribute == WW_CUDA_FN_SHARED    ? 1000
                                           : 40;
  return 0;
}
static ww_cuda_status tell(void *f, int attribute, int v) {
  (void)f;
  gpu.shared_asked = attribute == WW_CUDA_FN_MAX_DYNAMIC_SHARED ? v : -1;
  return 0;
}
static ww_cuda_status resident(int *blocks, void *f, int threads, size_t shared) {
  (void)f;
  (void)threads;
  (void)shared;
  return *blocks = 3, 0;
}
static ww_cuda_status in_words(ww_cuda_status s, const char **text) {
  return (void)s, *text = "words", 0;
}

static void
compare(const uint8_t *now, const uint8_t *was, uint64_t bytes, uint64_t *result) {
  for (uint64_t i = 0; i < bytes; i++) {
    result[0] += core_mix(now[i] ^ core_mix(i + 1));
    result[1] += was && now[i] != was[i];
  }
}
static void run(int *out, int n, float f, int **params) {
  for (int i = 0; i < n; i++)
    out[i] = params[1][i] + (int)f;
  gpu.table[0]++;
  if (n == 5)
    params[1][0]++;
}
static ww_cuda_status launch(void *f,
                             unsigned gx,
                             unsigned gy,
                             unsigned gz,
                             unsigned bx,
                             unsigned by,
                             unsigned bz,
                             unsigned shared,
                             void *stream,
                             void **p,
                             void **extra) {
  (void)gx;
  (void)gy;
  (void)gz;
  (void)bx;
  (void)by;
  (void)bz;
  (void)shared;
  (void)stream;
  (void)extra;
  if (gpu.broken)
    return gpu.broken;
  if ((uintptr_t)f == FILL)
    for (uint64_t i = 0; i < *(uint64_t *)p[2]; i++)
      (*(uint64_t **)p[0])[i] = core_eight(p[1], i);
  else if ((uintptr_t)f == COMPARE)
    compare(*(uint8_t **)p[0], *(uint8_t **)p[1], *(uint64_t *)p[2],
            *(uint64_t **)p[3]);
  else if (*(int *)p[1] < 0)
    gpu.broken = 700;
  else
    run(*(int **)p[0], *(int *)p[1], *(float *)p[2], p[3]);
  return 0;
}
static ww_cuda_status wait_all(void) {
  return gpu.broken;
}

static const ww_cuda_api driver = {.cuMemAlloc = alloc,
                                   .cuMemFree = release,
                                   .cuMemcpyHtoD = up,
                                   .cuMemcpyDtoH = down,
                                   .cuMemcpyDtoDAsync = across,
                                   .cuMemsetD8Async = set,
                                   .cuModuleLoadDataEx = load,
                                   .cuModuleUnload = unload,
                                   .cuModuleGetFunction = find,
                                   .cuModuleGetGlobal = variable,
                                   .cuModuleGetFunctionCount = kernel_count,
                                   .cuModuleEnumerateFunctions = kernels,
                                   .cuFuncGetName = kernel_name,
                                   .cuFuncGetParamInfo = parameter,
                                   .cuFuncGetAttribute = ask,
                                   .cuFuncSetAttribute = tell,
                                   .cuOccupancyMaxActiveBlocksPerMultiprocessor =
                                       resident,
                                   .cuGetErrorString = in_words,
                                   .cuLaunchKernel = launch,
                                   .cuCtxSynchronize = wait_all};

/* ---- the device and its launches ---- */

static const ww_backend *const b = &ww_backend_cuda;

static ww_device *opened(ww_arena *a, const ww_cuda_api *api) {
  memset(&gpu, 0, sizeof gpu);
  ww_device *d = WW_NEW(a, ww_device);
  *d = (ww_device){.api = api,
                   .a = a,
                   .memory = 1ull << 32,
                   .sms = 132,
                   .max_threads = 1024,
                   .threads_per_sm = 2048};
  for (int i = 0; i < 3; i++) {
    d->max_block[i] = 1024;
    d->max_grid[i] = 65535;
  }
  d->shared_default = 48 << 10;
  d->shared_most = 227 << 10;
  d->cooperative = true;
  d->fill = (void *)(uintptr_t)FILL;
  d->compare = (void *)(uintptr_t)COMPARE;
  return d;
}

static void closed(ww_device *d) {
  ww_cuda_give(d, &d->results);
  ww_cuda_pool_close(d);
  assert_true(gpu.live == 0); /* everything was given back */
}

static const char *binary_file(const char *suffix) {
  static char path[64];
  snprintf(path, sizeof path, "/tmp/ww_cuda_%d.%s", (int)getpid(), suffix);
  return path;
}

#define OUT(bytes) \
  "{\"buffer\":{\"bytes\":" bytes ",\"type\":\"i32\",\"fill\":\"zeros\"}}"
#define IN(bytes)                                                                      \
  "{\"hex\":\"00000000000000000000000000000000\",\"ptrs\":[{\"at\":8,\"bytes\":" bytes \
  ",\"type\":\"i32\",\"fill\":\"index\"}]}"
#define ARGS(bytes, n) OUT(bytes) ",{\"value\":" n "},{\"value\":2.5}," IN(bytes)
#define SHAPE "\"grid\":[2,1,1],\"block\":[128,1,1]"

static ww_status loaded(ww_device *d,
                        const char *kernel,
                        const char *args,
                        const char *more,
                        ww_ready **out,
                        ww_err *e,
                        ww_arena *a) {
  cubin code = sample();
  ww_launch l;
  const char *path = binary_file("cubin");
  assert_int_equal(ww_write_file_atomic(path, &code, sizeof code, NULL), WW_OK);
  char *json = ww_fmt(a, "{\"kernel\":\"%s\",\"binary\":\"%s\",\"args\":[%s],%s}",
                      kernel, path, args, more);
  if (ww_launch_parse(json, "/tmp", a, &l, e))
    fail_msg("%s: %s", json, e->msg);
  *e = (ww_err){0};
  ww_status st = b->load(d, &l, out, e);
  unlink(path);
  return st;
}

static int32_t *region(ww_ready *r, uint32_t i) {
  return (int32_t *)(uintptr_t)r->regions.v[i].at;
}

static void runs_and_restores(void **state) {
  ww_device *d = opened(*state, &driver);
  ww_err e;
  ww_ready *r;
  uint64_t first, again, twice;
  if (loaded(d, "k", ARGS("400", "100"), SHAPE, &r, &e, *state))
    fail_msg("%s", e.msg);
  assert_int_equal(r->regions.n,
                   3); /* two buffers and `table`, which the launch does not name */
  assert_int_equal(b->launch(d, r, &e), WW_OK);
  assert_int_equal(region(r, 0)[99], 101);
  assert_int_equal(b->digest(d, r, &first, &e), WW_OK);
  assert_true(r->regions.v[0].changed && !r->regions.v[1].changed &&
              r->regions.v[2].changed);
  b->restore(d, r, &e);
  assert_true(region(r, 0)[99] == 0 && gpu.table[0] == 7 && gpu.table[63] == 7);
  b->launch(d, r, &e);
  b->digest(d, r, &again, &e);
  b->launch(d, r, &e);
  b->digest(d, r, &twice, &e);
  assert_true(first == again && first != twice); /* the counter in `table` shows */
  ww_report report = {0};
  b->resources(d, r, &report);
  assert_true(report.m[WW_M_occupancy_limit_pct].value == 100.0 * 3 * 4 / 64);
  assert_true(report.m[WW_M_shared_bytes].value == 1000);
  b->unload(d, r);
  closed(d);
}

static void symbols_are_set(void **state) {
  ww_device *d = opened(*state, &driver);
  ww_err e;
  ww_ready *r;
  float want[4];
  ww_fill f = {.kind = WW_FILL_RANDOM};
  ww_fill_bytes(&f, "f32", 4, ww_fill_seed(1, 1001), 0, 4, want);
  if (loaded(
          d, "k", ARGS("400", "100"),
          SHAPE
          ",\"symbols\":{\"table\":{\"hex\":\"01000000\"},\"coef\":{\"type\":\"f32\","
          "\"fill\":\"random\"}}",
          &r, &e, *state))
    fail_msg("%s", e.msg);
  assert_true(gpu.table[0] == 1 && gpu.table[1] == 7);
  assert_memory_equal(gpu.coef, want, sizeof want);
  b->unload(d, r);
  closed(d);
}

/* Large buffers that no run changes give their pristine copy back, and get it again
 * when one does.
 */
static void large_inputs_are_not_kept_twice(void **state) {
  ww_device *d = opened(*state, &driver);
  ww_err e;
  ww_ready *r;
  uint64_t digest;
  if (loaded(d, "k", ARGS("70000000", "4"), SHAPE, &r, &e, *state))
    fail_msg("%s", e.msg);
  b->launch(d, r, &e);
  b->digest(d, r, &digest, &e);
  assert_true(r->regions.v[1].pristine.bytes == 0);
  *(int *)r->params[1] = 5; /* now it changes its input */
  b->launch(d, r, &e);
  assert_int_equal(b->digest(d, r, &digest, &e), WW_OK);
  assert_true(r->regions.v[1].changed && r->regions.v[1].pristine.bytes);
  assert_int_equal(region(r, 1)[0], 1);
  b->restore(d, r, &e);
  assert_int_equal(region(r, 1)[0], 0);
  b->unload(d, r);
  closed(d);
}

static void memory_is_reused(void **state) {
  ww_device *d = opened(*state, &driver);
  ww_err e;
  ww_ready *r;
  uint64_t made = 0;
  for (int i = 0; i < 10; i++) {
    if (loaded(d, "k", ARGS("40000", "100"), SHAPE, &r, &e, *state))
      fail_msg("%s", e.msg);
    assert_int_equal(region(r, 1)[9999], 9999);
    assert_int_equal(region(r, 0)[9999], 0);
    memset(region(r, 0), 0xee, 40000);
    b->unload(d, r);
    if (!i)
      made = gpu.allocations;
  }
  assert_true(gpu.allocations == made);
  closed(d);
}

static void load_file(ww_device *d, const char *path, ww_ready **out, ww_arena *a) {
  ww_err e;
  ww_launch l;
  char *json = ww_fmt(a, "{\"kernel\":\"k\",\"binary\":\"%s\",\"args\":[%s],%s}", path,
                      ARGS("400", "100"), SHAPE);
  assert_int_equal(ww_launch_parse(json, "/tmp", a, &l, &e), WW_OK);
  if (b->load(d, &l, out, &e))
    fail_msg("%s", e.msg);
}

/* A campaign has many launches of the same code. Variables that a run may write are
 * each launch's own. */
static void code_is_loaded_once(void **state) {
  ww_device *d = opened(*state, &driver);
  cubin plain = sample(), variables = sample();
  ww_ready *r[40];
  plain.symbols[1].st_info = STT_FUNC; /* `table` is none then */
  const char *path = ww_strdup(*state, binary_file("plain.cubin"));
  assert_int_equal(ww_write_file_atomic(path, &plain, sizeof plain, NULL), WW_OK);
  for (int i = 0; i < 3; i++)
    load_file(d, path, &r[i], *state);
  assert_int_equal(gpu.loads, 1);
  for (int i = 0; i < 3; i++)
    b->unload(d, r[i]);
  load_file(d, path, &r[0], *state);
  assert_true(gpu.loads == 1 && gpu.unloads == 0); /* it was kept */
  unlink(path);
  const char *own = ww_strdup(*state, binary_file("own.cubin"));
  assert_int_equal(ww_write_file_atomic(own, &variables, sizeof variables, NULL),
                   WW_OK);
  for (int i = 1; i < 3; i++)
    load_file(d, own, &r[i], *state);
  assert_int_equal(gpu.loads, 3);
  for (int i = 1; i < 3; i++)
    b->unload(d, r[i]);
  assert_int_equal(gpu.unloads, 2);
  unlink(own);
  for (int i = 1; i < 40; i++) {
    const char *other = ww_fmt(*state, "%s.%d", path, i);
    assert_int_equal(ww_write_file_atomic(other, &plain, sizeof plain, NULL), WW_OK);
    load_file(d, other, &r[i], *state);
    b->unload(d, r[i]);
    unlink(other);
  }
  assert_true(gpu.loads == 42 &&
              gpu.unloads >=
                  20); /* those that nobody uses go; the first one is in use */
  b->unload(d, r[0]);
  ww_cuda_forget(d);
  assert_int_equal(gpu.loads, gpu.unloads);
  closed(d);
}

static void what_does_not_fit_is_said(void **state) {
  static const struct {
    const char *kernel, *args, *more, *want;
    ww_status code;
  } rows[] = {
      {"k", OUT("400") ",{\"value\":1}", SHAPE,
       "takes 4 arguments (bytes: 8, 4, 4, 16), the launch gives 2", WW_EUSAGE},
      {"k", OUT("400") ",null,{\"value\":1}," IN("400"), SHAPE,
       "argument 1 of `k` is not given; it takes 4 bytes", WW_EUSAGE},
      {"k", OUT("400") "," OUT("400") ",{\"value\":1}," IN("400"), SHAPE,
       "argument 1 takes 4 bytes, no pointer", WW_EUSAGE},
      {"k", OUT("400") ",{\"value\":1},{\"value\":1},{\"value\":1}", SHAPE,
       "argument 3 takes 16 bytes", WW_EUSAGE},
      {"k", OUT("400") ",{\"value\":1},{\"value\":1},{\"hex\":\"00\"}", SHAPE,
       "takes 16 bytes, the hex given has 1", WW_EUSAGE},
      {"k", ARGS("400", "10000000000"), SHAPE,
       "argument 1 takes 4 bytes and cannot hold", WW_EDATA},
      {"k", ARGS("400", "1"), "\"grid\":[2],\"block\":[513]",
       "a block of 513 threads: this kernel takes at most 512", WW_EUSAGE},
      {"k", ARGS("400", "1"), "\"grid\":[1,70000],\"block\":[32]", "grid y is 70000",
       WW_EUSAGE},
      {"k", ARGS("400", "1"), "\"block\":[32]", "the launch has no grid", WW_EUSAGE},
      {"k", ARGS("400", "1"), SHAPE ",\"shared\":300000",
       "301000 bytes of shared memory", WW_EUSAGE},
      {"k", ARGS("400", "1"), "\"grid\":[400],\"block\":[32],\"cooperative\":true",
       "at most 396 of them", WW_EUSAGE},
      {"k", ARGS("400", "1"), SHAPE ",\"symbols\":{\"nix\":{\"value\":1}}",
       "none of that name; it has table", WW_EUSAGE},
      {"nix", ARGS("400", "1"), SHAPE, "has no kernel `nix`; it has _Z1kPiif6Params",
       WW_EUSAGE},
      {"twice", ARGS("400", "1"), SHAPE, "has 2 kernels called `twice`", WW_EUSAGE},
      {"k", ARGS("2000000000", "1"), SHAPE, "no device memory", WW_ELIMIT},
      {"k", ARGS("9000000000", "1"), SHAPE, "does not fit the device's", WW_ELIMIT},
  };
  ww_device *d = opened(*state, &driver);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ww_ready *r = NULL;
    ww_err e;
    ww_status st =
        loaded(d, rows[i].kernel, rows[i].args, rows[i].more, &r, &e, *state);
    if (st != rows[i].code || !strstr(e.msg, rows[i].want))
      fail_msg("row %d: %s", (int)i, e.msg);
    assert_null(r);
  }
  closed(d);
}

static void faults_are_told(void **state) {
  ww_device *d = opened(*state, &driver);
  ww_err e;
  ww_ready *r;
  if (loaded(d, "k", ARGS("400", "-1"), SHAPE ",\"shared\":100000", &r, &e, *state))
    fail_msg("%s", e.msg);
  assert_int_equal(gpu.shared_asked, 100000);
  assert_int_equal(b->launch(d, r, &e), WW_OK);
  assert_int_equal(b->sync(d, &e), WW_EDEVICE);
  assert_non_null(strstr(e.msg, "kernel `k`"));
  assert_non_null(strstr(e.msg, "outside its buffers"));
  b->unload(d, r);
  closed(d);
}

/* A driver before 12.4 does not tell parameters' sizes: the hex and the integers given
 * must do. */
static void old_drivers_do(void **state) {
  ww_cuda_api old = driver;
  old.cuFuncGetParamInfo = NULL;
  old.cuFuncGetName = NULL;
  ww_device *d = opened(*state, &old);
  ww_err e;
  ww_ready *r;
  assert_int_equal(
      loaded(d, "_Z1kPiif6Params", ARGS("400", "100"), SHAPE, &r, &e, *state),
      WW_EUSAGE);
  assert_non_null(strstr(e.msg, "argument 2 is a float or a double"));
  if (loaded(d, "_Z1kPiif6Params",
             OUT("400") ",{\"value\":100},{\"hex\":\"00002040\"}," IN("400"), SHAPE, &r,
             &e, *state))
    fail_msg("%s", e.msg);
  b->launch(d, r, &e);
  assert_int_equal(region(r, 0)[99], 101);
  b->unload(d, r);
  closed(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(runs_and_restores),
                                     TEST(symbols_are_set),
                                     TEST(large_inputs_are_not_kept_twice),
                                     TEST(memory_is_reused),
                                     TEST(code_is_loaded_once),
                                     TEST(what_does_not_fit_is_said),
                                     TEST(faults_are_told),
                                     TEST(old_drivers_do)};
  return RUN(tests);
}
