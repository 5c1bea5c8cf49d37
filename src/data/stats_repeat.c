/* stats_repeat.c - the same launches measured on two occasions: how many agree, and
 * which do not.
 *
 * The repetition is the smaller store: its rows go into a table by kernel, launch and
 * GPU, the other store's rows are looked up. */
#include <math.h>
#include <stdlib.h>

#include "stats.h"
#include "text.h"

typedef struct {
  double time_us, iqr_us;
  bool failed, met;
} held;

typedef struct {
  ww_arena *a;
  ww_map at; /* identity -> place in rows */
  WW_VEC(held) rows;
  WW_VEC(float) off; /* of the compared ones */
  ww_repeat_counts *out;
} job;

static uint64_t identity(const ww_store_row *r) {
  const char *gpu = r->gpu ? r->gpu : "";
  uint64_t h = ww_text_hash(r->kernel.key, r->number);
  return ww_text_hash(gpu, h) | 1;
}

static ww_status keep(void *ctx, const ww_store_row *r, ww_err *e) {
  job *j = ctx;
  bool fresh;
  (void)e;
  uint32_t *at = ww_map_at(&j->at, j->a, identity(r), &fresh);
  if (!fresh)
    return WW_OK;
  *at = j->rows.n;
  ww_push(j->a, &j->rows,
          (held){r->m[WW_M_time_us], r->iqr_us, r->status != WW_OK, false});
  return WW_OK;
}

static void add_worst(ww_repeat_counts *o, const ww_repeat_row *row) {
  uint32_t at;
  if (o->nworst < WW_WORST_REPEATS)
    o->nworst++;
  else if (fabs(row->off) <= fabs(o->worst[o->nworst - 1].off))
    return;
  for (at = o->nworst - 1; at > 0 && fabs(o->worst[at - 1].off) < fabs(row->off); at--)
    o->worst[at] = o->worst[at - 1];
  o->worst[at] = *row;
}

static ww_status meet(void *ctx, const ww_store_row *r, ww_err *e) {
  job *j = ctx;
  ww_repeat_counts *o = j->out;
  (void)e;
  const uint32_t *at = ww_map_find(&j->at, identity(r));
  held *s = at ? &j->rows.v[*at] : NULL;
  if (!s || s->failed || r->status)
    return WW_OK;
  double first = r->m[WW_M_time_us];
  double second = s->time_us;
  double apart = fabs(second - first);
  double iqr =
      fmax(isfinite(r->iqr_us) ? r->iqr_us : 0, isfinite(s->iqr_us) ? s->iqr_us : 0);
  bool agree = apart <= 0.05 * first || (fmin(first, second) < 5 && apart <= 0.25);
  s->met = true;
  o->compared++;
  o->agree += agree;
  ww_push(j->a, &j->off, (float)(apart / first));
  if (agree)
    return WW_OK;
  ww_repeat_row row = {.number = r->number,
                       .first_us = first,
                       .second_us = second,
                       .iqr_us = iqr,
                       .off = second / first - 1};
  snprintf(row.key, sizeof row.key, "%s", r->kernel.key);
  o->told += iqr >= apart / 2;
  add_worst(o, &row);
  return WW_OK;
}

ww_status
ww_repeats_find(ww_store *s, ww_store *again, ww_repeat_counts *out, ww_err *e) {
  ww_store_filter all = {
      .origin = -1,
      .failed = true,
  };
  job j = {
      .a = ww_arena_new(),
      .out = out,
  };
  *out = (ww_repeat_counts){.median = NAN, .p95 = NAN};
  ww_status st = ww_store_each(again, &all, keep, &j, e);
  if (!st)
    st = ww_store_each(s, &all, meet, &j, e);
  for (uint32_t k = 0; k < j.rows.n; k++)
    out->absent += !j.rows.v[k].met;
  float *off = j.off.v;
  uint32_t n = j.off.n;
  if (n) {
    qsort(off, n, sizeof *off, ww_stats_by_value);
    out->median = off[n / 2];
    out->p95 = off[(uint32_t)(0.95 * (n - 1) + 0.5)];
  }
  ww_arena_free(j.a);
  return st;
}
