/* summary.c - a whole application from the predictions of its launches: which kernels
 * matter, what each GPU would make of it.
 *
 * A kernel is its name in its file; launches of any shape add up. Workload: some
 * thousand launches of some dozen kernels. */
#include "show.h"

#include <stdlib.h>

enum { MOST_GPUS = 4, SHOWN = 20 };

typedef struct {
  const char *file, *kernel;
  double launches, us[MOST_GPUS], low[MOST_GPUS], high[MOST_GPUS], missing[MOST_GPUS];
  double by_term[WW_NTERMS]; /* time on the first GPU, by bottleneck */
} row;

struct ww_summary {
  ww_arena *arena;
  const char *const *gpus;
  const char *grades[MOST_GPUS]; /* of their descriptions; NULL: nothing answered */
  uint32_t n;
  WW_VEC(row) rows;
  double failed, launches;
};

ww_summary *ww_summary_new(const char *const *gpus, uint32_t n) {
  ww_arena *a = ww_arena_new();
  ww_summary *s = WW_NEW(a, ww_summary);
  *s = (ww_summary){.arena = a, .gpus = gpus, .n = n < MOST_GPUS ? n : MOST_GPUS};
  return s;
}

void ww_summary_free(ww_summary *s) {
  if (s)
    ww_arena_free(s->arena);
}

static row *find(ww_summary *s, const ww_report *r) {
  const char *file = r->file ? r->file : "";
  const char *kernel = r->kernel ? r->kernel : "?";
  for (uint32_t k = 0; k < s->rows.n; k++)
    if (!strcmp(s->rows.v[k].kernel, kernel) && !strcmp(s->rows.v[k].file, file))
      return &s->rows.v[k];
  ww_push(
      s->arena, &s->rows,
      (row){.file = ww_strdup(s->arena, file), .kernel = ww_strdup(s->arena, kernel)});
  return &s->rows.v[s->rows.n - 1];
}

void ww_summary_add(ww_summary *s, const ww_prediction *p, uint64_t count) {
  double n = count ? count : 1;
  row *r = find(s, &p[0].report);
  r->launches += n;
  s->launches += n;
  for (uint32_t k = 0; k < s->n; k++) {
    const ww_timing *t = &p[k].timing;
    if (p[k].report.error.code != WW_OK) {
      r->missing[k] += n;
      continue;
    }
    if (p[k].report.grade && !s->grades[k])
      s->grades[k] = ww_strdup(s->arena, p[k].report.grade);
    r->us[k] += n * t->us;
    r->low[k] += n * t->low;
    r->high[k] += n * t->high;
    if (k == 0)
      r->by_term[t->bottleneck] += n * t->us;
  }
}

void ww_summary_failed(ww_summary *s, uint64_t count) {
  double n = count ? count : 1;
  s->failed += n;
  s->launches += n;
}

static int by_time(const void *a, const void *b) {
  const row *p = a;
  const row *q = b;
  return p->us[0] < q->us[0]   ? 1
         : p->us[0] > q->us[0] ? -1
                               : strcmp(p->kernel, q->kernel);
}

static const char *bound_of(const row *r) {
  int best = WW_TERM_LAUNCH;
  for (int k = 0; k < WW_NTERMS; k++)
    if (r->by_term[k] > r->by_term[best])
      best = k;
  return ww_term_words[best];
}

static void print_times(const ww_summary *s, const double *us, FILE *f) {
  char v[24];
  for (uint32_t k = 0; k < s->n; k++)
    fprintf(f, " %11s", ww_show_us(us[k], v));
}

static void print_row(const ww_summary *s, const row *r, double all, FILE *f) {
  char v[24];
  fprintf(f, "%-28.28s %9s %5.1f %%", r->kernel, ww_show_amount(r->launches, "1", v),
          ww_ratio(100 * r->us[0], all));
  for (uint32_t k = 0; k < s->n; k++)
    fprintf(f, " %11s", r->us[k] > 0 ? ww_show_us(r->us[k], v) : "-");
  if (s->n == 1)
    fprintf(f, "  %s", bound_of(r));
  fputc('\n', f);
}

void ww_summary_print(ww_summary *s, FILE *f) {
  row total = {0};
  char v[24];
  if (s->rows.n)
    qsort(s->rows.v, s->rows.n, sizeof *s->rows.v, by_time);
  for (uint32_t i = 0; i < s->rows.n; i++) {
    const row *r = &s->rows.v[i];
    total.launches += r->launches;
    for (uint32_t k = 0; k < s->n; k++) {
      total.us[k] += r->us[k];
      total.low[k] += r->low[k];
      total.high[k] += r->high[k];
    }
  }
  fprintf(f, "%-28s %9s %7s", "kernel", "launches", "share");
  for (uint32_t k = 0; k < s->n; k++)
    fprintf(f, " %11s", s->gpus[k]);
  fprintf(f, "%s\n", s->n == 1 ? "  bound by" : "");
  for (uint32_t i = 0; i < s->rows.n && i < SHOWN; i++)
    print_row(s, &s->rows.v[i], total.us[0], f);
  if (s->rows.n > SHOWN)
    fprintf(f, "%u more kernels\n", s->rows.n - SHOWN);
  fprintf(f, "%-28s %9s %5.1f %%", "all", ww_show_amount(total.launches, "1", v),
          100.0);
  print_times(s, total.us, f);
  fprintf(f, "\n%-46s", "  between");
  print_times(s, total.low, f);
  fprintf(f, "\n%-46s", "  and");
  print_times(s, total.high, f);
  fprintf(f, "\n%-46s", "  figures of the GPU");
  for (uint32_t k = 0; k < s->n; k++)
    fprintf(f, " %11s", s->grades[k] ? s->grades[k] : "-");
  fputc('\n', f);
  if (s->failed > 0)
    fprintf(f, "%.0f of %.0f launches have no answer and are not in these sums\n",
            s->failed, s->launches);
}
