/* stats_json.c - what is in a store, for programs: one JSON object. */
#include "../base/json_put.h"
#include "split.h"
#include "stats.h"

static void tally(ww_json *j, const ww_row_counts *t) {
  ww_json_put(j, "kernels:%lu,launches:%lu,with_counters:%lu", t->kernels, t->launches,
              t->with_counters);
}

static void tallies(ww_json *j,
                    const char *key,
                    const char *const *names,
                    const ww_row_counts *t,
                    int n) {
  ww_json_put(j, "%s:{", key);
  for (int k = 0; k < n; k++) {
    ww_json_put(j, "%s:{", names[k]);
    tally(j, &t[k]);
    ww_json_end_obj(j);
  }
  ww_json_end_obj(j);
}

static void families(ww_json *j, const ww_stats *s) {
  ww_json_put(j, "by_family:[");
  for (uint32_t k = 0; k < s->families.n; k++) {
    const ww_family *f = &s->families.v[k];
    ww_json_put(j, "{family:%s,origin:%s,split:%s", f->name, ww_origin_names[f->origin],
                ww_split_names[f->split]);
    tally(j, &f->n);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

static void gpus(ww_json *j, const ww_stats *s) {
  ww_json_put(j, "gpus:[");
  for (uint32_t k = 0; k < s->gpus.n; k++) {
    const ww_stats_gpu *g = &s->gpus.v[k];
    ww_json_put(j, "{gpu:%s,device?:%s,sms?:%u,launches:%lu}", g->name, g->device,
                g->sms, g->launches);
  }
  ww_json_end_arr(j);
}

static void failures(ww_json *j, const ww_stats *s) {
  ww_json_put(j, "failures:[");
  for (uint32_t k = 0; k < s->causes.n; k++) {
    const ww_cause *c = &s->causes.v[k];
    ww_json_put(j, "{code:%s,cause:%s,launches:%lu,example:%s}",
                ww_status_name(c->code), c->text, c->n, c->example);
  }
  ww_json_end_arr(j);
}

static void shares(ww_json *j, const ww_stats *s) {
  const uint64_t *b = s->blocking;
  double all = s->all.launches;
  double counted = s->spread[WW_SPREAD_ai].n;
  double blocks = s->blocking_known;
  ww_json_put(j,
              "shares:{integer_only!:%g,under_10us!:%g,above_10ms!:%g,fewer_blocks_"
              "than_sms!:%g}",
              s->integer_only / counted, s->under_10us / all, s->above_10ms / all,
              b[WW_FEW_BLOCKS] / blocks);
  ww_json_put(j, "regimes:{below_1:%lu,1_to_20:%lu,20_to_1000:%lu,above_1000:%lu}",
              b[WW_FEW_BLOCKS], b[WW_TO_20], b[WW_TO_1000], b[WW_BEYOND_1000]);
}

/* noise: interquartile range over median of a launch's runs */
static void moments(ww_json *j, const ww_stats *s) {
  ww_json_put(j, "noise:{median:%g,p95:%g,above_5_percent:%g}", s->noise_median,
              s->noise_p95, s->noisy);
  ww_json_put(j, "time_us:{least:%g,median:%g,most:%g}", s->time_least, s->time_median,
              s->time_most);
}

static void
bins(ww_json *j, const char *key, const ww_spread *s, const ww_spread_info *i) {
  ww_json_put(j, "%s:{launches:%lu", key, s->n);
  if (i->zero)
    ww_json_kuint(j, "zero", s->at[WW_ZERO]);
  ww_json_put(j, "below:%lu,above:%lu,bins:[", s->at[WW_BELOW], s->at[WW_ABOVE]);
  for (uint32_t k = 0; k < i->bins; k++)
    ww_json_uint(j, s->at[k]);
  ww_json_put(j, "]}");
}

static void spreads(ww_json *j, const ww_stats_view *v) {
  ww_json_put(j, "histograms:[");
  for (int q = 0; q < WW_NSPREADS; q++) {
    const ww_spread_info *i = &ww_spreads[q];
    const ww_spread *ours = &v->ours->spread[q];
    ww_json_put(j, "{quantity:%s,unit:%s,edges:[", i->id, i->axis);
    for (uint32_t k = 0; k <= i->bins; k++)
      ww_json_num(j, ww_spread_edge(i, k));
    ww_json_end_arr(j);
    bins(j, "here", ours, i);
    if (v->other) {
      bins(j, "other", &v->other->spread[q], i);
      ww_json_knum(j, "covered", ww_spread_cover(ours, &v->other->spread[q]));
    }
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

static void repeats(ww_json *j, const ww_repeat_counts *r) {
  ww_json_put(
      j,
      "repeated:{compared:%lu,agree:%lu,agree_share!:%g,told_by_spread:%lu,absent:%lu,"
      "median:%g,p95:%g,worst:[",
      r->compared, r->agree, r->agree / (double)r->compared, r->told, r->absent,
      r->median, r->p95);
  for (uint32_t k = 0; k < r->nworst; k++) {
    const ww_repeat_row *w = &r->worst[k];
    ww_json_put(j, "{key:%s,number:%u,first_us:%g,second_us:%g,iqr_us:%g}", w->key,
                w->number, w->first_us, w->second_us, w->iqr_us);
  }
  ww_json_put(j, "]}");
}

void ww_stats_json(const ww_stats_view *v, ww_buf *out) {
  const ww_stats *s = v->ours;
  ww_json j = {.out = out};
  ww_json_put(&j, "{schema_version:1,store:%s", s->name);
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
  if (v->other)
    ww_json_put(&j, "other:%s,covered_in_all:%g", v->other->name,
                ww_stats_cover(s, v->other));
  spreads(&j, v);
  if (v->repeats)
    repeats(&j, v->repeats);
  ww_json_end_obj(&j);
  ww_buf_puts(out, "\n");
}
