/* fit.c - finds the free parameters of the time model from measured launches.
 *
 * A pattern search without derivatives: each parameter in turn is moved up and down by
 * a step of its own, which grows where a move helped and shrinks where none did. It is
 * deterministic. The loss is the mean over families of the mean |ln(predicted /
 * measured)|, capped for each launch, so that neither a large family nor a launch that
 * something else is wrong with decides. Cross-validation leaves some families out,
 * searches anew from the defaults, and predicts these.
 */
#include "fit.h"

#include <stdlib.h>

#include "../../base/json_put.h"
#include "score.h"

enum { SWEEPS = 40, FOLDS = 8 };
#define CAP 1.2 /* of |ln|: beyond it a launch is an outlier */

typedef struct {
  const ww_fit_sample *s;
  uint32_t n;
  const ww_gpu *g;
  const uint32_t *family; /* index per sample */
  const double *weight;   /* per family; 0: left out */
} problem;

static double time_of(const problem *q, uint32_t k, const ww_params *p) {
  ww_timing t;
  ww_time(&q->s[k].work, q->g, p, &t);
  return t.us;
}

static double loss(const problem *q, const ww_params *p) {
  double sum = 0;
  double weights = 0;
  for (uint32_t k = 0; k < q->n; k++) {
    double w = q->weight[q->family[k]];
    if (!(w > 0))
      continue;
    sum += w * fmin(CAP, fabs(log(time_of(q, k, p) / q->s[k].measured_us)));
    weights += w;
  }
  return ww_ratio(sum, weights);
}

static bool searched(uint32_t k) {
  return !ww_starts(ww_param_table[k].name, "spread_");
}

/* Moves parameter k by `by` of its range; true when the loss fell. */
static bool
try_move(const problem *q, ww_params *p, uint32_t k, double by, double *best) {
  const ww_param_info *info = &ww_param_table[k];
  double *v = &((double *)p)[k];
  double old = *v;
  *v = fmin(info->most, fmax(info->least, old + by * (info->most - info->least)));
  double now = *v == old ? *best : loss(q, p);
  if (now < *best - 1e-7) {
    *best = now;
    return true;
  }
  *v = old;
  return false;
}

static void search(const problem *q, ww_params *p) {
  double *step = ww_xcalloc(ww_nparams, sizeof *step);
  double best = loss(q, p);
  double most = 1;
  for (uint32_t k = 0; k < ww_nparams; k++)
    step[k] = 0.1;
  for (int sweep = 0; sweep < SWEEPS && most > 2e-3; sweep++) {
    most = 0;
    for (uint32_t k = 0; k < ww_nparams; k++) {
      if (!searched(k) || step[k] < 1e-3)
        continue;
      bool better =
          try_move(q, p, k, step[k], &best) || try_move(q, p, k, -step[k], &best);
      step[k] = fmin(step[k] * (better ? 1.4 : 0.5), 0.3);
      most = fmax(most, step[k]);
    }
  }
  free(step);
}

/* ---- errors ---- */

ww_fit_error
ww_fit_errors(const ww_fit_sample *s, uint32_t n, const double *us, ww_arena *a) {
  ww_fit_error e = {.n = n};
  double *v = WW_NEWN(a, double, n + 1);
  for (uint32_t k = 0; k < n; k++) {
    v[k] = fabs(us[k] / s[k].measured_us - 1);
    e.mean += v[k] / n;
    e.log_mean += fabs(log(us[k] / s[k].measured_us)) / n;
    e.within20 += (v[k] <= 0.2) / (double)n;
  }
  e.median = ww_stat_median(v, n);
  return e;
}

static ww_fit_error
errors_by(const problem *q, const ww_params *p, double *us, ww_arena *a) {
  for (uint32_t k = 0; k < q->n; k++)
    us[k] = time_of(q, k, p);
  return ww_fit_errors(q->s, q->n, us, a);
}

/* ---- intervals: from what the cross-validation missed by ---- */

static void set_spread(
    const problem *q, const double *us, double *param, ww_params *p, ww_arena *a) {
  double *v = WW_NEWN(a, double, q->n + 1);
  double mark = -1;
  double old = *param;
  uint32_t m = 0;
  *param = mark; /* launches whose interval this parameter gives */
  for (uint32_t k = 0; k < q->n; k++) {
    ww_timing t;
    ww_time(&q->s[k].work, q->g, p, &t);
    if (ww_time_spread(&t, p) == mark)
      v[m++] = fabs(log(us[k] / q->s[k].measured_us));
  }
  *param = old;
  if (m >= 8)
    *param = fmin(2, fmax(0.02, ww_stat_share(v, m, 0.8)));
}

/* ---- all together ---- */

static uint32_t number_families(const ww_fit_sample *s,
                                uint32_t n,
                                uint32_t *family,
                                const char **names) {
  uint32_t m = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t f = 0;
    while (f < m && strcmp(names[f], s[k].family))
      f++;
    if (f == m)
      names[m++] = s[k].family;
    family[k] = f;
  }
  return m;
}

/* Times of the families of one fold, by parameters found without them. */
static void
cross_fold(problem *q, double *weight, uint32_t fold, ww_arena *a, ww_fit_result *out) {
  ww_params p = ww_params_default;
  double *kept = WW_NEWN(a, double, out->nfamilies + 1);
  memcpy(kept, weight, out->nfamilies * sizeof *kept);
  for (uint32_t f = fold; f < out->nfamilies; f += FOLDS)
    weight[f] = 0;
  search(q, &p);
  memcpy(weight, kept, out->nfamilies * sizeof *kept);
  for (uint32_t k = 0; k < q->n; k++)
    if (q->family[k] % FOLDS == fold)
      out->crossed_us[k] = time_of(q, k, &p);
}

static void
cross_validate(problem *q, double *weight, ww_arena *a, ww_fit_result *out) {
  ww_fit_sample *of_family = WW_NEWN(a, ww_fit_sample, q->n + 1);
  double *us = WW_NEWN(a, double, q->n + 1);
  for (uint32_t fold = 0; fold < FOLDS; fold++) {
    cross_fold(q, weight, fold, a, out);
    ww_progress("cross-validation", fold + 1, FOLDS);
  }
  for (uint32_t f = 0; f < out->nfamilies; f++) {
    uint32_t m = 0;
    for (uint32_t k = 0; k < q->n; k++)
      if (q->family[k] == f) {
        us[m] = out->crossed_us[k];
        of_family[m++] = q->s[k];
      }
    out->by_family[f] = ww_fit_errors(of_family, m, us, a);
  }
  out->crossed = ww_fit_errors(q->s, q->n, out->crossed_us, a);
}

void ww_fit(const ww_fit_sample *s,
            uint32_t n,
            const ww_gpu *g,
            bool cross,
            ww_arena *a,
            ww_fit_result *out) {
  uint32_t *family = WW_NEWN(a, uint32_t, n + 1);
  double *weight = WW_NEWN(a, double, n + 1);
  *out = (ww_fit_result){.params = ww_params_default,
                         .families = WW_NEWN(a, const char *, n + 1)};
  out->nfamilies = number_families(s, n, family, out->families);
  out->by_family = WW_NEWN(a, ww_fit_error, out->nfamilies + 1);
  out->crossed_us = WW_NEWN(a, double, n + 1);
  for (uint32_t k = 0; k < n; k++)
    weight[family[k]]++;
  for (uint32_t f = 0; f < out->nfamilies; f++)
    weight[f] = 1 / sqrt(weight[f]); /* between launches and families */
  problem q = {s, n, g, family, weight};
  out->start = errors_by(&q, &out->params, out->crossed_us, a);
  search(&q, &out->params);
  out->fitted = errors_by(&q, &out->params, out->crossed_us, a);
  if (cross)
    cross_validate(&q, weight, a, out);
  for (uint32_t k = 0; k < ww_nparams; k++)
    if (!searched(k))
      set_spread(&q, out->crossed_us, &((double *)&out->params)[k], &out->params, a);
}

/* ---- counters of the hardware in the place of predicted ones ---- */

static bool value_of(const ww_report *r, ww_metric m, double *v) {
  if (r->m[m].known)
    *v = r->m[m].value;
  return r->m[m].known;
}

void ww_work_measured(ww_work *w, const ww_report *r) {
  double v;
  double hits = 0;
  ww_traffic *t = &w->traffic;
  ww_chain *c = &w->chain;
  if (value_of(r, WW_M_warp_instructions, &v) && w->lowered.total > 0) {
    double f = v / w->lowered.total;
    for (uint32_t p = 0; p < WW_NPIPES; p++) {
      w->lowered.inst[p] *= f;
      w->lowered.cycles[p] *= f;
    }
    w->lowered.total = v;
  }
  value_of(r, WW_M_dram_read_bytes, &t->dram_read);
  value_of(r, WW_M_dram_write_bytes, &t->dram_write);
  if (value_of(r, WW_M_l1_hit_pct, &hits)) {
    hits = fmin(1, hits / 100 * (t->l1_ld_sectors + t->l1_st_sectors) /
                       fmax(1, t->l1_ld_sectors));
    t->l2_reads = (1 - hits) * t->l1_ld_sectors;
    double lines = fmax(1, w->chain.lines_per_load);
    double from_dram = t->l2_reads > 0 ? fmin(1, t->dram_read / (32 * t->l2_reads)) : 0;
    double slow = 1 - t->from_l1;
    double deep = t->from_dram;
    t->from_l1 = pow(hits, lines); /* a request waits for its slowest sector */
    t->from_dram = 1 - pow(1 - (1 - hits) * from_dram, lines);
    t->from_l2 = fmax(0, 1 - t->from_l1 - t->from_dram);
    c->beyond_l1 =
        slow > 0 ? fmin(1, c->beyond_l1 * (1 - t->from_l1) / slow) : 1 - t->from_l1;
    c->beyond_l2 = deep > 0 ? fmin(c->beyond_l1, c->beyond_l2 * t->from_dram / deep)
                            : t->from_dram;
  }
  if (value_of(r, WW_M_occupancy_limit_pct, &v) && w->warps_per_block) {
    ww_occupancy *o = &w->occupancy;
    o->warps = lround(v / 100 * 64);
    o->blocks = o->warps >= w->warps_per_block ? o->warps / w->warps_per_block : 1;
  }
}

/* ---- the file ---- */

static void write_error(ww_json *j, const char *key, const ww_fit_error *e) {
  ww_json_put(j, "%s:{launches:%u,median:%g,mean:%g,mean_abs_ln:%g,within_20_pct:%g}",
              key, e->n, e->median, e->mean, e->log_mean, e->within20);
}

void ww_fit_write(const ww_fit_result *r,
                  const ww_gpu *g,
                  const char *data,
                  ww_buf *out) {
  static const char what[] =
      "parameters of the time model, by `warpwise train --machine`";
  ww_json j = {.out = out, .pretty = true};
  ww_json_put(&j, "{schema_version:1,what:%s,data:%s,gpu:%s,params:{", what, data,
              g->name);
  uint64_t sum = 0;
  for (uint32_t k = 0; k < ww_nparams; k++) {
    double v = ((const double *)&r->params)[k];
    ww_json_knum(&j, ww_param_table[k].name, v);
    sum = ww_param_check(sum, ww_param_table[k].name, v);
  }
  char check[17];
  snprintf(check, sizeof check, "%016llx", (unsigned long long)sum);
  ww_json_put(&j, "},check:%s", check);
  write_error(&j, "fitted", &r->fitted);
  if (r->crossed.n) {
    write_error(&j, "left_out", &r->crossed);
    ww_json_put(&j, "left_out_by_family:{");
    for (uint32_t f = 0; f < r->nfamilies; f++)
      write_error(&j, r->families[f], &r->by_family[f]);
    ww_json_end_obj(&j);
  }
  ww_json_end_obj(&j);
  ww_buf_puts(out, "\n");
}
