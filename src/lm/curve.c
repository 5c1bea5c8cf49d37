/* curve.c - the loss of a training as a picture: each step pale, smoothed over it,
 * held-out examples as points, the learning rate below.
 *
 * A model that learns tokens and numbers gets a panel for each. One SVG that any
 * browser shows: text as text, no script. Long trainings are thinned to about a
 * thousand points. */
#include <math.h>
#include <stdlib.h>

#include "../base/svg.h"
#include "train.h"

enum {
  WIDTH = 720,
  LEFT = 62,
  RIGHT = 24,
  TOP = 62,
  PANEL = 220,
  GAP = 30,
  RATE_HEIGHT = 40,
  BELOW = 48,
  POINTS = 1000
};
static const char train_color[] = "#0072b2", check_color[] = "#d55e00",
                  rate_color[] = "#666666";

typedef enum { TOKENS, NUMBERS, KINDS } kind;
static const char *const kind_names[KINDS] = {"loss of tokens", "loss of numbers"};

typedef struct {
  kind kind;
  double top;        /* pixels */
  double x1, lo, hi; /* last step; losses at the lower and upper edge */
  bool log;
  ww_buf *out;
} chart;

static double loss_of(const ww_lm_point *p, kind k) {
  return k == TOKENS ? p->token_loss : p->number_loss;
}

/* Whether there is any such loss: a step that asked for none has a 0. */
static bool any(const ww_lm_points *v, kind k) {
  for (uint32_t i = 0; i < v->n; i++)
    if (loss_of(v->v + i, k) != 0)
      return true;
  return false;
}

/* ---- scales ---- */

static double x_of(const chart *c, double step) {
  return LEFT + (WIDTH - LEFT - RIGHT) * step / c->x1;
}

static double y_of(const chart *c, double loss) {
  double s = c->log ? log(loss / c->lo) / log(c->hi / c->lo)
                    : (loss - c->lo) / (c->hi - c->lo);
  s = isfinite(s) ? fmin(1, fmax(0, s)) : 1;
  return c->top + PANEL * (1 - s);
}

/* a step of 1, 2 or 5 times a power of ten, about five of them in the span */
static double nice(double span) {
  double p = pow(10, floor(log10(span / 5))), k = span / 5 / p;
  return p * (k > 5 ? 10 : k > 2 ? 5 : k > 1 ? 2 : 1);
}

static void range(chart *c, const ww_lm_points *v) {
  for (uint32_t k = 0; k < v->n; k++) {
    double loss = loss_of(v->v + k, c->kind);
    c->x1 = fmax(c->x1, v->v[k].step);
    if (!isfinite(loss) || loss == 0)
      continue;
    c->lo = fmin(c->lo, loss);
    c->hi = fmax(c->hi, loss);
  }
}

static void scale(chart *c, const ww_lm_points *train, const ww_lm_points *check) {
  c->lo = INFINITY;
  c->hi = -INFINITY;
  c->x1 = 1;
  range(c, train);
  range(c, check);
  if (c->lo > c->hi) {
    c->lo = 0;
    c->hi = 1;
  }
  c->log = c->lo > 0 && c->hi / c->lo > 3;
  if (c->log) {
    c->lo *= 0.93;
    c->hi *= 1.07;
    return;
  }
  double pad = fmax(0.04 * (c->hi - c->lo), 1e-6 + 1e-3 * fabs(c->hi));
  c->lo -= pad;
  c->hi += pad;
}

/* ---- words and lines ---- */

/* A number beside an axis. */
static void label(const chart *c,
                  double x,
                  double y,
                  const char *anchor,
                  const char *format,
                  double value) {
  char t[32];
  snprintf(t, sizeof t, format, value);
  ww_svg_text(c->out, x, y, anchor, "#444444", 11, 0, t);
}

static void level(const chart *c, double loss) {
  double y = y_of(c, loss);
  ww_buf_fmt(c->out,
             "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#e6e6e6\"/>\n",
             LEFT, y, WIDTH - RIGHT, y);
  label(c, LEFT - 7, y + 4, "end", "%g", loss);
}

static void levels(const chart *c) {
  if (c->log) {
    static const double at[] = {1, 1.5, 2, 3, 5, 7};
    bool few = c->hi / c->lo > 30;
    for (double p = pow(10, floor(log10(c->lo))); p < c->hi; p *= 10)
      for (int k = 0; k < 6; k++)
        if (p * at[k] > c->lo && p * at[k] < c->hi &&
            (!few || k == 0 || k == 2 || k == 4))
          level(c, p * at[k]);
    return;
  }
  double step = nice(c->hi - c->lo);
  for (double v = step * ceil(c->lo / step); v <= c->hi; v += step)
    level(c, fabs(v) < 1e-9 * step ? 0 : v);
}

static void steps_axis(const chart *c, double y) {
  double step = fmax(1, nice(c->x1));
  for (double v = 0; v <= c->x1 * 1.0001; v += step) {
    ww_svg_tick(c->out, x_of(c, v), y);
    label(c, x_of(c, v), y + 16, "middle", "%.10g", v);
  }
  ww_svg_text(c->out, (LEFT + WIDTH - RIGHT) / 2.0, y + 36, "middle", "#222222", 12, 0,
              "step");
}

/* ---- curves ---- */

static void point(const chart *c, bool first, double x, double y) {
  ww_buf_fmt(c->out, "%s%.1f %.1f", first ? "M" : "L", x, y);
}

static void open_path(const chart *c, const char *color, double width, double opacity) {
  ww_buf_fmt(
      c->out,
      "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-opacity=\"%g\" "
      "stroke-linejoin=\"round\" d=\"",
      color, width, opacity);
}

typedef struct {
  double step, loss;
} spot;

/* Means of neighbours, so that there are at most POINTS; steps that asked for no such
 * loss are left out. */
static uint32_t thin(const chart *c, const ww_lm_points *v, spot *out) {
  uint32_t each = (v->n + POINTS - 1) / POINTS, n = 0;
  for (uint32_t k = 0; k < v->n; k += each) {
    double loss = 0, step = 0, of = 0;
    for (uint32_t i = k; i < v->n && i < k + each; i++)
      if (loss_of(v->v + i, c->kind) != 0) {
        loss += loss_of(v->v + i, c->kind);
        step += v->v[i].step;
        of++;
      }
    if (of > 0)
      out[n++] = (spot){step / of, loss / of};
  }
  return n;
}

/* As it was, pale; over it the mean of each spot and up to 1.5 % of them to either
 * side, fewer at the ends. */
static void losses(const chart *c, const ww_lm_points *v) {
  spot *p = ww_xmalloc((POINTS + 1) * sizeof *p);
  uint32_t n = thin(c, v, p), most = n * 3 / 200;
  open_path(c, train_color, 1, 0.3);
  for (uint32_t k = 0; k < n; k++)
    point(c, k == 0, x_of(c, p[k].step), y_of(c, p[k].loss));
  ww_buf_puts(c->out, "\"/>\n");
  open_path(c, train_color, 1.8, 1);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t w = k < n - 1 - k ? k : n - 1 - k;
    double sum = 0;
    if (w > most)
      w = most;
    for (uint32_t i = k - w; i <= k + w; i++)
      sum += p[i].loss;
    point(c, k == 0, x_of(c, p[k].step), y_of(c, sum / (2 * w + 1)));
  }
  ww_buf_puts(c->out, "\"/>\n");
  free(p);
}

static void checks(const chart *c, const ww_lm_points *v) {
  if (v->n > 1) {
    open_path(c, check_color, 1.4, 0.7);
    for (uint32_t k = 0; k < v->n; k++)
      point(c, k == 0, x_of(c, v->v[k].step), y_of(c, loss_of(v->v + k, c->kind)));
    ww_buf_puts(c->out, "\"/>\n");
  }
  for (uint32_t k = 0; k < v->n; k++)
    ww_buf_fmt(c->out,
               "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>step %.0f: "
               "%.4f</title></circle>\n",
               x_of(c, v->v[k].step), y_of(c, loss_of(v->v + k, c->kind)), check_color,
               v->v[k].step, loss_of(v->v + k, c->kind));
}

static void panel(chart *c, const ww_lm_points *train, const ww_lm_points *check) {
  char t[96];
  scale(c, train, check);
  levels(c);
  losses(c, train);
  checks(c, check);
  snprintf(t, sizeof t, check->n ? "%s, %.4g held out at the end" : "%s",
           kind_names[c->kind],
           check->n ? loss_of(&check->v[check->n - 1], c->kind) : 0);
  ww_svg_text(c->out, WIDTH - RIGHT - 4, c->top + 13, "end", "#222222", 12, 0, t);
}

static void rates(const chart *c, const ww_lm_points *v, double y) {
  uint32_t each = (v->n + POINTS - 1) / POINTS;
  double most = 0;
  for (uint32_t k = 0; k < v->n; k++)
    most = fmax(most, v->v[k].lr);
  ww_buf_fmt(
      c->out,
      "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"#f6f6f6\"/>\n", LEFT,
      y, WIDTH - LEFT - RIGHT, RATE_HEIGHT);
  label(c, LEFT - 7, y + RATE_HEIGHT + 2, "end", "%g", 0);
  label(c, LEFT - 7, y + 8, "end", "%.3g", most);
  ww_svg_text(c->out, WIDTH - RIGHT - 4, y + 13, "end", rate_color, 11, 0,
              "learning rate");
  if (!(most > 0))
    return;
  open_path(c, rate_color, 1.4, 1);
  for (uint32_t k = 0; k < v->n; k += each)
    point(c, k == 0, x_of(c, v->v[k].step), y + RATE_HEIGHT * (1 - v->v[k].lr / most));
  ww_buf_puts(c->out, "\"/>\n");
}

static void legend(const chart *c, bool checked) {
  ww_buf_fmt(c->out,
             "<line x1=\"%d\" y1=\"42\" x2=\"%d\" y2=\"42\" stroke=\"%s\" "
             "stroke-width=\"2\"/>\n",
             LEFT, LEFT + 14, train_color);
  ww_svg_text(c->out, LEFT + 20, 46, "start", "#444444", 11.5, 0, "training");
  if (!checked)
    return;
  ww_buf_fmt(c->out, "<circle cx=\"%d\" cy=\"42\" r=\"3.5\" fill=\"%s\"/>\n",
             LEFT + 100, check_color);
  ww_svg_text(c->out, LEFT + 110, 46, "start", "#444444", 11.5, 0, "held out");
}

void ww_lm_curve(const char *title,
                 const ww_lm_points *train,
                 const ww_lm_points *check,
                 ww_buf *svg) {
  bool numbers = any(train, NUMBERS), tokens = any(train, TOKENS) || !numbers;
  int panels = numbers + tokens,
      height = TOP + panels * (PANEL + GAP) + RATE_HEIGHT + BELOW;
  chart c = {.out = svg, .top = TOP};
  ww_svg_begin(svg, WIDTH, height, "loss");
  ww_svg_text(svg, LEFT, 24, "start", "#1a1a1a", 15, 0, title);
  legend(&c, check->n > 0);
  for (int k = 0; k < KINDS; k++) {
    if (!(k == TOKENS ? tokens : numbers))
      continue;
    c.kind = k;
    panel(&c, train, check);
    c.top += PANEL + GAP;
  }
  rates(&c, train, c.top);
  steps_axis(&c, c.top + RATE_HEIGHT);
  ww_svg_end(svg);
}
