/* lm_attention.c - attention on the GPU against its definition in double precision on
 * the processor, and how fast it is.
 *
 *   lm_attention [--times] FOLDER...    a folder with the .fatbin or .cubin of each
 * src/lm/cuda/attention_*.cu: BUILD/lm/cuda
 *
 * Random packed documents, head sizes and shapes that do not fit the tiles; outputs are
 * poisoned first. Tolerances are relative errors of whole tensors (norm of the
 * difference over norm of the reference). bf16 rounds its operands to 2^-9 each, so
 * 4e-3 out, 8e-3 for gradients (2e-2 for a handful of tokens, where dP - delta
 * cancels); fp32 2e-6 and 5e-6. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "../../src/cuda/cuda_api.h"
#include "../../src/lm/cuda/attention.h"

typedef struct {
  uint32_t B, T, H, K, D;
  uint32_t document; /* mean length, 0: one a row */
} shape;

static ww_attention_layer
layer_of(const shape *s, uint64_t qkv, uint64_t first, uint64_t out, uint64_t lse) {
  return (ww_attention_layer){.qkv = (void *)qkv,
                              .first = (int32_t *)first,
                              .out = (void *)out,
                              .lse = (float *)lse,
                              .B = s->B,
                              .T = s->T,
                              .H = s->H,
                              .K = s->K,
                              .D = s->D};
}

static const ww_cuda_api *api;
static void *functions[WW_NATTENTION];
static uint64_t scratch_at;
static size_t scratch_n;
static int failures;

static const struct {
  const char *unit, *name;
} kernels[] = {
#define ROW(unit, name) {#unit, #name},
    WW_ATTENTION_KERNELS(ROW)
#undef ROW
};

static void must(ww_cuda_status s, const char *doing) {
  if (!s)
    return;
  printf("FAIL %s: %s\n", doing, ww_cuda_error(api, s));
  exit(1);
}

/* Threads are what the kernel was compiled for, so that a variant with other warps can
 * be timed. */
static void launch(void *ctx,
                   ww_attention_kernel k,
                   uint32_t gx,
                   uint32_t gy,
                   uint32_t gz,
                   uint32_t threads,
                   uint32_t shared,
                   void **args) {
  (void)ctx;
  static void *ready[WW_NATTENTION];
  static int most[WW_NATTENTION];
  if (ready[k] != functions[k]) {
    must(api->cuFuncGetAttribute(&most[k], WW_CUDA_FN_MAX_THREADS, functions[k]),
         kernels[k].name);
    if (shared)
      must(api->cuFuncSetAttribute(functions[k], WW_CUDA_FN_MAX_DYNAMIC_SHARED,
                                   (int)shared),
           kernels[k].name);
    ready[k] = functions[k];
  }
  if (shared)
    threads = (uint32_t)most[k];
  must(api->cuLaunchKernel(functions[k], gx, gy, gz, threads, 1, 1, shared, NULL, args,
                           NULL),
       kernels[k].name);
}

static uint64_t device(size_t bytes) {
  uint64_t at;
  must(api->cuMemAlloc(&at, bytes + 256), "memory");
  must(api->cuMemsetD8Async(at, 0xff, bytes, NULL),
       "memset"); /* NaN, whatever the type */
  return at;
}
static uint64_t device_copy(const void *from, size_t bytes) {
  uint64_t at = device(bytes);
  must(api->cuMemcpyHtoD(at, from, bytes), "upload");
  return at;
}
static void *scratch(void *ctx, size_t bytes) {
  (void)ctx;
  if (bytes > scratch_n) {
    if (scratch_at)
      api->cuMemFree(scratch_at);
    scratch_at = device(scratch_n = bytes);
  }
  return (void *)scratch_at;
}

/* ---- numbers ---- */

static uint64_t seed = 1;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static float normal(void) {
  return (float)(sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform()));
}
static uint16_t to_bf16(float x) {
  uint32_t u;
  memcpy(&u, &x, 4);
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
static float from_bf16(uint16_t x) {
  uint32_t u = (uint32_t)x << 16;
  float f;
  memcpy(&f, &u, 4);
  return f;
}
/* n random values, as floats and as what the device gets */
static float *random_real(size_t n, float spread, bool bf16, void **real) {
  float *f = malloc(n * 4);
  uint16_t *h = malloc(n * 2);
  for (size_t i = 0; i < n; i++) {
    f[i] = normal() * spread;
    h[i] = to_bf16(f[i]);
    if (bf16)
      f[i] = from_bf16(h[i]);
  }
  *real = bf16 ? (void *)h : memcpy(malloc(n * 4), f, n * 4);
  if (!bf16)
    free(h);
  return f;
}
static float *get_real(uint64_t at, size_t n, bool bf16) {
  float *f = malloc(n * 4);
  if (!bf16) {
    must(api->cuMemcpyDtoH(f, at, n * 4), "download");
    return f;
  }
  uint16_t *h = malloc(n * 2);
  must(api->cuMemcpyDtoH(h, at, n * 2), "download");
  for (size_t i = 0; i < n; i++)
    f[i] = from_bf16(h[i]);
  free(h);
  return f;
}

/* ---- the definition ---- */

typedef struct {
  shape s;
  const float *qkv, *dout;
  const int32_t *first;
  double *out, *lse, *dqkv;
  uint32_t from, step; /* (b, key head) pairs of this thread */
} reference;

static double dot(const float *x, const float *y, uint32_t n) {
  double d = 0;
  for (uint32_t i = 0; i < n; i++)
    d += (double)x[i] * y[i];
  return d;
}

static void
one_query(const reference *r, uint32_t b, uint32_t h, uint32_t t, double *p) {
  const shape *s = &r->s;
  const uint32_t D = s->D, g = h / (s->H / s->K), f = (uint32_t)r->first[b * s->T + t];
  const size_t ld = (size_t)(s->H + 2 * s->K) * D, row = (size_t)b * s->T,
               k = (s->H + g) * D, v = k + s->K * D;
  const float *q = r->qkv + (row + t) * ld + h * D,
              *dO = r->dout + ((row + t) * s->H + h) * D;
  double *o = r->out + ((row + t) * s->H + h) * D, top = -1e300, sum = 0, delta = 0,
         scale = 1 / sqrt(D);
  for (uint32_t j = f; j <= t; j++) {
    p[j] = dot(q, r->qkv + (row + j) * ld + k, D) * scale;
    top = fmax(top, p[j]);
  }
  for (uint32_t j = f; j <= t; j++)
    sum += p[j] = exp(p[j] - top);
  r->lse[((size_t)b * s->H + h) * s->T + t] = top + log(sum);
  for (uint32_t j = f; j <= t; j++) {
    p[j] /= sum;
    for (uint32_t c = 0; c < D; c++)
      o[c] += p[j] * r->qkv[(row + j) * ld + v + c];
  }
  for (uint32_t c = 0; c < D; c++)
    delta += dO[c] * o[c];
  for (uint32_t j = f; j <= t; j++) {
    const size_t key = (row + j) * ld;
    const double ds = p[j] * (dot(dO, r->qkv + key + v, D) - delta) * scale;
    for (uint32_t c = 0; c < D; c++) {
      r->dqkv[key + v + c] += p[j] * dO[c];
      r->dqkv[key + k + c] += ds * q[c];
      r->dqkv[(row + t) * ld + h * D + c] += ds * r->qkv[key + k + c];
    }
  }
}

static void *reference_thread(void *arg) {
  const reference *r = arg;
  double *p = malloc(r->s.T * sizeof *p);
  const uint32_t group = r->s.H / r->s.K;
  for (uint32_t i = r->from; i < r->s.B * r->s.K; i += r->step)
    for (uint32_t h = 0; h < group; h++)
      for (uint32_t t = 0; t < r->s.T; t++)
        one_query(r, i / r->s.K, i % r->s.K * group + h, t, p);
  free(p);
  return NULL;
}

static void run_reference(reference r) {
  pthread_t threads[16];
  reference parts[16];
  for (uint32_t i = 0; i < 16; i++) {
    parts[i] = r;
    parts[i].from = i;
    parts[i].step = 16;
    pthread_create(&threads[i], NULL, reference_thread, &parts[i]);
  }
  for (int i = 0; i < 16; i++)
    pthread_join(threads[i], NULL);
}

/* ---- one shape ---- */

static double off(const float *got,
                  const double *want,
                  size_t rows,
                  size_t ld,
                  size_t from,
                  size_t n) {
  double e = 0, all = 0;
  for (size_t i = 0; i < rows; i++)
    for (size_t c = from; c < from + n; c++) {
      const double d = got[i * ld + c] - want[i * ld + c];
      e += d * d;
      all += want[i * ld + c] * want[i * ld + c];
    }
  return sqrt(e / (all + 1e-30));
}

static void documents(int32_t *first, const shape *s) {
  for (uint32_t b = 0; b < s->B; b++)
    for (uint32_t t = 0, f = 0; t < s->T; t++) {
      if (t && s->document && uniform() * s->document < 1)
        f = t;
      first[b * s->T + t] = (int32_t)f;
    }
}

static void check(shape s, bool bf16, bool deterministic, bool hopper) {
  const size_t ld = (size_t)(s.H + 2 * s.K) * s.D, rows = (size_t)s.B * s.T,
               n = rows * ld, no = rows * s.H * s.D, nl = (size_t)s.B * s.H * s.T,
               real = bf16 ? 2 : 4;
  void *qkv_real, *dout_real;
  reference r = {.s = s};
  r.qkv = random_real(n, 1.5f, bf16, &qkv_real);
  r.dout = random_real(no, 1, bf16, &dout_real);
  int32_t *first = malloc(rows * 4);
  documents(first, &s);
  r.first = first;
  r.out = calloc(no, 8);
  r.lse = calloc(nl, 8);
  r.dqkv = calloc(n, 8);
  run_reference(r);
  uint64_t qkv = device_copy(qkv_real, n * real),
           dout = device_copy(dout_real, no * real),
           firsts = device_copy(first, rows * 4), out = device(no * real),
           lse = device(nl * 4), dqkv = device(n * real);
  ww_attention_runner w = {NULL, bf16, deterministic, hopper, launch, scratch};
  ww_attention_layer a = layer_of(&s, qkv, firsts, out, lse);
  a.dout = (void *)dout;
  a.dqkv = (void *)dqkv;
  ww_attention_forward(&w, &a);
  ww_attention_backward(&w, &a);
  must(api->cuCtxSynchronize(), "running");
  float *o = get_real(out, no, bf16), *l = get_real(lse, nl, false),
        *d = get_real(dqkv, n, bf16);
  const double eo = off(o, r.out, 1, no, 0, no), el = off(l, r.lse, 1, nl, 0, nl),
               eq = off(d, r.dqkv, rows, ld, 0, s.H * s.D),
               ek = off(d, r.dqkv, rows, ld, s.H * s.D, s.K * s.D),
               ev = off(d, r.dqkv, rows, ld, (s.H + s.K) * s.D, s.K * s.D);
  bool same = true;
  if (deterministic) {
    must(api->cuMemsetD8Async(dqkv, 0xff, n * real, NULL), "memset");
    ww_attention_backward(&w, &a);
    float *again = get_real(dqkv, n, bf16);
    same = !memcmp(again, d, n * 4);
    free(again);
  }
  const double most = bf16 ? 4e-3 : 2e-6, grad = !bf16 ? 5e-6 : s.T < 64 ? 2e-2 : 8e-3;
  const bool ok = eo < most && el < (bf16 ? 1e-4 : 2e-6) && eq < grad && ek < grad &&
                  ev < grad && same;
  failures += !ok;
  printf("%s %s B %u T %u H %u K %u D %u documents %u%s: out %.1e lse %.1e dq %.1e dk "
         "%.1e dv "
         "%.1e%s\n",
         ok ? "ok  " : "FAIL", bf16 ? "bf16" : "fp32", s.B, s.T, s.H, s.K, s.D,
         s.document, deterministic ? " deterministic" : "", eo, el, eq, ek, ev,
         same ? "" : " NOT THE SAME BITS");
  uint64_t all[] = {qkv, dout, firsts, out, lse, dqkv};
  for (int i = 0; i < 6; i++)
    api->cuMemFree(all[i]);
  free(o);
  free(l);
  free(d);
  free(first);
  free(r.out);
  free(r.lse);
  free(r.dqkv);
  free(qkv_real);
  free(dout_real);
  free((void *)r.qkv);
  free((void *)r.dout);
}

/* ---- speed ---- */

static double median_ms(int n, void (*fn)(void *), void *ctx) {
  void *from, *to;
  float ms[64];
  must(api->cuEventCreate(&from, 0), "event");
  must(api->cuEventCreate(&to, 0), "event");
  for (int i = 0; i < 3; i++)
    fn(ctx);
  for (int i = 0; i < n; i++) {
    must(api->cuEventRecord(from, NULL), "event");
    fn(ctx);
    must(api->cuEventRecord(to, NULL), "event");
    must(api->cuEventSynchronize(to), "timing");
    must(api->cuEventElapsedTime(&ms[i], from, to), "event");
    for (int j = i; j > 0 && ms[j] < ms[j - 1]; j--) {
      float x = ms[j];
      ms[j] = ms[j - 1];
      ms[j - 1] = x;
    }
  }
  api->cuEventDestroy(from);
  api->cuEventDestroy(to);
  return ms[n / 2];
}

typedef struct {
  shape s;
  bool deterministic, hopper;
  uint64_t qkv, dout, firsts, out, lse, dqkv;
} timing;
static void time_forward(void *ctx) {
  timing *t = ctx;
  ww_attention_runner w = {NULL, true, t->deterministic, t->hopper, launch, scratch};
  ww_attention_layer a = layer_of(&t->s, t->qkv, t->firsts, t->out, t->lse);
  ww_attention_forward(&w, &a);
}
static void time_backward(void *ctx) {
  timing *t = ctx;
  ww_attention_runner w = {NULL, true, t->deterministic, t->hopper, launch, scratch};
  ww_attention_layer a = layer_of(&t->s, t->qkv, t->firsts, t->out, t->lse);
  a.dout = (void *)t->dout;
  a.dqkv = (void *)t->dqkv;
  ww_attention_backward(&w, &a);
}

#define PATTERN 1000003 /* random values, over and over */
static uint16_t *repeat(const void *pattern, size_t n) {
  uint16_t *x = malloc(n * 2);
  for (size_t i = 0; i < n; i += PATTERN)
    memcpy(x + i, pattern, (n - i < PATTERN ? n - i : PATTERN) * 2);
  return x;
}

static void speed(shape s, bool hopper) {
  const size_t ld = (size_t)(s.H + 2 * s.K) * s.D, rows = (size_t)s.B * s.T,
               n = rows * ld, no = rows * s.H * s.D;
  void *pattern;
  int32_t *first = malloc(rows * 4);
  free(random_real(PATTERN, 1, true, &pattern));
  uint16_t *qkv = repeat(pattern, n), *dout = repeat(pattern, no);
  documents(first, &s);
  timing t = {s,
              false,
              hopper,
              device_copy(qkv, n * 2),
              device_copy(dout, no * 2),
              device_copy(first, rows * 4),
              device(no * 2),
              device((size_t)s.B * s.H * s.T * 4),
              device(n * 2)};
  const double flops =
      2.0 * s.B * s.H * s.T * s.T * s.D; /* two products over the causal half */
  const double f = median_ms(30, time_forward, &t),
               b = median_ms(30, time_backward, &t);
  t.deterministic = true;
  const double d = median_ms(30, time_backward, &t);
  printf("B %u T %u H %u K %u D %u: forward %.3f ms %.0f TFLOP/s, backward %.3f ms "
         "%.0f TFLOP/s, "
         "deterministic %.3f ms %.0f\n",
         s.B, s.T, s.H, s.K, s.D, f, flops / f / 1e9, b, 2.5 * flops / b / 1e9, d,
         2.5 * flops / d / 1e9);
  uint64_t all[] = {t.qkv, t.dout, t.firsts, t.out, t.lse, t.dqkv};
  for (int i = 0; i < 6; i++)
    api->cuMemFree(all[i]);
  free(qkv);
  free(dout);
  free(first);
  free(pattern);
}

/* ---- main ---- */

static void *load(const char *folder, const char *unit) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.fatbin", folder, unit);
  FILE *f = fopen(path, "rb");
  if (!f) {
    snprintf(path, sizeof path, "%s/%s.cubin", folder, unit);
    f = fopen(path, "rb");
  }
  if (!f) {
    printf("FAIL no %s\n", path);
    exit(1);
  }
  char *image = malloc(8 << 20);
  if (!fread(image, 1, 8 << 20, f))
    exit(1);
  fclose(f);
  void *module;
  must(api->cuModuleLoadData(&module, image), path);
  free(image);
  return module;
}

static void find_kernels(const char *folder) {
  const char *units[] = {"attention_forward", "attention_backward", "attention_plain",
                         "attention_hopper"};
  void *modules[4];
  for (int i = 0; i < 4; i++)
    modules[i] = load(folder, units[i]);
  for (int i = 0; i < WW_NATTENTION; i++)
    for (int u = 0; u < 4; u++)
      if (!strcmp(units[u], kernels[i].unit))
        must(api->cuModuleGetFunction(&functions[i], modules[u], kernels[i].name),
             kernels[i].name);
}

static void check_all(bool hopper, bool all) {
  static const shape shapes[] = {
      {1, 64, 1, 1, 64, 0},     {2, 333, 4, 4, 64, 0},   {3, 500, 4, 2, 64, 70},
      {1, 1000, 8, 2, 64, 300}, {2, 257, 8, 1, 128, 0},  {1, 700, 4, 2, 128, 100},
      {2, 190, 2, 2, 16, 20},   {1, 300, 4, 1, 96, 50},  {1, 7, 2, 1, 64, 0},
      {1, 450, 2, 1, 64, 5},    {1, 1100, 2, 2, 128, 5}, {1, 130, 2, 1, 20, 40},
      {2, 1024, 4, 4, 64, 0},   {1, 1024, 6, 2, 128, 0}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    if (!all && k % 3 != 2)
      continue; /* of a variant a few are enough */
    check(shapes[k], true, false, hopper);
    check(shapes[k], true, true, hopper);
    if (!hopper && k < 8)
      check(shapes[k], false, true, false);
  }
}

static void speed_all(bool hopper) {
  speed((shape){16, 1024, 12, 12, 64, 0}, hopper);
  speed((shape){32, 1024, 12, 12, 64, 0}, hopper);
  speed((shape){32, 1024, 8, 8, 64, 0}, hopper);
  speed((shape){8, 1024, 32, 8, 64, 0}, hopper);
  speed((shape){8, 1024, 24, 8, 128, 0}, hopper);
  speed((shape){16, 1024, 12, 12, 64, 200}, hopper);
  speed((shape){1, 8192, 16, 16, 128, 0}, hopper);
}

int main(int argc, char **argv) {
  int major = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  ww_err e = {0};
  void *context;
  if (ww_cuda_open(&api, &e)) {
    printf("# SKIP %s\n", e.msg);
    return 0;
  }
  must(api->cuDevicePrimaryCtxRetain(&context, 0), "device");
  must(api->cuCtxSetCurrent(context), "device");
  must(api->cuDeviceGetAttribute(&major, WW_CUDA_CAPABILITY_MAJOR, 0), "device");
  const bool times_only = argc > 1 && !strcmp(argv[1], "--times");
  for (int i = 1 + times_only; i < argc; i++) {
    find_kernels(argv[i]);
    for (int hopper = 0; hopper <= (major == 9); hopper++) {
      if (i > 1 && hopper < (major == 9))
        continue;
      printf("# %s%s\n", argv[i], hopper ? ", products of warpgroups" : "");
      if (!times_only)
        check_all(hopper, i == 1);
      speed_all(hopper);
    }
  }
  printf("%d failed\n", failures);
  return failures != 0;
}
