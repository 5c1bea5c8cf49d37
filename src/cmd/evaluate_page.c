/* evaluate_page.c - an evaluation as one HTML file: headline, predicted against
 * measured, histogram, the tables.
 *
 * Self-contained: no script, no font, nothing fetched; colours follow the reader's
 * light or dark setting. What a mark stands for is its <title>, which browsers show
 * under the pointer. */
#include <math.h>

#include "../base/svg.h"
#include "evaluate.h"

#define NCOLORS 8

static const char style[] =
    ":root{--bg:#fbfbfa;--fg:#1c1d21;--soft:#5d6068;--line:#dcdde1;--card:#fff;--band:#"
    "0000000a;"
    "--c0:#2a6fdb;--c1:#d9650d;--c2:#0f8f62;--c3:#b13aa8;--c4:#8a6d00;--c5:#c0392b;--"
    "c6:#5b5bd6;--"
    "c7:#26828f}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#16171a;--fg:#ececee;--soft:#a2a5ad;-"
    "-line:#"
    "34363c;--card:#1e2024;--band:#ffffff0d;"
    "--c0:#6ea8ff;--c1:#ff9d57;--c2:#4fcf9f;--c3:#e58adf;--c4:#d6b84a;--c5:#ff7b6e;--"
    "c6:#a3a3ff;--"
    "c7:#63c5d3}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;padding:2rem 1.25rem "
    "4rem;max-width:84rem;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.1rem;margin:2.5rem 0 "
    ".75rem}p{margin:.25rem 0 1rem;color:var(--soft)}\n"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:"
    ".75rem;"
    "margin:1.25rem 0}\n"
    ".tile{background:var(--card);border:1px solid "
    "var(--line);border-radius:8px;padding:.75rem "
    ".9rem}\n"
    ".tile "
    "b{display:block;font-size:1.5rem;font-variant-numeric:tabular-nums;line-height:1."
    "25}.tile "
    "span{color:var(--soft);font-size:.85rem}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(26rem,1fr));gap:"
    "1rem}\n"
    "figure{margin:0;background:var(--card);border:1px solid "
    "var(--line);border-radius:8px;padding:1rem}"
    "figcaption{font-weight:600;margin-bottom:.5rem}svg{width:100%;height:auto;display:"
    "block}\n"
    "svg text{fill:var(--soft);font:11px system-ui,sans-serif}svg "
    ".axis{stroke:var(--line)}svg "
    ".same{stroke:var(--soft);stroke-dasharray:4 3}\n"
    "svg .band{fill:var(--band)}svg "
    "circle{fill-opacity:.65;stroke:var(--card);stroke-width:.5}svg "
    "circle:hover{fill-opacity:1;stroke:var(--fg);stroke-width:1.5}\n"
    "svg rect.bar{fill:var(--c0)}svg rect.bar:hover{fill:var(--c1)}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.3rem "
    "1rem;font-size:.85rem;color:var(--soft);margin-top:.5rem}.legend "
    "i{display:inline-block;"
    "width:.7em;height:.7em;border-radius:50%;margin-right:.4em}\n"
    ".scroll{overflow-x:auto;border:1px solid "
    "var(--line);border-radius:8px;background:var(--card)}\n"
    "table{border-collapse:collapse;width:100%;font-size:.85rem;font-variant-numeric:"
    "tabular-nums}"
    "th,td{padding:.35rem .6rem;"
    "text-align:right;white-space:nowrap;border-bottom:1px solid "
    "var(--line)}tr:last-child "
    "td{border-bottom:0}\n"
    "th{color:var(--soft);font-weight:600;position:sticky;top:0;background:var(--card)}"
    ".w{text-"
    "align:left}td.w{white-space:normal;min-width:9rem}\n"
    "tbody tr:hover{background:var(--band)}.note{font-size:.85rem;margin:.5rem 0 0}\n";

/* ---- which colour ---- */

/* The first grouping with a few groups; the bound where there is none. */
static int colour_grouping(const ww_evaluation *v) {
  static const int order[] = {WW_GROUP_SUITE, WW_GROUP_FAMILY, WW_GROUP_BOUND};
  for (size_t k = 0; k < WW_COUNT(order); k++)
    if (v->ngroups[order[k]] > 1 && v->ngroups[order[k]] <= NCOLORS)
      return order[k];
  return WW_GROUP_BOUND;
}

static uint32_t colour_of(const ww_evaluation *v, int grouping, const ww_eval_case *c) {
  for (uint32_t k = 0; k < v->ngroups[grouping]; k++)
    if (!strcmp(v->groups[grouping][k].name, ww_group_of(c, grouping)))
      return k % NCOLORS;
  return 0;
}

static void text(const char *before, const char *words, const char *after, ww_buf *b) {
  ww_buf_puts(b, before);
  ww_svg_escape(b, words);
  ww_buf_puts(b, after);
}

static void legend(const ww_evaluation *v, int grouping, ww_buf *b) {
  ww_buf_puts(b, "<div class=\"legend\">");
  for (uint32_t k = 0; k < v->ngroups[grouping] && v->ngroups[grouping] > 1; k++) {
    ww_buf_fmt(b, "<span><i style=\"background:var(--c%u)\"></i>", k % NCOLORS);
    ww_svg_escape(b, v->groups[grouping][k].name);
    ww_buf_fmt(b, " (%u)</span>", v->groups[grouping][k].n);
  }
  ww_buf_puts(b, "</div>");
}

/* ---- predicted against measured ---- */

#define SIDE 520.0 /* of the drawing, units of the SVG */
#define LEFT 58.0
#define BOTTOM 44.0
#define TOP 12.0
#define PLOT (SIDE - LEFT - 26)

typedef struct {
  bool log;
  double lo, hi; /* of the values, log10 of them where log */
} scale;

/* 0 .. 1 along an axis; a hit rate that the counters put above 100 % is drawn at the
 * frame. */
static double place(const scale *s, double v) {
  double at = ((s->log ? log10(v) : v) - s->lo) / (s->hi - s->lo);
  return at < 0 ? 0 : at > 1 ? 1 : at;
}
static double x_of(const scale *s, double v) {
  return LEFT + PLOT * place(s, v);
}
static double y_of(const scale *s, double v) {
  return TOP + PLOT * (1 - place(s, v));
}

static bool drawn(const scale *s, const ww_mark *m) {
  return m->answered && (!s->log || (m->truth > 0 && m->guess > 0));
}

/* Whole decades around all points, so that the axes are equal and the diagonal is one.
 */
static scale scale_of(const ww_evaluation *v) {
  scale s = {
      .log = !ww_rule_of(v->metric).points,
      .lo = INFINITY,
      .hi = -INFINITY,
  };
  if (!s.log)
    return (scale){.lo = 0, .hi = 100};
  for (uint32_t k = 0; k < v->n; k++) {
    ww_mark m = ww_case_mark(v, &v->cases[k]);
    if (!drawn(&s, &m))
      continue;
    s.lo = fmin(s.lo, floor(log10(fmin(m.truth, m.guess))));
    s.hi = fmax(s.hi, ceil(log10(fmax(m.truth, m.guess))));
  }
  if (!(s.hi > s.lo)) {
    s.lo = isfinite(s.lo) ? s.lo : 0;
    s.hi = s.lo + 1;
  }
  return s;
}

static void
label(double x, double y, const char *anchor, const char *words, ww_buf *b) {
  ww_buf_fmt(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y,
             anchor, words);
}

static void axes(const ww_evaluation *v, const scale *s, ww_arena *a, ww_buf *b) {
  double step = s->log ? ceil((s->hi - s->lo) / 10) : 20;
  for (double at = s->lo; at <= s->hi + 1e-9; at += step) {
    double value = s->log ? pow(10, at) : at;
    const char *words = ww_scored_text(v->metric, value, a);
    ww_buf_fmt(b, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fM%.1f %.1fH%.1f\"/>",
               x_of(s, value), TOP, TOP + PLOT, LEFT, y_of(s, value), LEFT + PLOT);
    label(x_of(s, value), TOP + PLOT + 16, "middle", words, b);
    label(LEFT - 6, y_of(s, value) + 4, "end", words, b);
  }
  label(LEFT + PLOT / 2, TOP + PLOT + 34, "middle", "measured", b);
  ww_buf_fmt(b,
             "<text transform=\"translate(11 %.1f) rotate(-90)\" "
             "text-anchor=\"middle\">predicted</text>",
             TOP + PLOT / 2);
}

/* Between half and double (10 points below and above), cut at the frame. */
static void band(const scale *s, ww_buf *b) {
  double off = s->log ? PLOT * log10(2) / (s->hi - s->lo) : PLOT * 10 / (s->hi - s->lo);
  double l = LEFT;
  double r = LEFT + PLOT;
  double t = TOP;
  double d = TOP + PLOT;
  ww_buf_fmt(b,
             "<path class=\"band\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fL%.1f %.1fL%.1f "
             "%.1fL%.1f %.1fZ\"/>",
             l, d, l, d - off, r - off, t, r, t, r, t + off, l + off, d);
  ww_buf_fmt(b, "<path class=\"same\" fill=\"none\" d=\"M%.1f %.1fL%.1f %.1f\"/>", l, d,
             r, t);
}

static uint32_t
dots(const ww_evaluation *v, const scale *s, int grouping, ww_arena *a, ww_buf *b) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < v->n; k++) {
    const ww_eval_case *c = &v->cases[k];
    ww_mark m = ww_case_mark(v, c);
    if (!drawn(s, &m))
      continue;
    ww_buf_fmt(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"var(--c%u)\"><title>",
               x_of(s, m.truth), y_of(s, m.guess), colour_of(v, grouping, c));
    ww_svg_escape(b, ww_case_name(c, a));
    ww_buf_fmt(b, "\n%s: measured %s, predicted %s\n", ww_group_of(c, grouping),
               ww_scored_text(v->metric, m.truth, a),
               ww_scored_text(v->metric, m.guess, a));
    if (c->predicted.bottleneck)
      ww_svg_escape(b, c->predicted.bottleneck);
    ww_buf_puts(b, "</title></circle>\n");
    n++;
  }
  return n;
}

static void scatter(const ww_evaluation *v, ww_arena *a, ww_buf *b) {
  scale s = scale_of(v);
  int grouping = colour_grouping(v);
  ww_buf_fmt(b,
             "<figure><figcaption>Predicted against measured %s</figcaption><svg "
             "viewBox=\"0 0 %g "
             "%g\" role=\"img\" aria-label=\"scatter plot\">",
             ww_scored_name(v->metric), SIDE, TOP + PLOT + BOTTOM);
  axes(v, &s, a, b);
  band(&s, b);
  uint32_t n = dots(v, &s, grouping, a, b);
  ww_buf_puts(b, "</svg>");
  legend(v, grouping, b);
  ww_buf_fmt(b, "<p class=\"note\">%u launches, by %s. The band is %s.</p></figure>\n",
             n, ww_grouping_names[grouping],
             s.log ? "half to double" : "ten points either way");
}

/* ---- how far off ---- */

#define NBINS 26 /* the first and the last are open */

/* Bin of a mark: a quarter of a doubling each (4 points each), the middle edge at
 * "right". */
static uint32_t bin_of(const ww_mark *m, bool points) {
  double steps = points ? m->bias / 4 : m->ln / log(2) * 4;
  double at = floor(steps) + NBINS / 2.0;
  return at < 0 ? 0 : at > NBINS - 1 ? NBINS - 1 : at;
}

static void bin_label(uint32_t edge, bool points, char *out, size_t n) {
  int steps = (int)edge - NBINS / 2;
  if (points)
    snprintf(out, n, steps ? "%+d" : "%d", steps * 4);
  else if (steps < 0)
    snprintf(out, n, "1/%g", round(100 * pow(2, -steps / 4.0)) / 100);
  else
    snprintf(out, n, "%g", round(100 * pow(2, steps / 4.0)) / 100);
}

static void bar(uint32_t k, uint32_t count, uint32_t most, bool points, ww_buf *b) {
  double w = PLOT / NBINS;
  double h = most ? PLOT * 0.94 * count / most : 0;
  char from[16];
  char to[16];
  bin_label(k, points, from, sizeof from);
  bin_label(k + 1, points, to, sizeof to);
  ww_buf_fmt(b,
             "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
             "height=\"%.1f\"><title>%u "
             "launches: %s%s%s</title></rect>",
             LEFT + k * w + 0.5, TOP + PLOT - h, w - 1, h, count, k ? from : "below ",
             k && k + 1 < NBINS ? " to "
             : k                ? " and more"
                                : to,
             k && k + 1 < NBINS ? to : "");
  if (k % 4 == 1) {
    ww_buf_fmt(b, "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>", LEFT + k * w,
               TOP + PLOT);
    label(LEFT + k * w, TOP + PLOT + 16, "middle", from, b);
  }
}

static void histogram(const ww_evaluation *v, ww_buf *b) {
  uint32_t count[NBINS] = {0};
  uint32_t most = 0;
  uint32_t none = 0;
  bool points = ww_rule_of(v->metric).points;
  for (uint32_t k = 0; k < v->n; k++) {
    ww_mark m = ww_case_mark(v, &v->cases[k]);
    none += m.counted && !m.answered;
    if (m.answered && (points || !isnan(m.ln)))
      count[bin_of(&m, points)]++;
  }
  for (int k = 0; k < NBINS; k++)
    if (count[k] > most)
      most = count[k];
  ww_buf_fmt(b,
             "<figure><figcaption>How far off</figcaption><svg viewBox=\"0 0 %g %g\" "
             "role=\"img\" "
             "aria-label=\"histogram\">",
             SIDE, TOP + PLOT + BOTTOM);
  ww_buf_fmt(b, "<path class=\"axis\" fill=\"none\" d=\"M%.1f %.1fH%.1f\"/>", LEFT,
             TOP + PLOT, LEFT + PLOT);
  for (uint32_t k = 0; k < 3; k++)
    ww_buf_fmt(
        b,
        "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
        "text-anchor=\"end\">%.0f</text>",
        LEFT, TOP + PLOT * (1 - 0.94 * (k + 1) / 3), LEFT + PLOT, LEFT - 6,
        TOP + PLOT * (1 - 0.94 * (k + 1) / 3) + 4, most * (k + 1) / 3.0);
  for (uint32_t k = 0; k < NBINS; k++)
    bar(k, count[k], most, points, b);
  double middle = LEFT + PLOT / 2;
  ww_buf_fmt(b, "<path class=\"same\" d=\"M%.1f %.1fV%.1f\"/>", middle, TOP,
             TOP + PLOT);
  label(middle, TOP + PLOT + 34, "middle",
        points ? "predicted - measured, points" : "predicted / measured", b);
  ww_buf_fmt(
      b, "</svg><p class=\"note\">Left of the line too low, right of it too high.%s",
      none ? " " : "");
  if (none)
    ww_buf_fmt(b,
               "%u launches have no answer and are not drawn; every score counts them "
               "as 100 %% off.",
               none);
  ww_buf_puts(b, "</p></figure>\n");
}

/* ---- tables ---- */

static void
row(const ww_table *t, const char *const *cells, const char *tag, ww_buf *b) {
  ww_buf_puts(b, "<tr>");
  for (uint32_t k = 0; k < t->ncols; k++) {
    ww_buf_fmt(b, "<%s%s>", tag, ww_table_words(t, k) ? " class=\"w\"" : "");
    ww_svg_escape(b, cells[k]);
    ww_buf_fmt(b, "</%s>", tag);
  }
  ww_buf_puts(b, "</tr>\n");
}

static void html_table(const ww_table *t, ww_buf *b) {
  text("<h2>", t->title, "</h2><div class=\"scroll\"><table><thead>", b);
  row(t, t->head, "th", b);
  ww_buf_puts(b, "</thead><tbody>");
  for (uint32_t r = 0; r < t->nrows; r++)
    row(t, &t->cells[r * t->ncols], "td", b);
  ww_buf_puts(b, "</tbody></table></div>\n");
  if (t->note)
    text("<p class=\"note\">", t->note, "</p>\n", b);
}

static void tiles(const ww_table *t, ww_buf *b) {
  ww_buf_puts(b, "<div class=\"tiles\">");
  for (uint32_t r = 0; r < t->nrows; r++) {
    const char *const *c = &t->cells[r * t->ncols];
    ww_buf_fmt(b, "<div class=\"tile\"><b>%s</b><span>", c[1]);
    ww_svg_escape(b, c[0]);
    ww_buf_fmt(b, " (of %s)</span></div>\n", c[2]);
  }
  ww_buf_puts(b, "</div>\n");
}

void ww_evaluate_page(
    const ww_evaluation *v, const ww_table *t, uint32_t n, ww_arena *a, ww_buf *b) {
  ww_buf_puts(b,
              "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
              "name=\"viewport\" content=\"width=device-width\">"
              "<meta name=\"color-scheme\" content=\"light dark\">");
  text("<title>", v->by, " against ", b);
  ww_svg_escape(b, v->data);
  ww_buf_fmt(b,
             "</title><style>\n%s</style></head><body>\n<h1>How good are the "
             "predictions?</h1><p>",
             style);
  text("", ww_evaluate_head(v, a), "</p>\n", b);
  tiles(&t[0], b);
  ww_buf_puts(b, "<div class=\"plots\">\n");
  scatter(v, a, b);
  histogram(v, b);
  ww_buf_puts(b, "</div>\n");
  for (uint32_t k = 1; k < n; k++)
    html_table(&t[k], b);
  ww_buf_puts(b, "</body></html>\n");
}
