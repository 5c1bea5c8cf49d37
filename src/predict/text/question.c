/* question.c - one question: the text and its features; and the numbers and JSON that
 * answer it. */

#include "question_int.h"

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
  ww_question_print(k, l, g, &w, &b);
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
