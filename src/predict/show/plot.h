/* plot.h - log-log plots as SVG. */
#ifndef WW_PLOT_H
#define WW_PLOT_H

#include "../../base/svg.h"

typedef struct {
  ww_buf *out;
  double left, top, width, height; /* of the frame, pixels */
  double x0, x1, y0, y1;           /* values at its edges, all above 0 */
} ww_plot;

typedef const char *(*ww_tick_text)(double v, char out[24]);

enum { WW_PLOT_COLORS = 8 };
/* can be told apart by the colour-blind */
extern const char *const ww_plot_colors[WW_PLOT_COLORS];

/* The picture is 900 x 560; the frame leaves `right` pixels for a legend. Ranges must
 * be set before. */
void ww_plot_begin(ww_plot *p, double right, const char *title, const char *subtitle);
void ww_plot_end(ww_plot *p);
/* pixels; values beyond the edges are put on them */
double ww_plot_x(const ww_plot *p, double v);
double ww_plot_y(const ww_plot *p, double v);
/* Lines and labels at the given values. */
void ww_plot_tick_x(ww_plot *p, double v, const char *text);
void ww_plot_tick_y(ww_plot *p, double v, const char *text);
/* NULL: none */
void ww_plot_decades(ww_plot *p, ww_tick_text text_x, ww_tick_text text_y);
void ww_plot_titles(ww_plot *p, const char *x, const char *y);
void ww_plot_line(ww_plot *p,
                  double xa,
                  double ya,
                  double xb,
                  double yb,
                  const char *color,
                  double width,
                  bool dashed);

#endif
