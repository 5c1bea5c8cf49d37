/* state.c - one version of a kernel in compact lines: launch, time, what limits it,
 * findings, rewrites. */
#include "state.h"

#include <math.h>

#define MOST_FINDINGS 8
#define LEAST_TERM 0.005 /* of the time that warps wait: less says nothing */

double ww_state_above_floor(const ww_optimized *o, uint32_t id) {
  return o->floor_us > 0 ? ww_candidate_us(&o->v.v[id]) / o->floor_us : 0;
}

static void put_axes(ww_buf *out, const char *name, const uint64_t v[3]) {
  ww_buf_fmt(out, "%s %lu %lu %lu\n", name, v[0] ? v[0] : 1, v[1] ? v[1] : 1,
             v[2] ? v[2] : 1);
}

/* Printable ASCII: a name or title of the source cannot begin a line of its own. */
static void put_words(ww_buf *out, const char *text) {
  for (; text && *text; text++)
    ww_buf_fmt(out, "%c", *text >= ' ' && *text < 127 ? *text : '?');
}

static void put_time(const ww_optimized *o, uint32_t id, ww_buf *out) {
  const ww_candidate *c = &o->v.v[id];
  ww_buf_fmt(out, "time %.3g us %.3g .. %.3g\n", c->us, c->low, c->high);
  if (ww_candidate_measured(c))
    ww_buf_fmt(out, "measured %.3g us\n", c->result.us);
  if (id)
    ww_buf_fmt(out, "gain %.2f\n", ww_candidate_gain(o, id));
  if (o->floor_us > 0)
    ww_buf_fmt(out, "floor %.3g us\nabove-floor %.2f\n", o->floor_us,
               ww_state_above_floor(o, id));
}

static void put_terms(const ww_report *r, ww_buf *out) {
  const char *limit = ww_report_word_of(r, "timing", "bottleneck");
  ww_buf_fmt(out, "limit %s\n", limit ? limit : "unknown");
  for (uint32_t k = 0; k < r->nterms; k++) {
    const ww_report_term *t = &r->terms[k];
    if (t->name && t->group && !strcmp(t->stage, "timing") &&
        !strcmp(t->group, "stall") && t->value >= LEAST_TERM)
      ww_buf_fmt(out, "term %s %.2f\n", t->name, t->value);
  }
}

static void put_metrics(const ww_report *r, ww_buf *out) {
  static const ww_metric shown[] = {WW_M_occupancy_pct,
                                    WW_M_registers,
                                    WW_M_shared_bytes,
                                    WW_M_l1_hit_pct,
                                    WW_M_l2_hit_pct,
                                    WW_M_dram_gbps,
                                    WW_M_ld_sectors_per_request,
                                    WW_M_st_sectors_per_request};
  for (size_t k = 0; k < WW_COUNT(shown); k++)
    if (r->m[shown[k]].known && isfinite(r->m[shown[k]].value))
      ww_buf_fmt(out, "metric %s %.3g\n", ww_metrics[shown[k]].name,
                 r->m[shown[k]].value);
}

void ww_state_write(const ww_optimized *o,
                    uint32_t id,
                    const ww_candidate *offers,
                    uint32_t n,
                    ww_buf *out) {
  const ww_candidate *c = &o->v.v[id];
  const ww_report *r = &c->report;
  ww_buf_fmt(out, "version v%u\nkernel ", id);
  put_words(out, o->kernel);
  ww_buf_puts(out, "\ngpu ");
  put_words(out, o->v.v[0].report.gpu);
  ww_buf_puts(out, "\n");
  put_axes(out, "grid", c->ready.grid);
  put_axes(out, "block", c->ready.block);
  put_time(o, id, out);
  ww_buf_fmt(out, "state %s\n", ww_candidate_names[c->state]);
  put_terms(r, out);
  put_metrics(r, out);
  for (uint32_t k = 0; k < r->nfindings && k < MOST_FINDINGS; k++)
    ww_buf_fmt(out, "finding %s line %u gain %.2f\n", r->findings[k].rule,
               r->findings[k].line, r->findings[k].gain);
  for (uint32_t k = 0; k < n; k++) {
    ww_buf_fmt(out, "rewrite r%u %s: ", k + 1, ww_rewrites[offers[k].kind].id);
    put_words(out, offers[k].title);
    ww_buf_puts(out, "\n");
  }
}
