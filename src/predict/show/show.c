/* show.c - a prediction as tables on a terminal. */
#include "show.h"

#include "../../base/units.h"

const char *const ww_term_words[WW_NTERMS] = {
#define TERM(name, word, words) words,
#include "../model/terms.def"
};

/* ---- numbers ---- */

const char *ww_show_us(double us, char out[16]) {
  return ww_us_text(us, out);
}

const char *ww_show_amount(double v, const char *unit, char out[24]) {
  bool bytes = !strcmp(unit, "byte"),
       count = !strcmp(unit, "1") || !strcmp(unit, "1/thread");
  const char *shown = bytes ? "B" : count ? "" : unit;
  if (!strcmp(unit, "us")) {
    char t[16];
    snprintf(out, 24, "%s", ww_show_us(v, t));
    return out;
  }
  const char *step =
      bytes || count ? ww_unit_of(&v, ww_units_thousands, 9999.5, 999.5) : "";
  bool whole = v == floor(v) && fabs(v) < 1e6, large = fabs(v) >= 999.5;
  snprintf(out, 24, whole || large ? "%.0f%s%s%s" : "%.3g%s%s%s", v,
           *step || *shown ? " " : "", step, shown);
  return out;
}

const char *ww_show_color(FILE *f, const char *code) {
  return ww_color_on(f) ? code : "";
}

void ww_show_bold(FILE *f, const char *text) {
  fprintf(f, "%s%s%s", ww_show_color(f, "\033[1m"), text, ww_show_color(f, "\033[0m"));
}

void ww_show_wrapped(FILE *f, const char *text, uint32_t indent) {
  uint32_t at = 0;
  for (const char *s = text; *s;) {
    s += strspn(s, " ");
    uint32_t n = strcspn(s, " ");
    if (!n)
      break;
    if (at && at + 1 + n > WW_SHOW_COLUMNS) {
      fputc('\n', f);
      at = 0;
    }
    fprintf(f, "%*s%.*s", at ? 1 : (int)indent, "", (int)n, s);
    at += (at ? 1 : indent) + n;
    s += n;
  }
  if (at)
    fputc('\n', f);
}

/* ---- heads ---- */

static void shape(FILE *f, const char *what, const uint64_t d[3]) {
  fprintf(f, "%s %llu", what, (unsigned long long)d[0]);
  if (d[1] > 1 || d[2] > 1)
    fprintf(f, " x %llu", (unsigned long long)d[1]);
  if (d[2] > 1)
    fprintf(f, " x %llu", (unsigned long long)d[2]);
}

void ww_show_launch(FILE *f, const ww_report *r) {
  const ww_launch *l = r->launch;
  shape(f, "grid", l->grid);
  shape(f, ", block", l->block);
  if (l->shared)
    fprintf(f, ", %llu B of dynamic shared memory", (unsigned long long)l->shared);
  if (l->warm)
    fputs(", caches warm", f);
  fprintf(f, "; %llu of %llu blocks run\n", (unsigned long long)r->sampled_blocks,
          (unsigned long long)r->total_blocks);
}

void ww_show_assumed(FILE *f, const ww_report *r) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < r->assumed.n; k++) {
    b.n = 0;
    ww_assumption_put(&r->assumed.v[k], &b);
    if (b.n + 9 <= WW_SHOW_COLUMNS)
      fprintf(f, "%s %s\n", k ? "        " : "assumed:", b.s);
    else {
      if (!k)
        fputs("assumed:\n", f);
      ww_show_wrapped(f, b.s, 9);
    }
  }
  ww_buf_free(&b);
}

/* ---- one column a GPU ---- */

enum { NAME = 24, CELL = 17, MOST = 4 };

static bool answered(const ww_prediction *p) {
  return p->report.error.code == WW_OK;
}

static void cell(FILE *f, const char *text) {
  fprintf(f, " %*s", CELL, text);
}

static void metric_row(const ww_prediction *p, uint32_t n, int m, FILE *f) {
  char v[24];
  bool any = false;
  for (uint32_t k = 0; k < n; k++)
    any |= answered(&p[k]) && p[k].report.m[m].known;
  if (!any)
    return;
  fprintf(f, "%-*s", NAME, ww_metrics[m].name);
  for (uint32_t k = 0; k < n; k++)
    cell(f, answered(&p[k]) && p[k].report.m[m].known
                ? ww_show_amount(p[k].report.m[m].value, ww_metrics[m].unit, v)
                : "-");
  fputc('\n', f);
}

static void time_rows(const ww_prediction *p, uint32_t n, FILE *f) {
  char v[16];
  char lo[16];
  char hi[16];
  char both[40];
  fprintf(f, "%-*s", NAME, "time");
  for (uint32_t k = 0; k < n; k++)
    if (answered(&p[k]))
      fprintf(f, " %s%*s%s", ww_show_color(f, "\033[1m"), CELL,
              ww_show_us(p[k].timing.us, v), ww_show_color(f, "\033[0m"));
    else
      cell(f, "-");
  fprintf(f, "\n%-*s", NAME, "  between");
  for (uint32_t k = 0; k < n; k++) {
    const ww_timing *t = &p[k].timing;
    ww_show_us(t->low, lo);
    ww_show_us(t->high, hi);
    char *blank = strchr(lo, ' ');
    if (blank && !strcmp(blank, strchr(hi, ' ')))
      *blank = 0; /* one unit is enough */
    snprintf(both, sizeof both, "%s..%s", lo, hi);
    cell(f, answered(&p[k]) ? both : "-");
  }
  fputc('\n', f);
}

static void word_row(const char *name,
                     const ww_prediction *p,
                     uint32_t n,
                     const char *(*word)(const ww_prediction *),
                     FILE *f) {
  fprintf(f, "%-*s", NAME, name);
  for (uint32_t k = 0; k < n; k++) {
    const char *w = answered(&p[k]) ? word(&p[k]) : NULL;
    cell(f, w ? w : "-");
  }
  fputc('\n', f);
}

static const char *model_word(const ww_prediction *p) {
  return p->report.by == WW_BY_GROUNDED ? "corrected" : "machine model";
}
static const char *grade_word(const ww_prediction *p) {
  return p->report.grade;
}
static const char *class_word(const ww_prediction *p) {
  return p->report.roofline_class;
}
static const char *bound_word(const ww_prediction *p) {
  return ww_term_words[p->timing.bottleneck];
}
static const char *limit_word(const ww_prediction *p) {
  return ww_limit_names[p->work.occupancy.limiter];
}

/* What each resource alone would take, and the share of waiting; both for terms that
 * matter on some GPU. */
static void term_rows(const ww_prediction *p, uint32_t n, FILE *f) {
  char v[16];
  char text[40];
  fprintf(f, "\n%-*s", NAME, "each alone would take");
  for (uint32_t k = 0; k < n; k++)
    cell(f, n > 1 ? p[k].report.gpu : "time (waiting)");
  fputc('\n', f);
  for (int term = 0; term < WW_NTERMS; term++) {
    bool matters = false;
    for (uint32_t k = 0; k < n; k++)
      matters |=
          answered(&p[k]) && (p[k].timing.stall[term] >= 0.01 ||
                              p[k].timing.bound_us[term] >= 0.02 * p[k].timing.us);
    if (!matters)
      continue;
    fprintf(f, "  %-*s", NAME - 2, ww_term_words[term]);
    for (uint32_t k = 0; k < n; k++) {
      snprintf(text, sizeof text, "%s (%2.0f %%)",
               ww_show_us(p[k].timing.bound_us[term], v),
               100 * p[k].timing.stall[term]);
      cell(f, answered(&p[k]) ? text : "-");
    }
    fputc('\n', f);
  }
}

static void table(const ww_prediction *p, uint32_t n, FILE *f) {
  fprintf(f, "\n%-*s", NAME, "");
  for (uint32_t k = 0; k < n; k++)
    cell(f, p[k].report.gpu);
  fputc('\n', f);
  time_rows(p, n, f);
  word_row("model", p, n, model_word, f);
  word_row("figures of the GPU", p, n, grade_word, f);
  word_row("bound by", p, n, bound_word, f);
  word_row("roofline class", p, n, class_word, f);
  word_row("occupancy limited by", p, n, limit_word, f);
  fputc('\n', f);
  for (int m = 0; m < WW_NMETRICS; m++)
    if (m != WW_M_time_us)
      metric_row(p, n, m, f);
  term_rows(p, n, f);
}

void ww_predict_print(const ww_prediction *p, uint32_t n, FILE *f) {
  const ww_prediction *any = p;
  for (uint32_t k = n; k-- > 0;)
    if (answered(&p[k]))
      any = &p[k];
  ww_show_bold(f, any->report.kernel);
  fprintf(f, "  %s\n", any->report.file ? any->report.file : "");
  ww_show_launch(f, &any->report);
  for (uint32_t k = 0; k < n; k += MOST)
    table(p + k, n - k < MOST ? n - k : MOST, f);
  fputc('\n', f);
  for (uint32_t k = 0; k < n; k++) {
    const ww_report *r = &p[k].report;
    if (!answered(&p[k]))
      fprintf(f, "%s: %s\n", r->gpu, r->error.msg);
    else if (r->bottleneck)
      fprintf(f, "%s: %s\n", r->gpu, r->bottleneck);
  }
  ww_show_assumed(f, &any->report);
}
