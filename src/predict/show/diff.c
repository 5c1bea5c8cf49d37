/* diff.c - two versions of a kernel under the same launch: which time changed, and
 * which part of the machine says why. */
#include "show.h"

#include <stdlib.h>

#include "../../base/json_put.h"

typedef struct {
  const char *what; /* in words */
  double before, after;
  const char *unit;
} change;

enum { MOST_CHANGES = 24, SHOWN = 6 };

/* Large changes first, of things that matter: by the logarithm of the ratio. */
static double size_of(const change *c) {
  double a = fmax(c->before, 0);
  double b = fmax(c->after, 0);
  if (a == b)
    return 0;
  if (a == 0 || b == 0)
    return 10;
  return fabs(log(b / a));
}

static int by_size(const void *a, const void *b) {
  double p = size_of(a);
  double q = size_of(b);
  return p < q ? 1 : p > q ? -1 : 0;
}

static uint32_t
quantities(const ww_prediction *p, const ww_prediction *q, change out[MOST_CHANGES]) {
  uint32_t n = 0;
#define PUT(what, field, unit) \
  out[n++] = (change){what, p->work.field, q->work.field, unit};
  PUT("instructions of warps", lowered.total, "1")
  PUT("FP64 instructions", lowered.inst[WW_PIPE_FP64], "1")
  PUT("loads, stores and shuffles", lowered.inst[WW_PIPE_LSU], "1")
  PUT("sectors loaded through L1", traffic.l1_ld_sectors, "1")
  PUT("sectors stored", traffic.l1_st_sectors, "1")
  PUT("sectors read from L2", traffic.l2_reads, "1")
  PUT("DRAM bytes read", traffic.dram_read, "byte")
  PUT("DRAM bytes written", traffic.dram_write, "byte")
  PUT("cycles of shared memory", traffic.shared_cycles, "1")
  PUT("atomics at the busiest address", traffic.atomics_same, "1")
  PUT("waits for loads, a warp", chain.waits, "1")
  PUT("of the waits, those beyond L1", chain.beyond_l1, "1")
  PUT("of the waits, those for DRAM", chain.beyond_l2, "1")
  PUT("loads in flight at a wait", chain.loads_per_wait, "1")
  PUT("barriers, a warp", chain.barriers, "1")
  PUT("registers a thread", occupancy.registers, "1")
  PUT("shared memory a block", occupancy.shared_bytes, "byte")
  PUT("resident warps of an SM", occupancy.warps, "1")
#undef PUT
  qsort(out, n, sizeof *out, by_size);
  while (n && size_of(&out[n - 1]) < 0.05)
    n--;
  return n;
}

/* Terms by how much their own time changed, in microseconds. */
static uint32_t terms(const ww_timing *p, const ww_timing *q, ww_term out[WW_NTERMS]) {
  uint32_t n = 0;
  for (int k = 0; k < WW_NTERMS; k++) {
    double change_us = fabs(q->bound_us[k] - p->bound_us[k]);
    if (change_us < 0.02 * fmin(p->us, q->us))
      continue;
    uint32_t at = n++;
    for (; at > 0 &&
           fabs(q->bound_us[out[at - 1]] - p->bound_us[out[at - 1]]) < change_us;
         at--)
      out[at] = out[at - 1];
    out[at] = k;
  }
  return n;
}

static const char *ratio_words(double before, double after, char out[48]) {
  double r = ww_ratio(before, after);
  if (fabs(r - 1) < 0.005)
    snprintf(out, 48, "no faster, no slower");
  else if (r >= 1)
    snprintf(out, 48, "%.3gx faster", r);
  else
    snprintf(out, 48, "%.3gx slower", after / before);
  return out;
}

static const char *interval(const ww_timing *t, char out[40]) {
  char lo[16];
  char hi[16];
  snprintf(out, 40, "%s .. %s", ww_show_us(t->low, lo), ww_show_us(t->high, hi));
  return out;
}

static void print_terms(const ww_timing *p, const ww_timing *q, FILE *f) {
  ww_term changed[WW_NTERMS];
  char a[16];
  char b[16];
  uint32_t n = terms(p, q, changed);
  if (!n)
    return;
  fprintf(f, "\n%-32s %14s %14s\n", "each alone would take", "old", "new");
  for (uint32_t k = 0; k < n; k++)
    fprintf(f, "  %-30s %14s %14s%s\n", ww_term_words[changed[k]],
            ww_show_us(p->bound_us[changed[k]], a),
            ww_show_us(q->bound_us[changed[k]], b),
            changed[k] == q->bottleneck ? "  <- the limit now" : "");
}

static void print_why(const ww_timing *p, const ww_timing *q, FILE *f) {
  ww_term changed[WW_NTERMS];
  char text[300];
  bool faster = q->us < p->us;
  if (fabs(q->us / p->us - 1) < 0.005)
    return;
  for (uint32_t k = 0, n = terms(p, q, changed); k < n; k++) {
    double d = q->bound_us[changed[k]] - p->bound_us[changed[k]];
    if ((d < 0) != faster)
      continue; /* changed the other way, and was outweighed */
    int said = snprintf(text, sizeof text, "%s because %s takes %s; it ",
                        faster ? "Faster" : "Slower", ww_term_words[changed[k]],
                        faster ? "less" : "more");
    const char *now = ww_term_words[q->bottleneck];
    if (p->bottleneck == q->bottleneck)
      snprintf(text + said, sizeof text - said, "is still bound by %s.", now);
    else
      snprintf(text + said, sizeof text - said,
               "was bound by %s and is now bound by %s.", ww_term_words[p->bottleneck],
               now);
    ww_show_wrapped(f, text, 0);
    return;
  }
}

void ww_diff_print(const ww_prediction *p, const ww_prediction *q, FILE *f) {
  change c[MOST_CHANGES];
  char a[24];
  char b[24];
  char words[48];
  char range[40];
  uint32_t n = quantities(p, q, c);
  ww_show_bold(f, q->report.kernel);
  fprintf(f, " on %s (%s): %s\n", q->report.gpu, q->report.grade,
          ratio_words(p->timing.us, q->timing.us, words));
  fprintf(f, "  old %10s  (%s)  %s\n", ww_show_us(p->timing.us, a),
          interval(&p->timing, range), p->report.file);
  fprintf(f, "  new %10s  (%s)  %s\n", ww_show_us(q->timing.us, a),
          interval(&q->timing, range), q->report.file);
  print_why(&p->timing, &q->timing, f);
  print_terms(&p->timing, &q->timing, f);
  if (n)
    fprintf(f, "\n%-32s %14s %14s\n", "what changed most", "old", "new");
  for (uint32_t k = 0; k < n && k < SHOWN; k++)
    fprintf(f, "  %-30s %14s %14s\n", c[k].what,
            ww_show_amount(c[k].before, c[k].unit, a),
            ww_show_amount(c[k].after, c[k].unit, b));
  ww_show_assumed(f, &q->report);
}

void ww_diff_write(const ww_prediction *p, const ww_prediction *q, ww_json *j) {
  ww_term changed[WW_NTERMS];
  uint32_t n = terms(&p->timing, &q->timing, changed);
  ww_json_put(j, "{schema_version:1,kernel:%s,gpu:%s,speedup:%g,old:", q->report.kernel,
              q->report.gpu, p->timing.us / q->timing.us);
  ww_report_write(&p->report, j, NULL, NULL);
  ww_json_key(j, "new");
  ww_report_write(&q->report, j, NULL, NULL);
  ww_json_put(j, "changed_us:{");
  for (uint32_t k = 0; k < n; k++)
    ww_json_knum(j, ww_term_names[changed[k]],
                 q->timing.bound_us[changed[k]] - p->timing.bound_us[changed[k]]);
  ww_json_put(j, "}}");
}
