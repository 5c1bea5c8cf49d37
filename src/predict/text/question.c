/* question.c - one question: the text and its features; and the numbers and JSON that
 * answer it.
 *
 * In the text, numbers are words for their magnitude, so that a network multiplies by
 * adding: whole ones up to 16 in digits, 2^k as one capital letter (A is 16), others as
 * the letter of their octave and a small one for the eighth of it (8 per octave);
 * beyond 2^29 a Z goes in front. Names say what they name: fA a float variable, FA a
 * pointer to floats, sfA a shared array; scalar arguments stand as their values. `for 4
 * Ub(...)`: four trips, the body runs Ub times over all threads. FA? FA` FA! FA~:
 * addresses not known, not known but near each other, strided, the same for all. The
 * last line has what each part of the machine would take, and the largest of them. */
#include <stdlib.h>

#include "../../base/words.h"
#include "question_int.h"

/* ---- estimates ---- */

/* Not predictions: the model learns from them. The busiest SM counts, so that few
 * blocks and a last wave of them show. */

/* Blocks that an SM holds at a time, by threads and shared memory; registers are not
 * known. */
static double resident_of(const ww_qwalk *w, const ww_launch *l, const ww_gpu *g) {
  double warps = ceil(ww_qproduct(l->block) / 32);
  double shared = w->shared + l->shared + 1024;
  double n =
      fmin(floor(ww_qknown(g->max_warps, 64) / warps), ww_qknown(g->max_blocks, 32));
  return fmax(1, fmin(n, floor(ww_qknown(g->shared_max, 233472) / shared)));
}

static double sum(const double *v) {
  double all = 0;
  for (int n = 0; n < Q_NCOUNTS; n++)
    all += ww_qcosts[n].issue * v[n];
  return all;
}

void ww_question_estimate(ww_qwalk *w,
                          const ww_question_kernel *k,
                          const ww_launch *l,
                          const ww_gpu *g) {
  const double *c = w->count;
  double mhz = ww_qknown(g->boost_mhz, 1500);
  double sms = g->sms ? g->sms : 1;
  double subcores = ww_qknown(g->subcores, 4);
  double *t = w->estimate;
  double blocks = ww_qproduct(l->grid);
  double most = sum(w->busiest);
  double dram = ww_qknown(g->dram_peak, 1000) * 1e3;
  double l2 = ww_qknown(g->l2_gbps, 2 * dram / 1e3) * 1e3; /* bytes/us */
  w->instructions = sum(w->issued);
  /* blocks that have work */
  w->active = most > 0 ? fmin(blocks, fmax(1, w->instructions / most)) : blocks;
  if (k->openmp)
    w->active = blocks;
  double share = ceil(w->active / sms);
  double i[Q_NCOUNTS]; /* blocks of the busiest SM, and what they do */
  for (int n = 0; n < Q_NCOUNTS; n++)
    i[n] = share * (k->openmp ? w->issued[n] / blocks : w->busiest[n]);
  w->waves = fmax(1, ceil(w->active / (sms * resident_of(w, l, g))));
  double integer = 2 * i[Q_C_integer] + 12 * i[Q_C_divisions];
  double fp64 = ww_qknown(g->issue[WW_GPU_OP_dfma], 2) * i[Q_C_fp64];
  double moved = c[Q_C_moved_bytes] + 32 * c[Q_C_scattered];
  t[Q_E_issue] = sum(i) / (subcores * mhz);
  t[Q_E_pipe] = fmax(fmax(integer, fp64), 8 * i[Q_C_special]) / (subcores * mhz);
  t[Q_E_lines] = i[Q_C_lines] / mhz;
  t[Q_E_l2] = fmax(moved / l2, moved * share / w->active / (64 * mhz));
  t[Q_E_dram] = c[Q_C_dram_bytes] / dram;
  t[Q_E_latency] = w->cycles * w->waves / mhz;
  t[Q_E_atomics] = c[Q_C_conflicts] / mhz;
  t[Q_E_blocks] = fmax(blocks / ww_qknown(g->blocks_per_us, 1500),
                       w->waves * ww_qknown(g->block_ns, 200) / 1e3);
  t[Q_E_most] = 1.5;
  for (int n = 0; n < Q_E_most; n++)
    t[Q_E_most] = fmax(t[Q_E_most], t[n]);
}

/* ---- features ---- */

static float logarithm(double v, double by) {
  return log2(1 + v) / by;
}

static float scaled(double v) {
  return logarithm(fmax(v, 0), 16);
}

typedef struct {
  double bytes, most, log_bytes; /* sum, largest; sum of logarithms */
  double n, scalars;
} buffers;

/* Of all arguments together: which place an argument has means something else in every
 * kernel, and the text has each where it is used. */
static buffers arguments(const ww_launch *l) {
  buffers sum = {0};
  for (uint32_t i = 0; i < l->nargs; i++) {
    const ww_arg *g = &l->args[i];
    bool buffer = g->kind == WW_ARG_BUFFER && !g->buffer.local;
    double bytes = buffer ? g->buffer.bytes : 0;
    for (uint32_t n = 0; n < g->nptrs; n++)
      bytes += g->ptrs[n].buffer.bytes;
    sum.bytes += bytes;
    sum.most = fmax(sum.most, bytes);
    sum.log_bytes += log2(1 + bytes);
    sum.n += buffer || g->nptrs;
    sum.scalars += !buffer;
  }
  return sum;
}

/* Lanes of a warp that work, on average over its instructions. */
static double active_lanes(const ww_qwalk *w) {
  double lanes = 0;
  double warps = 0;
  for (int c = Q_C_fp32; c <= Q_C_integer; c++) {
    lanes += w->count[c];
    warps += w->issued[c];
  }
  return warps > 0 ? lanes / warps : 0;
}

static float *put(float *f, const double *v, size_t n) {
  for (size_t i = 0; i < n; i++)
    *f++ = v[i];
  return f;
}

/* WW_QUESTION_FEATURES in this order; all about 0 .. 2. */
static void features(const ww_launch *l, const ww_gpu *g, ww_qwalk *w, float *f) {
  double blocks = ww_qproduct(l->grid);
  double block = ww_qproduct(l->block);
  double l2 = ww_qknown(g->l2_bytes, 1 << 20);
  buffers sum = arguments(l);
  float *const from = f;
  const double launched[] = {
      scaled(blocks * block), scaled(blocks), scaled(block), scaled(l->grid[0]),
      scaled(l->grid[1]), scaled(l->grid[2]), scaled(l->block[0]), scaled(l->block[1]),
      scaled(l->block[2]),
      /* waves, by threads */
      log2(blocks * block / (g->sms * 2048.0)) / 16, scaled(l->shared), sum.n / 8,
      sum.scalars / 8, logarithm(sum.most, 32), logarithm(sum.bytes, 32),
      sum.log_bytes / 128, scaled(g->sms), scaled(ww_qknown(g->boost_mhz, 0)),
      scaled(ww_qknown(g->dram_peak, 0)), logarithm(ww_qknown(g->l2_bytes, 0), 32),
      scaled(ww_qknown(g->peak_fp32, 0)), log2((1 + sum.bytes) / l2) / 16};
  const double walked[] = {
      logarithm(w->heaviest, 32), w->depth / 4, fmin(w->unknown, 8) / 4,
      /* of a thread */
      logarithm(w->heaviest / (blocks * block), 16), logarithm(w->cycles, 16),
      logarithm(w->shared, 16), logarithm(w->waves, 8), logarithm(w->active, 16),
      logarithm(w->instructions, 32), logarithm(active_lanes(w), 8)};
  memset(f, 0, sizeof *f * WW_QUESTION_FEATURES);
  f = put(f, launched, sizeof launched / sizeof *launched);
  for (int c = 0; c < Q_NCOUNTS; c++)
    *f++ = logarithm(w->count[c], 32);
  f = put(f, walked, sizeof walked / sizeof *walked);
  for (int i = 0; i < Q_NESTIMATES; i++)
    *f++ = log2(0.1 + w->estimate[i]) / 8;
  for (int i = 0; i < WW_QUESTION_FEATURES; i++)
    if (!isfinite(from[i]))
      from[i] = 0;
}

const char *const ww_evidence_names[WW_NEVIDENCES] = {"source", "compiled", "traced"};

enum { TEXT_MOST = 3000, HELPERS_MOST = 1400 };

/* ---- numbers as words ---- */

static void octave(ww_buf *b, int k) {
  for (; k > 25; k -= 26)
    ww_buf_puts(b, "Z");
  ww_buf_fmt(b, "%c", 'A' + k);
}

void ww_question_magnitude(double v, ww_buf *b) {
  if (!(v > 0)) {
    ww_buf_puts(b, v == 0 ? "0" : isnan(v) ? "?" : "-");
    if (v < 0)
      ww_question_magnitude(-v, b);
    return;
  }
  if (v <= 16.5) {
    ww_buf_fmt(b, "%d", (int)lround(v));
    return;
  }
  int e;
  if (frexp(v, &e) == 0.5) {
    octave(b, e - 1 - 4);
    return;
  }
  long k = lround(8 * log2(fmin(v, 1e30)));
  octave(b, k / 8 - 4);
  ww_buf_fmt(b, "%c", (char)('a' + k % 8));
}

static void spaced(double v, ww_buf *b) {
  ww_buf_puts(b, " ");
  ww_question_magnitude(v, b);
}

/* Of the source: up to 1024 exact. */
static void literal(ww_buf *b, const ww_qtoken *t) {
  int e;
  double v = t->value;
  if (t->kind == Q_INT) {
    if (v <= 1024 && !(v > 16 && frexp(v, &e) == 0.5))
      ww_buf_fmt(b, "%.0f", v);
    else
      ww_question_magnitude(v, b);
    return;
  }
  /* A float's value hardly matters, that it is one does: fkz 0, fko 1, fkp more, fka ..
   * fkj tenths.
   */
  char c = v == 0 ? 'z' : v == 1 ? 'o' : v > 1 ? 'p' : 'a' + (int)(v * 10);
  ww_buf_fmt(b, "%ck%c", t->type, c);
}

/* ---- names ---- */

static void letters(ww_buf *b, uint32_t order) {
  if (order >= 26)
    letters(b, order / 26 - 1);
  ww_buf_fmt(b, "%c", 'A' + order % 26);
}

static void name(ww_buf *b, const ww_qsym *y) {
  static const char builtins[] = "tbDGgN";
  static const char *const prefix[] = {"n", "",   "",   "a", "s",
                                       "g", "fn", "ty", "m", "t"};
  if (y->kind == Q_BUILTIN) {
    ww_buf_fmt(b, "%c%c", builtins[y->builtin], 'x' + y->dim);
    return;
  }
  ww_buf_puts(b, y->kind == Q_GLOBAL && y->is_const ? "k" : prefix[y->kind]);
  if (y->kind <= Q_GLOBAL)
    ww_buf_fmt(b, "%c", y->kind == Q_POINTER ? y->type - 32 : y->type);
  letters(b, y->order);
}

/* ---- tokens ---- */

typedef struct {
  const ww_question_kernel *k;
  const ww_launch *l;
  const ww_qwalk *w;
  const double *value; /* [symbols]: of scalar arguments, NaN */
} printer;

static bool wordy(char c) {
  return ww_is_word(c) || c == '?';
}

/* One token's own words. */
static void word(const printer *p, const ww_qtoken *t, ww_buf *b) {
  if (t->kind == Q_INT || t->kind == Q_FLOAT)
    literal(b, t);
  else if (t->kind == Q_TEXT)
    ww_buf_puts(b, "\"\"");
  else if (t->sym < 0)
    ww_buf_add(b, t->s, t->n < 24 ? t->n : 24);
  else if (!isnan(p->value[t->sym]))
    ww_question_magnitude(p->value[t->sym], b);
  else
    name(b, &p->k->syms.v[t->sym]);
}

static void loop_words(const printer *p, uint32_t slot, ww_buf *b) {
  if (!(p->w->weight[slot] > 0) && p->w->trips[slot] == 0)
    return; /* never reached */
  spaced(p->w->trips[slot] < 0 ? NAN : p->w->trips[slot], b);
  spaced(fmax(1, p->w->weight[slot]), b);
}

static void tokens(const printer *p,
                   uint32_t part,
                   uint32_t from,
                   uint32_t to,
                   size_t most,
                   ww_buf *b) {
  const ww_qtoken *v = p->k->parts.v[part].t.v;
  ww_buf one = {0};
  for (uint32_t i = from; i < to && b->n < most; i++) {
    const ww_qtoken *t = &v[i];
    if (t->skip || (!part && p->w->dead && p->w->dead[i]))
      continue;
    one.n = 0;
    word(p, t, &one);
    if (!one.n)
      continue;
    bool number = t->kind == Q_INT || (t->sym >= 0 && !isnan(p->value[t->sym]));
    /* always the same word, whatever stands before it */
    bool magnitude = number && one.s[one.n - 1] > '9';
    if (b->n &&
        (magnitude || (wordy(b->s[b->n - 1]) && wordy(*one.s) && *one.s != '?')))
      ww_buf_puts(b, " ");
    ww_buf_add(b, one.s, one.n);
    uint32_t slot = p->w->first[part] + i;
    if (p->w->mark[slot])
      ww_buf_add(b, &p->w->mark[slot], 1);
    if (t->sym < 0 && ww_qtoken_in(t, "for while do"))
      loop_words(p, slot, b);
  }
  if (b->n >= most)
    ww_buf_puts(b, "..");
  ww_buf_free(&one);
}

/* ---- parts ---- */

static void buffer_words(ww_buf *b, const ww_buffer *u) {
  static const char *const words[WW_NFILLS] = {"",      " zero",    " one",  " index",
                                               "",      " uniform", " perm", " mono",
                                               " zipf", " file",    " mono"};
  spaced(u->bytes, b);
  ww_buf_puts(b, words[u->fill.kind < WW_NFILLS ? u->fill.kind : 0]);
  if (u->fill.hi > u->fill.lo && u->fill.hi >= 2)
    spaced(floor(u->fill.hi), b);
}

static void params(const printer *p, ww_buf *b) {
  const ww_qpart *k = &p->k->parts.v[0];
  bool first = true;
  ww_buf_puts(b, "(");
  for (uint32_t i = 0; i < k->nparams && i < 64; i++) {
    const ww_qsym *y = ww_qsym_of(p->k, k->params[i]);
    const ww_arg *g = i < p->l->nargs ? &p->l->args[i] : NULL;
    bool pointer = y && (y->kind == Q_POINTER || y->kind == Q_SHARED);
    if (!pointer && !(g && (g->kind == WW_ARG_BUFFER || g->nptrs)))
      continue;
    if (!first)
      ww_buf_puts(b, ",");
    first = false;
    if (y)
      name(b, y);
    if (y && y->vector)
      ww_buf_fmt(b, "%u", y->bytes);
    if (y && (y->is_const || y->is_restrict))
      ww_buf_fmt(b, " %s%s", y->is_const ? "c" : "", y->is_restrict ? "r" : "");
    if (g && g->kind == WW_ARG_BUFFER)
      buffer_words(b, &g->buffer);
    for (uint32_t n = 0; g && n < g->nptrs && n < 8; n++)
      buffer_words(b, &g->ptrs[n].buffer);
  }
  ww_buf_puts(b, ")");
}

/* Of a kernel whose parameters are not known: what the launch passes, in order. */
static void arguments_words(const printer *p, ww_buf *b) {
  ww_buf_puts(b, "(");
  for (uint32_t i = 0; i < p->l->nargs && i < 64; i++) {
    const ww_arg *g = &p->l->args[i];
    if (i)
      ww_buf_puts(b, ",");
    if (g->kind == WW_ARG_BUFFER)
      ww_buf_puts(b, "P");
    if (g->kind == WW_ARG_BUFFER)
      buffer_words(b, &g->buffer);
    else if (!g->nptrs)
      ww_question_magnitude(ww_question_scalar(g, 'i', 4), b);
    for (uint32_t n = 0; n < g->nptrs && n < 8; n++)
      buffer_words(b, &g->ptrs[n].buffer);
  }
  ww_buf_puts(b, ")");
}

/* A table: its name and sizes, not its contents. */
static void table(const printer *p, uint32_t part, ww_buf *b) {
  const ww_qpart *g = &p->k->parts.v[part];
  const ww_qtoken *t = g->t.v;
  name(b, &p->k->syms.v[g->sym]);
  for (uint32_t i = 0; i < g->t.n && !ww_qop_in(&t[i], "= ;"); i++)
    if (t[i].op == '[') {
      tokens(p, part, i, t[i].pair + 1, b->n + 60, b);
      i = t[i].pair;
    }
  ww_buf_puts(b, "\n");
}

static void helper(const printer *p, uint32_t part, ww_buf *b) {
  const ww_qpart *g = &p->k->parts.v[part];
  const ww_qsym *y = &p->k->syms.v[g->sym];
  if (y->kind == Q_GLOBAL || y->kind == Q_SHARED) {
    table(p, part, b);
    return;
  }
  if (y->kind == Q_FUNCTION) {
    if (y->type != 'o')
      ww_buf_fmt(b, "%c ", y->type);
    name(b, y);
  }
  tokens(p, part, 0, g->t.n, b->n + TEXT_MOST / 4, b);
  ww_buf_puts(b, "\n");
}

/* Those it calls stand before the kernel, the last ones found first: a function is read
 * before its callers. */
static void helpers(const printer *p, size_t most, ww_buf *b) {
  for (uint32_t i = p->k->parts.n; i-- > 1;) {
    ww_buf one = {0};
    helper(p, i, &one);
    if (b->n + one.n <= most)
      ww_buf_add(b, one.s, one.n);
    ww_buf_free(&one);
  }
}

/* ---- launch and GPU ---- */

static void words3(ww_buf *b, const char *what, const uint64_t v[3]) {
  ww_buf_puts(b, what);
  for (int d = 0; d < (v[1] > 1 || v[2] > 1 ? 3 : 1); d++)
    spaced(v[d] ? v[d] : 1, b);
}

static void launch_words(const printer *p, ww_buf *b) {
  const ww_launch *l = p->l;
  words3(b, "grid", l->grid);
  words3(b, " block", l->block);
  ww_buf_puts(b, " all");
  spaced(ww_qproduct(l->grid) * ww_qproduct(l->block), b);
  if (l->shared) {
    ww_buf_puts(b, " dyn");
    spaced(l->shared, b);
  }
  if (p->k->bounds)
    ww_buf_fmt(b, " bounds %u", p->k->bounds);
  if (l->warm)
    ww_buf_puts(b, " warm");
  if (p->k->openmp)
    ww_buf_puts(b, " omp");
  if (p->k->raw)
    ww_buf_puts(b, " raw");
  ww_buf_puts(b, "\n");
}

static void gpu_words(const ww_gpu *g, ww_buf *b) {
  const double figures[] = {g->sms, g->boost_mhz, g->dram_peak, g->l2_bytes,
                            g->peak_fp32};
  ww_buf_puts(b, g->name ? g->name : "gpu");
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    spaced(figures[i], b);
  ww_buf_puts(b, "\n");
}

static double *scalar_values(const ww_question_kernel *k, const ww_launch *l) {
  double *v = ww_xmalloc(sizeof *v * (k->syms.n + 1));
  const ww_qpart *p = &k->parts.v[0];
  for (uint32_t i = 0; i < k->syms.n; i++)
    v[i] = k->constant[i];
  for (uint32_t i = 0; i < p->nparams && i < l->nargs; i++) {
    const ww_qsym *y = ww_qsym_of(k, p->params[i]);
    bool whole = y && y->kind == Q_SCALAR && strchr("iulscb", y->type);
    if (whole && !y->assigned)
      v[p->params[i]] = ww_question_scalar(&l->args[i], y->type, y->bytes);
  }
  for (uint32_t d = 0; d < 3; d++) {
    double block = l->block[d];
    double grid = l->grid[d];
    if (block > 0)
      v[Q_BLOCKDIM * 3 + d] = block;
    if (grid > 0)
      v[Q_GRIDDIM * 3 + d] = grid;
    if (block * grid > 0)
      v[Q_GLOBALDIM * 3 + d] = block * grid;
  }
  return v;
}

static void print_question(const ww_question_kernel *k,
                           const ww_launch *l,
                           const ww_gpu *g,
                           const ww_qwalk *w,
                           ww_buf *b) {
  double *value = scalar_values(k, l);
  printer p = {.k = k, .l = l, .w = w, .value = value};
  ww_buf kernel = {0};
  ww_buf used = {0};
  for (int i = 0; i < WW_QUESTION_FEATURE_TOKENS; i++)
    ww_buf_puts(b, WW_QUESTION_FEATURE);
  gpu_words(g, b);
  launch_words(&p, b);
  if (k->raw)
    arguments_words(&p, &kernel);
  else
    params(&p, &kernel);
  if (k->raw)
    tokens(&p, 0, 0, k->parts.v[0].t.n, TEXT_MOST, &kernel);
  else if (k->parts.v[0].body)
    tokens(&p, 0, k->parts.v[0].body, k->parts.v[0].body_end, TEXT_MOST, &kernel);
  size_t room =
      kernel.n < TEXT_MOST - HELPERS_MOST ? TEXT_MOST - kernel.n : HELPERS_MOST;
  helpers(&p, room, &used);
  if (used.n)
    ww_buf_add(b, used.s, used.n);
  ww_buf_add(b, kernel.s, kernel.n);
  ww_buf_puts(b, "\nest");
  for (int i = 0; i < Q_NESTIMATES; i++)
    spaced(64 * w->estimate[i], b); /* in 1/64 us, so that small ones are told apart */
  ww_buf_puts(b, WW_QUESTION_END);
  ww_buf_free(&kernel);
  ww_buf_free(&used);
  free(value);
}

/* ---- the question ---- */

void ww_question_ask(const ww_question_kernel *k,
                     const ww_launch *l,
                     const ww_gpu *g,
                     ww_arena *a,
                     ww_text_question *out) {
  ww_qwalk w;
  ww_buf b = {0};
  ww_question_walk(k, l, a, &w);
  ww_question_estimate(&w, k, l, g);
  features(l, g, &w, out->features);
  print_question(k, l, g, &w, &b);
  out->form = WW_EVIDENCE_SOURCE;
  memset(out->base, 0, sizeof out->base);
  out->gpu = g;
  out->n = b.n;
  out->text = ww_buf_text(&b, a);
}

/* ---- numbers ---- */

typedef enum { LINEAR, LOG, LOG1 } form; /* LOG1: of 1 + v, for what may be zero */

/* number = (f(v) - centre) / scale, about -3 .. 3 over the dataset. */
typedef struct {
  form form;
  float centre, scale;
} scaling;

static const scaling scales[WW_NMETRICS] = {
    [WW_M_time_us] = {LOG, 5, 3},
    [WW_M_dram_read_bytes] = {LOG1, 22, 4},
    [WW_M_dram_write_bytes] = {LOG1, 16, 8},
    [WW_M_dram_gbps] = {LOG1, 8, 3},
    [WW_M_l1_hit_pct] = {LINEAR, 50, 35},
    [WW_M_l2_hit_pct] = {LINEAR, 60, 30},
    [WW_M_l2_bytes] = {LOG1, 24, 4},
    [WW_M_occupancy_pct] = {LINEAR, 50, 30},
    [WW_M_occupancy_limit_pct] = {LINEAR, 85, 25},
    [WW_M_registers] = {LOG, 5, 0.7f},
    [WW_M_shared_bytes] = {LOG1, 4, 5},
    [WW_M_local_bytes] = {LOG1, 0.5f, 2},
    [WW_M_warp_instructions] = {LOG, 21, 4},
    [WW_M_active_lanes] = {LINEAR, 28, 6},
    [WW_M_flops_fp64] = {LOG1, 4, 8},
    [WW_M_flops_fp32] = {LOG1, 16, 10},
    [WW_M_flops_fp16] = {LOG1, 1, 5},
    [WW_M_flops_tensor] = {LOG1, 0.3f, 3},
    [WW_M_int_ops] = {LOG1, 25, 4},
    [WW_M_gflops] = {LOG1, 6, 4},
    [WW_M_sm_clock_mhz] = {LINEAR, 1800, 200},
    [WW_M_ai] = {LOG1, 2, 3},
    [WW_M_ld_sectors_per_request] = {LOG1, 2.5f, 1.2f},
    [WW_M_st_sectors_per_request] = {LOG1, 2.5f, 1.2f},
    [WW_M_shared_conflict_ways] = {LOG1, 1.2f, 1},
};

float ww_question_number(int metric, double v) {
  const scaling *s = &scales[metric];
  double x =
      s->form == LINEAR ? v : log2(s->form == LOG ? fmax(v, 1e-6) : 1 + fmax(v, 0));
  return isnan(v) ? NAN : (x - s->centre) / s->scale;
}

double ww_question_value(int metric, float number) {
  const scaling *s = &scales[metric];
  double x = (double)number * s->scale + s->centre;
  if (isnan(x) || s->form == LINEAR)
    return x;
  x = exp2(fmin(fmax(x, -40), 80));
  return s->form == LOG ? x : fmax(x - 1, 0);
}

/* ---- the answer ---- */

/* Three digits and an exponent: 525e-2. */
static void number(ww_json *j, double v) {
  char text[32];
  char out[16];
  int exponent = 0;
  if (!isfinite(v) || !(v > 0)) {
    ww_json_raw(j, isfinite(v) ? "0" : "null");
    return;
  }
  snprintf(text, sizeof text, "%.2e", v);
  sscanf(text + 5, "%d", &exponent);
  snprintf(out, sizeof out, "%c%c%ce%d", text[0], text[2], text[3], exponent - 2);
  ww_json_raw(j, out);
}

void ww_question_answer(const double *metrics, ww_buf *out) {
  ww_json j = {0};
  ww_json_begin(&j, out);
  ww_json_obj(&j);
  for (int m = 0; m < WW_NMETRICS; m++) {
    ww_json_key(&j, ww_metrics[m].name);
    number(&j, metrics[m]);
  }
  ww_json_end_obj(&j);
}

void ww_question_known(const float *metrics, ww_buf *out) {
  ww_json j = {0};
  ww_json_begin(&j, out);
  ww_json_obj(&j);
  for (int m = 0; m < WW_NMETRICS; m++) {
    if (isnan(metrics[m]))
      continue;
    ww_json_key(&j, ww_metrics[m].name);
    number(&j, metrics[m]);
  }
  ww_json_end_obj(&j);
}
