/* report_print.c - a report as the table a person reads. */
#include "report.h"

#include <inttypes.h>
#include <math.h>

#include "../base/units.h"

static const char *color(FILE *f, const char *code) {
  return ww_color_on(f) ? code : "";
}

/* 1234567 bytes -> "1.23 MB"; counts likewise without the B; others as they are. */
static void amount(double v, const char *unit, char *out, size_t n) {
  bool bytes = !strcmp(unit, "byte"), count = !strcmp(unit, "1");
  const char *shown = bytes                       ? "B"
                      : count                     ? ""
                      : !strcmp(unit, "1/thread") ? "per thread"
                                                  : unit;
  const char *step =
      bytes || count ? ww_unit_of(&v, ww_units_thousands, 9999.5, 999.5) : "";
  /* 22436 us, not 2.244e+04 us */
  bool whole = (v == floor(v) || fabs(v) >= 9999.5) && fabs(v) < 1e7;
  bool blank = *step || *shown;
  snprintf(out, n, whole ? "%.0f%s%s%s" : "%.4g%s%s%s", v, blank ? " " : "", step,
           shown);
}

static void print_shape(const char *what, const uint64_t d[3], FILE *f) {
  if (!d[0])
    return;
  fprintf(f, "  %s %" PRIu64, what, d[0]);
  if (d[1] > 1 || d[2] > 1)
    fprintf(f, "x%" PRIu64, d[1]);
  if (d[2] > 1)
    fprintf(f, "x%" PRIu64, d[2]);
}

static void print_head(const ww_report *r, FILE *f) {
  fprintf(f, "%s%s%s", color(f, "\033[1m"), r->kernel ? r->kernel : "?",
          color(f, "\033[0m"));
  if (r->file)
    fprintf(f, "  %s", r->file);
  if (r->gpu)
    fprintf(f, "  on %s", r->gpu);
  if (r->gpu && r->grade)
    fprintf(f, " (%s)", r->grade);
  fprintf(f, "  by %s\n", ww_by_names[r->by]);
  if (!r->launch)
    return;
  print_shape("grid", r->launch->grid, f);
  print_shape("block", r->launch->block, f);
  if (r->launch->shared)
    fprintf(f, "  shared %" PRIu64 " B", r->launch->shared);
  if (r->total_blocks)
    fprintf(f, "  (%" PRIu64 " of %" PRIu64 " blocks run)", r->sampled_blocks,
            r->total_blocks);
  fputc('\n', f);
}

static void print_metrics(const ww_report *r, FILE *f) {
  char v[48];
  char lo[48];
  char hi[48];
  for (int i = 0; i < WW_NMETRICS; i++) {
    const ww_quantity *q = &r->m[i];
    if (!q->known)
      continue;
    amount(q->value, ww_metrics[i].unit, v, sizeof v);
    fprintf(f, "  %-24s %14s", ww_metrics[i].name, v);
    if (q->interval) {
      amount(q->low, ww_metrics[i].unit, lo, sizeof lo);
      amount(q->high, ww_metrics[i].unit, hi, sizeof hi);
      fprintf(f, "  %s .. %s", lo, hi);
    }
    fputc('\n', f);
  }
}

const char *ww_also_text(const ww_also *also, ww_arena *a) {
  ww_buf b = {0};
  if (!also->n)
    return "";
  ww_buf_puts(&b, also->n + also->more > 1 ? " (also lines" : " (also line");
  for (uint32_t k = 0; k < also->n; k++)
    ww_buf_fmt(&b, k ? ", %u" : " %u", also->line[k]);
  if (also->more)
    ww_buf_fmt(&b, " and %u more", also->more);
  ww_buf_puts(&b, ")");
  return ww_buf_text(&b, a);
}

void ww_finding_word(ww_finding *f, ww_arena *a) {
  if (f->cause)
    f->message = ww_fmt(a, "%s%s: %s", f->cause, ww_also_text(&f->also, a), f->remedy);
}

void ww_report_print(const ww_report *r, FILE *f) {
  if (r->error.code) {
    fprintf(f, "%s  %s%serror:%s %s\n", r->kernel ? r->kernel : "?",
            r->file ? r->file : "", color(f, "\033[31m"), color(f, "\033[0m"),
            r->error.msg);
    return;
  }
  print_head(r, f);
  print_metrics(r, f);
  if (r->roofline_class)
    fprintf(f, "  roofline class: %s\n", r->roofline_class);
  if (r->bottleneck)
    fprintf(f, "  bottleneck: %s\n", r->bottleneck);
  for (uint32_t i = 0; i < r->nfindings; i++) {
    const ww_finding *d = &r->findings[i];
    fprintf(f, "  %s%s:%u%s %s", color(f, "\033[33m"),
            d->file   ? d->file
            : r->file ? r->file
                      : "",
            d->line, color(f, "\033[0m"), d->message);
    if (d->gain > 1)
      fprintf(f, " (up to %.2gx)", d->gain);
    fprintf(f, " [%s]\n", d->rule);
  }
  ww_assumptions_print(&r->assumed, "  assumed", "  assumed", f);
}
