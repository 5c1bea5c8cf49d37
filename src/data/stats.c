/* stats.c - counts what is in a set of rows, in one walk.
 *
 * A kernel counts once it has a launch that was measured. Workload: a million rows,
 * some thousand families at most. */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

#include "../base/words.h"
#include "split.h"
#include "text.h"

const char *const ww_blocking_names[WW_NBLOCKINGS] = {
    "fewer blocks than SMs", "1 to 20 blocks an SM", "20 to 1000 blocks an SM",
    "more than 1000 blocks an SM"};

void ww_stats_begin(ww_stats *s, const char *name) {
  *s = (ww_stats){.a = ww_arena_new()};
  s->name = ww_strdup(s->a, name);
  s->time_least = INFINITY;
}

void ww_stats_free(ww_stats *s) {
  ww_map_free(&s->seen);
  ww_machines_free(&s->machines);
  ww_arena_free(s->a);
  *s = (ww_stats){0};
}

/* ---- kernels ---- */

static bool new_kernel(ww_stats *s, const char *key) {
  uint64_t h = ww_text_hash(key, 0);
  bool fresh;
  ww_map_at(&s->seen, NULL, h ? h : 1, &fresh);
  return fresh;
}

/* ---- failures ---- */

/* Numbers and names with numbers in them differ from launch to launch. */
static const char *cause_text(const char *message, ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(&b, "");
  for (const char *s = message; *s && *s != '\n' && b.n < 160;) {
    size_t n = 0;
    bool digit = false;
    while (ww_is_word(s[n]))
      digit |= ww_is_digit(s[n++]);
    if (!n)
      ww_buf_add(&b, s++, 1);
    else {
      if (digit)
        ww_buf_puts(&b, ww_is_digit(*s) ? "#" : "...");
      else
        ww_buf_add(&b, s, n);
      s += n;
    }
  }
  return ww_text_take(&b, a);
}

static void add_failure(ww_stats *s, const ww_store_row *r) {
  const char *text = cause_text(r->error ? r->error : "", s->a);
  s->failed++;
  for (uint32_t k = 0; k < s->causes.n; k++) {
    ww_cause *c = &s->causes.v[k];
    if (c->code == r->status && !strcmp(c->text, text)) {
      c->n++;
      return;
    }
  }
  ww_push(s->a, &s->causes,
          (ww_cause){r->status, text, ww_strdup(s->a, r->kernel.key), 1});
}

/* ---- rows ---- */

static ww_family *family_of(ww_stats *s, const ww_store_row *r, ww_split split) {
  const char *name = r->kernel.family ? r->kernel.family : "";
  for (uint32_t k = s->families.n;
       k-- > 0;) { /* rows of a family come together: the last one is near */
    ww_family *f = &s->families.v[k];
    if (f->split == split && f->origin == r->kernel.origin && !strcmp(f->name, name))
      return f;
  }
  ww_push(s->a, &s->families,
          (ww_family){.name = ww_strdup(s->a, name),
                      .origin = r->kernel.origin,
                      .split = split});
  return &s->families.v[s->families.n - 1];
}

static void add_gpu(ww_stats *s, const ww_store_row *r, uint32_t sms) {
  const char *name = r->gpu ? r->gpu : "";
  for (uint32_t k = 0; k < s->gpus.n; k++)
    if (!strcmp(s->gpus.v[k].name, name)) {
      s->gpus.v[k].launches++;
      return;
    }
  ww_push(s->a, &s->gpus,
          (ww_stats_gpu){ww_strdup(s->a, name),
                         r->device ? ww_strdup(s->a, r->device) : NULL, sms, 1});
}

static void count(ww_row_counts *t, bool kernel, bool counters) {
  t->kernels += kernel;
  t->launches++;
  t->with_counters += counters;
}

static void add_blocking(ww_stats *s, const ww_store_row *r, uint32_t sms) {
  double v = ww_spread_value(r, sms, WW_SPREAD_blocks_per_sm);
  if (isnan(v))
    return;
  s->blocking_known++;
  s->blocking[v < 1       ? WW_FEW_BLOCKS
              : v <= 20   ? WW_TO_20
              : v <= 1000 ? WW_TO_1000
                          : WW_BEYOND_1000]++;
}

static void add_values(ww_stats *s, const ww_store_row *r, uint32_t sms) {
  double t = r->m[WW_M_time_us];
  for (int q = 0; q < WW_NSPREADS; q++) {
    uint8_t place = WW_UNKNOWN;
    double v = ww_spread_value(r, sms, q);
    if (!isnan(v)) {
      place = ww_spread_place(&ww_spreads[q], v);
      s->spread[q].at[place]++;
      s->spread[q].n++;
    }
    ww_push(s->a, &s->places, place);
  }
  s->integer_only += ww_spread_value(r, sms, WW_SPREAD_ai) == 0;
  s->under_10us += t < 10;
  s->above_10ms += t > 10e3;
  if (t < s->time_least)
    s->time_least = t;
  if (t > s->time_most)
    s->time_most = t;
  ww_push(s->a, &s->times, (float)t);
  if (isfinite(r->iqr_us) && r->samples != 1)
    ww_push(s->a, &s->noise, (float)(r->iqr_us / t));
}

ww_status ww_stats_row(void *stats, const ww_store_row *r, ww_err *e) {
  ww_stats *s = stats;
  if (r->status) {
    add_failure(s, r);
    return WW_OK;
  }
  const ww_gpu *g = NULL;
  ww_status st = r->sms ? WW_OK : ww_machine_of(&s->machines, r->gpu, &g, e);
  if (st)
    return st;
  uint32_t sms = r->sms ? r->sms : g ? g->sms : 0;
  ww_split split = ww_split_of(&r->kernel);
  bool kernel = new_kernel(s, r->kernel.key), counters = r->passes > 0;
  count(&s->all, kernel, counters);
  count(&s->split[split], kernel, counters);
  count(&s->origin[r->kernel.origin], kernel, counters);
  count(&family_of(s, r, split)->n, kernel, counters);
  add_gpu(s, r, sms);
  add_blocking(s, r, sms);
  add_values(s, r, sms);
  return WW_OK;
}

/* ---- the end ---- */

int ww_stats_by_value(const void *x, const void *y) {
  float a = *(const float *)x;
  float b = *(const float *)y;
  return (a > b) - (a < b);
}

static double quantile(const float *v, uint32_t n, double at) {
  return n ? (double)v[(uint32_t)(at * (n - 1) + 0.5)] : NAN;
}

static int by_launches(const void *x, const void *y) {
  const ww_family *a = x;
  const ww_family *b = y;
  if (a->n.launches != b->n.launches)
    return a->n.launches < b->n.launches ? 1 : -1;
  return strcmp(a->name, b->name);
}

static int by_count(const void *x, const void *y) {
  const ww_cause *a = x;
  const ww_cause *b = y;
  return (a->n < b->n) - (a->n > b->n);
}

void ww_stats_end(ww_stats *s) {
  const float *noise = s->noise.v;
  uint32_t over = 0;
  uint32_t n = s->noise.n;
  if (s->times.n)
    qsort(s->times.v, s->times.n, sizeof(float), ww_stats_by_value);
  if (n)
    qsort(s->noise.v, n, sizeof(float), ww_stats_by_value);
  if (s->families.n)
    qsort(s->families.v, s->families.n, sizeof(ww_family), by_launches);
  if (s->causes.n)
    qsort(s->causes.v, s->causes.n, sizeof(ww_cause), by_count);
  s->time_median = quantile(s->times.v, s->times.n, 0.5);
  s->noise_median = quantile(noise, n, 0.5);
  s->noise_p95 = quantile(noise, n, 0.95);
  for (uint32_t k = 0; k < n; k++)
    over += noise[k] > 0.05f;
  s->noisy = n ? (double)over / n : NAN;
}
