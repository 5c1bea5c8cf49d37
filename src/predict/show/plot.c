/* plot.c - the parts of a log-log plot in SVG. Coordinates go out with one decimal:
 * small files, the same on every machine. */
#include "plot.h"

#include <math.h>

enum { WIDTH = 900, HEIGHT = 560, LEFT = 78, TOP = 64, BOTTOM = 62 };

const char *const ww_plot_colors[WW_PLOT_COLORS] = {"#0072b2", "#d55e00", "#009e73",
                                                    "#cc79a7", "#b8860b", "#56b4e9",
                                                    "#7a4fb5", "#555555"};

void ww_plot_begin(ww_plot *p, double right, const char *title, const char *subtitle) {
  p->left = LEFT;
  p->top = TOP;
  p->width = WIDTH - LEFT - right;
  p->height = HEIGHT - TOP - BOTTOM;
  ww_svg_begin(p->out, WIDTH, HEIGHT, title);
  ww_svg_text(p->out, LEFT, 28, "start", "#1a1a1a", 17, 0, title);
  ww_svg_text(p->out, LEFT, 48, "start", "#666666", 12.5, 0, subtitle);
}

void ww_plot_end(ww_plot *p) {
  ww_buf_fmt(p->out,
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
             "stroke=\"#9a9a9a\"/>\n",
             p->left, p->top, p->width, p->height);
  ww_svg_end(p->out);
}

static double place(double v, double lo, double hi) {
  double at = v > 0 ? (log(v) - log(lo)) / (log(hi) - log(lo)) : 0;
  return at < 0 ? 0 : at > 1 ? 1 : at;
}

double ww_plot_x(const ww_plot *p, double v) {
  return p->left + p->width * place(v, p->x0, p->x1);
}
double ww_plot_y(const ww_plot *p, double v) {
  return p->top + p->height * (1 - place(v, p->y0, p->y1));
}

void ww_plot_line(ww_plot *p,
                  double xa,
                  double ya,
                  double xb,
                  double yb,
                  const char *color,
                  double width,
                  bool dashed) {
  ww_buf_fmt(p->out,
             "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
             "stroke-width=\"%.3g\"%s/>\n",
             ww_plot_x(p, xa), ww_plot_y(p, ya), ww_plot_x(p, xb), ww_plot_y(p, yb),
             color, width, dashed ? " stroke-dasharray=\"6 4\"" : "");
}

void ww_plot_tick_x(ww_plot *p, double v, const char *text) {
  ww_plot_line(p, v, p->y0, v, p->y1, "#e6e6e6", 1, false);
  ww_svg_text(p->out, ww_plot_x(p, v), p->top + p->height + 18, "middle", "#444444", 12,
              0, text);
}

void ww_plot_tick_y(ww_plot *p, double v, const char *text) {
  ww_plot_line(p, p->x0, v, p->x1, v, "#e6e6e6", 1, false);
  ww_svg_text(p->out, p->left - 8, ww_plot_y(p, v) + 4, "end", "#444444", 12, 0, text);
}

void ww_plot_decades(ww_plot *p, ww_tick_text text_x, ww_tick_text text_y) {
  char t[24];
  for (double v = pow(10, ceil(log10(p->x0) - 1e-9));
       text_x && isfinite(v) && v <= p->x1 * 1.0001; v *= 10)
    ww_plot_tick_x(p, v, text_x(v, t));
  for (double v = pow(10, ceil(log10(p->y0) - 1e-9));
       text_y && isfinite(v) && v <= p->y1 * 1.0001; v *= 10)
    ww_plot_tick_y(p, v, text_y(v, t));
}

void ww_plot_titles(ww_plot *p, const char *x, const char *y) {
  ww_svg_text(p->out, p->left + p->width / 2, p->top + p->height + 44, "middle",
              "#222222", 13, 0, x);
  ww_svg_text(p->out, 22, p->top + p->height / 2, "middle", "#222222", 13, -90, y);
}
