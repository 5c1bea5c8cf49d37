/* stats_json.c - what is in a store, for programs: one JSON object. */

#include "split.h"
#include "stats.h"

static void open_obj(ww_json *j, const char *key) {
  ww_json_key(j, key);
  ww_json_obj(j);
}

static void open_arr(ww_json *j, const char *key) {
  ww_json_key(j, key);
  ww_json_arr(j);
}

static void tally(ww_json *j, const ww_row_counts *t) {
  ww_json_kuint(j, "kernels", t->kernels);
  ww_json_kuint(j, "launches", t->launches);
  ww_json_kuint(j, "with_counters", t->with_counters);
}

static void tallies(ww_json *j, const char *key, const char *const *names, const ww_row_counts *t,
                    int n) {
  open_obj(j, key);
  for (int k = 0; k < n; k++) {
    open_obj(j, names[k]);
    tally(j, &t[k]);
    ww_json_end_obj(j);
  }
  ww_json_end_obj(j);
}

static void families(ww_json *j, const ww_stats *s) {
  open_arr(j, "by_family");
  for (uint32_t k = 0; k < s->families.n; k++) {
    const ww_family *f = &s->families.v[k];
    ww_json_obj(j);
    ww_json_kstr(j, "family", f->name);
    ww_json_kstr(j, "origin", ww_origin_names[f->origin]);
    ww_json_kstr(j, "split", ww_split_names[f->split]);
    tally(j, &f->n);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

static void gpus(ww_json *j, const ww_stats *s) {
  open_arr(j, "gpus");
  for (const ww_stats_gpu *g = s->gpus.v; g && g < s->gpus.v + s->gpus.n; g++) {
    ww_json_obj(j);
    ww_json_kstr(j, "gpu", g->name);
    if (g->device)
      ww_json_kstr(j, "device", g->device);
    if (g->sms)
      ww_json_kuint(j, "sms", g->sms);
    ww_json_kuint(j, "launches", g->launches);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

static void failures(ww_json *j, const ww_stats *s) {
  open_arr(j, "failures");
  for (const ww_cause *c = s->causes.v; c && c < s->causes.v + s->causes.n; c++) {
    ww_json_obj(j);
    ww_json_kstr(j, "code", ww_status_name(c->code));
    ww_json_kstr(j, "cause", c->text);
    ww_json_kuint(j, "launches", c->n);
    ww_json_kstr(j, "example", c->example);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

static void part(ww_json *j, const char *key, uint64_t n, uint64_t of) {
  if (of)
    ww_json_knum(j, key, n / (double)of);
}

static void shares(ww_json *j, const ww_stats *s) {
  open_obj(j, "shares");
  part(j, "integer_only", s->integer_only, s->spread[WW_SPREAD_ai].n);
  part(j, "under_10us", s->under_10us, s->all.launches);
  part(j, "above_10ms", s->above_10ms, s->all.launches);
  part(j, "fewer_blocks_than_sms", s->blocking[WW_FEW_BLOCKS], s->blocking_known);
  ww_json_end_obj(j);
  open_obj(j, "regimes");
  static const char *const names[WW_NBLOCKINGS] = {"below_1", "1_to_20", "20_to_1000",
                                                   "above_1000"};
  for (int k = 0; k < WW_NBLOCKINGS; k++)
    ww_json_kuint(j, names[k], s->blocking[k]);
  ww_json_end_obj(j);
}

static void moments(ww_json *j, const ww_stats *s) {
  open_obj(j, "noise"); /* interquartile range over median of a launch's runs */
  ww_json_knum(j, "median", s->noise_median);
  ww_json_knum(j, "p95", s->noise_p95);
  ww_json_knum(j, "above_5_percent", s->noisy);
  ww_json_end_obj(j);
  open_obj(j, "time_us");
  ww_json_knum(j, "least", s->time_least);
  ww_json_knum(j, "median", s->time_median);
  ww_json_knum(j, "most", s->time_most);
  ww_json_end_obj(j);
}

static void bins(ww_json *j, const char *key, const ww_spread *s, const ww_spread_info *i) {
  open_obj(j, key);
  ww_json_kuint(j, "launches", s->n);
  if (i->zero)
    ww_json_kuint(j, "zero", s->at[WW_ZERO]);
  ww_json_kuint(j, "below", s->at[WW_BELOW]);
  ww_json_kuint(j, "above", s->at[WW_ABOVE]);
  open_arr(j, "bins");
  for (uint32_t k = 0; k < i->bins; k++)
    ww_json_uint(j, s->at[k]);
  ww_json_end_arr(j);
  ww_json_end_obj(j);
}

static void spreads(ww_json *j, const ww_stats_view *v) {
  open_arr(j, "histograms");
  for (int q = 0; q < WW_NSPREADS; q++) {
    const ww_spread_info *i = &ww_spreads[q];
    ww_json_obj(j);
    ww_json_kstr(j, "quantity", i->id);
    ww_json_kstr(j, "unit", i->axis);
    open_arr(j, "edges");
    for (uint32_t k = 0; k <= i->bins; k++)
      ww_json_num(j, ww_spread_edge(i, k));
    ww_json_end_arr(j);
    bins(j, "here", &v->ours->spread[q], i);
    if (v->other) {
      bins(j, "other", &v->other->spread[q], i);
      ww_json_knum(j, "covered", ww_spread_cover(&v->ours->spread[q], &v->other->spread[q]));
    }
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

static void repeats(ww_json *j, const ww_repeats *r) {
  open_obj(j, "repeated");
  ww_json_kuint(j, "compared", r->compared);
  ww_json_kuint(j, "agree", r->agree);
  part(j, "agree_share", r->agree, r->compared);
  ww_json_kuint(j, "told_by_spread", r->told);
  ww_json_kuint(j, "absent", r->absent);
  ww_json_knum(j, "median", r->median);
  ww_json_knum(j, "p95", r->p95);
  open_arr(j, "worst");
  for (const ww_repeat_row *w = r->worst; w && w < r->worst + r->nworst; w++) {
    ww_json_obj(j);
    ww_json_kstr(j, "key", w->key);
    ww_json_kuint(j, "number", w->number);
    ww_json_knum(j, "first_us", w->first_us);
    ww_json_knum(j, "second_us", w->second_us);
    ww_json_knum(j, "iqr_us", w->iqr_us);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
  ww_json_end_obj(j);
}

void ww_stats_json(const ww_stats_view *v, ww_buf *out) {
  const ww_stats *s = v->ours;
  ww_json j = {0};
  ww_json_begin(&j, out);
  ww_json_obj(&j);
  ww_json_kint(&j, "schema_version", 1);
  ww_json_kstr(&j, "store", s->name);
  tally(&j, &s->all);
  ww_json_kuint(&j, "failed", s->failed);
  gpus(&j, s);
  tallies(&j, "by_split", ww_split_names, s->split, WW_NSPLITS);
  tallies(&j, "by_origin", ww_origin_names, s->origin, WW_NORIGINS);
  families(&j, s);
  failures(&j, s);
  if (s->all.launches) {
    shares(&j, s);
    moments(&j, s);
  }
  if (v->other) {
    ww_json_kstr(&j, "other", v->other->name);
    ww_json_knum(&j, "covered_in_all", ww_stats_cover(s, v->other));
  }
  spreads(&j, v);
  if (v->repeats)
    repeats(&j, v->repeats);
  ww_json_end_obj(&j);
  ww_buf_puts(out, "\n");
}
