/* lm_ops.c - every layer of training on this machine's GPU against the CPU's, and how
 * fast it is.
 *
 *   lm_ops [--no-times]
 *
 * Prints TAP. Each case has random inputs (in bf16: rounded to it first, so that both
 * sides begin with the same numbers), runs once on the CPU and twice on the GPU. A
 * value may be off by `tolerance` x (its own size + the root mean square of all), and
 * the two GPU runs must agree in every bit. The table at the end has the shapes of a
 * 125M model, 16 x 1024 tokens. */
#include <math.h>
#include <stdlib.h>

#include "../../src/lm/ops.h"

#define MOST 12 /* buffers of a case */

typedef enum { REAL, FLOAT, INT } kind;
typedef struct {
  kind kind;
  size_t n;
  float *f;         /* initial values of REAL and FLOAT */
  int32_t *i;       /* of INT */
  double tolerance; /* 0: an input */
} buffer;

typedef struct {
  ww_ops *cpu, *gpu;
  buffer b[MOST];
  int n;
  uint32_t d[8]; /* dimensions, for the call */
  float f[8];
  int done, bad;
} test;
typedef void (*call_fn)(ww_ops *o, void **p, const test *t);

/* ---- random numbers ---- */

static uint64_t seed = 88172645463325252ull;
static double uniform(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static float normal(void) {
  return (float)(sqrt(-2 * log(uniform() + 1e-300)) *
                 cos(6.283185307179586 * uniform()));
}

/* ---- buffers of a case ---- */

static double tolerance_of(const test *t, double f32, double bf16) {
  return t->gpu->real == WW_DTYPE_BF16 ? bf16 : f32;
}

static float *add_floats(test *t, kind k, size_t n, float size, double tolerance) {
  buffer *b = &t->b[t->n++];
  *b = (buffer){.kind = k,
                .n = n,
                .tolerance = tolerance,
                .f = ww_xmalloc((n + 1) * sizeof(float))};
  for (size_t i = 0; i < n; i++)
    b->f[i] = normal() * size;
  if (k == REAL && t->gpu->real == WW_DTYPE_BF16) {
    uint16_t *half = ww_xmalloc((n + 1) * 2);
    ww_from_f32(half, WW_DTYPE_BF16, b->f, n);
    ww_to_f32(b->f, half, WW_DTYPE_BF16, n);
    free(half);
  }
  return b->f;
}
static int32_t *add_ints(test *t, size_t n) {
  buffer *b = &t->b[t->n++];
  *b = (buffer){.kind = INT, .n = n, .i = ww_xcalloc(n + 1, sizeof(int32_t))};
  return b->i;
}
#define IN(n, size) add_floats(t, REAL, n, size, 0)
#define OUT(n, size, f32, bf16) add_floats(t, REAL, n, size, tolerance_of(t, f32, bf16))
#define IN_FLOAT(n, size) add_floats(t, FLOAT, n, size, 0)
#define OUT_FLOAT(n, size, f32, bf16) \
  add_floats(t, FLOAT, n, size, tolerance_of(t, f32, bf16))

static size_t bytes_of(const buffer *b, const ww_ops *o) {
  return b->n * (b->kind == REAL && o->real == WW_DTYPE_BF16 ? 2 : 4);
}

static void put(ww_ops *o, const buffer *b, void *to) {
  if (b->kind == REAL && o->real == WW_DTYPE_BF16) {
    uint16_t *half = ww_xmalloc(b->n * 2 + 2);
    ww_from_f32(half, WW_DTYPE_BF16, b->f, b->n);
    o->upload(o, to, half, b->n * 2);
    free(half);
  } else
    o->upload(o, to, b->kind == INT ? (const void *)b->i : b->f, b->n * 4);
}

static void get(ww_ops *o, const buffer *b, const void *from, float *to) {
  if (b->kind == REAL && o->real == WW_DTYPE_BF16) {
    uint16_t *half = ww_xmalloc(b->n * 2 + 2);
    o->download(o, half, from, b->n * 2);
    ww_to_f32(to, half, WW_DTYPE_BF16, b->n);
    free(half);
  } else
    o->download(o, to, from, b->n * 4);
}

/* Inputs up, the call, what is checked back: result[i] for buffer i. */
static ww_status run(test *t, ww_ops *o, call_fn call, float **result, ww_err *e) {
  void *p[MOST] = {0};
  for (int i = 0; i < t->n; i++) {
    p[i] = o->alloc(o, bytes_of(&t->b[i], o));
    if (p[i])
      put(o, &t->b[i], p[i]);
  }
  call(o, p, t);
  for (int i = 0; i < t->n; i++) {
    result[i] = ww_xcalloc(t->b[i].n + 1, sizeof(float));
    if (t->b[i].tolerance > 0)
      get(o, &t->b[i], p[i], result[i]);
  }
  ww_status st = o->finish(o, e);
  for (int i = 0; i < t->n; i++)
    o->release(o, p[i]);
  return st;
}

/* ---- the verdict ---- */

/* The worst error in units of the tolerance; *at: where. */
static double worst(const buffer *b, const float *want, const float *got, size_t *at) {
  double squares = 0, most = 0;
  for (size_t i = 0; i < b->n; i++)
    if (isfinite(want[i]))
      squares += (double)want[i] * want[i];
  double rms = sqrt(squares / (double)(b->n ? b->n : 1)) + 1e-30;
  for (size_t i = 0; i < b->n; i++) {
    double off =
        fabs((double)got[i] - want[i]) / (b->tolerance * (fabs((double)want[i]) + rms));
    if (isnan(want[i]) || isnan(got[i]))
      off = isnan(want[i]) && isnan(got[i]) ? 0 : INFINITY;
    if (off > most) {
      most = off;
      *at = i;
    }
  }
  return most;
}

/* A failure stays with the device that had it. */
static void reopen(test *t) {
  ww_dtype real = t->gpu->real;
  ww_err e = {0};
  t->gpu->close(t->gpu);
  if (!ww_ops_cuda(0, real, &t->gpu, &e))
    return;
  printf("Bail out! the device is lost: %s\n", e.msg);
  exit(1);
}

static void check(test *t, const char *name, call_fn call) {
  float *want[MOST], *got[MOST], *again[MOST];
  ww_err e = {0};
  char why[512] = "";
  double most = 0;
  ww_status st = run(t, t->cpu, call, want, &e);
  if (!st)
    st = run(t, t->gpu, call, got, &e);
  if (!st)
    st = run(t, t->gpu, call, again, &e);
  if (st)
    snprintf(why, sizeof why, "%s", e.msg);
  for (int i = 0; i < t->n && !st; i++) {
    const buffer *b = &t->b[i];
    size_t at = 0;
    if (b->tolerance <= 0)
      continue;
    double off = worst(b, want[i], got[i], &at);
    if (off > most)
      most = off;
    if (!(off <= 1) && !*why)
      snprintf(why, sizeof why,
               "buffer %d at %zu: %.9g, the CPU has %.9g (%.1f x the tolerance %g)", i,
               at, (double)got[i][at], (double)want[i][at], off, b->tolerance);
    if (memcmp(got[i], again[i], b->n * sizeof(float)) && !*why)
      snprintf(why, sizeof why, "buffer %d: a second run gives other bits", i);
  }
  t->done++;
  t->bad += *why != 0;
  printf("%sok %d - %s %s", *why ? "not " : "", t->done,
         t->gpu->real == WW_DTYPE_BF16 ? "bf16" : "fp32", name);
  printf(*why ? "\n# %s\n" : " # off by %s%.2f of the tolerance\n", *why ? why : "",
         most);
  fflush(stdout);
  for (int i = 0; i < t->n; i++) {
    if (!st) {
      free(want[i]);
      free(got[i]);
      free(again[i]);
    }
    free(t->b[i].f);
    free(t->b[i].i);
  }
  t->n = 0;
  if (st)
    reopen(t);
}

static const char *text(const char *fmt, ...) {
  static char s[128];
  va_list a;
  va_start(a, fmt);
  vsnprintf(s, sizeof s, fmt, a);
  va_end(a);
  return s;
}

/* ---- the cases: what lies in p[] is in the order of the buffers ---- */

static void call_embed(ww_ops *o, void **p, const test *t) {
  o->gather_rows(o, p[0], p[2], p[1], t->d[0], t->d[1]);
}
static void call_embed_back(ww_ops *o, void **p, const test *t) {
  o->embed_backward(o, p[0], p[1], p[2], p[3], p[4], t->d[2], t->d[0], t->d[1]);
}

/* `common`: the share of positions that have token 0. */
static void embed_case(test *t, uint32_t N, uint32_t C, uint32_t V, double common) {
  int32_t *token = ww_xmalloc(N * sizeof *token),
          *count = ww_xcalloc(V + 1, sizeof *count), *order, *first, *id;
  for (uint32_t i = 0; i < N; i++)
    token[i] = uniform() < common ? 0 : (int32_t)(uniform() * V);
  t->d[0] = N;
  t->d[1] = C;
  OUT((size_t)N * C, 1, 1e-6, 1e-6);
  memcpy(add_ints(t, N), token, N * sizeof *token);
  IN((size_t)V * C, 1);
  check(t, text("embed_forward N=%u C=%u V=%u", N, C, V), call_embed);
  for (uint32_t i = 0; i < N; i++)
    count[token[i]]++;
  uint32_t U = 0, at = 0;
  OUT_FLOAT((size_t)V * C, 1, 1e-5, 1e-5);
  IN((size_t)N * C, 1);
  order = add_ints(t, N);
  first = add_ints(t, V + 1);
  id = add_ints(t, V);
  for (uint32_t v = 0; v < V; v++) {
    if (!count[v])
      continue;
    id[U] = (int32_t)v;
    first[U++] = (int32_t)at;
    for (uint32_t i = 0; i < N; i++)
      if (token[i] == (int32_t)v)
        order[at++] = (int32_t)i;
  }
  first[U] = (int32_t)at;
  t->d[2] = U;
  check(t, text("embed_backward N=%u C=%u V=%u common %.2f", N, C, V, common),
        call_embed_back);
  free(token);
  free(count);
}

static ww_linear linear_of(const test *t, const void *weight) {
  return (ww_linear){weight, t->d[0], t->d[1], t->d[2], t->d[4], t->d[3]};
}
static void call_forward(ww_ops *o, void **p, const test *t) {
  const ww_linear l = linear_of(t, p[2]);
  ww_linear_forward(o, &l, p[0], p[1], t->d[5] ? p[3] : NULL, t->d[6]);
}
static void call_dinp(ww_ops *o, void **p, const test *t) {
  const ww_linear l = linear_of(t, p[2]);
  ww_linear_dinp(o, &l, p[0], p[1], t->d[6]);
}
static void call_dweight(ww_ops *o, void **p, const test *t) {
  const ww_linear l = linear_of(t, NULL);
  ww_linear_dweight(o, &l, p[0], t->d[5] ? p[1] : NULL, p[2], p[3]);
}

static void matmul_case(
    test *t, uint32_t N, uint32_t C, uint32_t OC, uint32_t more, bool bias, bool add) {
  uint32_t ldo = OC + more, ldi = C + more;
  const uint32_t d[] = {N, C, OC, ldo, ldi, bias, add};
  memcpy(t->d, d, sizeof d);
  OUT((size_t)N * ldo, 1, 2e-5, 1e-2);
  IN((size_t)N * ldi, 1);
  IN((size_t)OC * C, 1);
  IN(OC, 4);
  check(t,
        text("matmul_forward N=%u C=%u OC=%u +%u%s%s", N, C, OC, more,
             bias ? " bias" : "", add ? " add" : ""),
        call_forward);
  OUT((size_t)N * ldi, 1, 2e-5, 1e-2);
  IN((size_t)N * ldo, 1);
  IN((size_t)OC * C, 1);
  check(t, text("matmul_dinp N=%u C=%u OC=%u +%u%s", N, C, OC, more, add ? " add" : ""),
        call_dinp);
  OUT_FLOAT((size_t)OC * C, 1, 5e-5, 5e-5);
  OUT_FLOAT(OC, 1, 5e-5, 5e-5);
  IN((size_t)N * ldo, 1);
  IN((size_t)N * ldi, 1);
  check(
      t,
      text("matmul_dweight N=%u C=%u OC=%u +%u%s", N, C, OC, more, bias ? " bias" : ""),
      call_dweight);
}

static void call_norm(ww_ops *o, void **p, const test *t) {
  o->rmsnorm_forward(o, p[0], p[1], p[2], p[3], t->d[2] ? p[4] : NULL, p[5], 1e-5f,
                     t->d[0], t->d[1]);
}
static void call_norm_back(ww_ops *o, void **p, const test *t) {
  o->rmsnorm_backward(o, p[0], t->d[2] ? p[1] : NULL, p[2], p[3], p[4], p[5], t->d[0],
                      t->d[1]);
}
static void norm_case(test *t, uint32_t N, uint32_t C, bool branch) {
  size_t n = (size_t)N * C;
  t->d[0] = N;
  t->d[1] = C;
  t->d[2] = branch;
  OUT(n, 1, 1e-5, 1.2e-2);
  OUT_FLOAT(N, 1, 1e-5, 2e-3);
  OUT(n, 1, 1e-6, 4e-3);
  IN(n, 1);
  IN(n, 1);
  IN(C, 1);
  check(t, text("rmsnorm_forward N=%u C=%u%s", N, C, branch ? " branch" : ""),
        call_norm);
  OUT(n, 1, 1e-5, 6e-3);
  OUT_FLOAT(C, 1, 2e-5, 2e-5);
  IN(n, 1);
  IN(n, 1);
  IN(C, 1);
  float *rstd = IN_FLOAT(N, 1);
  for (uint32_t i = 0; i < N; i++)
    rstd[i] = 0.5f + fabsf(rstd[i]);
  check(t, text("rmsnorm_backward N=%u C=%u", N, C), call_norm_back);
}

static void call_rope(ww_ops *o, void **p, const test *t) {
  o->rope(o, p[0], t->d[1], p[1], p[2], t->d[0], t->d[2], t->d[3], t->d[4]);
}
static void
rope_case(test *t, uint32_t N, uint32_t heads, uint32_t D, uint32_t more, bool back) {
  const uint32_t d[] = {N, heads * D + more, heads, D, back};
  memcpy(t->d, d, sizeof d);
  OUT((size_t)N * d[1], 1, 1e-5, 6e-3);
  int32_t *position = add_ints(t, N);
  for (uint32_t i = 0; i < N; i++)
    position[i] = (int32_t)(uniform() * 64);
  float *table = IN_FLOAT(64 * D, 1);
  for (uint32_t i = 0; i < 32 * D; i++) {
    table[2 * i] = cosf((float)i);
    table[2 * i + 1] = sinf((float)i);
  }
  check(t, text("rope N=%u heads=%u D=%u%s", N, heads, D, back ? " back" : ""),
        call_rope);
}

static void call_swiglu(ww_ops *o, void **p, const test *t) {
  o->swiglu_forward(o, p[0], p[1], t->d[0], t->d[1]);
}
static void call_swiglu_back(ww_ops *o, void **p, const test *t) {
  o->swiglu_backward(o, p[0], p[1], p[2], t->d[0], t->d[1]);
}
static void swiglu_case(test *t, uint32_t N, uint32_t F) {
  size_t n = (size_t)N * F;
  t->d[0] = N;
  t->d[1] = F;
  OUT(n, 1, 1e-5, 6e-3);
  IN(2 * n, 2);
  check(t, text("swiglu_forward N=%u F=%u", N, F), call_swiglu);
  OUT(2 * n, 1, 1e-5, 6e-3);
  IN(n, 1);
  IN(2 * n, 2);
  check(t, text("swiglu_backward N=%u F=%u", N, F), call_swiglu_back);
}

/* p: out, lse, qkv, first; d: B, T, H, K, D */
static ww_attention_layer attention_of(void **p, const uint32_t *d) {
  return (ww_attention_layer){.out = p[0],
                              .lse = p[1],
                              .qkv = p[2],
                              .first = p[3],
                              .B = d[0],
                              .T = d[1],
                              .H = d[2],
                              .K = d[3],
                              .D = d[4]};
}
static void call_attention(ww_ops *o, void **p, const test *t) {
  ww_attention_layer a = attention_of(p, t->d);
  o->attention_forward(o, &a);
}
/* Forward first: backward takes its results. */
static void call_attention_back(ww_ops *o, void **p, const test *t) {
  ww_attention_layer a = attention_of(p + 2, t->d);
  a.dqkv = p[0];
  a.dout = p[1];
  o->attention_forward(o, &a);
  o->attention_backward(o, &a);
}
static void documents(test *t, uint32_t B, uint32_t T) {
  int32_t *first = add_ints(t, (size_t)B * T);
  for (uint32_t b = 0; b < B; b++)
    for (uint32_t i = 1; i < T; i++)
      first[b * T + i] = uniform() < 0.03 ? (int32_t)i : first[b * T + i - 1];
}
static void
attention_case(test *t, uint32_t B, uint32_t T, uint32_t H, uint32_t K, uint32_t D) {
  const uint32_t d[] = {B, T, H, K, D};
  size_t q = (size_t)B * T * H * D, all = (size_t)B * T * (H + 2 * K) * D;
  memcpy(t->d, d, sizeof d);
  OUT(q, 1, 2e-5, 1.5e-2);
  OUT_FLOAT((size_t)B * H * T, 1, 1e-4, 1e-3);
  IN(all, 1);
  documents(t, B, T);
  check(t, text("attention_forward B=%u T=%u H=%u K=%u D=%u", B, T, H, K, D),
        call_attention);
  OUT(all, 1, 5e-5, 3e-2);
  IN(q, 1);
  IN(q, 1);
  IN_FLOAT((size_t)B * H * T, 1);
  IN(all, 1);
  documents(t, B, T);
  t->gpu->deterministic = true;
  check(t, text("attention_backward B=%u T=%u H=%u K=%u D=%u", B, T, H, K, D),
        call_attention_back);
  t->gpu->deterministic = false;
}

static void call_token_loss(ww_ops *o, void **p, const test *t) {
  o->token_loss(o, p[0], p[1], p[2], NULL, t->f[0], t->d[0], t->d[1]);
}
static void token_case(test *t, uint32_t N, uint32_t V) {
  t->d[0] = N;
  t->d[1] = V;
  t->f[0] = 0.125f;
  OUT_FLOAT(N, 1, 1e-5, 1e-5);
  OUT((size_t)N * V, 3, 1e-4, 6e-3);
  int32_t *target = add_ints(t, N);
  for (uint32_t i = 0; i < N; i++)
    target[i] = i % 5 == 3 ? -1 : (int32_t)(uniform() * V);
  target[0] = (int32_t)V - 1;
  check(t, text("token_loss N=%u V=%u", N, V), call_token_loss);
}

static void call_number_loss(ww_ops *o, void **p, const test *t) {
  o->number_loss(o, p[0], p[1], p[2], p[3], t->f[0], t->d[0], t->d[1]);
}
static void number_case(test *t, uint32_t n, uint32_t K) {
  t->d[0] = n;
  t->d[1] = K;
  t->f[0] = 0.25f;
  OUT_FLOAT(n, 1, 1e-5, 1e-5);
  OUT((size_t)n * 2 * K, 1, 1e-5, 6e-3);
  IN((size_t)n * 2 * K, 3);
  float *target = IN_FLOAT((size_t)n * K, 3);
  for (size_t i = 0; i < (size_t)n * K; i++)
    if (i % 4 == 1)
      target[i] = NAN;
  check(t, text("number_loss n=%u K=%u", n, K), call_number_loss);
}

static void call_gather(ww_ops *o, void **p, const test *t) {
  o->gather_rows(o, p[0], p[1], p[2], t->d[0], t->d[1]);
}
static void call_scatter(ww_ops *o, void **p, const test *t) {
  o->scatter_add_rows(o, p[0], p[1], p[2], t->d[0], t->d[1]);
}
static void call_scale(ww_ops *o, void **p, const test *t) {
  o->column_scale(o, p[0], t->f[0], (uint64_t)t->d[0] * t->d[1]);
}
static void call_dropout(ww_ops *o, void **p, const test *t) {
  o->dropout(o, p[0], p[1], t->f[0], 0x123456789abcdefull, (uint64_t)t->d[0] * t->d[1]);
}
static void call_convert(ww_ops *o, void **p, const test *t) {
  o->to_real(o, p[0], p[1], t->d[0] * (uint64_t)t->d[1]);
  o->to_f32(o, p[2], p[3], t->d[0] * (uint64_t)t->d[1]);
}
static void rows_case(test *t, uint32_t n, uint32_t C) {
  uint32_t all = 3 * n;
  t->d[0] = n;
  t->d[1] = C;
  t->f[0] = 0.37f;
  OUT((size_t)n * C, 1, 1e-7, 1e-7);
  IN((size_t)all * C, 1);
  int32_t *row = add_ints(t, n);
  for (uint32_t i = 0; i < n; i++)
    row[i] = (int32_t)(all - 1 - 2 * i);
  check(t, text("gather_rows n=%u C=%u", n, C), call_gather);
  OUT((size_t)all * C, 1, 1e-6, 6e-3);
  IN((size_t)n * C, 1);
  row = add_ints(t, n);
  for (uint32_t i = 0; i < n; i++)
    row[i] = (int32_t)(all - 1 - 2 * i);
  check(t, text("scatter_add_rows n=%u C=%u", n, C), call_scatter);
  OUT((size_t)n * C, 1, 1e-6, 6e-3);
  check(t, text("column_scale n=%u", n * C), call_scale);
  OUT((size_t)n * C, 1, 1e-6, 6e-3);
  IN((size_t)n * C, 1);
  check(t, text("dropout n=%u", n * C), call_dropout);
  OUT((size_t)n * C, 1, 1e-7, 6e-3);
  IN_FLOAT((size_t)n * C, 1);
  OUT_FLOAT((size_t)n * C, 1, 1e-7, 1e-7);
  IN((size_t)n * C, 1);
  check(t, text("to_real, to_f32 n=%u", n * C), call_convert);
}

static void call_sums(ww_ops *o, void **p, const test *t) {
  float *out = p[0];
  const float *x = (const float *)p[1] + t->d[1];
  o->sum(o, out, x, t->d[0], false);
  o->sum(o, out, x, t->d[0], true);
  o->sum_squares(o, out + 1, x, t->d[0], true);
  o->sum_squares(o, out + 1, x, t->d[0], true);
}
static void sum_case(test *t, uint32_t n, uint32_t from) {
  t->d[0] = n;
  t->d[1] = from;
  OUT_FLOAT(2, 1, 1e-5, 1e-5);
  float *x = IN_FLOAT(n + from, 1);
  for (uint32_t i = 0; i < n + from; i++)
    x[i] += 0.5f;
  check(t, text("sum, sum_squares n=%u from %u", n, from), call_sums);
}

static void call_adamw(ww_ops *o, void **p, const test *t) {
  for (uint32_t step = 1; step <= 2; step++)
    o->adamw(o, &(ww_adamw){p[0], p[1], p[2], p[3], p[4], p[5], t->d[0], 1e-2f, 0.9f,
                            0.95f, 1e-8f, 0.1f, t->f[0], step + t->d[1]});
}
static void adamw_case(test *t, uint32_t n, float clip, float squares, uint32_t step) {
  t->d[0] = n;
  t->d[1] = step;
  t->f[0] = clip;
  OUT(n, 1, 1e-5, 6e-3);
  OUT_FLOAT(n, 1, 1e-5, 1e-5);
  OUT_FLOAT(n, 0.1f, 1e-5, 1e-5);
  float *v = OUT_FLOAT(n, 0.01f, 1e-5, 1e-5);
  for (uint32_t i = 0; i < n; i++)
    v[i] = fabsf(v[i]) + 1e-4f;
  IN_FLOAT(n, 1);
  IN_FLOAT(1, 1)[0] = squares;
  check(t, text("adamw n=%u clip %g squares %g", n, (double)clip, (double)squares),
        call_adamw);
}

static void all_cases(test *t) {
  rows_case(t, 1, 1);
  rows_case(t, 37, 100);
  rows_case(t, 64, 768);
  rows_case(t, 5, 4104);
  embed_case(t, 1, 768, 50, 0);
  embed_case(t, 1000, 100, 300, 0.2);
  embed_case(t, 4096, 768, 5000, 0.1);
  embed_case(t, 515, 256, 7, 0.9);
  matmul_case(t, 256, 768, 2304, 0, false, false);
  matmul_case(t, 1, 768, 34, 0, true, false);
  matmul_case(t, 100, 72, 24, 0, false, true);
  matmul_case(t, 333, 101, 203, 0, true, true);
  matmul_case(t, 512, 512, 1536, 64, true, false);
  matmul_case(t, 2048, 2048, 1024, 0, true, true);
  norm_case(t, 1, 768, true);
  norm_case(t, 300, 100, true);
  norm_case(t, 3000, 768, true);
  norm_case(t, 129, 2048, false);
  norm_case(t, 70, 4096, true);
  norm_case(t, 1001, 384, false);
  norm_case(t, 64, 64, true);
  norm_case(t, 33, 5000, true);
  norm_case(t, 9, 16384, true);
  rope_case(t, 1, 3, 64, 0, false);
  rope_case(t, 200, 16, 128, 512, true);
  rope_case(t, 77, 5, 16, 3, false);
  rope_case(t, 40, 2, 20, 0, true);
  swiglu_case(t, 1, 2048);
  swiglu_case(t, 111, 2048);
  swiglu_case(t, 50, 5632);
  swiglu_case(t, 13, 101);
  attention_case(t, 2, 200, 4, 2, 64);
  attention_case(t, 1, 65, 2, 2, 128);
  attention_case(t, 3, 70, 4, 1, 16);
  token_case(t, 1, 32000);
  token_case(t, 40, 50257);
  token_case(t, 9, 128256);
  token_case(t, 30, 7);
  token_case(t, 64, 1024);
  number_case(t, 1, 1);
  number_case(t, 300, 17);
  sum_case(t, 1, 0);
  sum_case(t, 16384, 0);
  sum_case(t, 3000001, 1);
  sum_case(t, 1u << 20, 0);
  adamw_case(t, 1, 1, 4, 0);
  adamw_case(t, 100003, 1, 100003, 10);
  adamw_case(t, 4096, 0, 1e6f, 0);
  adamw_case(t, 4096, 1, INFINITY, 0);
  adamw_case(t, 4096, 1, NAN, 0);
}

/* ---- how fast ---- */

typedef struct {
  ww_ops *o;
  char *pool; /* random reals */
  size_t pool_bytes;
  int32_t *ints, *rising,
      *first;    /* device: random below 32000; 0, 1, 2 ...; document starts */
  float *floats; /* device, part of the pool that ints do not touch */
} rig;

#define POOL (12ull << 30)

static bool make_rig(rig *r, ww_ops *o) {
  const size_t part = 64u << 20;
  uint16_t *half = ww_xmalloc(part);
  int32_t *i = ww_xcalloc(1 << 20, sizeof *i);
  *r = (rig){.o = o, .pool_bytes = POOL, .pool = o->alloc(o, POOL)};
  r->ints = o->alloc(o, 4u << 20);
  r->rising = o->alloc(o, 4u << 20);
  r->first = o->alloc(o, 4u << 20);
  if (r->pool && r->ints && r->rising && r->first) {
    for (size_t k = 0; k < part / 2;
         k++) { /* bf16 whose halves of a float are harmless too */
      float x = normal() * 0.1f;
      ww_from_f32(&half[k], WW_DTYPE_BF16, &x, 1);
    }
    o->upload(o, r->pool, half, part);
    for (size_t at = part; at < POOL; at += part)
      o->copy(o, r->pool + at, r->pool, part);
    for (int k = 0; k < 1 << 20; k++)
      i[k] = (int32_t)(uniform() * 32000);
    o->upload(o, r->ints, i, 4u << 20);
    for (int k = 0; k < 1 << 20; k++)
      i[k] = k;
    o->upload(o, r->rising, i, 4u << 20);
  }
  free(half);
  free(i);
  return r->pool && r->ints && r->rising && r->first;
}

typedef void (*time_fn)(const rig *r, char *const *p, const uint32_t *d);

/* Milliseconds of one call; p[] are areas of the pool, `bytes[i]` long each. */
static double
time_of(const rig *r, time_fn f, const size_t *bytes, int n, const uint32_t *d) {
  char *p[8];
  size_t at = 0;
  for (int i = 0; i < n; i++) {
    p[i] = r->pool + at;
    at += (bytes[i] + 511) / 512 * 512;
  }
  if (at > r->pool_bytes)
    return NAN;
  for (int i = 0; i < 2; i++)
    f(r, p, d);
  r->o->finish(r->o, NULL);
  int times = 10;
  double from = ww_now();
  for (int i = 0; i < times; i++)
    f(r, p, d);
  r->o->finish(r->o, NULL);
  return (ww_now() - from) / times * 1e3;
}

static void show(const char *name, double ms, double bytes, double flops) {
  printf("# %-44s %8.3f ms", name, ms);
  if (bytes > 0)
    printf(" %8.0f GB/s", bytes / ms * 1e-6);
  if (flops > 0)
    printf(" %8.1f TFLOP/s", flops / ms * 1e-9);
  printf("\n");
  fflush(stdout);
}

#define TIME(name) static void name(const rig *r, char *const *p, const uint32_t *d)
TIME(t_norm) {
  r->o->rmsnorm_forward(r->o, p[0], (float *)p[4], p[1], p[2], p[3], p[5], 1e-5f, d[0],
                        d[1]);
}
TIME(t_norm_back) {
  r->o->rmsnorm_backward(r->o, p[0], (float *)p[4], p[1], p[2], p[5], (float *)p[3],
                         d[0], d[1]);
}
TIME(t_rope) {
  r->o->rope(r->o, p[0], d[1], r->ints, (float *)p[1], d[0], d[2], d[3], false);
}
TIME(t_swiglu) {
  r->o->swiglu_forward(r->o, p[0], p[1], d[0], d[1]);
}
TIME(t_swiglu_back) {
  r->o->swiglu_backward(r->o, p[0], p[1], p[2], d[0], d[1]);
}
TIME(t_loss) {
  r->o->token_loss(r->o, (float *)p[1], p[0], r->ints, NULL, 1e-3f, d[0], d[1]);
}
TIME(t_embed) {
  r->o->gather_rows(r->o, p[0], p[1], r->ints, d[0], d[1]);
}
TIME(t_embed_back) {
  r->o->embed_backward(r->o, (float *)p[0], p[1], r->rising, r->rising, r->ints, d[0],
                       d[0], d[1]);
}
TIME(t_squares) {
  r->o->sum_squares(r->o, (float *)p[1], (float *)p[0], (uint64_t)d[0] << 10, false);
}
TIME(t_zero) {
  r->o->zero(r->o, p[0], (size_t)d[0] << 12);
}
TIME(t_adamw) {
  r->o->adamw(r->o, &(ww_adamw){p[0], (float *)p[1], (float *)p[2], (float *)p[3],
                                (float *)p[4], (float *)p[5], (uint64_t)d[0] << 10,
                                1e-3f, 0.9f, 0.95f, 1e-8f, 0.1f, 1.f, 10});
}
TIME(t_forward) {
  ww_linear_forward(r->o, &(ww_linear){p[2], d[0], d[1], d[2], d[1], d[2]}, p[0], p[1],
                    NULL, false);
}
TIME(t_dinp) {
  ww_linear_dinp(r->o, &(ww_linear){p[2], d[0], d[1], d[2], d[1], d[2]}, p[1], p[0],
                 false);
}
TIME(t_dweight) {
  ww_linear_dweight(r->o, &(ww_linear){NULL, d[0], d[1], d[2], d[1], d[2]},
                    (float *)p[2], NULL, p[0], p[1]);
}
TIME(t_attention) {
  ww_attention_layer a =
      attention_of((void *[]){p[0], p[1], p[2], (void *)r->first}, d);
  r->o->attention_forward(r->o, &a);
}
TIME(t_attention_back) {
  ww_attention_layer a =
      attention_of((void *[]){p[3], p[4], p[2], (void *)r->first}, d);
  a.dqkv = p[0];
  a.dout = p[1];
  r->o->attention_backward(r->o, &a);
}
TIME(t_tiny) {
  r->o->column_scale(r->o, p[0], 1.f, d[0]);
}

static void
time_layers(const rig *r, size_t N, size_t C, size_t F, size_t H, size_t D, size_t V) {
  size_t nc = N * C * 2, nf = N * F * 2, qkv = N * 3 * H * D * 2;
  const uint32_t d[] = {(uint32_t)N, (uint32_t)C}, df[] = {(uint32_t)N, (uint32_t)F},
                 dv[] = {(uint32_t)N, (uint32_t)V};
  const uint32_t dr[] = {(uint32_t)N, (uint32_t)(3 * H * D), (uint32_t)(2 * H),
                         (uint32_t)D};
  const uint32_t da[] = {(uint32_t)(N / 1024), 1024, (uint32_t)H, (uint32_t)H,
                         (uint32_t)D};
  double score = 4.0 * (double)N * 1024 / 2 * (double)(H * D);
  printf("# tokens %zu, width %zu, hidden %zu, heads %zu x %zu, vocabulary %zu\n", N, C,
         F, H, D, V);
  show("rmsnorm_forward with branch",
       time_of(r, t_norm, (size_t[]){nc, nc, nc, nc, N * 4, C * 2}, 6, d),
       (double)nc * 4, 0);
  show("rmsnorm_backward",
       time_of(r, t_norm_back, (size_t[]){nc, nc, nc, N * 4, C * 4, C * 2}, 6, d),
       (double)nc * 4, 0);
  show("rope", time_of(r, t_rope, (size_t[]){qkv, 32000 * D * 4}, 2, dr),
       (double)qkv * 4 / 3, 0);
  show("swiglu_forward", time_of(r, t_swiglu, (size_t[]){nf, nf * 2}, 2, df),
       (double)nf * 3, 0);
  show("swiglu_backward",
       time_of(r, t_swiglu_back, (size_t[]){nf * 2, nf, nf * 2}, 3, df), (double)nf * 5,
       0);
  show("token_loss", time_of(r, t_loss, (size_t[]){N * V * 2, N * 4}, 2, dv),
       (double)(N * V) * 4, 0);
  show("embed_forward", time_of(r, t_embed, (size_t[]){nc, 32000 * C * 2}, 2, d),
       (double)nc * 2, 0);
  show("embed_backward (all different)",
       time_of(r, t_embed_back, (size_t[]){32000 * C * 4, nc}, 2, d), (double)nc * 5,
       0);
  show("attention_forward",
       time_of(r, t_attention, (size_t[]){N * H * D * 2, N * H * 4, qkv}, 3, da), 0,
       score);
  show("attention_backward",
       time_of(r, t_attention_back,
               (size_t[]){qkv, N * H * D * 2, qkv, N * H * D * 2, N * H * 4}, 5, da),
       0, score * 2.5);
}

static void
time_product(const rig *r, const char *name, size_t N, size_t C, size_t OC) {
  const uint32_t d[] = {(uint32_t)N, (uint32_t)C, (uint32_t)OC};
  const size_t bytes[] = {N * OC * 2, N * C * 2, OC * C * 4};
  double flops = 2.0 * (double)N * (double)C * (double)OC;
  show(text("%s forward %zu -> %zu", name, C, OC), time_of(r, t_forward, bytes, 3, d),
       0, flops);
  show(text("%s dinp", name), time_of(r, t_dinp, bytes, 3, d), 0, flops);
  show(text("%s dweight", name), time_of(r, t_dweight, bytes, 3, d), 0, flops);
}

static void time_optimiser(const rig *r, size_t thousands) {
  size_t n = thousands << 10;
  const uint32_t d[] = {(uint32_t)thousands};
  show(text("adamw, %zu thousand", thousands),
       time_of(r, t_adamw, (size_t[]){n * 2, n * 4, n * 4, n * 4, n * 4, 4}, 6, d),
       (double)n * 30, 0);
  show("sum_squares", time_of(r, t_squares, (size_t[]){n * 4, 4}, 2, d), (double)n * 4,
       0);
  show("zero", time_of(r, t_zero, (size_t[]){n * 4}, 1, d), (double)n * 4, 0);
}

static void time_launches(const rig *r) {
  const uint32_t d[] = {64, 64, 64};
  char *p[] = {r->pool, r->pool + (1 << 20), r->pool + (2 << 20)};
  time_fn f[] = {t_tiny, t_forward, t_norm_back};
  const char *const names[] = {"tiny kernel", "tiny matrix product",
                               "tiny rmsnorm_backward (two kernels)"};
  for (int k = 0; k < 3; k++) {
    char *q[] = {
        p[0], p[1], p[2], p[0] + (3 << 20), p[0] + (4 << 20), p[0] + (5 << 20)};
    f[k](r, q, d);
    r->o->finish(r->o, NULL);
    double from = ww_now();
    for (int i = 0; i < 1000; i++)
      f[k](r, q, d);
    double asked = ww_now() - from;
    r->o->finish(r->o, NULL);
    printf("# %s: %.2f us of the host, %.2f us until done\n", names[k], asked * 1e3,
           (ww_now() - from) * 1e3);
  }
}

static void time_all(ww_ops *o) {
  rig r;
  if (!make_rig(&r, o)) {
    printf("# no times: the device has not %d GB free\n", (int)(POOL >> 30));
    return;
  }
  time_launches(&r);
  time_layers(&r, 16384, 768, 2048, 12, 64, 32000);
  time_product(&r, "qkv", 16384, 768, 2304);
  time_product(&r, "o", 16384, 768, 768);
  time_product(&r, "gate, up", 16384, 768, 4096);
  time_product(&r, "down", 16384, 2048, 768);
  time_product(&r, "head", 16384, 768, 32000);
  time_optimiser(&r, 125000);
  time_layers(&r, 8192, 2048, 8192, 32, 64, 128256);
  time_product(&r, "1.2B gate, up", 8192, 2048, 16384);
  time_product(&r, "1.2B down", 8192, 8192, 2048);
  ww_err e = {0};
  if (o->finish(o, &e))
    printf("not ok - the timed calls: %s\n", e.msg);
}

int main(int argc, char **argv) {
  static const ww_dtype reals[] = {WW_DTYPE_F32, WW_DTYPE_BF16};
  test t = {0};
  ww_err e = {0};
  bool times = !(argc > 1 && !strcmp(argv[1], "--no-times"));
  if (ww_ops_cpu(&t.cpu, &e) || ww_ops_cuda(0, WW_DTYPE_F32, &t.gpu, &e)) {
    printf("1..0 # SKIP %s\n", e.msg);
    return e.code == WW_EDEVICE ? 0 : 1;
  }
  t.gpu->close(t.gpu);
  for (int i = 0; i < 3; i++) { /* the third: kernels that NVRTC makes here */
    double from = ww_now();
    if (i == 2)
      setenv("WARPWISE_LM_KERNELS", "nvrtc", 1);
    ww_status st = ww_ops_cuda(0, reals[i != 0], &t.gpu, &e);
    t.done++;
    t.bad += st != 0;
    printf("%sok %d - %s%s # %.2f s %s\n", st ? "not " : "", t.done,
           st ? "opening the device" : t.gpu->name, i == 2 ? " by NVRTC" : "",
           ww_now() - from, e.msg);
    if (st)
      continue;
    if (i < 2)
      all_cases(&t);
    else {
      norm_case(&t, 100, 768, true);
      token_case(&t, 10, 32000);
      attention_case(&t, 1, 130, 4, 2, 64);
    }
    if (i == 1 && times)
      time_all(t.gpu);
    t.gpu->close(t.gpu);
  }
  t.cpu->close(t.cpu);
  printf("1..%d\n# %d passed, %d failed\n", t.done, t.done - t.bad, t.bad);
  return t.bad != 0;
}
