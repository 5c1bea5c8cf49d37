/* score.c - the scoring rules: marks of single launches, scores of many, roofline
 * classes.
 *
 * Invariant: an oracle cannot gain by staying silent. A launch without an answer is in
 * every count that has launches in its denominator. Workload: some thousand pairs, so
 * plain sorting everywhere.
 */
#include "score.h"

#include <stdlib.h>

/* ---- statistics ---- */

int ww_by_double(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

double ww_stat_median(double *v, uint32_t n) {
  if (!n)
    return NAN;
  qsort(v, n, sizeof *v, ww_by_double);
  return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

double ww_stat_share(double *v, uint32_t n, double share) {
  if (!n)
    return NAN;
  qsort(v, n, sizeof *v, ww_by_double);
  double at = ceil(share * n) - 1;
  return v[at < 0 ? 0 : at >= n ? n - 1 : (uint32_t)at];
}

double ww_stat_mean(const double *v, uint32_t n) {
  double sum = 0;
  for (uint32_t k = 0; k < n; k++)
    sum += v[k];
  return n ? sum / n : NAN;
}

typedef struct {
  double value; /* sorted by it */
  uint32_t at;
} ranked;

/* rank[k] of v[k], from 1; equal values share the mean of their places. */
static void ranks_of(const double *v, uint32_t n, ranked *scratch, double *rank) {
  for (uint32_t k = 0; k < n; k++)
    scratch[k] = (ranked){v[k], k};
  qsort(scratch, n, sizeof *scratch, ww_by_double);
  for (uint32_t k = 0, end; k < n; k = end) {
    for (end = k + 1; end < n && scratch[end].value <= scratch[k].value;)
      end++;
    for (uint32_t i = k; i < end; i++)
      rank[scratch[i].at] = (k + 1 + end) / 2.0;
  }
}

double ww_stat_spearman(const double *x, const double *y, uint32_t n, ww_arena *a) {
  if (n < 3)
    return NAN;
  ranked *scratch = WW_NEWN(a, ranked, n);
  double *rx = WW_NEWN(a, double, n);
  double *ry = WW_NEWN(a, double, n);
  ranks_of(x, n, scratch, rx);
  ranks_of(y, n, scratch, ry);
  double mean = (n + 1) / 2.0;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (uint32_t k = 0; k < n; k++) {
    xy += (rx[k] - mean) * (ry[k] - mean);
    xx += (rx[k] - mean) * (rx[k] - mean);
    yy += (ry[k] - mean) * (ry[k] - mean);
  }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

/* ---- what is scored ---- */

static const char *const sum_names[] = {"flops", "dram_bytes"}, *const sum_units[] = {
                                                                    "1", "byte"};

const char *ww_scored_name(int q) {
  return q < WW_NMETRICS ? ww_metrics[q].name : sum_names[q - WW_NMETRICS];
}
const char *ww_scored_unit(int q) {
  return q < WW_NMETRICS ? ww_metrics[q].unit : sum_units[q - WW_NMETRICS];
}

int ww_scored_named(const char *name) {
  int found = -1;
  int several = 0;
  for (int q = 0; q < WW_NSCORED; q++) {
    if (!strcmp(ww_scored_name(q), name))
      return q;
    if (*name && ww_starts(ww_scored_name(q), name)) {
      found = q;
      several++;
    }
  }
  return several == 1 ? found : -1;
}

bool ww_scored_value(const ww_report *r, int q, double *value) {
  *value = 0;
  if (q < WW_NMETRICS) {
    *value = r->m[q].value;
    return r->m[q].known && isfinite(r->m[q].value);
  }
  if (q == WW_Q_dram_bytes) {
    *value = r->m[WW_M_dram_read_bytes].value + r->m[WW_M_dram_write_bytes].value;
    return r->m[WW_M_dram_read_bytes].known && r->m[WW_M_dram_write_bytes].known &&
           isfinite(*value);
  }
  /* a kind of FLOPs that an oracle does not name is one that it did not see */
  bool any = false;
  for (const ww_quantity *m = &r->m[WW_M_flops_fp64]; m <= &r->m[WW_M_flops_tensor];
       m++)
    if (m->known) {
      *value += m->value;
      any = true;
    }
  return any && isfinite(*value);
}

/* ---- rules ---- */

#define KIB256 262144.0
#define MB 1e6

static bool is_flops(int q) {
  return q == WW_Q_flops || (q >= WW_M_flops_fp64 && q <= WW_M_flops_tensor);
}

static bool is_dram(int q) {
  return q == WW_M_dram_read_bytes || q == WW_M_dram_write_bytes ||
         q == WW_Q_dram_bytes;
}

ww_score_rule ww_rule_of(int q) {
  const char *unit = ww_scored_unit(q);
  ww_score_rule r = {.relative = 0.10, .floor = 1};
  if (!strcmp(unit, "%"))
    return (ww_score_rule){.absolute = 10, .points = true, .floor = 100};
  if (!strcmp(unit, "byte"))
    r.floor = MB;
  if (is_flops(q) || q == WW_M_int_ops)
    r.floor = 1e6;
  if (is_dram(q)) {
    r.relative = 0.15;
    r.absolute = KIB256;
  }
  if (q == WW_M_registers) {
    r.relative = 0;
    r.absolute = 8;
  }
  if (q == WW_M_warp_instructions)
    r.relative = 0.20;
  return r;
}

const char *ww_rule_text(int q, ww_arena *a) {
  ww_score_rule r = ww_rule_of(q);
  if (r.points)
    return ww_fmt(a, "%.0f points", r.absolute);
  if (is_dram(q))
    return ww_fmt(a, "%.0f %% or 256 KiB", 100 * r.relative);
  if (!(r.relative > 0))
    return ww_fmt(a, "%.0f", r.absolute);
  return ww_fmt(a, "%.0f %%", 100 * r.relative);
}

/* Arithmetic intensity says something where there is arithmetic and where the bytes are
 * more than a few stray ones. */
static bool ai_counts(const ww_report *measured) {
  double flops;
  double bytes;
  return ww_scored_value(measured, WW_Q_flops, &flops) &&
         ww_scored_value(measured, WW_Q_dram_bytes, &bytes) && flops > 0 && bytes >= MB;
}

static void mark_answer(ww_mark *m, const ww_score_rule *r) {
  double off = m->guess - m->truth;
  double size = fabs(m->truth);
  if (r->points)
    m->bias = off;
  else if (m->zero)
    m->bias = fmax(-1, fmin(1, off / r->floor));
  else
    m->bias = off / size;
  m->error = fabs(m->bias);
  if (m->truth > 0 && m->guess > 0)
    m->ln = log(m->guess / m->truth);
  m->right = fabs(off) <= fmax(r->relative * size, r->absolute);
  if (m->zero && !(r->absolute > 0))
    m->right = m->error <= r->relative;
}

double ww_interval_cost(double low, double high, double truth) {
  const double alpha = 0.1; /* the share that a 90 % interval leaves out */
  if (!(low > 0 && high >= low && truth > 0))
    return NAN;
  double outside = fmax(0, fmax(log(low / truth), log(truth / high)));
  return log(high / low) + 2 / alpha * outside;
}

ww_mark ww_mark_of(int q, const ww_pair *p) {
  ww_mark m = {.bias = NAN, .ln = NAN, .guess = NAN, .ratio = NAN, .cost = NAN};
  ww_score_rule r = ww_rule_of(q);
  if (!ww_scored_value(p->measured, q, &m.truth))
    return m;
  m.zero = !(fabs(m.truth) > 0);
  bool zero_skips = q < WW_NMETRICS && ww_metrics[q].zero != WW_ZERO_ABS;
  m.skipped = (m.zero && zero_skips) || (q == WW_M_ai && !ai_counts(p->measured));
  if (m.skipped)
    return m;
  m.counted = true;
  double guess;
  const ww_report *said = p->predicted;
  m.answered = said && said->error.code == WW_OK && ww_scored_value(said, q, &guess);
  m.error = r.points ? 100 : 1;
  if (!m.answered)
    return m;
  m.guess = guess;
  mark_answer(&m, &r);
  if (q < WW_NMETRICS && said->m[q].interval) {
    m.interval = true;
    m.inside = said->m[q].low <= m.truth && m.truth <= said->m[q].high;
    if (!r.points)
      m.cost = ww_interval_cost(said->m[q].low, said->m[q].high, m.truth);
    if (!isnan(m.cost))
      m.ratio = said->m[q].high / said->m[q].low;
  }
  return m;
}

/* ---- scores ---- */

typedef struct {
  double *error, *bias, *ln, *truth, *guess, *small, *ratio, *cost;
  uint32_t nln, nratio;
} columns;

static columns columns_new(uint32_t n, ww_arena *a) {
  double *all = WW_NEWN(a, double, 8 * (size_t)n + 1);
  return (columns){all,
                   all + n,
                   all + 2 * (size_t)n,
                   all + 3 * (size_t)n,
                   all + 4 * (size_t)n,
                   all + 5 * (size_t)n,
                   all + 6 * (size_t)n,
                   all + 7 * (size_t)n,
                   0,
                   0};
}

static void add_answer(int q, const ww_mark *m, columns *c, ww_score *s) {
  c->bias[s->answered] = m->bias;
  c->truth[s->answered] = m->truth;
  c->guess[s->answered++] = m->guess;
  if (!isnan(m->ln))
    c->ln[c->nln++] = fabs(m->ln);
  if (m->interval) {
    s->intervals++;
    s->inside += m->inside;
    if (!isnan(m->cost)) {
      c->ratio[c->nratio] = m->ratio;
      c->cost[c->nratio++] = m->cost;
    }
  }
  if (q == WW_M_time_us && m->truth < 10)
    c->small[s->small++] = fabs(m->guess - m->truth);
}

void ww_score_of(int q, const ww_pair *pairs, uint32_t n, ww_arena *a, ww_score *out) {
  ww_score s = {0};
  columns c = columns_new(n, a);
  double ten = ww_rule_of(q).points ? 10 : 0.10;
  for (uint32_t k = 0; k < n; k++) {
    ww_mark m = ww_mark_of(q, &pairs[k]);
    s.skipped += m.skipped;
    if (!m.counted)
      continue;
    s.zeros += m.zero;
    c.error[s.n++] = m.error;
    s.within10 += m.answered && m.error <= ten;
    s.right += m.right;
    if (m.answered)
      add_answer(q, &m, &c, &s);
  }
  s.mean = ww_stat_mean(c.error, s.n);
  s.median = ww_stat_median(c.error, s.n);
  s.p90 = ww_stat_share(c.error, s.n, 0.9);
  s.ln = ww_rule_of(q).points ? NAN : ww_stat_median(c.ln, c.nln);
  s.within10 = s.n ? s.within10 / s.n : NAN;
  s.right = s.n ? s.right / s.n : NAN;
  s.spearman = ww_stat_spearman(c.truth, c.guess, s.answered, a);
  s.bias = ww_stat_median(c.bias, s.answered);
  s.inside = s.intervals ? s.inside / s.intervals : NAN;
  s.cost = ww_stat_mean(c.cost, c.nratio);
  s.ratio = ww_stat_median(c.ratio, c.nratio);
  s.small_us = ww_stat_median(c.small, s.small);
  *out = s;
}

/* ---- classes ---- */

const char *const ww_bound_names[WW_NBOUNDS] = {"unknown", "bandwidth", "compute"};

void ww_balance_of(const ww_gpu *g, ww_balance *out) {
  double per_byte = 1e3 / g->dram_peak; /* TFLOP/s over GB/s */
  double ratio = g->issue[WW_GPU_OP_ffma] / g->issue[WW_GPU_OP_iadd3];
  *out = (ww_balance){
      .fp64 = g->peak_fp64 * per_byte,
      .fp32 = g->peak_fp32 * per_byte,
      .fp16 = (isnan(g->peak_fp16) ? g->peak_fp32 : g->peak_fp16) * per_byte,
      .tensor = g->peak_tensor_fp16 * per_byte,
      .integer = g->peak_fp32 * per_byte * (isnan(ratio) ? 0.5 : ratio)};
}

/* A balance point nobody knows (NaN) is never reached. */
ww_bound ww_bound_rule(const ww_balance *i, const ww_balance *b) {
  bool over = i->fp64 >= b->fp64 || i->fp32 >= b->fp32 || i->fp16 >= b->fp16 ||
              i->tensor >= b->tensor || i->integer >= b->integer;
  return over ? WW_BOUND_COMPUTE : WW_BOUND_BANDWIDTH;
}

ww_bound ww_bound_of(const ww_report *r, const ww_balance *b) {
  double bytes;
  double flops;
  bool counted = ww_scored_value(r, WW_Q_dram_bytes, &bytes) &&
                 ww_scored_value(r, WW_Q_flops, &flops);
  if (r->error.code != WW_OK)
    return WW_BOUND_UNKNOWN;
  if (counted) {
    bytes = fmax(bytes, 1);
    return ww_bound_rule(
        &(ww_balance){.fp64 = ww_report_value(r, WW_M_flops_fp64) / bytes,
                      .fp32 = ww_report_value(r, WW_M_flops_fp32) / bytes,
                      .fp16 = ww_report_value(r, WW_M_flops_fp16) / bytes,
                      .tensor = ww_report_value(r, WW_M_flops_tensor) / bytes,
                      .integer = ww_report_value(r, WW_M_int_ops) / bytes},
        b);
  }
  for (int k = WW_BOUND_BANDWIDTH; r->roofline_class && k < WW_NBOUNDS; k++)
    if (!strcmp(r->roofline_class, ww_bound_names[k]))
      return k;
  return WW_BOUND_UNKNOWN;
}

static void class_rates(ww_class_score *s) {
  const uint32_t(*m)[2] = (const uint32_t(*)[2])s->matrix;
  double recall = 0;
  double f1 = 0;
  int present = 0;
  int named = 0;
  for (int k = 0; k < 2; k++) {
    double hit = m[k][k];
    double truth = m[k][0] + m[k][1];
    double guess = m[0][k] + m[1][k];
    if (truth > 0) {
      recall += hit / truth;
      present++;
    }
    if (truth + guess > 0) {
      f1 += 2 * hit / (truth + guess);
      named++;
    }
  }
  s->balanced = recall / present;
  s->f1 = f1 / named;
  double tp = m[1][1];
  double tn = m[0][0];
  double fp = m[0][1];
  double fn = m[1][0];
  double under = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn);
  s->mcc = under > 0 ? (tp * tn - fp * fn) / sqrt(under)
                     : 0; /* one class alone: no correlation to speak of */
}

void ww_class_score_of(const ww_bound *truth,
                       const ww_bound *guess,
                       uint32_t n,
                       ww_class_score *out) {
  *out = (ww_class_score){
      .accuracy = NAN, .balanced = NAN, .f1 = NAN, .mcc = NAN, .accuracy_all = NAN};
  uint32_t hits = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (truth[k] == WW_BOUND_UNKNOWN)
      continue;
    out->n++;
    if (guess[k] == WW_BOUND_UNKNOWN)
      continue;
    out->answered++;
    out->matrix[truth[k] - 1][guess[k] - 1]++;
    hits += truth[k] == guess[k];
  }
  if (out->n)
    out->accuracy_all = (double)hits / out->n;
  if (!out->answered)
    return;
  out->accuracy = (double)hits / out->answered;
  class_rates(out);
}
