/* summary.c - the sum of a program's launches: which kernels matter, what each GPU
 * would make of the whole.
 *
 * Nothing is left out in silence: a kernel without an answer is a row with its reason,
 * and the total then is a lower bound that tells how many launches are missing. The
 * interval is the sum of the launches' own: errors of one program's kernels go the same
 * way often enough that they are not taken to cancel. */
#include "program.h"

#include <stdlib.h>

enum {
  SHOWN = 40,  /* kernels in the table */
  NARROW = 28, /* columns of names, at least */
  WIDE = 48    /* at most; a longer name has a line of its own */
};

/* ---- sums ---- */

static ww_program_row new_row(const ww_program *p, ww_arena *a) {
  uint32_t n = p->ngpus;
  double *v = WW_NEWN(a, double, 4 * (size_t)n);
  return (ww_program_row){
      .unanswered = v, .us = v + n, .low = v + 2 * n, .high = v + 3 * n};
}

static ww_program_row *
find(ww_program_sums *s, const ww_program *p, const ww_program_launch *l, ww_arena *a) {
  const char *file = l->file ? l->file : "";
  for (uint32_t k = 0; k < s->rows.n; k++)
    if (!strcmp(s->rows.v[k].kernel, l->kernel) && !strcmp(s->rows.v[k].file, file))
      return &s->rows.v[k];
  ww_program_row r = new_row(p, a);
  r.file = file;
  r.kernel = l->kernel;
  ww_push(a, &s->rows, r);
  return &s->rows.v[s->rows.n - 1];
}

static void add(const ww_program *p, const ww_program_launch *l, ww_program_row *r) {
  double n = l->count;
  r->launches += n;
  if (!r->why)
    r->why = l->why;
  for (uint32_t g = 0; g < p->ngpus; g++) {
    const ww_program_time *t = &l->time[g];
    r->unanswered[g] += t->known ? 0 : n;
    r->us[g] += t->known ? n * t->us : 0;
    r->low[g] += t->known ? n * t->low : 0;
    r->high[g] += t->known ? n * t->high : 0;
    if (!g && t->known)
      r->by_term[t->bottleneck] += n * t->us;
  }
}

static int by_time(const void *a, const void *b) {
  const ww_program_row *p = a;
  const ww_program_row *q = b;
  return p->us[0] < q->us[0]   ? 1
         : p->us[0] > q->us[0] ? -1
                               : strcmp(p->kernel, q->kernel);
}

void ww_program_sum(const ww_program *p, ww_arena *a, ww_program_sums *out) {
  *out = (ww_program_sums){.total = new_row(p, a)};
  for (uint32_t k = 0; k < p->n; k++) {
    add(p, &p->v[k], find(out, p, &p->v[k], a));
    add(p, &p->v[k], &out->total);
  }
  if (out->rows.n)
    qsort(out->rows.v, out->rows.n, sizeof *out->rows.v, by_time);
}

ww_term ww_program_bound(const ww_program_row *r) {
  ww_term best = WW_TERM_LAUNCH;
  for (ww_term k = 0; k < WW_NTERMS; k++)
    if (r->by_term[k] > r->by_term[best])
      best = k;
  return best;
}

/* ---- the table ---- */

typedef struct {
  const ww_program *p;
  const ww_program_sums *s;
  int width; /* of names */
  FILE *f;
} table;

static void print_name(const table *t, const char *name) {
  bool long_one = strlen(name) > (size_t)t->width;
  fprintf(t->f, "%-*s%s", t->width, name, long_one ? "\n" : "");
  if (long_one)
    fprintf(t->f, "%-*s", t->width, "");
}

static void print_row(const table *t, const ww_program_row *r) {
  char v[24];
  bool all = r == &t->s->total;
  bool none = r->unanswered[0] >= r->launches;
  double n = all ? r->launches - r->unanswered[0] : r->launches;
  print_name(t, !all ? r->kernel : r->unanswered[0] > 0 ? "all with an answer" : "all");
  fprintf(t->f, " %9s", ww_show_amount(n, "1", v));
  if (none)
    fprintf(t->f, " %7s", "-");
  else
    fprintf(t->f, " %5.1f %%",
            all ? 100.0 : ww_ratio(100 * r->us[0], t->s->total.us[0]));
  for (uint32_t g = 0; g < t->p->ngpus; g++)
    fprintf(t->f, " %11s",
            r->unanswered[g] < r->launches ? ww_show_us(r->us[g], v) : "-");
  if (t->p->ngpus == 1 && !all)
    fprintf(t->f, "  %s", none ? "no answer" : ww_term_words[ww_program_bound(r)]);
  fputc('\n', t->f);
}

static void print_bound(const table *t, const char *word, const double *us) {
  char v[24];
  fprintf(t->f, "%-*s", t->width + 18, word);
  for (uint32_t g = 0; g < t->p->ngpus; g++)
    fprintf(t->f, " %11s", us[g] > 0 ? ww_show_us(us[g], v) : "-");
  fputc('\n', t->f);
}

static void print_grades(const table *t) {
  if (!t->p->grades)
    return;
  fprintf(t->f, "%-*s", t->width + 18, "  figures of the GPU");
  for (uint32_t g = 0; g < t->p->ngpus; g++)
    fprintf(t->f, " %11s", t->p->grades[g]);
  fputc('\n', t->f);
}

/* What has no answer: each kernel with how often and why, then what that makes of the
 * total. */
static void print_missing(const table *t) {
  const ww_program_row *all = &t->s->total;
  for (uint32_t k = 0; k < t->s->rows.n; k++) {
    const ww_program_row *r = &t->s->rows.v[k];
    if (r->why)
      fprintf(t->f, "no answer: %s, %.0f of its %.0f launches: %s\n", r->kernel,
              r->unanswered[0], r->launches, r->why);
  }
  for (uint32_t g = 0; g < t->p->ngpus; g++) {
    char v[24];
    double part = ww_ratio(100 * all->unanswered[g], all->launches);
    if (!(all->unanswered[g] > 0))
      continue;
    if (!(all->us[g] > 0)) {
      fprintf(t->f, "none of %.0f launches has an answer on %s\n", all->launches,
              t->p->gpus[g]);
      continue;
    }
    fprintf(t->f,
            "%.0f of %.0f launches (%.3g %%) have no answer on %s and are not in its "
            "sum: the program takes at least %s there\n",
            all->unanswered[g], all->launches, part, t->p->gpus[g],
            ww_show_us(all->low[g], v));
  }
}

void ww_program_print(const ww_program *p, FILE *f) {
  ww_arena *a = ww_arena_new();
  ww_program_sums s;
  ww_program_sum(p, a, &s);
  table t = {p, &s, NARROW, f};
  for (uint32_t k = 0; k < s.rows.n && k < SHOWN; k++) {
    int n = strlen(s.rows.v[k].kernel);
    t.width = n > t.width && n <= WIDE ? n : t.width;
  }
  fprintf(f, "%-*s %9s %7s", t.width, "kernel", "launches", "share");
  for (uint32_t g = 0; g < p->ngpus; g++)
    fprintf(f, " %11s", p->gpus[g]);
  fprintf(f, "%s\n", p->ngpus == 1 ? "  bound by" : "");
  double rest = 0;
  for (uint32_t k = 0; k < s.rows.n; k++) {
    if (k < SHOWN)
      print_row(&t, &s.rows.v[k]);
    else
      rest += s.rows.v[k].us[0];
  }
  if (s.rows.n > SHOWN)
    fprintf(f, "%u more kernels, %.1f %%\n", s.rows.n - SHOWN,
            ww_ratio(100 * rest, s.total.us[0]));
  print_row(&t, &s.total);
  print_bound(&t, "  between", s.total.low);
  print_bound(&t, "  and", s.total.high);
  print_grades(&t);
  print_missing(&t);
  ww_arena_free(a);
}
