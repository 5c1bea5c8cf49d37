/* lt.c - matrix products by cuBLASLt, opened at run time, own declarations.
 *
 * cuBLASLt counts along columns; our matrices lie in rows, so what it sees is
 * everything transposed: it is asked for D^T = B^T A^T. Descriptors and algorithm of a
 * shape are made at its first use: candidates come from the library's own heuristics,
 * and of products worth it each is timed on the device and the fastest kept. Which one
 * wins may differ between two runs of the program, and with it the last bits: with
 * `deterministic` the heuristics' first choice is taken untimed. */
#include <dlfcn.h>
#include <stdlib.h>

#include "../../cuda/cuda_toolkit.h"
#include "runtime.h"

#define PLANS 1024 /* a power of 2 */
#define CANDIDATES 32
/* of shapes that differ in the number of tokens alone; a power of 2 */
#define FAMILIES 64
#define TIMED_OF_FAMILY                                                               \
  4 /* shapes: batches that differ in length all the time are not worth a second each \
     */
#define WORTH_TIMING 1e9 /* floating-point operations */
#define AS_FAST 1.015f   /* x the fastest one's time */

/* ---- the library ---- */

enum { LT_R_32F = 0, LT_R_16BF = 14 }; /* cudaDataType */
/* cublasComputeType_t: fp32 products stay fp32, no TF32 */
enum { LT_COMPUTE_32F = 68 };
enum {
  LT_TRANSA = 3,
  LT_TRANSB = 4,
  LT_EPILOGUE = 7,
  LT_BIAS_POINTER = 8
}; /* of a product's descriptor */
enum { LT_EPILOGUE_BIAS = 4 };
enum {
  LT_PREF_WORKSPACE = 1,
  LT_PREF_ALIGN_A = 5,
  LT_PREF_ALIGN_B = 6,
  LT_PREF_ALIGN_C = 7,
  LT_PREF_ALIGN_D = 8
};

typedef struct {
  uint64_t data[8];
} lt_algorithm;
typedef struct {
  lt_algorithm algorithm;
  size_t workspace;
  int state; /* 0: usable */
  float waves;
  int reserved[4];
} lt_candidate;

typedef struct {
  int (*create)(void **handle);
  int (*destroy)(void *handle);
  int (*desc_create)(void **desc, int compute, int scale_type);
  int (*desc_destroy)(void *desc);
  int (*desc_set)(void *desc, int attribute, const void *value, size_t bytes);
  int (*layout_create)(
      void **layout, int type, uint64_t rows, uint64_t cols, int64_t ld);
  int (*layout_destroy)(void *layout);
  int (*pref_create)(void **pref);
  int (*pref_destroy)(void *pref);
  int (*pref_set)(void *pref, int attribute, const void *value, size_t bytes);
  int (*heuristic)(void *handle,
                   void *desc,
                   void *a,
                   void *b,
                   void *c,
                   void *d,
                   void *pref,
                   int most,
                   lt_candidate *found,
                   int *n);
  int (*matmul)(void *handle,
                void *desc,
                const void *alpha,
                const void *a,
                void *la,
                const void *b,
                void *lb,
                const void *beta,
                const void *c,
                void *lc,
                void *d,
                void *ld,
                const lt_algorithm *algorithm,
                void *workspace,
                size_t workspace_bytes,
                void *stream);
} lt_calls;

static const struct {
  const char *name;
  size_t at;
} call_names[] = {
    {"cublasLtCreate", offsetof(lt_calls, create)},
    {"cublasLtDestroy", offsetof(lt_calls, destroy)},
    {"cublasLtMatmulDescCreate", offsetof(lt_calls, desc_create)},
    {"cublasLtMatmulDescDestroy", offsetof(lt_calls, desc_destroy)},
    {"cublasLtMatmulDescSetAttribute", offsetof(lt_calls, desc_set)},
    {"cublasLtMatrixLayoutCreate", offsetof(lt_calls, layout_create)},
    {"cublasLtMatrixLayoutDestroy", offsetof(lt_calls, layout_destroy)},
    {"cublasLtMatmulPreferenceCreate", offsetof(lt_calls, pref_create)},
    {"cublasLtMatmulPreferenceDestroy", offsetof(lt_calls, pref_destroy)},
    {"cublasLtMatmulPreferenceSetAttribute", offsetof(lt_calls, pref_set)},
    {"cublasLtMatmulAlgoGetHeuristic", offsetof(lt_calls, heuristic)},
    {"cublasLtMatmul", offsetof(lt_calls, matmul)}};

/* Everything an algorithm depends on; no padding: compared as bytes. */
typedef struct {
  uint32_t rows, cols, depth, ldd, lda, ldb;
  uint8_t a_turned, b_turned, d_float, add, bias, deterministic;
  uint8_t align_a, align_b, align_d; /* log2 of bytes, at most 8 */
  uint8_t used;
  uint8_t reserved[2];
} plan_key;

typedef struct {
  plan_key key;
  bool usable;               /* else cuBLASLt cannot do it */
  void *desc, *la, *lb, *ld; /* la is of cuBLASLt's first matrix: our B */
  lt_algorithm algorithm;
  size_t workspace;
} plan;

struct ww_lt {
  lt_calls c;
  void *handle;
  plan plans[PLANS];
  uint32_t used;
  struct {
    uint64_t hash;
    uint32_t timed; /* shapes of it */
  } family[FAMILIES];
};

ww_lt *ww_lt_open(void) {
  void *lib = ww_cuda_library("cublasLt");
  if (!lib)
    return NULL;
  ww_lt *l = ww_xcalloc(1, sizeof *l);
  for (size_t i = 0; i < sizeof call_names / sizeof *call_names; i++) {
    void *f = dlsym(lib, call_names[i].name);
    if (!f)
      goto no;
    memcpy((char *)&l->c + call_names[i].at, &f, sizeof f);
  }
  if (!l->c.create(&l->handle))
    return l;
no:
  free(l);
  return NULL;
}

static void drop(const ww_lt *l, plan *p) {
  if (p->desc)
    l->c.desc_destroy(p->desc);
  void *layouts[] = {p->la, p->lb, p->ld};
  for (int i = 0; i < 3; i++)
    if (layouts[i])
      l->c.layout_destroy(layouts[i]);
  memset(p, 0, sizeof *p);
}

void ww_lt_close(ww_lt *l) {
  if (!l)
    return;
  for (int i = 0; i < PLANS; i++)
    drop(l, l->plans + i);
  l->c.destroy(l->handle);
  free(l);
}

/* ---- plans ---- */

static uint8_t alignment(const void *p) {
  uint8_t n = 0;
  while (n < 8 && !((uintptr_t)p >> n & 1))
    n++;
  return n;
}

static plan_key key_of(const ww_accel *g, const ww_matmul *p) {
  return (plan_key){.rows = p->rows,
                    .cols = p->cols,
                    .depth = p->depth,
                    .ldd = p->ldd,
                    .lda = p->lda,
                    .ldb = p->ldb,
                    .a_turned = p->a_turned,
                    .b_turned = p->b_turned,
                    .d_float = p->d_float,
                    .add = p->add,
                    .bias = p->bias != NULL,
                    .deterministic = g->o.deterministic,
                    .align_a = alignment(p->a),
                    .align_b = alignment(p->b),
                    .align_d = alignment(p->d),
                    .used = 1};
}

static bool make_layouts(const ww_accel *g, const ww_matmul *p, plan *t) {
  const lt_calls *c = &g->lt->c;
  int real = g->o.real == WW_DTYPE_BF16 ? LT_R_16BF : LT_R_32F;
  int turned = 1;
  int epilogue = LT_EPILOGUE_BIAS;
  uint64_t n = p->rows;
  uint64_t m = p->cols;
  uint64_t k = p->depth;
  bool failed =
      c->desc_create(&t->desc, LT_COMPUTE_32F, LT_R_32F) ||
      (p->b_turned && c->desc_set(t->desc, LT_TRANSA, &turned, sizeof turned)) ||
      (p->a_turned && c->desc_set(t->desc, LT_TRANSB, &turned, sizeof turned)) ||
      (p->bias && c->desc_set(t->desc, LT_EPILOGUE, &epilogue, sizeof epilogue)) ||
      (p->bias && c->desc_set(t->desc, LT_BIAS_POINTER, &p->bias, sizeof p->bias)) ||
      c->layout_create(&t->la, real, p->b_turned ? k : m, p->b_turned ? m : k,
                       p->ldb) ||
      c->layout_create(&t->lb, real, p->a_turned ? n : k, p->a_turned ? k : n,
                       p->lda) ||
      c->layout_create(&t->ld, p->d_float ? LT_R_32F : real, m, n, p->ldd);
  return !failed;
}

static int find_candidates(const ww_accel *g, const plan *t, lt_candidate *found) {
  const lt_calls *c = &g->lt->c;
  uint64_t workspace = WW_ACCEL_WORKSPACE;
  uint32_t a = 1u << t->key.align_b;
  uint32_t b = 1u << t->key.align_a;
  uint32_t d = 1u << t->key.align_d;
  void *pref = NULL;
  int n = 0;
  if (c->pref_create(&pref))
    return 0;
  if (c->pref_set(pref, LT_PREF_WORKSPACE, &workspace, sizeof workspace) ||
      c->pref_set(pref, LT_PREF_ALIGN_A, &a, sizeof a) ||
      c->pref_set(pref, LT_PREF_ALIGN_B, &b, sizeof b) ||
      c->pref_set(pref, LT_PREF_ALIGN_C, &d, sizeof d) ||
      c->pref_set(pref, LT_PREF_ALIGN_D, &d, sizeof d) ||
      c->heuristic(g->lt->handle, t->desc, t->la, t->lb, t->ld, t->ld, pref, CANDIDATES,
                   found, &n))
    n = 0;
  c->pref_destroy(pref);
  return n;
}

static int run(const ww_accel *g,
               const plan *t,
               const ww_matmul *p,
               void *d,
               const lt_candidate *with) {
  static const float one = 1.f;
  static const float none = 0.f;
  return g->lt->c.matmul(g->lt->handle, t->desc, &one, p->b, t->la, p->a, t->lb,
                         p->add ? &one : &none, d, t->ld, d, t->ld,
                         with ? &with->algorithm : &t->algorithm,
                         (void *)(uintptr_t)g->workspace,
                         with ? with->workspace : t->workspace, g->stream);
}

/* Milliseconds of one product, written to d; -1: it cannot be done that way. */
static float time_one(const ww_accel *g,
                      const plan *t,
                      const ww_matmul *p,
                      void *d,
                      const lt_candidate *with,
                      void *const *event) {
  int times = 2.0 * p->rows * p->cols * p->depth > 2e11 ? 5 : 10;
  float ms = -1;
  if (run(g, t, p, d, with))
    return -1; /* the first brings code and data */
  if (g->api->cuEventRecord(event[0], g->stream))
    return -1;
  for (int i = 0; i < times; i++)
    if (run(g, t, p, d, with))
      return -1;
  if (g->api->cuEventRecord(event[1], g->stream) ||
      g->api->cuEventSynchronize(event[1]))
    return -1;
  return g->api->cuEventElapsedTime(&ms, event[0], event[1]) ? -1 : ms / times;
}

/* The first of those as fast as the fastest, so that two runs of the program mostly
 * agree. */
static int first_of_fastest(const float *ms, int n) {
  float best = -1;
  for (int i = 0; i < n; i++)
    if (ms[i] > 0 && (best < 0 || ms[i] < best))
      best = ms[i];
  for (int i = 0; i < n; i++)
    if (ms[i] > 0 && ms[i] <= best * AS_FAST)
      return i;
  return 0;
}

/* Times them on a result of their own: the real one may be a sum. */
static int fastest(const ww_accel *g,
                   const plan *t,
                   const ww_matmul *p,
                   const lt_candidate *found,
                   int n) {
  size_t bytes =
      (size_t)p->rows * p->ldd * (p->d_float || g->o.real == WW_DTYPE_F32 ? 4 : 2);
  void *event[2] = {NULL, NULL};
  uint64_t d = 0;
  float ms[CANDIDATES] = {0};
  if (g->api->cuMemAlloc(&d, bytes))
    return 0;
  g->api->cuMemsetD8Async(d, 0, bytes, g->stream);
  if (!g->api->cuEventCreate(event, 0) && !g->api->cuEventCreate(event + 1, 0))
    for (int i = 0; i < n; i++)
      ms[i] = found[i].state
                  ? -1
                  : time_one(g, t, p, (void *)(uintptr_t)d, found + i, event);
  for (int i = 0; i < 2; i++)
    if (event[i])
      g->api->cuEventDestroy(event[i]);
  g->api->cuMemFree(d);
  return first_of_fastest(ms, n);
}

static bool worth_timing(const ww_accel *g, const ww_matmul *p, plan_key key) {
  ww_lt *l = g->lt;
  if (g->o.deterministic || 2.0 * p->rows * p->cols * p->depth < WORTH_TIMING)
    return false;
  *(p->a_turned ? &key.depth : &key.rows) = 0; /* the tokens */
  uint64_t h = ww_hash(&key, sizeof key, 0) | 1;
  for (uint32_t n = 0, i = h & (FAMILIES - 1); n < FAMILIES;
       n++, i = (i + 1) & (FAMILIES - 1)) {
    if (l->family[i].hash && l->family[i].hash != h)
      continue;
    l->family[i].hash = h;
    return l->family[i].timed++ < TIMED_OF_FAMILY;
  }
  return false;
}

static void make_plan(const ww_accel *g, const ww_matmul *p, plan *t) {
  lt_candidate found[CANDIDATES] = {0};
  if (!make_layouts(g, p, t))
    return;
  int n = find_candidates(g, t, found);
  int best = 0;
  if (n < 1)
    return;
  if (n > 1 && worth_timing(g, p, t->key))
    best = fastest(g, t, p, found, n);
  if (found[best].state)
    return;
  t->algorithm = found[best].algorithm;
  t->workspace = found[best].workspace;
  t->usable = true;
}

static plan *find_plan(ww_accel *g, const ww_matmul *p) {
  ww_lt *l = g->lt;
  plan_key key = key_of(g, p);
  uint32_t i = ww_hash(&key, sizeof key, 0) & (PLANS - 1);
  for (; l->plans[i].key.used; i = (i + 1) & (PLANS - 1))
    if (!memcmp(&l->plans[i].key, &key, sizeof key))
      return l->plans + i;
  if (l->used == PLANS * 3 / 4) { /* shapes that change all the time: begin anew */
    for (int j = 0; j < PLANS; j++)
      drop(l, l->plans + j);
    l->used = 0;
    i = ww_hash(&key, sizeof key, 0) & (PLANS - 1);
  }
  l->used++;
  l->plans[i].key = key;
  make_plan(g, p, l->plans + i);
  return l->plans + i;
}

bool ww_lt_multiply(ww_accel *g, const ww_matmul *p) {
  if (!g->lt)
    return false;
  plan *t = find_plan(g, p);
  if (!t->usable)
    return false;
  if (p->bias && g->lt->c.desc_set(t->desc, LT_BIAS_POINTER, &p->bias, sizeof p->bias))
    return false;
  if (!run(g, t, p, p->d, NULL))
    return true;
  t->usable = false;
  return false;
}
