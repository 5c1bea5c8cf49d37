/* stats_show.c - what is in a store, for people: tables and small bars on a terminal of
 * 100 columns. */
#include <inttypes.h>
#include <math.h>

#include "../base/units.h"
#include "split.h"
#include "stats.h"

enum { BAR = 40 };

static const char *bold(FILE *f) {
  return ww_color_on(f) ? "\033[1m" : "";
}
static const char *dim(FILE *f) {
  return ww_color_on(f) ? "\033[2m" : "";
}
static const char *off(FILE *f) {
  return ww_color_on(f) ? "\033[0m" : "";
}

/* In eighths of a column; ends the line. */
static void bar(FILE *f, double share, int columns) {
  static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  int eighths = lround(share * columns * 8);
  if (share > 0 && !eighths)
    eighths = 1;
  for (; eighths >= 8; eighths -= 8)
    fputs("█", f);
  fprintf(f, "%s\n", parts[eighths]);
}

static void head(FILE *f, const char *text) {
  fprintf(f, "\n%s%s%s\n", bold(f), text, off(f));
}

static void tally(
    FILE *f, const char *name, const char *note, const ww_row_counts *t, uint64_t of) {
  fprintf(f, "  %-22.22s %-10.10s %9" PRIu64 " %10" PRIu64 " %10" PRIu64 "  ", name,
          note, t->kernels, t->launches, t->with_counters);
  bar(f, of ? t->launches / (double)of : 0, 30);
}

static void tally_head(FILE *f, const char *note) {
  fprintf(f, "%s  %-22s %-10s %9s %10s %10s%s\n", dim(f), "", note, "kernels",
          "launches", "counters", off(f));
}

static void tables(const ww_stats *s, FILE *f) {
  head(f, "Splits and origins");
  tally_head(f, "");
  for (int k = 0; k < WW_NSPLITS; k++)
    tally(f, ww_split_names[k], "", &s->split[k], s->all.launches);
  for (int k = 0; k < WW_NORIGINS; k++)
    if (s->origin[k].launches)
      tally(f, ww_origin_names[k], "", &s->origin[k], s->all.launches);
  head(f, "Families");
  tally_head(f, "split");
  const ww_family *v = s->families.v;
  for (uint32_t k = 0; k < s->families.n; k++)
    tally(f, v[k].name, ww_split_names[v[k].split], &v[k].n, v[0].n.launches);
}

/* ---- distributions ---- */

static const char *us_text(double us, char out[24]) {
  static const char *const units[] = {"us", "ms", NULL};
  const char *unit = ww_unit_of(&us, units, 999.5, 999.5);
  snprintf(out, 24, "%.3g %s", us, unit);
  return out;
}

static void line(FILE *f, const char *name, uint64_t n, uint64_t of, double most) {
  double share = of ? n / (double)of : 0;
  fprintf(f, "  %-28s %9" PRIu64 " %6.2f %%  ", name, n, 100 * share);
  bar(f, most > 0 ? share / most : 0, BAR);
}

static void times(const ww_stats *s, FILE *f) {
  const ww_spread *t = &s->spread[WW_SPREAD_time];
  const ww_spread_info *i = &ww_spreads[WW_SPREAD_time];
  char lo[24];
  char hi[24];
  char name[64];
  double most = 0;
  head(f, "Time");
  for (uint32_t k = 0; k < i->bins; k++)
    most = fmax(most, t->n ? t->at[k] / (double)t->n : 0);
  if (t->at[WW_BELOW])
    line(f, "below 1 us", t->at[WW_BELOW], t->n, most);
  for (uint32_t k = 0; k < i->bins; k++) {
    snprintf(name, sizeof name, "%s to %s", us_text(ww_spread_edge(i, k), lo),
             us_text(ww_spread_edge(i, k + 1), hi));
    if (t->at[k])
      line(f, name, t->at[k], t->n, most);
  }
  if (t->at[WW_ABOVE])
    line(f, "above 100 ms", t->at[WW_ABOVE], t->n, most);
  fprintf(f, "  from %s", us_text(s->time_least, lo));
  fprintf(f, " to %s, median %s\n", us_text(s->time_most, lo),
          us_text(s->time_median, hi));
}

static void shares(const ww_stats *s, FILE *f) {
  head(f, "Grids");
  for (int k = 0; k < WW_NBLOCKINGS; k++)
    line(f, ww_blocking_names[k], s->blocking[k], s->blocking_known, 1);
  head(f, "Shares");
  line(f, "no floating point", s->integer_only, s->spread[WW_SPREAD_ai].n, 1);
  line(f, "under 10 us", s->under_10us, s->all.launches, 1);
  line(f, "above 10 ms", s->above_10ms, s->all.launches, 1);
  head(f, "Noise");
  if (isnan(s->noise_median))
    fprintf(f, "  spread of the runs is not known\n");
  else
    fprintf(f,
            "  interquartile range of a launch's runs: median %.2f %%, 95th percentile "
            "%.2f %% of "
            "its time;\n"
            "  above 5 %% of it: %.1f %% of launches\n",
            100 * s->noise_median, 100 * s->noise_p95, 100 * s->noisy);
}

static void failures(const ww_stats *s, FILE *f) {
  if (!s->failed)
    return;
  head(f, "Failures");
  for (uint32_t k = 0; k < s->causes.n && k < 20; k++) {
    const ww_cause *c = &s->causes.v[k];
    fprintf(f, "  %9" PRIu64 "  %s: %s (%s)\n", c->n, ww_status_name(c->code), c->text,
            c->example);
  }
  if (s->causes.n > 20)
    fprintf(f, "  and %u more causes\n", s->causes.n - 20);
}

/* ---- against others ---- */

static void coverage(const ww_stats *ours, const ww_stats *other, FILE *f) {
  fprintf(f, "\n%sCoverage of %s%s\n", bold(f), other->name, off(f));
  fprintf(f, "%s  %-36s %10s %10s %9s%s\n", dim(f), "", "launches", "other's",
          "covered", off(f));
  for (int q = 0; q < WW_NSPREADS; q++) {
    double c = ww_spread_cover(&ours->spread[q], &other->spread[q]);
    if (isnan(c))
      continue;
    fprintf(f, "  %-36s %10" PRIu64 " %10" PRIu64 " %7.1f %%  ", ww_spreads[q].title,
            ours->spread[q].n, other->spread[q].n, 100 * c);
    bar(f, c, 20);
  }
  double all_at_once = ww_stats_cover(ours, other);
  fprintf(f, "  %-36s %10s %10" PRIu64 " %7.1f %%  ", "all of them at once", "",
          other->all.launches, 100 * all_at_once);
  bar(f, all_at_once, 20);
  fprintf(f, "%s  covered: in a bin where this set has at least %d launches%s\n",
          dim(f), WW_COVERED_FROM, off(f));
}

static void repeats(const ww_repeat_counts *r, FILE *f) {
  head(f, "Repeated");
  if (!r->compared) {
    fprintf(f, "  no launch is in both stores\n");
    return;
  }
  fprintf(f,
          "  %" PRIu64 " launches on both occasions; %" PRIu64
          " agree (%.1f %%: within 5 %%, or 0.25 us below 5 "
          "us)\n",
          r->compared, r->agree, 100 * (double)r->agree / r->compared);
  fprintf(f,
          "  of the others, %" PRIu64
          " have a spread that says so; difference: median %.2f %%, 95th "
          "percentile %.2f %%\n",
          r->told, 100 * r->median, 100 * r->p95);
  if (r->absent)
    fprintf(f, "  %" PRIu64 " launches of the repetition are not in both, or failed\n",
            r->absent);
  for (uint32_t k = 0; k < r->nworst && k < 10; k++) {
    char a[24];
    char b[24];
    const ww_repeat_row *w = &r->worst[k];
    fprintf(f, "  %+8.1f %%  %10s -> %-10s  spread %.2f us  %s #%u\n", 100 * w->off,
            us_text(w->first_us, a), us_text(w->second_us, b), w->iqr_us, w->key,
            w->number);
  }
}

void ww_stats_print(const ww_stats_view *v, FILE *f) {
  const ww_stats *s = v->ours;
  fprintf(f, "%s%s%s: %" PRIu64 " launches of %" PRIu64 " kernels", bold(f), s->name,
          off(f), s->all.launches, s->all.kernels);
  for (uint32_t k = 0; k < s->gpus.n; k++)
    fprintf(f, "%s%s", k ? ", " : " on ", s->gpus.v[k].name);
  fprintf(f, ", %" PRIu64 " with counters; %" PRIu64 " failed\n", s->all.with_counters,
          s->failed);
  if (!s->all.launches) {
    failures(s, f);
    return;
  }
  tables(s, f);
  times(s, f);
  shares(s, f);
  failures(s, f);
  if (v->other)
    coverage(s, v->other, f);
  if (v->repeats)
    repeats(v->repeats, f);
}
