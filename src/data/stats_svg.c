/* stats_svg.c - distributions as pictures: bars for this set, a stepped line for the
 * other, shares of launches upwards.
 *
 * One SVG a quantity that any browser shows: text as text, no script. What a bar stands
 * for is its <title>. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../base/svg.h"
#include "../base/units.h"
#include "stats.h"

enum {
  WIDTH = 640,
  HEIGHT = 300,
  LEFT = 54,
  RIGHT = 28,
  TOP = 66,
  BOTTOM = 46,
  MOST_PLACES = WW_MOST_BINS + 3
};
static const char ours_color[] = "#0072b2", other_color[] = "#d55e00";

/* Where a bin stands: its pixels and its counts in both sets. */
typedef struct {
  double x, width;
  uint64_t ours, other;
  double from, to;  /* NaN: no edge */
  const char *name; /* "no flops", NULL */
} place;

typedef struct {
  const ww_spread_info *i;
  const ww_spread *ours, *other; /* other NULL: none */
  place places[MOST_PLACES];
  uint32_t n;
  uint32_t first;        /* place of bin 0 */
  double bin_width, top; /* pixels; share at the upper edge */
  ww_buf *out;
} chart;

/* ---- layout ---- */

/* Place `at` of both sets; *x goes behind it. */
static void add(chart *c,
                double *x,
                double width,
                uint32_t at,
                double from,
                double to,
                const char *name) {
  c->places[c->n++] = (place){
      *x, width, c->ours->at[at], c->other ? c->other->at[at] : 0, from, to, name};
  *x += width;
}

static bool any_at(const chart *c, uint32_t at) {
  return c->ours->at[at] || (c->other && c->other->at[at]);
}

/* A bin apart for zeros, one at either end where something lies beyond, the others side
 * by side. */
static void lay_out(chart *c) {
  const ww_spread_info *i = c->i;
  bool zero = i->zero && any_at(c, WW_ZERO), below = any_at(c, WW_BELOW),
       above = any_at(c, WW_ABOVE);
  double x = LEFT;
  double room = WIDTH - LEFT - RIGHT;
  double units = i->bins + (zero ? 2.8 : 0) + below + above;
  c->bin_width = room / units;
  if (zero) {
    add(c, &x, 2 * c->bin_width, WW_ZERO, NAN, NAN, i->zero);
    x += 0.8 * c->bin_width;
  }
  if (below)
    add(c, &x, c->bin_width, WW_BELOW, NAN, i->lo, NULL);
  c->first = c->n;
  for (uint32_t k = 0; k < i->bins; k++)
    add(c, &x, c->bin_width, k, ww_spread_edge(i, k), ww_spread_edge(i, k + 1), NULL);
  if (above)
    add(c, &x, c->bin_width, WW_ABOVE, i->hi, NAN, NULL);
}

static double share(uint64_t n, const ww_spread *of) {
  return of && of->n ? n / (double)of->n : 0;
}

static double step_of(double top) { /* of the ticks: 1, 2, 5, 10, 20 % */
  static const double steps[] = {0.0025, 0.005, 0.01, 0.02, 0.025,
                                 0.05,   0.1,   0.2,  0.25};
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
    if (top / steps[k] <= 5.0001)
      return steps[k];
  return 0.25;
}

static void scale(chart *c) {
  double most = 0.01;
  for (uint32_t k = 0; k < c->n; k++)
    most = fmax(most, fmax(share(c->places[k].ours, c->ours),
                           share(c->places[k].other, c->other)));
  double step = step_of(most);
  c->top = step * ceil(most / step - 1e-9);
}

static double y_of(const chart *c, double s) {
  return TOP + (HEIGHT - TOP - BOTTOM) * (1 - s / c->top);
}

/* ---- words ---- */

static const char *tick_text(const chart *c, double v, char out[32]) {
  static const char *const times[] = {" us", " ms", NULL};
  static const char *const plain[] = {"", "k", "M", "G", NULL};
  static const char *const bytes[] = {" kB", " MB", " GB", NULL};
  const char *unit;
  int digits = 3;
  if (c->i == &ww_spreads[WW_SPREAD_time]) {
    unit = ww_unit_of(&v, times, 999.9, 999.9);
  } else if (c->i == &ww_spreads[WW_SPREAD_dram_bytes]) {
    v /= 1e3;
    unit = ww_unit_of(&v, bytes, 999.9, 999.9);
  } else {
    unit = ww_unit_of(&v, plain, 1e3, 1e3);
    digits = *unit ? 6 : 3;
  }
  snprintf(out, 32, "%.*g%s", digits, v, unit);
  return out;
}

static void counts_text(const chart *c, const place *p, ww_buf *b) {
  char lo[32];
  char hi[32];
  if (p->name)
    ww_buf_puts(b, p->name);
  else if (isnan(p->from))
    ww_buf_fmt(b, "below %s", tick_text(c, p->to, hi));
  else if (isnan(p->to))
    ww_buf_fmt(b, "above %s", tick_text(c, p->from, lo));
  else
    ww_buf_fmt(b, "%s to %s", tick_text(c, p->from, lo), tick_text(c, p->to, hi));
  ww_buf_fmt(b, ": %" PRIu64 " launches (%.1f %%)", p->ours,
             100 * share(p->ours, c->ours));
  if (c->other)
    ww_buf_fmt(b, ", other set %" PRIu64 " (%.1f %%)", p->other,
               100 * share(p->other, c->other));
}

/* ---- drawing ---- */

static void ticks_y(chart *c) {
  char t[32];
  double step = step_of(c->top);
  for (int k = 0; k * step <= c->top + 1e-9; k++) {
    double y = y_of(c, k * step);
    ww_buf_fmt(
        c->out,
        "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#e6e6e6\"/>\n",
        LEFT, y, WIDTH - RIGHT, y);
    snprintf(t, sizeof t, "%g %%", round(1000 * k * step) / 10);
    ww_svg_text(c->out, LEFT - 7, y + 4, "end", "#444444", 11, 0, t);
  }
}

static void tick_x(chart *c, double x, const char *text) {
  double y = HEIGHT - BOTTOM;
  ww_svg_tick(c->out, x, y);
  ww_svg_text(c->out, x, y + 16, "middle", "#444444", 11, 0, text);
}

static void ticks_x(chart *c) {
  const ww_spread_info *i = c->i;
  char t[32];
  double x0 = c->places[c->first].x;
  double width = c->bin_width * i->bins;
  if (c->first && c->places[0].name)
    ww_svg_text(c->out, c->places[0].x + c->places[0].width / 2, HEIGHT - BOTTOM + 16,
                "middle", "#444444", 11, 0, i->zero);
  if (i->log) {
    int decades = lround(log10(i->hi / i->lo));
    int every = decades > 7 ? 2 : 1;
    for (int k = 0; k <= decades; k += every)
      tick_x(c, x0 + width * k / decades, tick_text(c, i->lo * pow(10, k), t));
  } else
    for (int k = 0; k <= 4; k++)
      tick_x(c, x0 + width * k / 4, tick_text(c, i->lo + (i->hi - i->lo) * k / 4, t));
}

static void bars(chart *c) {
  for (uint32_t k = 0; k < c->n; k++) {
    const place *p = &c->places[k];
    double y = y_of(c, share(p->ours, c->ours));
    double h = HEIGHT - BOTTOM - y;
    if (p->ours && h < 1) {
      y = HEIGHT - BOTTOM - 1;
      h = 1;
    } /* something is there */
    ww_buf_fmt(c->out,
               "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" "
               "fill-opacity=\"0.45\"><title>",
               p->x + 0.5, y, p->width - 1, h, ours_color);
    counts_text(c, p, c->out);
    ww_buf_puts(c->out, "</title></rect>\n");
  }
}

/* Steps over each run of neighbours, down to the axis at both its ends. */
static void steps(chart *c) {
  double base = HEIGHT - BOTTOM;
  bool open = false;
  if (!c->other)
    return;
  for (uint32_t k = 0; k < c->n; k++) {
    const place *p = &c->places[k];
    double y = y_of(c, share(p->other, c->other));
    if (!open)
      ww_buf_fmt(c->out,
                 "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
                 "stroke-linejoin=\"round\" "
                 "d=\"M%.1f %.1f",
                 other_color, p->x, base);
    ww_buf_fmt(c->out, "V%.1fH%.1f", y, p->x + p->width);
    open = k + 1 < c->n && c->places[k + 1].x < p->x + p->width + 0.01;
    if (!open)
      ww_buf_fmt(c->out, "V%.1f\"/>\n", base);
  }
}

/* What the other set has and this one lacks. */
static void gaps(chart *c) {
  bool any = false;
  for (uint32_t k = 0; k < c->n; k++) {
    const place *p = &c->places[k];
    if (!c->other || !p->other || p->ours >= WW_COVERED_FROM)
      continue;
    any = true;
    ww_buf_fmt(
        c->out,
        "<circle cx=\"%.1f\" cy=\"%d\" r=\"3.5\" fill=\"%s\"><title>not covered: ",
        p->x + p->width / 2, HEIGHT - BOTTOM, other_color);
    counts_text(c, p, c->out);
    ww_buf_puts(c->out, "</title></circle>\n");
  }
  if (!any)
    return;
  ww_buf_fmt(c->out, "<circle cx=\"%d\" cy=\"20\" r=\"3.5\" fill=\"%s\"/>\n",
             WIDTH - RIGHT - 80, other_color);
  ww_svg_text(c->out, WIDTH - RIGHT, 24, "end", "#444444", 11.5, 0, "not covered");
}

static const char *grouped(uint64_t n, char out[32]) { /* 312,045 */
  char digits[24];
  int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
  int at = 0;
  for (int k = 0; k < len; k++) {
    if (k && (len - k) % 3 == 0)
      out[at++] = ',';
    out[at++] = digits[k];
  }
  out[at] = 0;
  return out;
}

static void legend(chart *c, const ww_stats_view *v) {
  char n[32];
  char text[160];
  double x = LEFT;
  ww_buf_fmt(c->out,
             "<rect x=\"%.1f\" y=\"37\" width=\"14\" height=\"10\" fill=\"%s\" "
             "fill-opacity=\"0.45\"/>\n",
             x, ours_color);
  snprintf(text, sizeof text, "%.60s, %s launches", v->ours->name,
           grouped(c->ours->n, n));
  ww_svg_text(c->out, x + 20, 46, "start", "#444444", 11.5, 0, text);
  if (!c->other)
    return;
  double cover = ww_spread_cover(c->ours, c->other);
  x += 34 + 6.2 * strlen(text);
  ww_buf_fmt(c->out,
             "<line x1=\"%.1f\" y1=\"42\" x2=\"%.1f\" y2=\"42\" stroke=\"%s\" "
             "stroke-width=\"2\"/>\n",
             x, x + 14, other_color);
  snprintf(text, sizeof text, "%.60s, %s launches", v->other->name,
           grouped(c->other->n, n));
  if (isfinite(cover))
    snprintf(text + strlen(text), sizeof text - strlen(text), ", %.1f %% covered",
             100 * cover);
  ww_svg_text(c->out, x + 20, 46, "start", "#444444", 11.5, 0, text);
}

void ww_spread_svg(const ww_stats_view *v, ww_spread_id q, ww_buf *out) {
  chart c = {.i = &ww_spreads[q],
             .ours = &v->ours->spread[q],
             .other = v->other ? &v->other->spread[q] : NULL,
             .out = out};
  if (c.other && !c.other->n)
    c.other = NULL;
  lay_out(&c);
  scale(&c);
  ww_svg_begin(out, WIDTH, HEIGHT, c.i->title);
  ww_svg_text(out, LEFT, 24, "start", "#1a1a1a", 15, 0, c.i->title);
  legend(&c, v);
  ticks_y(&c);
  bars(&c);
  steps(&c);
  ww_buf_fmt(out,
             "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#9a9a9a\"/>\n",
             LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM);
  gaps(&c);
  ticks_x(&c);
  double x0 = c.places[c.first].x;
  ww_svg_text(out, x0 + c.bin_width * c.i->bins / 2, HEIGHT - 10, "middle", "#222222",
              12, 0, c.i->axis);
  ww_svg_end(out);
}

ww_status ww_stats_pictures(const ww_stats_view *v, const char *dir, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_status st = WW_OK;
  if (mkdir(dir, 0777) && errno != EEXIST)
    st = ww_fail(e, WW_EIO, "cannot make the folder %s: %s", dir, strerror(errno));
  for (int q = 0; !st && q < WW_NSPREADS; q++) {
    ww_buf b = {0};
    ww_spread_svg(v, q, &b);
    st = ww_write_file_atomic(
        ww_path_join(a, dir, ww_fmt(a, "%s.svg", ww_spreads[q].id)), b.s, b.n, e);
    ww_buf_free(&b);
  }
  ww_arena_free(a);
  return st;
}

/* ---- a page ---- */

static const char style[] =
    ":root{--bg:#fbfbfa;--fg:#1c1d21;--soft:#5d6068;--line:#dcdde1;--card:#fff}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#16171a;--fg:#ececee;--soft:#a2a5ad;-"
    "-line:#"
    "34363c;--card:#1e2024}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;padding:2rem 1.25rem "
    "4rem;max-width:84rem;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,sans-serif}h1{font-size:1.5rem;margin:0 0 .25rem}\n"
    "pre{background:var(--card);border:1px solid "
    "var(--line);border-radius:8px;padding:1rem;overflow-x:auto;font-size:.82rem}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(26rem,1fr));gap:"
    "1rem}\n"
    "figure{margin:0;background:#fff;border:1px solid "
    "var(--line);border-radius:8px;padding:.5rem}svg{width:100%;height:auto;display:"
    "block}\n";

void ww_stats_page(const ww_stats_view *v, ww_buf *out) {
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  ww_set_color(0); /* the page has its own look */
  ww_stats_print(v, f);
  ww_set_color(-1);
  fclose(f);
  ww_buf_puts(out, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta "
                   "name=\"viewport\" content=\"width=device-width\"><title>");
  ww_svg_escape(out, v->ours->name);
  ww_buf_fmt(out, "</title>\n<style>%s</style>\n<h1>", style);
  ww_svg_escape(out, v->ours->name);
  ww_buf_puts(out, "</h1>\n<div class=\"plots\">\n");
  for (int q = 0; q < WW_NSPREADS; q++) {
    ww_buf_puts(out, "<figure>");
    ww_spread_svg(v, q, out);
    ww_buf_puts(out, "</figure>\n");
  }
  ww_buf_puts(out, "</div>\n<pre>");
  ww_svg_escape(out, text);
  ww_buf_puts(out, "</pre>\n</html>\n");
  free(text);
}
