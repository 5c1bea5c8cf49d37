/* sample.c - which launch of a generated kernel is compared, and its text; see diff.h.
 *
 * The generator spreads the launches of a kernel over grids and times; with few SMs and the first
 * number that is small, blocks keep their sizes and all sizes are ones that a campaign could
 * draw. */
#include "diff.h"

#include "../../src/measure/contents.h"

#define SMS 4
#define L2_BYTES (50ull << 20)
#define NUMBERS 48 /* launches looked at */
#define MOST_THREADS 8192
#define MOST_BYTES (512u << 10)
#define MOST_US 12.0 /* on so few SMs: some 100,000 warp instructions */

static uint64_t threads_of(const ww_launch *l) {
  uint64_t n = 1;
  for (int i = 0; i < 3; i++)
    n *= l->grid[i] * l->block[i];
  return n;
}

static uint64_t bytes_of(const ww_launch *l) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < l->nargs; i++)
    if (l->args[i].kind == WW_ARG_BUFFER)
      n += l->args[i].buffer.bytes;
  return n;
}

/* How many times too large it is; at most 1 fits. */
static double excess(const ww_launch *l, double us) {
  double threads = (double)threads_of(l) / MOST_THREADS, bytes = (double)bytes_of(l) / MOST_BYTES;
  double most = threads > bytes ? threads : bytes;
  return us / MOST_US > most ? us / MOST_US : most;
}

static ww_status choose_launch(const ww_gen_kernel *g, ww_arena *a, ww_launch *out, ww_err *e) {
  double best = 0;
  for (uint32_t number = 0; number < NUMBERS; number++) {
    ww_launch l;
    double us;
    ww_status st = ww_gen_launch(g, number, SMS, L2_BYTES, a, &l, &us, e);
    if (st)
      return st;
    double x = excess(&l, us);
    if (number && x >= best)
      continue;
    best = x;
    *out = l;
    if (x <= 1)
      break;
  }
  return WW_OK;
}

static ww_status lay_out(diff_kernel *k, ww_arena *a, ww_err *e) {
  ww_buffer_contents c;
  ww_status st = ww_contents_plan(&k->launch, a, &c, e);
  if (st)
    return st;
  if (c.npointers > DIFF_BUFFERS)
    return ww_fail(e, WW_ELIMIT, "%s has %u buffers", k->gen.name, c.npointers);
  k->bytes = DIFF_GAP;
  for (uint32_t i = 0; i < c.npointers; i++) {
    const ww_allocation *v = &c.v[c.pointers[i].allocation];
    k->buffers[k->nbuffers++] = (diff_buffer){c.pointers[i].arg, v->type, k->bytes, v->bytes};
    k->bytes = (k->bytes + v->bytes + 2 * DIFF_GAP - 1) / DIFF_GAP * DIFF_GAP;
  }
  k->initial = ww_alloc(a, k->bytes);
  memset(k->initial, DIFF_POISON, k->bytes);
  for (uint32_t i = 0; !st && i < k->nbuffers; i++) {
    const ww_allocation *v = &c.v[c.pointers[i].allocation];
    st = ww_contents_make(&v->fill, v->type, v->filled, v->seed, 1, k->initial + k->buffers[i].at,
                          e);
  }
  return st;
}

ww_status diff_make(diff_number n, ww_gen_dialect d, ww_arena *a, diff_kernel *out, ww_err *e) {
  ww_buf text = {0};
  *out = (diff_kernel){0};
  ww_status st = ww_gen_make(n.version, n.seed, n.index, a, &out->gen, e);
  if (!st)
    st = choose_launch(&out->gen, a, &out->launch, e);
  if (!st)
    st = lay_out(out, a, e);
  if (st)
    return st;
  ww_gen_print(&out->gen, d, 0, &text);
  out->text = ww_strndup(a, text.s, text.n);
  ww_buf_free(&text);
  return WW_OK;
}

/* ---- texts ---- */

/* Functions whose last bits the standards leave open, each as a function of its own that moves
 * them: defined before the name becomes a macro for it, because the name may be a macro already. */
typedef struct {
  const char *name;
  uint8_t bytes; /* of what it takes and gives; 0: overloaded, 4 and 8 */
} inexact;
static const inexact cuda_math[] = {
    {"rsqrtf", 4}, {"rsqrt", 8}, {"expf", 4}, {"exp", 8}, {"__expf", 4}, {"sinf", 4}, {"cosf", 4},
    {"sin", 8},    {"cos", 8},   {"logf", 4}, {"log", 8}, {"tanhf", 4},  {"tanh", 8}, {NULL, 0}};
static const inexact opencl_math[] = {{"rsqrt", 0}, {"exp", 0}, {"native_exp", 4}, {"sin", 0},
                                      {"cos", 0},   {"log", 0}, {"tanh", 0},       {NULL, 0}};

static void add_nudged(ww_buf *b, bool cuda, const char *name, bool wide, int ulps) {
  const char *type = wide ? "double" : "float", *whole = !wide  ? "int"
                                                         : cuda ? "long long"
                                                                : "long";
  ww_buf_fmt(b,
             cuda ? "static __device__ %s ww_%s(%s x) { "
                  : "static %s __attribute__((overloadable)) ww_%s(%s x) { ",
             type, name, type);
  if (cuda)
    ww_buf_fmt(b, "union { %s f; %s i; } u; u.f = %s(x); u.i += %d; return u.f; }\n", type, whole,
               name, ulps);
  else
    ww_buf_fmt(b, "return as_%s(as_%s(%s(x)) + (%s)%d); }\n", type, whole, name, whole, ulps);
}

static void add_prelude(ww_buf *b, bool cuda, int ulps) {
  const inexact *math = cuda ? cuda_math : opencl_math;
  if (!cuda)
    ww_buf_puts(b, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
  for (const inexact *m = math; m->name; m++) {
    if (m->bytes != 8)
      add_nudged(b, cuda, m->name, false, ulps);
    if (m->bytes != 4)
      add_nudged(b, cuda, m->name, true, ulps);
  }
  for (const inexact *m = math; m->name; m++)
    ww_buf_fmt(b, "#undef %s\n#define %s ww_%s\n", m->name, m->name, m->name);
}

const char *diff_source(
    const diff_kernel *const *k, uint32_t n, ww_gen_dialect d, diff_variant v, ww_arena *a) {
  ww_buf b = {0};
  if (d == WW_GEN_OPENCL && v != DIFF_PLAIN)
    ww_buf_puts(&b, "#pragma OPENCL FP_CONTRACT OFF\n");
  if (v >= DIFF_RAISED)
    add_prelude(&b, d == WW_GEN_CUDA, v == DIFF_RAISED ? 2 : -2);
  for (uint32_t i = 0; i < n; i++)
    ww_buf_puts(&b, k[i]->text);
  const char *text = ww_strndup(a, b.s, b.n);
  ww_buf_free(&b);
  return text;
}
